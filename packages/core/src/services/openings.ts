/**
 * What a deal room can start from: a listing, a request, a quote, a match, or another agent directly. Contract §5,
 * POST /api/deal-rooms.
 */
import { Effect } from "effect"
import type { Agent } from "../model/Agent.ts"
import type { Reliance, Write } from "../model/Change.ts"
import type { DealRoomInput, Side } from "../model/DealRoom.ts"
import { InvalidState, SelfDeal } from "../model/Errors.ts"
import type { AgentId, DealRoomId, ListingId, MatchId, QuoteId, RequestId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import type { Store } from "../ports/Store.ts"
import { defaultMaxRounds } from "../rules/DealRooms.ts"
import { mayRead as mayReadListing } from "../rules/Listings.ts"
import { engage } from "../rules/Matches.ts"
import type { Opening } from "../rules/Negotiation.ts"
import { isSealed, mayReadQuote, quoteActions, quoteAsOf } from "../rules/Quotes.ts"
import { mayRead as mayReadRequest, requestAsOf } from "../rules/Requests.ts"
import { rfqActions, rfqAsOf } from "../rules/Rfqs.ts"
import { readMatch } from "./pairs.ts"
import { notFound, reliesOnAgent } from "./reads.ts"

/** What an origin settles of a room, and what it relies upon. */
interface Ground {
  readonly title: string
  readonly origin: Opening["origin"]
  readonly buyerId: AgentId
  readonly sellerId: AgentId
  readonly openedBy: Side
  readonly reliesOn: ReadonlyArray<Reliance>
  /** What changes with the room. */
  readonly writes?: ReadonlyArray<Write>
}

/** Judges what a room is to start from. */
export const openingOf = Effect.fnUntraced(function* (
  store: Store["Service"],
  agent: Agent,
  input: DealRoomInput,
  id: DealRoomId,
  now: Instant
) {
  const { reliesOn, title, writes = [], ...ground } = yield* groundOf(store, agent, input, now)
  if (ground.buyerId === ground.sellerId)
    return yield* new SelfDeal({ message: "An agent cannot deal with itself." })
  const opening: Opening = {
    ...ground,
    id,
    title: input.title ?? title,
    maxRounds: input.maxRounds ?? defaultMaxRounds
  }
  return { opening, reliesOn, writes }
})

const groundOf = (store: Store["Service"], agent: Agent, input: DealRoomInput, now: Instant) => {
  if (input.listingId !== undefined) return fromListing(store, agent, input.listingId)
  if (input.requestId !== undefined) return fromRequest(store, agent, input.requestId, now)
  if (input.quoteId !== undefined) return fromQuote(store, agent, input.quoteId, now)
  if (input.matchId !== undefined) return fromMatch(store, agent, input.matchId, now)
  return fromCounterparty(store, agent, input.counterparty, input.role ?? "buyer")
}

const fromListing = Effect.fnUntraced(function* (
  store: Store["Service"],
  agent: Agent,
  listingId: ListingId
) {
  const listing = yield* store.listings.byId(listingId)
  if (listing === undefined || !mayReadListing(listing, agent.id)) return yield* notFound("listing")
  const ground: Ground = {
    title: listing.title,
    origin: { kind: "listing", id: listing.id },
    buyerId: agent.id,
    sellerId: listing.agentId,
    openedBy: "buyer",
    reliesOn: [{ kind: "listing", id: listing.id, version: listing.version }]
  }
  return ground
})

/** Who answers a request sells. Once it is not open its owner alone can read it, who cannot deal with itself. */
const fromRequest = Effect.fnUntraced(function* (
  store: Store["Service"],
  agent: Agent,
  requestId: RequestId,
  now: Instant
) {
  const stored = yield* store.requests.byId(requestId)
  if (stored === undefined || !mayReadRequest(requestAsOf(stored, now).request, agent.id))
    return yield* notFound("request")
  const ground: Ground = {
    title: stored.title,
    origin: { kind: "request", id: stored.id },
    buyerId: stored.agentId,
    sellerId: agent.id,
    openedBy: "seller",
    reliesOn: [{ kind: "request", id: stored.id, version: stored.version }]
  }
  return ground
})

const fromQuote = Effect.fnUntraced(function* (
  store: Store["Service"],
  agent: Agent,
  quoteId: QuoteId,
  now: Instant
) {
  const storedQuote = yield* store.quotes.byId(quoteId)
  const storedRfq = storedQuote && (yield* store.rfqs.byId(storedQuote.rfqId))
  if (storedQuote === undefined || storedRfq === undefined || !mayReadQuote(storedQuote, storedRfq, agent.id))
    return yield* notFound("quote")
  const { rfq } = rfqAsOf(storedRfq, now)
  const { quote } = quoteAsOf(storedQuote, now)
  if (isSealed(rfq, now))
    return yield* new InvalidState({
      message: "A sealed quote is not negotiated before the deadline of its RFQ.",
      status: rfq.status,
      nextActions: rfqActions(rfq)
    })
  if (rfq.status !== "open" && rfq.status !== "evaluating")
    return yield* new InvalidState({
      message: `Cannot negotiate a quote of an RFQ that is ${rfq.status}.`,
      status: rfq.status,
      nextActions: rfqActions(rfq)
    })
  if (quote.status !== "active")
    return yield* new InvalidState({
      message: `Cannot negotiate a quote that is ${quote.status}.`,
      status: quote.status,
      nextActions: quoteActions(quote)
    })
  const ground: Ground = {
    title: rfq.title,
    origin: { kind: "rfq", id: rfq.id, quoteId: quote.id },
    buyerId: rfq.agentId,
    sellerId: quote.agentId,
    openedBy: agent.id === rfq.agentId ? "buyer" : "seller",
    reliesOn: [{ kind: "quote", id: quote.id, version: storedQuote.version }]
  }
  return ground
})

/** Either side opens the room, while the two may still meet over it. It is the match that the room engages. */
const fromMatch = Effect.fnUntraced(function* (
  store: Store["Service"],
  agent: Agent,
  matchId: MatchId,
  now: Instant
) {
  const { match, pair, side } = yield* readMatch(store, agent.id, matchId, now)
  const { writes } = yield* Effect.fromResult(engage(match, side, now))
  if (pair === undefined) return yield* notFound("match")
  const { buyer, demand, seller, supply } = pair
  const ground: Ground = {
    title: demand.item.title,
    origin: { kind: "match", id: match.id },
    buyerId: buyer.id,
    sellerId: seller.id,
    openedBy: side,
    reliesOn: [
      { kind: demand.kind, id: demand.item.id, version: demand.item.version },
      { kind: "listing", id: supply.id, version: supply.version },
      reliesOnAgent(side === "buyer" ? seller : buyer)
    ],
    writes
  }
  return ground
})

const fromCounterparty = Effect.fnUntraced(function* (
  store: Store["Service"],
  agent: Agent,
  counterparty: AgentId | undefined,
  role: Side
) {
  const other = counterparty && (yield* store.agents.byId(counterparty))
  if (other === undefined) return yield* notFound("agent")
  if (other.status !== "active")
    return yield* new InvalidState({
      message: `Cannot open a room with an agent that is ${other.status}.`,
      status: other.status,
      nextActions: []
    })
  const ground: Ground = {
    title: `${agent.handle} and ${other.handle}`,
    origin: { kind: "direct" },
    buyerId: role === "buyer" ? agent.id : other.id,
    sellerId: role === "buyer" ? other.id : agent.id,
    openedBy: role,
    reliesOn: [reliesOnAgent(other)]
  }
  return ground
})
