/** The two sides of matches, as they are now. */
import { Effect } from "effect"
import type { AgentId, MatchId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import type { Match } from "../model/Match.ts"
import type { Store } from "../ports/Store.ts"
import { isThere, sideIn } from "../rules/Matches.ts"
import { demandOfRequest, demandOfRfq } from "../rules/Matching.ts"
import type { Demand, Pair } from "../rules/Matching.ts"
import { notFound } from "./reads.ts"

/** What names a pair; a match does. */
export type PairRef = Pick<Match, "demand" | "supply">

/** Reads the sides of pairs, each thing once; what is gone makes its pairs undefined. */
export const readPairs = Effect.fnUntraced(function* (
  store: Store["Service"],
  refs: ReadonlyArray<PairRef>,
  now: Instant
) {
  const rfqIds = refs.flatMap(({ demand }) => (demand.kind === "rfq" ? [demand.id] : []))
  const requestIds = refs.flatMap(({ demand }) => (demand.kind === "request" ? [demand.id] : []))
  const rfqs = yield* store.rfqs.byIds([...new Set(rfqIds)])
  const requests = yield* store.requests.byIds([...new Set(requestIds)])
  const supplies = yield* store.listings.byIds([...new Set(refs.map(({ supply }) => supply.id))])
  const agentIds = [...rfqs, ...requests, ...supplies].map(({ agentId }) => agentId)
  const agents = byId(yield* store.agents.byIds([...new Set(agentIds)]))
  const listings = byId(supplies)
  const demands = new Map<string, Demand>([
    ...rfqs.map((rfq) => [rfq.id, demandOfRfq(rfq, now)] as const),
    ...requests.map((request) => [request.id, demandOfRequest(request, now)] as const)
  ])
  return ({ demand: { id }, supply: { id: supplyId } }: PairRef): Pair | undefined => {
    const demand = demands.get(id)
    const supply = listings.get(supplyId)
    const buyer = demand && agents.get(demand.item.agentId)
    const seller = supply && agents.get(supply.agentId)
    return demand && supply && buyer && seller && { demand, supply, buyer, seller }
  }
})

/** Reads a match for one of its sides; to others, and when it no longer stands, there is none. */
export const readMatch = Effect.fnUntraced(function* (
  store: Store["Service"],
  viewer: AgentId,
  id: MatchId,
  now: Instant
) {
  const match = yield* store.matches.byId(id)
  const side = match && sideIn(match, viewer)
  if (match === undefined || side === undefined) return yield* notFound("match")
  const pair = (yield* readPairs(store, [match], now))(match)
  if (!isThere(match, pair)) return yield* notFound("match")
  return { match, side, pair }
})

const byId = <A extends { readonly id: string }>(items: ReadonlyArray<A>): ReadonlyMap<string, A> =>
  new Map(items.map((item) => [item.id, item]))
