/** A story that calls every operation of the market once at least, each of them with success. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { at, dataOf, listAt, textAt } from "./market.ts"
import type { Reply, Sending, TestMarket } from "./market.ts"
import { listing, quote, request, rfq, terms } from "./trade.ts"

/** One call of the story and what it was answered. */
export interface Exchange {
  readonly operationId: string
  readonly endpoint: string
  readonly sending: Sending
  readonly reply: Reply
}

/** Tells the story, and yields its exchanges in their order. */
export const tell = Effect.fnUntraced(function* (market: TestMarket) {
  const exchanges: Array<Exchange> = []

  const step = Effect.fnUntraced(function* (operationId: string, endpoint: string, sending: Sending = {}) {
    const reply = yield* market.call(endpoint, sending)
    exchanges.push({ operationId, endpoint, sending, reply })
    return dataOf(reply)
  })

  yield* step("system.live", "GET /livez")
  yield* step("system.ready", "GET /readyz")

  const register = Effect.fnUntraced(function* (handle: string) {
    const body = {
      handle,
      name: `The agent ${handle}`,
      email: `${handle}@example.com`,
      description: "Legal and technical texts.",
      skills: [{ id: "translation", name: "Translation EN-DE", tags: ["legal"] }],
      endpoints: [{ type: "a2a", url: "https://agents.example/a2a" }],
      metadata: { region: "eu", languages: ["en", "de"] }
    }
    const data = yield* step("agents.register", "POST /api/agents", { body })
    return { key: textAt(data, "apiKey"), id: textAt(data, "agent", "id") }
  })
  const buyer = yield* register("Brenda")
  const seller = yield* register("atlas")
  const rival = yield* register("bolt")
  const leaver = yield* register("quitter")

  yield* step("agents.me", "GET /api/v1/me", { key: buyer.key })
  yield* step("agents.updateMe", "PATCH /api/me", { key: buyer.key, body: { description: null, name: "B" } })
  yield* step("agents.list", "GET /api/v1/agents?limit=2")
  const issued = yield* step("keys.create", "POST /api/me/keys", {
    key: buyer.key,
    body: { label: "laptop", expiresAt: "2030-12-31T00:00:00.000Z" }
  })
  const rotated = yield* step("keys.rotate", `POST /api/me/keys/${textAt(issued, "key", "id")}/rotate`, {
    key: buyer.key,
    body: { graceSeconds: 60 }
  })
  yield* step("keys.revoke", `DELETE /api/me/keys/${textAt(rotated, "key", "id")}`, { key: buyer.key })
  yield* step("keys.list", "GET /api/v1/me/keys", { key: buyer.key })
  const hook = Effect.fnUntraced(function* (url: string) {
    const body = { url, types: ["listing.*", "deal_room.*"] }
    return textAt(
      yield* step("webhooks.create", "POST /api/webhooks", { key: buyer.key, body }),
      "webhook",
      "id"
    )
  })
  const hookId = yield* hook("https://brenda.example/hooks")
  const goneId = yield* hook("https://gone.example/hooks")
  yield* step("agents.get", "GET /api/v1/agents/ATLAS")

  // Listings
  const draft = { ...listing(), status: "draft", inputSchema: { type: "object" }, turnaroundSeconds: 3600 }
  const published = yield* step("listings.publish", "POST /api/listings", { key: seller.key, body: draft })
  const listingId = textAt(published, "listing", "id")
  yield* step("listings.update", `PATCH /api/listings/${listingId}`, {
    key: seller.key,
    body: { tags: ["legal"], inputSchema: null, metadata: { any: [1, "two", null, { three: 3.5 }] } }
  })
  yield* step("listings.activate", `POST /api/listings/${listingId}/activate`, { key: seller.key })
  yield* step("listings.get", `GET /api/v1/listings/${listingId}`)
  yield* step("listings.list", "GET /api/v1/listings?tag=legal&maxPrice=1&currency=EUR&pricingModel=per_unit")
  yield* step("listings.list", "GET /api/v1/listings?agent=me&status=active&q=legal", { key: seller.key })
  yield* step("listings.pause", `POST /api/listings/${listingId}/pause`, { key: seller.key, body: {} })
  yield* step("listings.activate", `POST /api/listings/${listingId}/activate`, { key: seller.key })

  // Requests
  const asked = yield* step("requests.open", "POST /api/requests", { key: buyer.key, body: request() })
  const requestId = textAt(asked, "request", "id")
  yield* step("requests.update", `PATCH /api/requests/${requestId}`, {
    key: buyer.key,
    body: { tags: ["legal", "german"], category: "translation" }
  })
  yield* step("requests.get", `GET /api/v1/requests/${requestId}`)
  yield* step("requests.list", "GET /api/v1/requests?q=translations&tag=german&maxPrice=500&currency=EUR")
  const other = yield* step("requests.open", "POST /api/requests", { key: buyer.key, body: request() })

  // What fits them
  const otherId = textAt(other, "request", "id")
  yield* market.settle
  const fitting = yield* step("matches.list", `GET /api/v1/matches?supply=${listingId}`, { key: seller.key })
  yield* step("matches.list", `GET /api/v1/matches?demand=${otherId}&status=suggested`, { key: buyer.key })
  const matchOf = (demandId: string) =>
    textAt(
      listAt(fitting, "matches").find((match) => at(match, "demand", "id") === demandId),
      "id"
    )
  yield* step("matches.dismiss", `POST /api/matches/${matchOf(otherId)}/dismiss`, { key: seller.key })
  yield* step("dealRooms.start", "POST /api/deal-rooms", {
    key: seller.key,
    body: { matchId: matchOf(requestId) }
  })
  yield* step("requests.cancel", `POST /api/requests/${otherId}/cancel`, { key: buyer.key })

  // RFQs and quotes
  const called = yield* step("rfqs.create", "POST /api/rfqs", {
    key: buyer.key,
    body: { ...rfq(), status: "draft" }
  })
  const rfqId = textAt(called, "rfq", "id")
  yield* step("rfqs.update", `PATCH /api/rfqs/${rfqId}`, { key: buyer.key, body: { maxQuotes: 20 } })
  yield* step("rfqs.open", `POST /api/rfqs/${rfqId}/open`, { key: buyer.key })
  yield* step("rfqs.get", `GET /api/v1/rfqs/${rfqId}`)
  const question = yield* step("rfqs.ask", `POST /api/rfqs/${rfqId}/questions`, {
    key: seller.key,
    body: { text: "Is the source a Word file?" }
  })
  const questionId = textAt(question, "question", "id")
  yield* step("rfqs.answer", `POST /api/rfqs/${rfqId}/questions/${questionId}/answer`, {
    key: buyer.key,
    body: { text: "Yes, with tracked changes." }
  })
  yield* step("rfqs.list", "GET /api/v1/rfqs?q=contract&limit=5")
  yield* step("search.search", "GET /api/v1/search?q=translate%20legal%20contract", { key: buyer.key })
  const submitted = yield* step("quotes.submit", `POST /api/rfqs/${rfqId}/quotes`, {
    key: seller.key,
    body: { ...quote(), listingId, message: "We can start on Monday." }
  })
  const quoteId = textAt(submitted, "quote", "id")
  const linesOf = (unitPrice: string, amount: string) => ({
    ...terms(amount),
    lines: [
      {
        description: "Pages",
        quantity: 40,
        unit: "page",
        unitPrice: { amount: unitPrice, currency: "EUR" }
      }
    ],
    notes: "Delivered as one file.",
    custom: { format: "docx" }
  })
  const revised = yield* step("quotes.revise", `POST /api/quotes/${quoteId}/revise`, {
    key: seller.key,
    body: { ...quote(), terms: linesOf("9.5", "380.00") }
  })
  const bid = (amount: string) => ({ key: rival.key, body: quote(amount) })
  const first = yield* step("quotes.submit", `POST /api/rfqs/${rfqId}/quotes`, bid("500.00"))
  const firstId = textAt(first, "quote", "id")
  yield* step("quotes.decline", `POST /api/quotes/${firstId}/decline`, {
    key: buyer.key,
    body: { reason: "Over our budget." }
  })
  const second = yield* step("quotes.submit", `POST /api/rfqs/${rfqId}/quotes`, bid("450.00"))
  yield* step("quotes.withdraw", `POST /api/quotes/${textAt(second, "quote", "id")}/withdraw`, {
    key: rival.key
  })
  yield* step("quotes.submit", `POST /api/rfqs/${rfqId}/quotes`, bid("420.00"))
  yield* step("quotes.get", `GET /api/v1/quotes/${quoteId}`, { key: buyer.key })
  yield* step("quotes.listMine", "GET /api/v1/me/quotes", { key: rival.key })
  yield* step("quotes.listOfRfq", `GET /api/v1/rfqs/${rfqId}/quotes`, { key: buyer.key })
  yield* step("rfqs.close", `POST /api/rfqs/${rfqId}/close`, { key: buyer.key })
  const awarded = yield* step("rfqs.award", `POST /api/rfqs/${rfqId}/award`, {
    key: buyer.key,
    body: { quoteId, termsDigest: textAt(revised, "quote", "termsDigest") }
  })
  const done = textAt(awarded, "dealRoom", "id")

  const sealed = yield* step("rfqs.create", "POST /api/rfqs", {
    key: buyer.key,
    body: { ...rfq("A sealed call"), quoteMode: "sealed", visibility: "invited", invitees: [seller.id] }
  })
  const sealedId = textAt(sealed, "rfq", "id")
  yield* step("quotes.submit", `POST /api/rfqs/${sealedId}/quotes`, { key: seller.key, body: quote() })
  yield* step("quotes.listOfRfq", `GET /api/v1/rfqs/${sealedId}/quotes`, { key: buyer.key })
  yield* step("rfqs.cancel", `POST /api/rfqs/${sealedId}/cancel`, { key: buyer.key })
  const vain = yield* step("rfqs.create", "POST /api/rfqs", { key: buyer.key, body: rfq("In vain") })
  const vainId = textAt(vain, "rfq", "id")
  yield* step("rfqs.close", `POST /api/rfqs/${vainId}/close`, { key: buyer.key })
  yield* step("rfqs.markUnsuccessful", `POST /api/rfqs/${vainId}/unsuccessful`, { key: buyer.key })

  yield* step("inbox.list", "GET /api/v1/me/inbox?limit=5", { key: seller.key })

  // The deal that was awarded, to its reviews
  const inRoom = (roomId: string) => `/api/deal-rooms/${roomId}`
  const delivery = { key: seller.key, body: { note: "All pages.", data: { url: "https://x.example/1" } } }
  yield* step("dealRooms.sendMessage", `POST ${inRoom(done)}/messages`, {
    key: buyer.key,
    body: { text: "Could you deliver by Friday?", data: { day: "Friday" } }
  })
  yield* step("dealRooms.deliver", `POST ${inRoom(done)}/deliver`, delivery)
  yield* step("dealRooms.requestChanges", `POST ${inRoom(done)}/request-changes`, {
    key: buyer.key,
    body: { reason: "Page 12 is missing." }
  })
  yield* step("dealRooms.deliver", `POST ${inRoom(done)}/deliver`, delivery)
  yield* step("dealRooms.complete", `POST ${inRoom(done)}/complete`, { key: buyer.key })
  yield* step("dealRooms.review", `POST ${inRoom(done)}/reviews`, {
    key: buyer.key,
    body: { rating: 5, text: "On time and exact." }
  })
  yield* step("dealRooms.review", `POST ${inRoom(done)}/reviews`, { key: seller.key, body: { rating: 4 } })
  yield* step("agents.reviews", "GET /api/v1/agents/atlas/reviews")
  yield* step("dealRooms.entries", `GET /api/v1/deal-rooms/${done}/entries?limit=100`, { key: seller.key })
  yield* step("dealRooms.get", `GET /api/v1/deal-rooms/${done}`, { key: seller.key })

  // A negotiation, and its other ends
  const start = Effect.fnUntraced(function* (body: object) {
    const data = yield* step("dealRooms.start", "POST /api/deal-rooms", { key: buyer.key, body })
    return { roomId: textAt(data, "dealRoom", "id"), offerId: at(data, "dealRoom", "currentOffer", "id") }
  })
  const offer = (amount: string) => ({ terms: terms(amount), message: "Our best price." })
  const talk = yield* start({ listingId, title: "A longer talk", maxRounds: 5, offer: offer("300.00") })
  yield* step("dealRooms.withdrawOffer", `POST ${inRoom(talk.roomId)}/offers/${talk.offerId}/withdraw`, {
    key: buyer.key,
    body: { reason: "The price was wrong." }
  })
  const again = yield* step("dealRooms.makeOffer", `POST ${inRoom(talk.roomId)}/offers`, {
    key: buyer.key,
    body: offer("310.00")
  })
  const againId = textAt(again, "dealRoom", "currentOffer", "id")
  yield* step("dealRooms.rejectOffer", `POST ${inRoom(talk.roomId)}/offers/${againId}/reject`, {
    key: seller.key
  })
  const last = yield* step("dealRooms.makeOffer", `POST ${inRoom(talk.roomId)}/offers`, {
    key: seller.key,
    body: offer("350.00")
  })
  const lastId = textAt(last, "dealRoom", "currentOffer", "id")
  yield* step("dealRooms.acceptOffer", `POST ${inRoom(talk.roomId)}/offers/${lastId}/accept`, {
    key: buyer.key,
    body: { termsDigest: textAt(last, "dealRoom", "currentOffer", "termsDigest") }
  })
  const wish = { reason: "The project was stopped." }
  yield* step("dealRooms.cancel", `POST ${inRoom(talk.roomId)}/cancel`, { key: buyer.key, body: wish })
  yield* step("dealRooms.cancel", `POST ${inRoom(talk.roomId)}/cancel`, { key: seller.key })

  const short = yield* start({ counterparty: seller.id, role: "buyer" })
  yield* step("dealRooms.decline", `POST ${inRoom(short.roomId)}/decline`, { key: seller.key })

  const quarrel = yield* start({ counterparty: seller.id, role: "buyer", offer: offer("90.00") })
  const { reply } = exchanges[exchanges.length - 1] ?? { reply: undefined }
  yield* step("dealRooms.acceptOffer", `POST ${inRoom(quarrel.roomId)}/offers/${quarrel.offerId}/accept`, {
    key: seller.key,
    body: { termsDigest: textAt(reply?.body, "data", "dealRoom", "currentOffer", "termsDigest") }
  })
  yield* step("dealRooms.dispute", `POST ${inRoom(quarrel.roomId)}/dispute`, {
    key: seller.key,
    body: { reason: "The buyer sends no text." }
  })
  yield* step("dealRooms.start", "POST /api/deal-rooms", {
    key: seller.key,
    body: { requestId, offer: offer("45.00") }
  })
  yield* step("requests.fulfil", `POST /api/requests/${requestId}/fulfil`, { key: buyer.key, body: {} })
  yield* step("dealRooms.list", "GET /api/v1/deal-rooms", { key: buyer.key })

  // The courier works beside the calls: here it gets its turn.
  yield* Effect.repeat(TestClock.adjust("10 millis"), { times: 50 })
  yield* step("webhooks.list", "GET /api/v1/webhooks", { key: buyer.key })
  const deliveriesAt = `/api/v1/webhooks/${hookId}/deliveries`
  const heard = yield* step("webhooks.deliveries", `GET ${deliveriesAt}`, { key: buyer.key })
  const deliveryId = textAt(heard, "deliveries", 0, "id")
  yield* step("webhooks.replay", `POST /api/webhooks/${hookId}/deliveries/${deliveryId}/replay`, {
    key: buyer.key
  })
  yield* step("webhooks.rotate", `POST /api/webhooks/${hookId}/rotate`, { key: buyer.key })
  yield* step("webhooks.enable", `POST /api/webhooks/${goneId}/enable`, { key: buyer.key })
  yield* step("webhooks.remove", `DELETE /api/webhooks/${goneId}`, { key: buyer.key })

  yield* step("listings.archive", `POST /api/listings/${listingId}/archive`, { key: seller.key })
  yield* step("agents.closeMe", "POST /api/me/close", { key: leaver.key })
  yield* step("events.subscribe", "GET /api/v1/events?after=earliest&limit=100", {
    key: buyer.key,
    headers: { accept: "application/json" }
  })
  return exchanges
})
