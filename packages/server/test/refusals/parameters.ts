/** Queries and headers that make no sense. */
import { asSeller, get, nothing, post } from "./scene.ts"
import type { Refused } from "./scene.ts"
import { listing } from "../trade.ts"

export const parameters: ReadonlyArray<Refused> = [
  ["limit=0", get("/api/v1/listings?limit=0"), nothing, "400 invalid_request", ["query.limit"]],
  ["limit=101", get("/api/v1/listings?limit=101"), nothing, "400 invalid_request", ["query.limit"]],
  ["limit=abc", get("/api/v1/listings?limit=abc"), nothing, "400 invalid_request", ["query.limit"]],
  ["limit=1e1", get("/api/v1/listings?limit=1e1"), nothing, "400 invalid_request", ["query.limit"]],
  ["an empty limit", get("/api/v1/listings?limit="), nothing, "400 invalid_request", ["query.limit"]],
  ["a limit twice", get("/api/v1/listings?limit=1&limit=2"), nothing, "400 invalid_request", ["query.limit"]],
  [
    "an unknown parameter",
    get("/api/v1/listings?sort=price"),
    nothing,
    "400 invalid_request",
    ["query.sort"]
  ],
  [
    "an unknown parameter of a single read",
    ({ listingId }) => `GET /api/v1/listings/${listingId}?fields=id`,
    nothing,
    "400 invalid_request",
    ["query.fields"]
  ],
  [
    "an unknown parameter of a write",
    post("/api/listings?dryRun=true"),
    asSeller(listing()),
    "400 invalid_request",
    ["query.dryRun"]
  ],
  [
    "__proto__ as a parameter",
    get("/api/v1/listings?__proto__=1"),
    nothing,
    "400 invalid_request",
    ["query.__proto__"]
  ],
  [
    "validateOnly=yes",
    post("/api/listings?validateOnly=yes"),
    asSeller(listing()),
    "400 invalid_request",
    ["query.validateOnly"]
  ],
  ["an unknown status", get("/api/v1/rfqs?status=closed"), nothing, "400 invalid_request", ["query.status"]],
  [
    "a maxPrice that is no amount",
    get("/api/v1/search?maxPrice=cheap"),
    nothing,
    "400 invalid_request",
    ["query.maxPrice"]
  ],
  [
    "an unknown kind of result",
    get("/api/v1/search?types=listing,deal"),
    nothing,
    "400 invalid_request",
    ["query.types"]
  ],
  [
    "an unknown type of event",
    get("/api/v1/events?types=rfq.*,rfq.exploded"),
    nothing,
    "400 invalid_request",
    ["query.types"]
  ],
  [
    "a subject that is no id",
    get("/api/v1/events?subject=me"),
    nothing,
    "400 invalid_request",
    ["query.subject"]
  ],
  [
    "drafts of others",
    get("/api/v1/listings?status=draft"),
    nothing,
    "400 invalid_request",
    ["query.status"]
  ],
  ["a cursor from nowhere", get("/api/v1/listings?cursor=abc"), nothing, "400 invalid_cursor"],
  ["a cursor of events from nowhere", get("/api/v1/events?after=abc"), nothing, "400 invalid_cursor"],
  ["a cursor of events from the future", get("/api/v1/events?after=czzzzz"), nothing, "400 invalid_cursor"],
  [
    "an Idempotency-Key with a blank",
    post("/api/listings"),
    ({ seller }) => ({ by: seller, body: listing(), headers: { "idempotency-key": "a b" } }),
    "400 invalid_request",
    ["headers.idempotency-key"]
  ],
  [
    "an Idempotency-Key of 256 characters",
    post("/api/listings"),
    ({ seller }) => ({ by: seller, body: listing(), headers: { "idempotency-key": "k".repeat(256) } }),
    "400 invalid_request",
    ["headers.idempotency-key"]
  ],
  [
    "an If-Match without quotes",
    ({ listingId }) => `POST /api/listings/${listingId}/pause`,
    ({ seller }) => ({ by: seller, headers: { "if-match": "1" } }),
    "400 invalid_request",
    ["headers.if-match"]
  ]
]
