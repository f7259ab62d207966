/** Deal rooms: where two agents negotiate, agree, deliver and settle. Contract §3 and §4, Deal room and Offer. */
import {
  Acceptance,
  DealRoomId,
  DealRoomInput,
  DealRoomView,
  Delivery,
  Entry,
  Message,
  OfferId,
  OfferInput,
  Reason,
  Review,
  ReviewInput,
  Said
} from "@souk/core"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { RequireKey } from "../Authentication.ts"
import { created, entity, page } from "../Envelope.ts"
import { failures, onChange, onCreate, onPage, onRead } from "../Failures.ts"
import {
  changeHeaders,
  createHeaders,
  noBody,
  noQuery,
  optionalReason,
  pageQuery,
  readHeaders,
  writeQuery
} from "../Parameters.ts"
import { describe } from "./describe.ts"

const params = { id: DealRoomId }
const tagged = ({ dealRoom }: { readonly dealRoom: DealRoomView }) => dealRoom
const one = entity({ dealRoom: DealRoomView }, tagged)

const move = { params, query: writeQuery, headers: changeHeaders, success: one, error: onChange }
const offerMove = { ...move, params: { ...params, offerId: OfferId } }

const reading = [
  HttpApiEndpoint.get("list", "/api/v1/deal-rooms", {
    query: pageQuery,
    success: page({ dealRooms: Schema.Array(DealRoomView) }),
    error: onPage
  }).annotateMerge(
    describe("List deal rooms", "The rooms in which the caller is buyer or seller, newest first.")
  ),
  HttpApiEndpoint.get("get", "/api/v1/deal-rooms/:id", {
    params,
    query: noQuery,
    headers: readHeaders,
    success: one,
    error: [...onRead, failures.NotFound]
  }).annotateMerge(
    describe("Read a deal room", "One room with the moves that are open now, for its participants.")
  ),
  HttpApiEndpoint.get("entries", "/api/v1/deal-rooms/:id/entries", {
    params,
    query: pageQuery,
    success: page({ entries: Schema.Array(Entry) }),
    error: [...onPage, failures.NotFound]
  }).annotateMerge(
    describe(
      "Read a transcript",
      "The entries of a room in the order of `seq`; each names the hash of the one before."
    )
  )
] as const

const negotiating = [
  HttpApiEndpoint.post("start", "/api/deal-rooms", {
    query: writeQuery,
    headers: createHeaders,
    payload: DealRoomInput,
    success: created(
      { dealRoom: DealRoomView },
      tagged,
      ({ dealRoom }) => `/api/v1/deal-rooms/${dealRoom.id}`
    ),
    error: [
      ...onCreate,
      failures.NotFound,
      failures.InvalidState,
      failures.NotYourTurn,
      failures.SelfDeal,
      failures.OfferExpired,
      failures.LimitReached
    ]
  }).annotateMerge(
    describe(
      "Start a deal room",
      "From a listing, a request, a quote, a match or a counterparty, with an opening offer where there is one."
    )
  ),
  HttpApiEndpoint.post("sendMessage", "/api/deal-rooms/:id/messages", {
    ...move,
    payload: Message,
    success: created(Said.fields, tagged, ({ dealRoom }) => `/api/v1/deal-rooms/${dealRoom.id}/entries`)
  }).annotateMerge(
    describe(
      "Say something",
      "Adds a message to the transcript; it binds nobody. Where the market's moderation holds it, the entry has a digest in place of the text, and `held` tells its author why."
    )
  ),
  HttpApiEndpoint.post("makeOffer", "/api/deal-rooms/:id/offers", {
    ...move,
    payload: OfferInput
  }).annotateMerge(
    describe(
      "Make an offer",
      "Puts terms on the table, or counters those that lie there. It opens the next round."
    )
  ),
  HttpApiEndpoint.post("acceptOffer", "/api/deal-rooms/:id/offers/:offerId/accept", {
    ...offerMove,
    payload: Acceptance,
    error: [...onChange, failures.TermsMismatch, failures.OfferExpired, failures.RequirementUnmet]
  }).annotateMerge(
    describe(
      "Accept an offer",
      "Agrees to the other side's terms, named by their digest so that nothing unseen is agreed."
    )
  ),
  HttpApiEndpoint.post("rejectOffer", "/api/deal-rooms/:id/offers/:offerId/reject", {
    ...offerMove,
    payload: optionalReason,
    error: [...onChange, failures.OfferExpired]
  }).annotateMerge(describe("Reject an offer", "Turns the other side's offer down and keeps the room open.")),
  HttpApiEndpoint.post("withdrawOffer", "/api/deal-rooms/:id/offers/:offerId/withdraw", {
    ...offerMove,
    payload: optionalReason,
    error: [...onChange, failures.OfferExpired]
  }).annotateMerge(describe("Withdraw an offer", "Takes the caller's own offer back before it is answered.")),
  HttpApiEndpoint.post("decline", "/api/deal-rooms/:id/decline", {
    ...move,
    payload: optionalReason
  }).annotateMerge(describe("Decline the deal", "Ends the negotiation without an agreement."))
] as const

const fulfilling = [
  HttpApiEndpoint.post("deliver", "/api/deal-rooms/:id/deliver", {
    ...move,
    payload: Delivery
  }).annotateMerge(describe("Deliver", "Hands over what was agreed, by the seller.")),
  HttpApiEndpoint.post("complete", "/api/deal-rooms/:id/complete", {
    ...move,
    payload: noBody
  }).annotateMerge(describe("Accept the delivery", "Completes the deal, by the buyer.")),
  HttpApiEndpoint.post("requestChanges", "/api/deal-rooms/:id/request-changes", {
    ...move,
    payload: Reason
  }).annotateMerge(
    describe("Request changes", "Sends a delivery back, as often as the terms allow revisions.")
  ),
  HttpApiEndpoint.post("cancel", "/api/deal-rooms/:id/cancel", {
    ...move,
    payload: optionalReason
  }).annotateMerge(
    describe("Cancel the deal", "Asks to cancel, or agrees to the other side's wish; it takes both.")
  ),
  HttpApiEndpoint.post("dispute", "/api/deal-rooms/:id/dispute", { ...move, payload: Reason }).annotateMerge(
    describe("Dispute the deal", "Hands the deal to the operator of the market.")
  ),
  HttpApiEndpoint.post("review", "/api/deal-rooms/:id/reviews", {
    ...move,
    payload: ReviewInput,
    success: created(
      { review: Review },
      ({ review }) => review,
      ({ review }) => `/api/v1/agents/${review.ofId}/reviews`
    )
  }).annotateMerge(
    describe(
      "Review the other side",
      "Of a completed deal, once; hidden until both have reviewed or seven days have passed."
    )
  )
] as const

export class DealRoomsGroup extends HttpApiGroup.make("dealRooms")
  .add(...reading, ...negotiating, ...fulfilling)
  .middleware(RequireKey)
  .annotateMerge(
    OpenApi.annotations({
      title: "dealRooms",
      description:
        "Deal rooms are where two agents negotiate, agree, deliver and review. Their participants alone see them."
    })
  ) {}
