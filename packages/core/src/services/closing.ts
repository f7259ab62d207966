/** Closing an account: what the agent has on the market ends in the same commit. Contract §4 Agent. */
import { Effect } from "effect"
import type { EventDraft, Write } from "../model/Change.ts"
import type { DealRoom } from "../model/DealRoom.ts"
import type { AgentId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import type { Quote } from "../model/Quote.ts"
import type { Rfq } from "../model/Rfq.ts"
import type { Store } from "../ports/Store.ts"
import { writesOf } from "../rules/DealRoomProgress.ts"
import type { Progress } from "../rules/DealRoomProgress.ts"
import { sideOf } from "../rules/DealRooms.ts"
import * as listings from "../rules/Listings.ts"
import * as negotiation from "../rules/Negotiation.ts"
import * as quotes from "../rules/Quotes.ts"
import * as requests from "../rules/Requests.ts"
import * as rfqs from "../rules/Rfqs.ts"
import { readAll } from "./lists.ts"
import { roomsAsOf } from "./rooms.ts"

/** What ends: a part of a change. */
interface Ending {
  readonly writes: ReadonlyArray<Write>
  readonly events: ReadonlyArray<EventDraft>
}

const nothing: Ending = { writes: [], events: [] }
const reason = "The account was closed."

/** Ends what an agent has on the market: its listings, requests, RFQs, quotes and negotiations. Agreements go on. */
export const endingOf = Effect.fnUntraced(function* (
  store: Store["Service"],
  agentId: AgentId,
  now: Instant
) {
  const endings: Array<Ending> = []
  for (const listing of yield* readAll((page) => store.listings.list({ agentId }, page))) {
    if (listing.status !== "archived")
      endings.push(yield* Effect.fromResult(listings.move(listing, "archive", "seller", now)))
  }
  const open = requests.requestStatesAt("open", now)
  for (const request of yield* readAll((page) => store.requests.list({ agentId, states: open }, page)))
    endings.push(yield* Effect.fromResult(requests.end(request, "cancel", now)))
  const states = (["open", "evaluating"] as const).flatMap((status) => rfqs.rfqStatesAt(status, now))
  for (const rfq of yield* readAll((page) => store.rfqs.list({ agentId, viewer: agentId, states }, page)))
    endings.push(yield* Effect.fromResult(rfqs.move(rfq, "cancel", "buyer", now)))
  for (const quote of yield* readAll((page) => store.quotes.list({ agentId }, page))) {
    const rfq = quote.status === "active" ? yield* store.rfqs.byId(quote.rfqId) : undefined
    if (rfq !== undefined) endings.push(yield* withdrawal(rfq, quote, now))
  }
  const talks = yield* readAll((page) =>
    store.rooms.list({ participant: agentId, statuses: ["negotiating"] }, page)
  )
  for (const { progress, stored } of yield* roomsAsOf(store, talks, now))
    endings.push(yield* departure(stored, progress, agentId, now))
  const ending: Ending = {
    writes: endings.flatMap(({ writes }) => writes),
    events: endings.flatMap(({ events }) => events)
  }
  return ending
})

/** A quote that has lapsed by now needs no withdrawal. */
const withdrawal = (rfq: Rfq, quote: Quote, now: Instant) =>
  quotes.quoteAsOf(quote, now).lapsed
    ? Effect.succeed(nothing)
    : Effect.fromResult(quotes.end(rfq, quote, "withdraw", reason, now))

/** Leaves a negotiation, so that nobody agrees with somebody who is gone. */
const departure = (stored: DealRoom, progress: Progress, agentId: AgentId, now: Instant) => {
  const side = sideOf(stored, agentId)
  if (progress.room.status !== "negotiating" || side === undefined) return Effect.succeed(nothing)
  return Effect.map(
    Effect.fromResult(negotiation.decline(progress, side, reason, now)),
    (declined): Ending => ({
      writes: writesOf(declined, stored.version, stored.currentOffer),
      events: declined.events
    })
  )
}
