/** Bodies that do not have the form of the contract. */
import { account, asBuyer, asSeller, get, post, raw } from "./scene.ts"
import type { Refused } from "./scene.ts"
import { listing, rfq, terms } from "../trade.ts"

const price = (amount: unknown) => ({
  ...listing(),
  pricing: { model: "fixed", price: { amount, currency: "EUR" } }
})
const nest = (depth: number) => `{"metadata":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`

export const shapes: ReadonlyArray<Refused> = [
  [
    "an unknown field",
    post("/api/agents"),
    () => ({ body: { ...account, emial: "x" } }),
    "400 invalid_request",
    ["payload.emial"]
  ],
  [
    "an unknown field inside",
    post("/api/listings"),
    asSeller({ ...listing(), pricing: { model: "quote", prize: 1 } }),
    "400 invalid_request",
    ["payload.pricing.prize"]
  ],
  [
    "__proto__ as a field",
    post("/api/listings"),
    raw('{"title":"abc","pricing":{"model":"quote"},"__proto__":{"x":1}}'),
    "400 invalid_request",
    ["payload.__proto__"]
  ],
  [
    "all that is wrong at once",
    post("/api/agents"),
    () => ({ body: { handle: "1", name: "", email: "nobody" } }),
    "400 invalid_request",
    ["payload.handle", "payload.name", "payload.email"]
  ],
  [
    "missing fields",
    post("/api/agents"),
    () => ({ body: {} }),
    "400 invalid_request",
    ["payload.handle", "payload.email", "payload.name"]
  ],
  [
    "a body that is no object",
    post("/api/agents"),
    () => ({ body: [account] }),
    "400 invalid_request",
    ["payload"]
  ],
  [
    "a webhook for events that there are none of",
    post("/api/webhooks"),
    asSeller({ url: "https://seller.example/", types: ["rfq.*", "rfq.opend"] }),
    "400 invalid_request",
    ["payload.types.1"]
  ],
  [
    "a webhook for no events",
    post("/api/webhooks"),
    asSeller({ url: "https://seller.example/", types: [] }),
    "400 invalid_request",
    ["payload.types"]
  ],
  [
    "a webhook without encryption",
    post("/api/webhooks"),
    asSeller({ url: "http://seller.example/", types: ["rfq.*"] }),
    "400 invalid_request",
    ["payload.url"]
  ],
  ["null for a body", post("/api/agents"), () => ({ body: null }), "400 invalid_request", ["payload"]],
  [
    "a field where none is taken",
    ({ listingId }) => `POST /api/listings/${listingId}/pause`,
    asSeller({ reason: "rest" }),
    "400 invalid_request",
    ["payload.reason"]
  ],
  [
    "a money amount as a number",
    post("/api/listings"),
    asSeller(price(12.5)),
    "400 invalid_request",
    ["payload.pricing.price.amount"]
  ],
  [
    "seven fraction digits",
    post("/api/listings"),
    asSeller(price("0.0000001")),
    "400 invalid_request",
    ["payload.pricing.price.amount"]
  ],
  [
    "a million millions",
    post("/api/listings"),
    asSeller(price("1000000000000")),
    "400 invalid_request",
    ["payload.pricing.price.amount"]
  ],
  [
    "a negative amount",
    post("/api/listings"),
    asSeller(price("-1")),
    "400 invalid_request",
    ["payload.pricing.price.amount"]
  ],
  [
    "a fixed price without a price",
    post("/api/listings"),
    asSeller({ ...listing(), pricing: { model: "fixed" } }),
    "400 invalid_request",
    ["payload.pricing.price"]
  ],
  [
    "21 tags",
    post("/api/listings"),
    asSeller({ ...listing(), tags: Array.from({ length: 21 }, (_, n) => `t${n}`) }),
    "400 invalid_request",
    ["payload.tags"]
  ],
  [
    "a tag with a blank",
    post("/api/listings"),
    asSeller({ ...listing(), tags: ["fine", "not fine"] }),
    "400 invalid_request",
    ["payload.tags.1"]
  ],
  [
    "metadata of 17 KiB",
    post("/api/listings"),
    asSeller({ ...listing(), metadata: { text: "x".repeat(17_000) } }),
    "400 invalid_request",
    ["payload.metadata"]
  ],
  [
    "a lone surrogate",
    post("/api/listings"),
    raw('{"title":"ab\\ud800c","pricing":{"model":"quote"}}'),
    "400 invalid_request",
    ["payload.title"]
  ],
  [
    "U+0000",
    post("/api/listings"),
    raw('{"title":"ab\\u0000c","pricing":{"model":"quote"}}'),
    "400 invalid_request",
    ["payload.title"]
  ],
  [
    "a date that does not exist",
    post("/api/rfqs"),
    asBuyer({ ...rfq(), quoteDeadline: "2030-02-30T00:00:00Z" }),
    "400 invalid_request",
    ["payload.quoteDeadline"]
  ],
  [
    "a deadline that has passed",
    post("/api/rfqs"),
    asBuyer({ ...rfq(), quoteDeadline: "2030-01-01T00:00:00Z" }),
    "400 invalid_request",
    ["payload.quoteDeadline"]
  ],
  [
    "a deadline in a year",
    post("/api/rfqs"),
    asBuyer({ ...rfq(), quoteDeadline: "2031-01-01T00:00:00Z" }),
    "400 invalid_request",
    ["payload.quoteDeadline"]
  ],
  [
    "a total that is not the sum",
    ({ workId }) => `POST /api/deal-rooms/${workId}/offers`,
    asBuyer({
      terms: {
        ...terms("9"),
        lines: [{ description: "Pages", quantity: 2, unitPrice: { amount: "4", currency: "EUR" } }]
      }
    }),
    "400 invalid_request",
    ["payload.terms.total.amount"]
  ],
  [
    "a room from two things",
    post("/api/deal-rooms"),
    ({ buyer, listingId, quoteId }) => ({ by: buyer, body: { listingId, quoteId } }),
    "400 invalid_request",
    ["payload"]
  ],
  [
    "matches of a listing as a demand",
    get("/api/v1/matches?demand=lst_01jd8wq0z7f3mbk5r2v6txn4ce"),
    asBuyer(),
    "400 invalid_request",
    ["query.demand"]
  ],
  [
    "matches in a state that they have not",
    get("/api/v1/matches?status=open"),
    asBuyer(),
    "400 invalid_request",
    ["query.status"]
  ],
  ["half a document", post("/api/listings"), raw('{"title":'), "400 invalid_json"],
  ["no body where one is needed", post("/api/listings"), asSeller(), "400 invalid_json"],
  ["blanks for a body", post("/api/listings"), raw("  "), "400 invalid_json"],
  [
    "invalid UTF-8",
    post("/api/listings"),
    raw(new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d])),
    "400 invalid_json"
  ],
  ["33 levels of JSON", post("/api/listings"), raw(nest(33)), "400 invalid_json"],
  ["a hundred thousand levels", post("/api/listings"), raw("[".repeat(100_000)), "400 invalid_json"],
  ["32 levels, but not the right ones", post("/api/listings"), raw(nest(32)), "400 invalid_request"],
  [
    "a form",
    post("/api/listings"),
    raw("a=b", { "content-type": "application/x-www-form-urlencoded" }),
    "415 unsupported_media_type"
  ],
  [
    "plain text",
    post("/api/listings"),
    raw("{}", { "content-type": "text/plain" }),
    "415 unsupported_media_type"
  ],
  [
    "another kind of JSON",
    post("/api/listings"),
    raw("{}", { "content-type": "application/merge-patch+json" }),
    "415 unsupported_media_type"
  ],
  [
    "a compressed body",
    post("/api/listings"),
    raw("{}", { "content-encoding": "gzip" }),
    "415 unsupported_media_type"
  ],
  ["257 KiB", post("/api/listings"), raw(" ".repeat(257 * 1024)), "413 payload_too_large"]
]
