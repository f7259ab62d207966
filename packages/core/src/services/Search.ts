/** Search across listings, requests, RFQs and agents. Contract §5, GET /api/v1/search. */
import { Context, DateTime, Effect, Layer, Result } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { AgentProfile } from "../model/Agent.ts"
import { toProfile } from "../model/Agent.ts"
import type { InvalidCursor, Unavailable } from "../model/Errors.ts"
import { AgentId, ListingId, RequestId, RfqId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import type { Listing } from "../model/Listing.ts"
import { toMicros } from "../model/Money.ts"
import type { Money } from "../model/Money.ts"
import { pageLimit } from "../model/Page.ts"
import type { CursorPage, PageQuery } from "../model/Page.ts"
import type { Request } from "../model/Request.ts"
import type { Rfq, RfqView } from "../model/Rfq.ts"
import { SearchIndex } from "../ports/SearchIndex.ts"
import type { DocumentKind, SearchHit } from "../ports/SearchIndex.ts"
import { Store } from "../ports/Store.ts"
import { mayRead as mayReadListing } from "../rules/Listings.ts"
import { requestAsOf } from "../rules/Requests.ts"
import { mayRead as mayReadRfq, rfqAsOf } from "../rules/Rfqs.ts"
import { viewRfq } from "../rules/Seals.ts"
import { readCursor, writeCursor } from "./Cursors.ts"
import { bindingOf } from "./lists.ts"
import * as Rankings from "./Rankings.ts"
import type { Ranking } from "./Rankings.ts"

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
  | { readonly type: "request"; readonly item: Request }
  | { readonly type: "rfq"; readonly item: RfqView }
  | { readonly type: "agent"; readonly item: AgentProfile }
)

const allKinds: ReadonlyArray<DocumentKind> = ["listing", "request", "rfq", "agent"]

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
  static readonly layer: Layer.Layer<Search, never, Store | SearchIndex | SecureRandom.SecureRandom> =
    Layer.effect(
      Search,
      Effect.gen(function* () {
        const store = yield* Store
        const index = yield* SearchIndex
        const rankings = yield* Rankings.make

        const load = Effect.fnUntraced(function* (hits: ReadonlyArray<SearchHit>) {
          const ids = (kind: DocumentKind) => hits.filter((hit) => hit.kind === kind).map((hit) => hit.id)
          const [listings, requests, rfqs, agents] = yield* Effect.all([
            store.listings.byIds(ids("listing").map((id) => ListingId.make(id))),
            store.requests.byIds(ids("request").map((id) => RequestId.make(id))),
            store.rfqs.byIds(ids("rfq").map((id) => RfqId.make(id))),
            store.agents.byIds(ids("agent").map((id) => AgentId.make(id)))
          ])
          return {
            listings: new Map<string, Listing>(listings.map((listing) => [listing.id, listing])),
            requests: new Map<string, Request>(requests.map((request) => [request.id, request])),
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
                return inCurrency(request, item.pricing.price)
                  ? [{ type: "listing", score, terms, item }]
                  : []
              }
              case "request": {
                const stored = found.requests.get(hit.id)
                const item = stored && requestAsOf(stored, now).request
                if (item?.status !== "open") return []
                return inCurrency(request, item.budget) ? [{ type: "request", score, terms, item }] : []
              }
              case "rfq": {
                const stored = found.rfqs.get(hit.id)
                if (stored === undefined || !mayReadRfq(stored, viewer)) return []
                const item = viewRfq(rfqAsOf(stored, now).rfq, viewer, now)
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

        const find = Effect.fn("Search.find")(function* (
          viewer: AgentId | undefined,
          request: SearchRequest
        ) {
          const now = yield* DateTime.now
          const { types, ...filters } = request
          const kinds = types ?? allKinds
          const binding = bindingOf(`search ${kinds.join(",")}`, viewer, filters)
          const from =
            request.cursor === undefined
              ? undefined
              : yield* Effect.fromResult(readPlace(binding, request.cursor))
          const limit = request.limit ?? pageLimit.default
          const ranked = index.find({
            text: request.q,
            kinds,
            viewer,
            tag: request.tag,
            category: request.category,
            maxPriceMicros: request.maxPrice === undefined ? undefined : toMicros(request.maxPrice)
          })
          const kept = from === undefined ? undefined : restOf(rankings.find(from.ranking), from, limit)
          const { ranking, rest } = kept ?? (yield* Effect.map(ranked, (hits) => startAt(hits, from)))
          const items: Array<SearchResult> = []
          for (let start = 0; start < rest.length && items.length <= limit; start += limit + 1)
            items.push(...(yield* results(viewer, request, rest.slice(start, start + limit + 1), now)))
          const page = items.slice(0, limit)
          const last = page.at(-1)
          if (items.length <= limit || last === undefined) return { items: page, nextCursor: null }
          const { id } = ranking ?? (yield* rankings.keep(rest))
          return { items: page, nextCursor: writeCursor(binding, `${id}/${last.score}/${last.item.id}`) }
        })

        return Search.of({ find })
      })
    )
}

const inCurrency = (request: SearchRequest, money: Money | undefined): boolean =>
  request.currency === undefined || money?.currency === request.currency

/** A place in a ranking: the score and the id of the last result of a page. */
interface Place {
  readonly ranking: string
  readonly score: number
  readonly id: string
}

const placeForm =
  /^[0-9a-f-]{36}\/(?:1|0\.[0-9]{1,17}|[0-9](?:\.[0-9]{1,17})?e-[0-9]{1,2})\/[a-z]{3}_[0-9a-z]{26}$/u

const readPlace = (
  binding: Parameters<typeof readCursor>[0],
  cursor: string
): Result.Result<Place, InvalidCursor> =>
  Result.map(readCursor(binding, cursor, placeForm), (key) => {
    const [ranking = "", score = "", id = ""] = key.split("/")
    return { ranking, score: Number(score), id }
  })

/** What is left of a search: the hits behind a place, and the ranking that they are from where it is kept. */
interface Rest {
  readonly ranking: Ranking | undefined
  readonly rest: ReadonlyArray<SearchHit>
}

/** The hits behind a place of a kept ranking; `undefined` where that does not hold a page more. */
const restOf = (ranking: Ranking | undefined, place: Place, limit: number): Rest | undefined => {
  const index = ranking?.hits.findIndex((hit) => hit.id === place.id) ?? -1
  if (ranking === undefined || index < 0) return undefined
  const rest = ranking.hits.slice(index + 1)
  return ranking.isWhole || rest.length > limit ? { ranking, rest } : undefined
}

const startAt = (hits: ReadonlyArray<SearchHit>, place: Place | undefined): Rest => ({
  ranking: undefined,
  rest: place === undefined ? hits : hits.filter((hit) => isBehind(hit, place))
})

const isBehind = (hit: SearchHit, place: Place): boolean =>
  hit.score < place.score || (hit.score === place.score && hit.id < place.id)
