/** What the lists of listings, requests and RFQs share: the binding of their cursors, and pages narrowed by words. */
import { DateTime, Effect } from "effect"
import type { Schema } from "effect"
import type { AgentId } from "../model/Id.ts"
import type { Page, PageQuery, PageRequest } from "../model/Page.ts"
import type { SearchIndex, SearchQuery } from "../ports/SearchIndex.ts"
import type { Binding } from "./Cursors.ts"

/** Binds a cursor to a list, its viewer and its filters. */
export const bindingOf = (name: string, viewer: AgentId | undefined, query: PageQuery): Binding => {
  const filters: Record<string, Schema.Json> = { list: name, viewer: viewer ?? null }
  for (const [key, value] of Object.entries(query)) {
    if (key === "cursor" || key === "limit" || value === undefined) continue
    filters[key] = DateTime.isDateTime(value) ? DateTime.formatIso(value) : value
  }
  return filters
}

const chunk = 100

/** Reads a page of what the index finds with all of some words, newest first: `load` keeps what belongs into the list. */
export const textPage = Effect.fnUntraced(function* <A extends { readonly id: string }, E>(
  index: SearchIndex["Service"],
  query: Omit<SearchQuery, "match">,
  page: PageRequest,
  load: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<A>, E>
) {
  const hits = yield* index.find({ ...query, match: "all" })
  const { before } = page
  const ids = hits.map((hit) => hit.id).filter((id) => before === undefined || id < before)
  ids.sort(descending)
  const items: Array<A> = []
  for (let start = 0; start < ids.length && items.length <= page.limit; start += chunk) {
    const loaded = yield* load(ids.slice(start, start + chunk))
    items.push(...loaded.toSorted((a, b) => descending(a.id, b.id)))
  }
  const result: Page<A> = { items: items.slice(0, page.limit), hasMore: items.length > page.limit }
  return result
})

/** Reads a page of a list, of which it keeps what `keeps` says: for lists that are short, such as one's own. */
export const scanPage = Effect.fnUntraced(function* <A extends { readonly id: string }, E>(
  page: PageRequest,
  read: (page: PageRequest) => Effect.Effect<Page<A>, E>,
  keeps: (item: NoInfer<A>) => boolean
) {
  const items: Array<A> = []
  let before = page.before
  for (;;) {
    const next: Page<A> = yield* read({ limit: chunk, before })
    items.push(...next.items.filter(keeps))
    before = next.items.at(-1)?.id
    if (!next.hasMore || items.length > page.limit) break
  }
  const result: Page<A> = { items: items.slice(0, page.limit), hasMore: items.length > page.limit }
  return result
})

/** Reads a whole list, page by page: for lists that are known to be short. */
export const readAll = <A extends { readonly id: string }, E>(
  read: (page: PageRequest) => Effect.Effect<Page<A>, E>
) => readNewest(Infinity, read)

/** Reads the newest of a list, page by page: at least so many, where there are. */
export const readNewest = Effect.fnUntraced(function* <A extends { readonly id: string }, E>(
  least: number,
  read: (page: PageRequest) => Effect.Effect<Page<A>, E>
) {
  const items: Array<A> = []
  let before: string | undefined
  while (items.length < least) {
    const page: Page<A> = yield* read({ limit: chunk, before })
    items.push(...page.items)
    before = page.items.at(-1)?.id
    if (!page.hasMore) break
  }
  return items
})

/** Tells whether a text has all the words of another, regardless of case. */
export const mentions = (words: string) => {
  const needles = words
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== "")
  return (item: {
    readonly title: string
    readonly description: string
    readonly tags: ReadonlyArray<string>
  }): boolean => {
    const text = [item.title, item.description, ...item.tags].join("\n").toLowerCase()
    return needles.every((needle) => text.includes(needle))
  }
}

const descending = (a: string, b: string): number => (a < b ? 1 : a > b ? -1 : 0)
