/**
 * Pages of a list: newest first, by keyset, so that inserts never repeat or skip an item. Contract §1, "Paging".
 */
import { Schema } from "effect"

/** How many items a page holds: 1 to 100, 20 where nothing is said. */
export const pageLimit = { min: 1, max: 100, default: 20 } as const

/** What a list reader is asked for: at most `limit` items whose id sorts before `before`. */
export interface PageRequest<Id extends string = string> {
  readonly limit: number
  readonly before?: Id | undefined
}

/** The items of one page; `hasMore` tells whether another page follows. */
export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly hasMore: boolean
}

/** A page as callers get it: the cursor is opaque and `null` on the last page. */
export interface CursorPage<A> {
  readonly items: ReadonlyArray<A>
  readonly nextCursor: string | null
}

/** An opaque cursor as it came from a caller. */
export const Cursor = Schema.String.check(Schema.isMaxLength(512))

/** What a caller says about the page that he wants. */
export interface PageQuery {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}
