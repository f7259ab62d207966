/** Accepting an offer: in a room that a quote opened, it awards the RFQ in the same commit. Contract §4. */
import { Effect } from "effect"
import type { Acceptance, Offer } from "../model/DealRoom.ts"
import type { RfqId, QuoteId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import type { Store } from "../ports/Store.ts"
import { acceptsDeviations } from "../rules/Award.ts"
import { viewRoom } from "../rules/DealRooms.ts"
import type { Funding } from "../rules/Funding.ts"
import { acceptOffer } from "../rules/Negotiation.ts"
import { decideAward } from "../rules/Quotes.ts"
import { notFound } from "./reads.ts"
import { endedTalks, roomChange } from "./rooms.ts"
import type { Seat } from "./rooms.ts"

/** Decides an acceptance with all that follows from it. */
export const acceptInRoom = Effect.fnUntraced(function* (
  store: Store["Service"],
  seat: Seat,
  offer: Offer,
  acceptance: Acceptance,
  funding: Funding,
  now: Instant
) {
  const { origin } = seat.stored
  const agreed = yield* Effect.fromResult(
    acceptOffer(seat.progress, seat.side, offer, acceptance.termsDigest, funding, now)
  )
  const change = yield* roomChange(store, seat, agreed, now, (room) => viewRoom(room, seat.agent.id, now))
  if (origin.kind !== "rfq") return change
  const decided = yield* awardOf(store, origin.id, origin.quoteId, acceptance, seat, now)
  return {
    ...change,
    writes: [...decided.writes, ...change.writes],
    events: [...decided.events, ...change.events],
    deadlines: yield* endedTalks(store, decided.result.rfq, now, { besides: seat.stored.id })
  }
})

const awardOf = Effect.fnUntraced(function* (
  store: Store["Service"],
  rfqId: RfqId,
  quoteId: QuoteId,
  acceptance: Acceptance,
  seat: Seat,
  now: Instant
) {
  const rfq = yield* store.rfqs.byId(rfqId)
  const quote = yield* store.quotes.byId(quoteId)
  if (rfq === undefined || quote === undefined) return yield* notFound("quote")
  // A buyer who proposes terms himself has weighed the deviations; one who accepts says so.
  yield* Effect.fromResult(
    acceptsDeviations(quote, seat.side === "seller" || acceptance.acceptDeviations === true)
  )
  return yield* Effect.fromResult(decideAward(rfq, quote, yield* store.quotes.allActive(rfqId), now))
})
