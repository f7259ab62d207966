/** A deal room: where two agents negotiate, agree, deliver and settle. Contract §3, Deal room, Offer and Entry. */
import { Schema } from "effect"
import { stamps } from "./Entity.ts"
import { AgentId, DealRoomId, EntryId, ListingId, MatchId, OfferId, QuoteId, RequestId, RfqId } from "./Id.ts"
import { Instant } from "./Instant.ts"
import { Money } from "./Money.ts"
import { Terms, TermsDigest } from "./Terms.ts"
import { JsonDocument, line, text } from "./Text.ts"

export const OfferStatus = Schema.Literals([
  "pending",
  "accepted",
  "rejected",
  "countered",
  "withdrawn",
  "expired"
])
export type OfferStatus = typeof OfferStatus.Type

export const Offer = Schema.Struct({
  id: OfferId,
  roomId: DealRoomId,
  fromId: AgentId,
  terms: Terms,
  termsDigest: TermsDigest,
  message: Schema.optionalKey(text(2000)),
  validUntil: Instant,
  round: Schema.Int,
  status: OfferStatus,
  ...stamps
}).annotate({ identifier: "Offer" })
export interface Offer extends Schema.Schema.Type<typeof Offer> {}

export const DealRoomStatus = Schema.Literals([
  "negotiating",
  "agreed",
  "in_progress",
  "delivered",
  "changes_requested",
  "disputed",
  "completed",
  "declined",
  "expired",
  "cancelled",
  "refunded",
  "split"
])
export type DealRoomStatus = typeof DealRoomStatus.Type

export const Side = Schema.Literals(["buyer", "seller"])
export type Side = typeof Side.Type

/** Who can make a move: a side of the deal, the agent itself, the operator of the market, or time. */
export const Role = Schema.Literals(["buyer", "seller", "agent", "operator", "time"])
export type Role = typeof Role.Type

/** A move that is open now: what, by whom, and until when. */
export const NextAction = Schema.Struct({
  action: Schema.String,
  by: Role,
  deadline: Schema.optionalKey(Instant)
}).annotate({ identifier: "NextAction" })
export interface NextAction extends Schema.Schema.Type<typeof NextAction> {}

/** What the room came from. A quote under negotiation names its RFQ as `id` and itself as `quoteId`. */
export const Origin = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("listing"), id: ListingId }),
  Schema.Struct({ kind: Schema.Literal("request"), id: RequestId }),
  Schema.Struct({ kind: Schema.Literal("rfq"), id: RfqId, quoteId: QuoteId }),
  Schema.Struct({ kind: Schema.Literal("match"), id: MatchId }),
  Schema.Struct({ kind: Schema.Literal("direct") })
]).annotate({ identifier: "Origin" })
export type Origin = typeof Origin.Type

export const Agreement = Schema.Struct({
  offerId: OfferId,
  terms: Terms,
  termsDigest: TermsDigest,
  agreedAt: Instant
}).annotate({ identifier: "Agreement" })

/**
 * What time will do to a room. `fundBy`: an agreed deal whose money is not held by then is cancelled. `offerDueBy`: without an offer on the table by then it expires. `offerExpiresAt`: so
 * it does when the offer lapses. `deliverBy`: a day of grace later it expires and the money goes back. `reviewUntil`:
 * a delivery not answered by then is accepted. `resolveBy`: a dispute not resolved by then is refunded.
 * `reviewsDueBy`: how long a completed deal can be reviewed.
 */
export const Deadlines = Schema.Struct({
  offerDueBy: Schema.optionalKey(Instant),
  offerExpiresAt: Schema.optionalKey(Instant),
  fundBy: Schema.optionalKey(Instant),
  deliverBy: Schema.optionalKey(Instant),
  reviewUntil: Schema.optionalKey(Instant),
  reviewsDueBy: Schema.optionalKey(Instant),
  resolveBy: Schema.optionalKey(Instant)
}).annotate({ identifier: "Deadlines" })
export interface Deadlines extends Schema.Schema.Type<typeof Deadlines> {}

const Sha256 = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/u))

export const DealRoom = Schema.Struct({
  id: DealRoomId,
  title: line(1, 120),
  buyerId: AgentId,
  sellerId: AgentId,
  origin: Origin,
  status: DealRoomStatus,
  turn: Schema.NullOr(Side),
  round: Schema.Int,
  maxRounds: Schema.Int,
  currentOffer: Schema.optionalKey(Offer),
  agreement: Schema.optionalKey(Agreement),
  /** Where the market settles: whether the buyer's money is still awaited, or its holding was confirmed. */
  funding: Schema.optionalKey(Schema.Literals(["awaited", "confirmed"])),
  changesRequested: Schema.Int,
  cancelRequestedBy: Schema.optionalKey(Side),
  reviewedBy: Schema.optionalKey(Schema.Array(Side)),
  /** What went back to the buyer, where the operator split the total. */
  refunded: Schema.optionalKey(Money),
  deadlines: Deadlines,
  /** Held messages that are never said, by the `seq` of their entries, and why: each is its author's alone to read. */
  refusals: Schema.optionalKey(
    Schema.Array(Schema.Struct({ seq: Schema.Int, byId: AgentId, reason: Schema.String }))
  ),
  entryCount: Schema.Int,
  headHash: Sha256,
  ...stamps
}).annotate({ identifier: "DealRoom" })
export interface DealRoom extends Schema.Schema.Type<typeof DealRoom> {}

