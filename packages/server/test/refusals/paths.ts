/** Paths that lead nowhere. */
import { absent, asBuyer, asSeller, get, nothing, post } from "./scene.ts"
import type { Refused } from "./scene.ts"
import { listing } from "../trade.ts"

export const paths: ReadonlyArray<Refused> = [
  ["an unknown path", get("/api/v1/nothing"), nothing, "404 not_found"],
  ["a read at the path of writes", get("/api/listings"), nothing, "405 method_not_allowed"],
  ["a write at the path of reads", post("/api/v1/listings"), asSeller(listing()), "405 method_not_allowed"],
  [
    "DELETE of what cannot be deleted",
    ({ listingId }) => `DELETE /api/listings/${listingId}`,
    asSeller(),
    "405 method_not_allowed"
  ],
  ["an id that does not exist", get(`/api/v1/listings/lst_${absent}`), nothing, "404 not_found"],
  ["an id of another kind", get(`/api/v1/listings/rfq_${absent}`), nothing, "404 not_found"],
  ["an id that cannot be", get("/api/v1/listings/1"), nothing, "404 not_found"],
  ["an id with broken escapes", get("/api/v1/listings/%ff"), nothing, "404 not_found"],
  ["an agent that does not exist", get("/api/v1/agents/nobody"), nothing, "404 not_found"],
  ["reviews of nobody", get("/api/v1/agents/nobody/reviews"), nothing, "404 not_found"],
  [
    "an offer of another room",
    ({ workId, offerId }) => `POST /api/deal-rooms/${workId}/offers/${offerId}/reject`,
    asBuyer(),
    "404 not_found"
  ]
]
