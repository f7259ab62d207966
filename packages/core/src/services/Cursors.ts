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

/**
 * Reads the key of a cursor; a cursor of another list or other filters is refused. So is a key of another form: who
 * writes his own cursor learns nothing from what a store makes of it.
 */
export const readCursor = (
  binding: Binding,
  cursor: string,
  form: RegExp
): Result.Result<string, InvalidCursor> => {
  const text = Result.map(Base64Url.decode(cursor), (bytes) => new TextDecoder().decode(bytes))
  const key = Result.isSuccess(text) ? text.success.slice(digestLength + 1) : ""
  return Result.isSuccess(text) && text.success === `${bind(binding)}.${key}` && form.test(key)
    ? Result.succeed(key)
    : Result.fail(
        new InvalidCursor({
          message: "The cursor is not of this list with these filters. Start again without it."
        })
      )
}

const idForm = /^[a-z]{3,4}_[0-9a-z]{26}$/u

/** A page of a list that is looked through: `seenTo` is where the next one goes on, if not behind its last item. */
interface Looked<A> extends Page<A> {
  readonly seenTo?: string | undefined
}

/** Reads one page of a list that is keyed by id, and writes the cursor behind it. */
export const paged = Effect.fnUntraced(function* <A extends { readonly id: string }, E>(
  binding: Binding,
  query: PageQuery,
  read: (page: PageRequest) => Effect.Effect<Looked<A>, E>
) {
  const before =
    query.cursor === undefined
      ? undefined
      : yield* Effect.fromResult(readCursor(binding, query.cursor, idForm))
  const { items, hasMore, seenTo } = yield* read({ limit: query.limit ?? pageLimit.default, before })
  const last = seenTo ?? items.at(-1)?.id
  const page: CursorPage<A> = {
    items,
    nextCursor: hasMore && last !== undefined ? writeCursor(binding, last) : null
  }
  return page
})

const digestForm = /^[0-9a-f]{64}$/u

/** Makes a page of items in an order that says nothing of when they came to be: by a digest of each. */
export const scattered = <A>(
  binding: Binding,
  query: PageQuery,
  items: ReadonlyArray<A>,
  digestOf: (item: A) => string
): Result.Result<CursorPage<A>, InvalidCursor> => {
  const from = query.cursor === undefined ? Result.succeed("") : readCursor(binding, query.cursor, digestForm)
  return Result.map(from, (from) => {
    const limit = query.limit ?? pageLimit.default
    const rest = items
      .map((item) => ({ item, key: digestOf(item) }))
      .filter(({ key }) => key > from)
      .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    const page = rest.slice(0, limit)
    const last = page.at(-1)
    return {
      items: page.map(({ item }) => item),
      nextCursor: rest.length > limit && last !== undefined ? writeCursor(binding, last.key) : null
    }
  })
}