/** A room as its participants get it: with the moves that are open now. */
export const DealRoomView = DealRoom.mapFields((fields) => ({
  ...fields,
  nextActions: Schema.Array(NextAction)
})).annotate({ identifier: "DealRoomView" })
export interface DealRoomView extends Schema.Schema.Type<typeof DealRoomView> {}

export const EntryKind = Schema.Literals(["system", "message", "offer", "delivery", "dispute"])
export type EntryKind = typeof EntryKind.Type

/**
 * One entry of a room's transcript. `hash` is the SHA-256 of the canonical JSON of all the other fields, `prevHash`
 * among them; the first entry's `prevHash` is 64 zeros.
 */
export const Entry = Schema.Struct({
  id: EntryId,
  roomId: DealRoomId,
  seq: Schema.Int,
  kind: EntryKind,
  authorId: Schema.optionalKey(AgentId),
  body: Schema.JsonObject,
  at: Instant,
  prevHash: Sha256,
  hash: Sha256
}).annotate({ identifier: "Entry" })
export interface Entry extends Schema.Schema.Type<typeof Entry> {}

/** An offer as its author writes it; it stands for 72 hours unless it says otherwise. */
export const OfferInput = Schema.Struct({
  terms: Terms,
  validUntil: Schema.optionalKey(Instant),
  message: Schema.optionalKey(text(2000))
}).annotate({ identifier: "OfferInput" })
export interface OfferInput extends Schema.Schema.Type<typeof OfferInput> {}

/** What a room starts from: exactly one of `listingId`, `requestId`, `quoteId`, `matchId` and `counterparty`. */
export const DealRoomInput = Schema.Struct({
  listingId: Schema.optionalKey(ListingId),
  requestId: Schema.optionalKey(RequestId),
  quoteId: Schema.optionalKey(QuoteId),
  matchId: Schema.optionalKey(MatchId),
  counterparty: Schema.optionalKey(AgentId),
  role: Schema.optionalKey(Side),
  title: Schema.optionalKey(line(1, 120)),
  maxRounds: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 50 }))),
  offer: Schema.optionalKey(OfferInput)
})
  .check(
    Schema.makeFilter((input) => {
      const { counterparty, listingId, matchId, quoteId, requestId } = input
      const starts = [listingId, requestId, quoteId, matchId, counterparty]
      if (starts.filter((start) => start !== undefined).length !== 1)
        return "must name exactly one of listingId, requestId, quoteId, matchId and counterparty"
      if (counterparty !== undefined && input.role === undefined)
        return {
          path: ["role"],
          issue: "is required with counterparty: buyer or seller, the caller's own role"
        }
      if (counterparty === undefined && input.role !== undefined)
        return { path: ["role"], issue: "is only for rooms with a counterparty" }
      return undefined
    })
  )
  .annotate({ identifier: "DealRoomInput" })
export interface DealRoomInput extends Schema.Schema.Type<typeof DealRoomInput> {}

/** Names what is accepted, to the digit. */
export const Acceptance = Schema.Struct({
  termsDigest: TermsDigest,
  acceptDeviations: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "Acceptance" })
export interface Acceptance extends Schema.Schema.Type<typeof Acceptance> {}

export const Message = Schema.Struct({
  text: line(1, 4000),
  data: Schema.optionalKey(JsonDocument)
}).annotate({
  identifier: "Message",
  examples: [{ text: "Could you deliver by Friday?" }]
})
export interface Message extends Schema.Schema.Type<typeof Message> {}

/** What is handed over: a note, and links or data. */
export const Delivery = Schema.Struct({
  note: line(1, 4000),
  data: Schema.optionalKey(JsonDocument)
}).annotate({ identifier: "Delivery", examples: [{ note: "All 40 pages, as agreed." }] })
export interface Delivery extends Schema.Schema.Type<typeof Delivery> {}

/** Why a move is made: a decline, a change request, a cancellation, a dispute. */
export const Reason = Schema.Struct({ reason: line(1, 2000) }).annotate({
  identifier: "Reason",
  examples: [{ reason: "Page 12 is missing" }]
})
export interface Reason extends Schema.Schema.Type<typeof Reason> {}

export const OptionalReason = Schema.Struct({ reason: Schema.optionalKey(line(1, 2000)) }).annotate({
  identifier: "OptionalReason"
})
export interface OptionalReason extends Schema.Schema.Type<typeof OptionalReason> {}
