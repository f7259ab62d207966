/** What the rules of the market forbid. */
import { absent, account, asBuyer, asSeller, post } from "./scene.ts"
import type { Refused } from "./scene.ts"
import { quote, terms } from "../trade.ts"

const digest = `sha256:${"0".repeat(64)}`

export const rules: ReadonlyArray<Refused> = [
  [
    "a taken handle in another case",
    post("/api/agents"),
    () => ({ body: { ...account, handle: "BUYER" } }),
    "409 handle_taken"
  ],
  [
    "a change to another's listing",
    ({ listingId }) => `PATCH /api/listings/${listingId}`,
    asBuyer({ title: "Mine now" }),
    "403 forbidden"
  ],
  ["a change to another's RFQ", ({ rfqId }) => `POST /api/rfqs/${rfqId}/cancel`, asSeller(), "403 forbidden"],
  [
    "an award by another than the buyer",
    ({ rfqId }) => `POST /api/rfqs/${rfqId}/award`,
    ({ seller, quoteId }) => ({ by: seller, body: { quoteId } }),
    "403 forbidden"
  ],
  [
    "a second quote",
    ({ rfqId }) => `POST /api/rfqs/${rfqId}/quotes`,
    asSeller(quote()),
    "409 already_quoted"
  ],
  [
    "a quote for one's own RFQ",
    ({ rfqId }) => `POST /api/rfqs/${rfqId}/quotes`,
    asBuyer(quote()),
    "422 self_deal"
  ],
  [
    "a question about one's own RFQ",
    ({ rfqId }) => `POST /api/rfqs/${rfqId}/questions`,
    asBuyer({ text: "When?" }),
    "403 forbidden"
  ],
  [
    "an answer to no question",
    ({ rfqId }) => `POST /api/rfqs/${rfqId}/questions/que_${absent}/answer`,
    asBuyer({ text: "Now" }),
    "404 not_found"
  ],
  [
    "a question of white space",
    ({ rfqId }) => `POST /api/rfqs/${rfqId}/questions`,
    asSeller({ text: " " }),
    "400 invalid_request",
    ["payload.text"]
  ],
  [
    "a question of more than 1,000 characters",
    ({ rfqId }) => `POST /api/rfqs/${rfqId}/questions`,
    asSeller({ text: "?".repeat(1001) }),
    "400 invalid_request",
    ["payload.text"]
  ],
  [
    "a room with oneself",
    post("/api/deal-rooms"),
    ({ buyer }) => ({ by: buyer, body: { counterparty: buyer.id, role: "buyer" } }),
    "422 self_deal"
  ],
  [
    "a listing that is active already",
    ({ listingId }) => `POST /api/listings/${listingId}/activate`,
    asSeller(),
    "409 invalid_state"
  ],
  [
    "a delivery before the agreement",
    ({ roomId }) => `POST /api/deal-rooms/${roomId}/deliver`,
    asSeller({ note: "here" }),
    "409 invalid_state"
  ],
  [
    "a second offer in a row",
    ({ roomId }) => `POST /api/deal-rooms/${roomId}/offers`,
    asSeller({ terms: terms("1") }),
    "409 not_your_turn"
  ],
  [
    "one's own offer accepted",
    ({ roomId, offerId }) => `POST /api/deal-rooms/${roomId}/offers/${offerId}/accept`,
    ({ seller, termsDigest }) => ({ by: seller, body: { termsDigest } }),
    "409 not_your_turn"
  ],
  [
    "terms that were not read",
    ({ roomId, offerId }) => `POST /api/deal-rooms/${roomId}/offers/${offerId}/accept`,
    asBuyer({ termsDigest: digest }),
    "422 terms_mismatch"
  ],
  [
    "a delivery by the buyer",
    ({ workId }) => `POST /api/deal-rooms/${workId}/deliver`,
    asBuyer({ note: "here" }),
    "403 forbidden"
  ],
  [
    "a review before the end",
    ({ workId }) => `POST /api/deal-rooms/${workId}/reviews`,
    asBuyer({ rating: 5 }),
    "409 invalid_state"
  ],
  [
    "a stale version",
    ({ listingId }) => `POST /api/listings/${listingId}/pause`,
    ({ seller }) => ({ by: seller, headers: { "if-match": '"7-active"' } }),
    "412 version_conflict"
  ]
]
