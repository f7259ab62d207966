import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { dataOf, errorOf, issuesOf, open, textAt, verdict } from "./market.ts"
import type { Sending, TestAgent } from "./market.ts"
import { agreed, callForQuotes, listing, offered, publish, quote, rfq, submit, terms } from "./trade.ts"

/** A market with two agents and one of each thing, which the refused requests are about. */
const scene = Effect.gen(function* () {
  const market = yield* open()
  const [buyer, seller] = [yield* market.register("buyer"), yield* market.register("seller")]
  const rfqId = yield* callForQuotes(market, buyer)
  const room = yield* offered(market, buyer, seller)
  return {
    market,
    buyer,
    seller,
    listingId: yield* publish(market, seller),
    rfqId,
    quoteId: yield* submit(market, seller, rfqId),
    ...room,
    workId: yield* agreed(market, buyer, seller)
  }
})

type Scene = Effect.Success<typeof scene>

/** A call that is refused: by whom it is made, what is said of it. */
type Refused = readonly [
  what: string,
  endpoint: (scene: Scene) => string,
  sending: (scene: Scene) => Sending & { readonly by?: TestAgent },
  verdict: string,
  issues?: ReadonlyArray<string>
]

const absent = "01jd8wq0z7f3mbk5r2v6txn4ce"
const post = (path: string) => () => `POST ${path}`
const get = (path: string) => () => `GET ${path}`
const nothing = () => ({})
const asBuyer =
  (body?: unknown) =>
  ({ buyer }: Scene) => ({ by: buyer, body })
const asSeller =
  (body?: unknown) =>
  ({ seller }: Scene) => ({ by: seller, body })
const raw = (raw: string | Uint8Array<ArrayBuffer>, headers?: Record<string, string>) => (scene: Scene) => ({
  by: scene.seller,
  raw,
  headers
})

const account = { handle: "newcomer", name: "New", email: "new@example.com" }
const price = (amount: unknown) => ({
  ...listing(),
  pricing: { model: "fixed", price: { amount, currency: "EUR" } }
})
const nest = (depth: number) => `{"metadata":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`

const shapes: ReadonlyArray<Refused> = [
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

const parameters: ReadonlyArray<Refused> = [
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

const paths: ReadonlyArray<Refused> = [
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

const digest = `sha256:${"0".repeat(64)}`

const rules: ReadonlyArray<Refused> = [
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

const check = (name: string, table: ReadonlyArray<Refused>) =>
  it.effect(name, () =>
    Effect.gen(function* () {
      const on = yield* scene
      const before = yield* on.market.position
      for (const [what, endpoint, sending, expected, issues] of table) {
        const { by, ...rest } = sending(on)
        const reply = yield* on.market.call(endpoint(on), { ...rest, key: by?.key })
        assert.strictEqual(verdict(reply), expected, `${what}: ${reply.text}`)
        assert.strictEqual(errorOf(reply).requestId, reply.headers.get("request-id"), what)
        if (issues !== undefined)
          assert.sameMembers([...new Set(issuesOf(reply))], [...issues], `${what}: ${reply.text}`)
      }
      assert.strictEqual(yield* on.market.position, before)
      assert.deepStrictEqual(on.market.logs, [])
    })
  )

describe("bad input is refused by its name, and changes nothing:", () => {
  check("bodies", shapes)
  check("parameters and headers", parameters)
  check("paths and methods", paths)
  check("what the rules do not allow", rules)

  it.effect("what a state does not allow is told with the status and the moves that are open", () =>
    Effect.gen(function* () {
      const { market, buyer, workId } = yield* scene
      const reply = yield* market.call(`POST /api/deal-rooms/${workId}/decline`, { key: buyer.key })
      const { code, status, nextActions } = errorOf(reply)
      assert.strictEqual(code, "invalid_state")
      assert.strictEqual(status, "in_progress")
      assert.include(JSON.stringify(nextActions), '"deliver"')
    })
  )

  it.effect("an eleventh question that waits, and a second answer", () =>
    Effect.gen(function* () {
      const { market, buyer, seller, rfqId } = yield* scene
      const ask = market.call(`POST /api/rfqs/${rfqId}/questions`, {
        key: seller.key,
        body: { text: "When?" }
      })
      const first = yield* ask
      for (let n = 1; n < 10; n++) assert.strictEqual(verdict(yield* ask), "201")
      assert.strictEqual(verdict(yield* ask), "422 limit_reached")
      const questionId = textAt(dataOf(first), "question", "id")
      const answer = market.call(`POST /api/rfqs/${rfqId}/questions/${questionId}/answer`, {
        key: buyer.key,
        body: { text: "Now" }
      })
      assert.strictEqual(verdict(yield* answer), "200")
      const again = yield* answer
      assert.strictEqual(verdict(again), "409 invalid_state")
      assert.strictEqual(errorOf(again)["status"], "open")
      assert.include(JSON.stringify(errorOf(again)["nextActions"]), '"answer"')
      assert.strictEqual(verdict(yield* ask), "201")
    })
  )

  it.effect("a deviating quote is awarded in so many words alone", () =>
    Effect.gen(function* () {
      const { market, buyer, rfqId } = yield* scene
      const rival = yield* market.register("rival")
      const quoteId = yield* submit(market, rival, rfqId, { terms: terms("1") })
      const award = (body: object) =>
        market.call(`POST /api/rfqs/${rfqId}/award`, { key: buyer.key, body: { quoteId, ...body } })
      const refused = yield* award({})
      assert.strictEqual(verdict(refused), "422 requirement_unmet")
      assert.deepStrictEqual(errorOf(refused)["deviations"], ["sworn"])
      assert.strictEqual((yield* award({ acceptDeviations: true })).status, 200)
    })
  )
})
