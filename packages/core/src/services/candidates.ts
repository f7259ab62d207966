/** Who may fit whom: a thing that is new or changed is compared with what the search index proposes, never with all. */
import { Effect } from "effect"
import { ListingId, RequestId, RfqId } from "../model/Id.ts"
import type { AgentId, MatchId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import type { Listing } from "../model/Listing.ts"
import type { Match } from "../model/Match.ts"
import { toMicros } from "../model/Money.ts"
import type { Request } from "../model/Request.ts"
import type { Rfq } from "../model/Rfq.ts"
import type { SearchDocument, SearchHit, SearchIndex, SearchQuery } from "../ports/SearchIndex.ts"
import type { MatchFilter, Store } from "../ports/Store.ts"
import { found, matchIdOf } from "../rules/Matches.ts"
import type { Found } from "../rules/Matches.ts"
import { demandOfRequest, demandOfRfq, fitOf, leastScore, stands } from "../rules/Matching.ts"
import type { Fit, Pair } from "../rules/Matching.ts"
import { readPairs } from "./pairs.ts"
import type { PairRef } from "./pairs.ts"
import { demandDocument, listingDocument, requestDocument, rfqDocument } from "./Projection.ts"

/** What is matched. */
export interface Subject {
  readonly kind: "listing" | "request" | "rfq"
  readonly id: string
}

/** So many candidates are read at a time, until so many may be matched, or so many were read. */
const chunk = 50
const maxRead = 200

/** So many matches come of one new or changed thing, the best ones: twice as many add few that are good. */
const maxMatches = 10

/** So many of a thing's matches are judged anew when it changes, the newest ones. */
const maxKnown = 200

/** The beginning of a description says what a thing is about; a query does not take more words in any case. */
const maxBodyLength = 300

const nothing: Found = { writes: [], events: [], reliesOn: [] }

/** Judges a thing with its candidates, and with the matches that it has already. */
export const matchesOf = Effect.fnUntraced(function* (
  store: Store["Service"],
  index: SearchIndex["Service"],
  subject: Subject,
  now: Instant
) {
  const search = yield* searchOf(store, subject, now)
  if (search === undefined) return nothing
  const judge = judgeWith(index)
  const { items: known } = yield* store.matches.list(search.known, { limit: maxKnown })
  const pairOf = yield* readPairs(store, known, now)
  const again = known.flatMap((match) =>
    standing(pairOf(match)).map((pair) => found(pair, match, judge(pair).fit, now))
  )
  const hits = yield* index.find(search.query)
  const good = (yield* candidatesOf(store, hits, search.refOf, now))
    .map(judge)
    .filter(({ fit }) => fit.score >= leastScore)
  const others = new Map<string, Match>(
    (yield* store.matches.byIds(good.map(({ id }) => id))).map((match) => [match.id, match])
  )
  // What was dismissed, or led to a room, takes no place among the best.
  const best = good
    .filter(({ id }) => (others.get(id)?.status ?? "suggested") === "suggested")
    .toSorted((a, b) => b.fit.score - a.fit.score || (a.id < b.id ? 1 : -1))
    .slice(0, maxMatches)
  const isKnown = new Set<string>(known.map(({ id }) => id))
  const fresh = best.filter(({ id }) => !isKnown.has(id))
  const parts = [...again, ...fresh.map(({ fit, id, pair }) => found(pair, others.get(id), fit, now))]
  const all: Found = {
    writes: parts.flatMap(({ writes }) => writes),
    events: parts.flatMap(({ events }) => events),
    reliesOn: [
      ...new Map(
        parts.flatMap(({ reliesOn }) => reliesOn).map((reliance) => [reliance.id, reliance] as const)
      ).values()
    ]
  }
  return all
})

/** A pair with its fit. */
interface Judged {
  readonly id: MatchId
  readonly pair: Pair
  readonly fit: Fit
}

const judgeWith =
  (index: SearchIndex["Service"]) =>
  (pair: Pair): Judged => {
    const likeness = index.likeness(demandDocument(pair.demand), listingDocument(pair.supply))
    return { id: matchIdOf(pair), pair, fit: fitOf(pair, likeness) }
  }

/** The candidates of the index, in its order, that may be matched. */
const candidatesOf = Effect.fnUntraced(function* (
  store: Store["Service"],
  hits: ReadonlyArray<SearchHit>,
  refOf: (hit: SearchHit) => PairRef,
  now: Instant
) {
  const candidates: Array<Pair> = []
  for (let start = 0; start < Math.min(hits.length, maxRead) && candidates.length < chunk; start += chunk) {
    const refs = hits.slice(start, start + chunk).map(refOf)
    const pairOf = yield* readPairs(store, refs, now)
    candidates.push(...refs.flatMap((ref) => standing(pairOf(ref))))
  }
  return candidates
})

const standing = (pair: Pair | undefined): ReadonlyArray<Pair> =>
  pair !== undefined && stands(pair) ? [pair] : []

/** How the other side of a thing is looked for: by its words, among what the hard conditions do not leave out. */
interface Search {
  readonly query: SearchQuery
  readonly known: MatchFilter
  readonly refOf: (hit: SearchHit) => PairRef
}

/** Nothing is looked for where the thing is not on the market. */
const searchOf = Effect.fnUntraced(function* (store: Store["Service"], { id, kind }: Subject, now: Instant) {
  switch (kind) {
    case "listing": {
      const listing = yield* store.listings.byId(ListingId.make(id))
      return listing?.status === "active" ? searchForDemand(listing) : undefined
    }
    case "request": {
      const request = yield* store.requests.byId(RequestId.make(id))
      return request !== undefined && demandOfRequest(request, now).isOpen
        ? searchForSupply({ kind, id: request.id }, request, requestDocument(request))
        : undefined
    }
    case "rfq": {
      const rfq = yield* store.rfqs.byId(RfqId.make(id))
      return rfq !== undefined && demandOfRfq(rfq, now).isOpen
        ? searchForSupply({ kind, id: rfq.id }, rfq, rfqDocument(rfq), inviteesOf(rfq))
        : undefined
    }
  }
})

const searchForDemand = (listing: Listing): Search => {
  const { price } = listing.pricing
  const supply = { kind: "listing", id: listing.id } as const
  return {
    query: {
      text: textOf(listingDocument(listing)),
      match: "any",
      kinds: ["request", "rfq"],
      near: false,
      viewer: listing.agentId,
      exceptAgentId: listing.agentId,
      within: price && { currency: price.currency, fromMicros: toMicros(price.amount) }
    },
    known: { supplyId: listing.id, statuses: ["suggested"] },
    refOf: ({ id, kind }) => ({
      demand: kind === "rfq" ? { kind, id: RfqId.make(id) } : { kind: "request", id: RequestId.make(id) },
      supply
    })
  }
}

const inviteesOf = ({ invitees, visibility }: Rfq) => (visibility === "invited" ? invitees : undefined)

const searchForSupply = (
  demand: PairRef["demand"],
  { agentId, budget }: Rfq | Request,
  document: SearchDocument,
  agentIds?: ReadonlyArray<AgentId>
): Search => ({
  query: {
    text: textOf(document),
    near: false,
    kinds: ["listing"],
    agentIds,
    exceptAgentId: agentId,
    within: budget && { currency: budget.currency, toMicros: toMicros(budget.amount) }
  },
  known: { demandId: demand.id, statuses: ["suggested"] },
  refOf: ({ id }) => ({ demand, supply: { kind: "listing", id: ListingId.make(id) } })
})

const textOf = ({ body, category, tags, title }: SearchDocument): string =>
  [title, ...tags, category ?? "", body.slice(0, maxBodyLength)].join("\n")
