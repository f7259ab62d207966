/**
 * Closing an account: what the agent has on the market ends before it, in commits of bounded size, and the last of it
 * with it. Contract §4 Agent.
 */
import { Effect } from "effect"
import type { EventDraft, Write } from "../model/Change.ts"
import type { InvalidRequest, Unavailable } from "../model/Errors.ts"
import type { AgentId, DealRoomId, HoldId, ListingId, QuoteId, RequestId, RfqId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import { hasPassed } from "../model/Instant.ts"
import type { Store } from "../ports/Store.ts"
import { writesOf } from "../rules/DealRoomProgress.ts"
import { sideOf } from "../rules/DealRooms.ts"
import { endHold } from "../rules/Holds.ts"
import * as listings from "../rules/Listings.ts"
import * as negotiation from "../rules/Negotiation.ts"
import * as quotes from "../rules/Quotes.ts"
import * as requests from "../rules/Requests.ts"
import * as rfqs from "../rules/Rfqs.ts"
import type { MoveRefused } from "../rules/StateTable.ts"
import { notes, withHoldEnded } from "./holds.ts"
import { readAll } from "./lists.ts"
import { roomNow } from "./rooms.ts"

/** What ends: a part of a change. */
interface Ending {
  readonly writes: ReadonlyArray<Write>
  readonly events: ReadonlyArray<EventDraft>
}

/** One of the things that an agent has on the market: what ends it, judged anew when it is committed. */
type Belonging = (now: Instant) => Effect.Effect<Ending, InvalidRequest | MoveRefused | Unavailable>

/** How many end in one commit: a store takes a few thousand events at once, and each ending tells of a few at most. */
export const endedAtOnce = 200

const nothing: Ending = { writes: [], events: [] }
const reason = notes.closed

/**
 * What an agent has on the market and has to end: its listings, requests, RFQs, quotes and negotiations, drafts and what
 * is held included. Agreements go on.
 */
export const belongingsOf = Effect.fnUntraced(function* (
  store: Store["Service"],
  agentId: AgentId,
  now: Instant
) {
  const found: Array<Belonging> = []
  for (const { id, status } of yield* readAll((page) => store.listings.list({ agentId }, page)))
    if (status !== "archived") found.push((now) => archival(store, id, now))
  const open = requests.requestStatesAt("open", now)
  for (const { id } of yield* readAll((page) => store.requests.list({ agentId, states: open }, page)))
    found.push((now) => cancelledRequest(store, id, now))
  const states = unended.flatMap((status) => rfqs.rfqStatesAt(status, now))
  for (const { id } of yield* readAll((page) => store.rfqs.list({ agentId, viewer: agentId, states }, page)))
    found.push((now) => cancelledRfq(store, id, now))
  for (const { id, status, validUntil } of yield* readAll((page) => store.quotes.list({ agentId }, page)))
    if (status === "active" && !hasPassed(validUntil, now)) found.push((now) => withdrawal(store, id, now))
  const talks = { participant: agentId, statuses: ["negotiating"] } as const
  const rooms = yield* readAll((page) => store.rooms.list(talks, page))
  for (const { id } of rooms) found.push((now) => departure(store, id, agentId, now))
  for (const { agentId: author, id, subject } of yield* readAll((page) => store.holds.list("held", page))) {
    if (author !== agentId || subject.kind !== "message") continue
    const room = yield* store.rooms.byId(subject.roomId)
    if (room?.agreement === undefined) found.push((now) => unsaid(store, id, now))
  }
  return found
})

const unended = ["draft", "open", "evaluating"] as const

/** Ends some of what an agent has, as parts of one change. */
export const endingOf = Effect.fnUntraced(function* (belongings: ReadonlyArray<Belonging>, now: Instant) {
  const endings = yield* Effect.forEach(belongings, (end) => end(now))
  const ending: Ending = {
    writes: endings.flatMap(({ writes }) => writes),
    events: endings.flatMap(({ events }) => events)
  }
  return ending
})

const archival = Effect.fnUntraced(function* (store: Store["Service"], id: ListingId, now: Instant) {
  const listing = yield* store.listings.byId(id)
  if (listing === undefined || listing.status === "archived") return nothing
  const change = yield* Effect.fromResult(listings.move(listing, "archive", "seller", now))
  return yield* withHoldEnded(store, change, listing, change.result, reason, now)
})

const cancelledRequest = Effect.fnUntraced(function* (store: Store["Service"], id: RequestId, now: Instant) {
  const request = yield* store.requests.byId(id)
  if (request === undefined || requests.requestAsOf(request, now).request.status !== "open") return nothing
  return yield* Effect.fromResult(requests.end(request, "cancel", now))
})

const cancelledRfq = Effect.fnUntraced(function* (store: Store["Service"], id: RfqId, now: Instant) {
  const stored = yield* store.rfqs.byId(id)
  const status = stored && rfqs.rfqAsOf(stored, now).rfq.status
  if (stored === undefined || !unended.some((known) => known === status)) return nothing
  const change = yield* Effect.fromResult(rfqs.move(stored, "cancel", "buyer", now))
  return yield* withHoldEnded(store, change, stored, change.result, reason, now)
})

/** A quote that has lapsed by now needs no withdrawal. */
const withdrawal = Effect.fnUntraced(function* (store: Store["Service"], id: QuoteId, now: Instant) {
  const quote = yield* store.quotes.byId(id)
  const rfq = quote && (yield* store.rfqs.byId(quote.rfqId))
  if (quote?.status !== "active" || rfq === undefined || quotes.quoteAsOf(quote, now).lapsed) return nothing
  return yield* Effect.fromResult(quotes.end(rfq, quote, "withdraw", reason, now))
})

/**
 * Leaves a negotiation, so that nobody agrees with somebody who is gone. One that has ended by itself, with a quote or
 * an RFQ that was ended before it for instance, is written down as it ended.
 */
const departure = Effect.fnUntraced(function* (
  store: Store["Service"],
  id: DealRoomId,
  agentId: AgentId,
  now: Instant
) {
  const stored = yield* store.rooms.byId(id)
  const side = stored && sideOf(stored, agentId)
  if (stored?.status !== "negotiating" || side === undefined) return nothing
  const progress = yield* roomNow(store, stored, now)
  const ended =
    progress.room.status === "negotiating"
      ? yield* Effect.fromResult(negotiation.decline(progress, side, reason, now))
      : progress
  const ending: Ending = {
    writes: writesOf(ended, stored.version, stored.currentOffer),
    events: ended.events
  }
  return ending
})

/** A held message of a room that ends is never said. */
const unsaid = Effect.fnUntraced(function* (store: Store["Service"], id: HoldId, now: Instant) {
  const hold = yield* store.holds.byId(id)
  return hold?.status === "held" ? yield* Effect.fromResult(endHold(hold, "refused", reason, now)) : nothing
})
