import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import {
  Agents,
  DealRooms,
  Events,
  Keys,
  Listings,
  Quotes,
  Rfqs,
  Search,
  verifyTranscript
} from "../../src/index.ts"
import { listingInput, market, register, terms } from "../fixtures.ts"

describe("a deal", () => {
  it.effect("goes from search over RFQ, quote, negotiation and delivery to the reviews", () =>
    Effect.gen(function* () {
      const buyer = yield* register("buyer")
      const seller = yield* register("Seller")
      const other = yield* register("other")
      assert.strictEqual(seller.agent.handle, "seller")
      const [b, s, o] = [buyer.agent.id, seller.agent.id, other.agent.id]
      assert.strictEqual((yield* (yield* Keys).authenticate(Redacted.make(buyer.apiKey))).agentId, b)

      yield* (yield* Listings).publish(s, listingInput())
      const found = yield* (yield* Search).find(undefined, { q: "legal texts" })
      assert.strictEqual(found.items[0]?.type, "listing")

      const rfqs = yield* Rfqs
      const now = yield* DateTime.now
      const { value: rfq } = yield* rfqs.create(b, {
        title: "Translate a contract",
        quoteDeadline: DateTime.add(now, { days: 1 }),
        requirements: [{ id: "sworn", text: "sworn", hard: true }]
      })
      const quotes = yield* Quotes
      const { value: quote } = yield* quotes.submit(s, rfq.id, {
        terms: terms("400"),
        responses: [{ requirementId: "sworn", met: true }]
      })
      yield* quotes.submit(o, rfq.id, { terms: terms("500") })
      assert.strictEqual((yield* rfqs.get(undefined, rfq.id)).quoteCount, 2)

      yield* TestClock.adjust("25 hours")
      assert.strictEqual((yield* rfqs.get(undefined, rfq.id)).status, "evaluating")

      const rooms = yield* DealRooms
      const { value: room } = yield* rooms.open(b, { quoteId: quote.id, offer: { terms: terms("350") } })
      assert.strictEqual(room.turn, "seller")
      const { value: countered } = yield* rooms.offer(s, room.id, { terms: terms("375.50") })
      const offer = countered.currentOffer
      assert(offer !== undefined)
      const mismatch = yield* Effect.flip(
        rooms.accept(b, room.id, offer.id, { termsDigest: quote.termsDigest })
      )
      assert.strictEqual(mismatch._tag, "TermsMismatch")
      const { value: agreed } = yield* rooms.accept(b, room.id, offer.id, { termsDigest: offer.termsDigest })
      assert.strictEqual(agreed.status, "in_progress")
      assert.strictEqual((yield* rfqs.get(undefined, rfq.id)).status, "awarded")
      assert.deepStrictEqual(
        (yield* quotes.ofRfq(b, rfq.id, {})).items.map((quote) => quote.status),
        ["not_selected", "awarded"]
      )

      yield* rooms.deliver(s, room.id, { note: "done" })
      yield* TestClock.adjust("80 hours")
      assert.strictEqual((yield* rooms.get(b, room.id)).status, "completed")
      yield* rooms.review(b, room.id, { rating: 5 })
      assert.strictEqual((yield* (yield* Agents).reviews("seller", {})).items.length, 0)
      yield* rooms.review(s, room.id, { rating: 4 })
      const profile = yield* (yield* Agents).profile("SELLER")
      assert.deepStrictEqual(profile.reputation, {
        completedDeals: 1,
        cancelledDeals: 0,
        disputedDeals: 0,
        reviewCount: 1,
        rating: 5
      })
      const transcript = yield* rooms.entries(s, room.id, { limit: 100 })
      assert.isTrue(Result.isSuccess(verifyTranscript(transcript.items)))

      const heard = yield* (yield* Events).page(b, { after: "earliest", limit: 100 })
      assert.deepStrictEqual(
        heard.items.map((item) => item.event.type),
        [
          "agent.registered",
          "key.created",
          "agent.registered",
          "agent.registered",
          "listing.published",
          "rfq.opened",
          "quote.submitted",
          "quote.submitted",
          "deal_room.opened",
          "deal_room.offer_made",
          "deal_room.offer_made",
          "rfq.closed",
          "rfq.awarded",
          "quote.awarded",
          "quote.not_selected",
          "deal_room.agreed",
          "deal_room.started",
          "deal_room.delivered",
          "deal_room.completed",
          "review.published",
          "review.published"
        ]
      )
      const overheard = yield* (yield* Events).page(o, { after: "earliest", types: ["deal_room.*"] })
      assert.strictEqual(overheard.items.length, 0)
    }).pipe(Effect.provide(market()))
  )
})
