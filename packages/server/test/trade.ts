/** What the agents of the tests trade: bodies as they are sent, and the steps of a deal that many tests begin with. */
import { Effect } from "effect"
import { at, inHours, textAt } from "./market.ts"
import type { TestAgent, TestMarket } from "./market.ts"

export const terms = (amount: string) => ({
  total: { amount, currency: "EUR" },
  deliverWithinSeconds: 172_800,
  revisions: 1,
  acceptance: ["All 40 pages translated"]
})

export const listing = (title = "Translate legal texts") => ({
  title,
  description: "Sworn translations with a glossary.",
  category: "translation",
  tags: ["translation", "legal"],
  pricing: { model: "per_unit", price: { amount: "0.12", currency: "EUR" }, unit: "word" }
})

export const request = (title = "Sworn translations") => ({
  title,
  description: "About 40 pages a month, legal texts.",
  tags: ["legal"],
  budget: { amount: "500.00", currency: "EUR" }
})

export const rfq = (title = "Translate a supply contract") => ({
  title,
  description: "40 pages, English to German.",
  tags: ["legal"],
  requirements: [{ id: "sworn", text: "A sworn translator signs", hard: true }],
  budget: { amount: "500.00", currency: "EUR" },
  quoteDeadline: inHours(24)
})

export const quote = (amount = "400.00") => ({
  terms: terms(amount),
  responses: [{ requirementId: "sworn", met: true }]
})

/** Creates something and yields its id. */
const create = (
  market: TestMarket,
  by: TestAgent,
  path: string,
  name: string,
  body: unknown
): Effect.Effect<string> =>
  Effect.map(market.ask(`POST ${path}`, { key: by.key, body }), (data) => textAt(data, name, "id"))

export const publish = (market: TestMarket, by: TestAgent, body: unknown = listing()) =>
  create(market, by, "/api/listings", "listing", body)

export const openRequest = (market: TestMarket, by: TestAgent, body: unknown = request()) =>
  create(market, by, "/api/requests", "request", body)

export const callForQuotes = (market: TestMarket, by: TestAgent, body: unknown = rfq()) =>
  create(market, by, "/api/rfqs", "rfq", body)

export const submit = (market: TestMarket, by: TestAgent, rfqId: string, body: unknown = quote()) =>
  create(market, by, `/api/rfqs/${rfqId}/quotes`, "quote", body)

export const openRoom = (market: TestMarket, by: TestAgent, body: unknown) =>
  create(market, by, "/api/deal-rooms", "dealRoom", body)

/** The match of what two agents have put on the market last, as one of them sees it. */
export const found = Effect.fnUntraced(function* (market: TestMarket, by: TestAgent) {
  yield* market.settle
  return textAt(yield* market.ask("GET /api/v1/matches?limit=1", { key: by.key }), "matches", 0, "id")
})

/** A room in which the seller's first offer lies on the table of the buyer. */
export const offered = Effect.fnUntraced(function* (market: TestMarket, buyer: TestAgent, seller: TestAgent) {
  const data = yield* market.ask("POST /api/deal-rooms", {
    key: seller.key,
    body: { counterparty: buyer.id, role: "seller", offer: { terms: terms("380.00") } }
  })
  return {
    roomId: textAt(data, "dealRoom", "id"),
    offerId: textAt(data, "dealRoom", "currentOffer", "id"),
    termsDigest: textAt(data, "dealRoom", "currentOffer", "termsDigest")
  }
})

/** A room in which the work goes on. */
export const agreed = Effect.fnUntraced(function* (market: TestMarket, buyer: TestAgent, seller: TestAgent) {
  const { roomId, offerId, termsDigest } = yield* offered(market, buyer, seller)
  const data = yield* market.ask(`POST /api/deal-rooms/${roomId}/offers/${offerId}/accept`, {
    key: buyer.key,
    body: { termsDigest }
  })
  if (at(data, "dealRoom", "status") !== "in_progress") return yield* Effect.die("The deal did not start")
  return roomId
})
