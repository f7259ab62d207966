/** Cursors of the lists: opaque, and good only for the list and the filters that gave them. Contract §1, "Paging". */
import { Effect, Result } from "effect"
import type { Schema } from "effect"
import { Base64Url } from "effect/encoding"
import { sha256Hex, stringify } from "../model/Canonical.ts"
import { InvalidCursor } from "../model/Errors.ts"
import type { CursorPage, Page, PageQuery, PageRequest } from "../model/Page.ts"
import { pageLimit } from "../model/Page.ts"

/** What a cursor is bound to: the list's name and the filters, without `limit` and `cursor`. */
export type Binding = Schema.Json

const digestLength = 12

const bind = (binding: Binding): string => sha256Hex(stringify(binding)).slice(0, digestLength)

/** Writes the cursor behind a key. */
export const writeCursor = (binding: Binding, key: string): string =>
  Base64Url.encode(`${bind(binding)}.${key}`)

/** Reads the key of a cursor; a cursor of another list or other filters is refused. */
export const readCursor = (binding: Binding, cursor: string): Result.Result<string, InvalidCursor> => {
  const text = Result.map(Base64Url.decode(cursor), (bytes) => new TextDecoder().decode(bytes))
  if (
    Result.isSuccess(text) &&
    text.success.startsWith(`${bind(binding)}.`) &&
    text.success.length > digestLength + 1
  )
    return Result.succeed(text.success.slice(digestLength + 1))
  return Result.fail(
    new InvalidCursor({
      message: "The cursor is not of this list with these filters. Start again without it."
    })
  )
}

/** Reads one page of a list that is keyed by id, and writes the cursor behind it. */
export const paged = Effect.fnUntraced(function* <A extends { readonly id: string }, E>(
  binding: Binding,
  query: PageQuery,
  read: (page: PageRequest) => Effect.Effect<Page<A>, E>
) {
  const before =
    query.cursor === undefined ? undefined : yield* Effect.fromResult(readCursor(binding, query.cursor))
  const { items, hasMore } = yield* read({ limit: query.limit ?? pageLimit.default, before })
  const last = items.at(-1)
  const page: CursorPage<A> = {
    items,
    nextCursor: hasMore && last !== undefined ? writeCursor(binding, last.id) : null
  }
  return page
})
