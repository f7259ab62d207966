/** Search across listings, RFQs and agents. Contract §5, GET /api/v1/search. */
import { Context, DateTime, Effect, Layer, Result } from "effect"
import type { AgentProfile } from "../model/Agent.ts"
import { toProfile } from "../model/Agent.ts"
import { InvalidCursor } from "../model/Errors.ts"
import type { Unavailable } from "../model/Errors.ts"
import { AgentId, ListingId, RfqId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import type { Listing } from "../model/Listing.ts"
import { toMicros } from "../model/Money.ts"
import type { Money } from "../model/Money.ts"
import { pageLimit } from "../model/Page.ts"
import type { CursorPage, PageQuery } from "../model/Page.ts"
import type { Rfq } from "../model/Rfq.ts"
import { SearchIndex } from "../ports/SearchIndex.ts"
import type { DocumentKind, SearchHit } from "../ports/SearchIndex.ts"
import { Store } from "../ports/Store.ts"
import { mayRead as mayReadListing } from "../rules/Listings.ts"
import { mayRead as mayReadRfq, rfqAsOf } from "../rules/Rfqs.ts"
import { readCursor, writeCursor } from "./Cursors.ts"
import { bindingOf } from "./lists.ts"

export interface SearchRequest extends PageQuery {
  readonly q: string
  readonly types?: ReadonlyArray<DocumentKind> | undefined
  readonly tag?: string | undefined
  readonly category?: string | undefined
  readonly maxPrice?: string | undefined
  readonly currency?: string | undefined
}

/** Something found: what it is, how well it fits (above 0, at most 1), and where the words stand. */
export type SearchResult = { readonly score: number; readonly terms: ReadonlyArray<string> } & (
  | { readonly type: "listing"; readonly item: Listing }
  | { readonly type: "rfq"; readonly item: Rfq }
  | { readonly type: "agent"; readonly item: AgentProfile }
)

const allKinds: ReadonlyArray<DocumentKind> = ["listing", "rfq", "agent"]

export class Search extends Context.Service<
  Search,
  {
    /** Best first. What the index knows is checked against the store, so nothing is found that may not be seen. */
    readonly find: (
      viewer: AgentId | undefined,
      request: SearchRequest
    ) => Effect.Effect<CursorPage<SearchResult>, InvalidCursor | Unavailable>
  }
>()("@souk/core/Search") {
  static readonly layer: Layer.Layer<Search, never, Store | SearchIndex> = Layer.effect(
    Search,
    Effect.gen(function* () {
      const store = yield* Store
      const index = yield* SearchIndex

      const load = Effect.fnUntraced(function* (hits: ReadonlyArray<SearchHit>) {
        const ids = (kind: DocumentKind) => hits.filter((hit) => hit.kind === kind).map((hit) => hit.id)
        const [listings, rfqs, agents] = yield* Effect.all([
          store.listings.byIds(ids("listing").map((id) => ListingId.make(id))),
          store.rfqs.byIds(ids("rfq").map((id) => RfqId.make(id))),
          store.agents.byIds(ids("agent").map((id) => AgentId.make(id)))
        ])
        return {
          listings: new Map<string, Listing>(listings.map((listing) => [listing.id, listing])),
          rfqs: new Map<string, Rfq>(rfqs.map((rfq) => [rfq.id, rfq])),
          agents: new Map<string, AgentProfile>(
            agents.filter((agent) => agent.status === "active").map((agent) => [agent.id, toProfile(agent)])
          )
        }
      })

      const results = Effect.fnUntraced(function* (
        viewer: AgentId | undefined,
        request: SearchRequest,
        hits: ReadonlyArray<SearchHit>,
        now: Instant
      ) {
        const found = yield* load(hits)
        return hits.flatMap((hit): ReadonlyArray<SearchResult> => {
          const { score, terms } = hit
          switch (hit.kind) {
            case "listing": {
              const item = found.listings.get(hit.id)
              if (item === undefined || item.status !== "active" || !mayReadListing(item, viewer)) return []
              return inCurrency(request, item.pricing.price) ? [{ type: "listing", score, terms, item }] : []
            }
            case "rfq": {
              const stored = found.rfqs.get(hit.id)
              if (stored === undefined || !mayReadRfq(stored, viewer)) return []
              const item = rfqAsOf(stored, now).rfq
              if (item.status !== "open") return []
              return inCurrency(request, item.budget) ? [{ type: "rfq", score, terms, item }] : []
            }
            case "agent": {
              const item = found.agents.get(hit.id)
              return item === undefined || request.currency !== undefined
                ? []
                : [{ type: "agent", score, terms, item }]
            }
          }
        })
      })

      const find = Effect.fn("Search.find")(function* (viewer: AgentId | undefined, request: SearchRequest) {
        const now = yield* DateTime.now
        const { types, ...filters } = request
        const kinds = types ?? allKinds
        const binding = bindingOf(`search ${kinds.join(",")}`, viewer, filters)
        const from =
          request.cursor === undefined
            ? undefined
            : yield* Effect.fromResult(readPlace(binding, request.cursor))
        const hits = yield* index.find({
          text: request.q,
          kinds,
          viewer,
          tag: request.tag,
          category: request.category,
          maxPriceMicros: request.maxPrice === undefined ? undefined : toMicros(request.maxPrice)
        })
        const rest = from === undefined ? hits : hits.filter((hit) => isBehind(hit, from))
        const limit = request.limit ?? pageLimit.default
        const items: Array<SearchResult> = []
        for (let start = 0; start < rest.length && items.length <= limit; start += limit + 1)
          items.push(...(yield* results(viewer, request, rest.slice(start, start + limit + 1), now)))
        const page = items.slice(0, limit)
        const last = page.at(-1)
        const nextCursor =
          items.length > limit && last !== undefined
            ? writeCursor(binding, `${last.score}/${last.item.id}`)
            : null
        return { items: page, nextCursor }
      })

      return Search.of({ find })
    })
  )
}

const inCurrency = (request: SearchRequest, money: Money | undefined): boolean =>
  request.currency === undefined || money?.currency === request.currency

/** A place in the ranking: the score and the id of the last result of a page. */
interface Place {
  readonly score: number
  readonly id: string
}

const readPlace = (
  binding: Parameters<typeof readCursor>[0],
  cursor: string
): Result.Result<Place, InvalidCursor> =>
  Result.flatMap(readCursor(binding, cursor), (key) => {
    const [score = "", id = ""] = key.split("/")
    return Number.isFinite(Number(score)) && id !== ""
      ? Result.succeed({ score: Number(score), id })
      : Result.fail(
          new InvalidCursor({ message: "The cursor is not of this search. Start again without it." })
        )
  })

const isBehind = (hit: SearchHit, place: Place): boolean =>
  hit.score < place.score || (hit.score === place.score && hit.id < place.id)
