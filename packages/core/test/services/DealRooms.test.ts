import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { Agents, DealRooms, Listings, Quotes, Rfqs, Store, verifyTranscript } from "../../src/index.ts"
import type { AgentId, DealRoomId } from "../../src/index.ts"
import {
  acceptOffer,
  callForQuotes,
  codeOf,
  inSeconds,
  join,
  listingInput,
  market,
  negotiate,
  offerIn,
  sides,
  submitQuote,
  terms,
  transcriptOf,
  typesOf
} from "../fixtures.ts"
import { actionsOf, offerStatus } from "./parties.ts"

describe("a room", () => {
  it.effect("is opened from a listing, a quote or another agent, never with oneself", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const rooms = yield* DealRooms
      const { value: listing } = yield* (yield* Listings).publish(seller, listingInput())
      const rfq = yield* callForQuotes(buyer)
      const quote = yield* submitQuote(seller, rfq.id)
      const fromListing = (yield* rooms.open(buyer, { listingId: listing.id })).value
      assert.deepStrictEqual([fromListing.buyerId, fromListing.sellerId], [buyer, seller])
      const fromQuote = (yield* rooms.open(seller, { quoteId: quote.id, offer: { terms: terms("9") } })).value
      assert.deepStrictEqual([fromQuote.buyerId, fromQuote.turn], [buyer, "buyer"])
      const direct = (yield* rooms.open(seller, { counterparty: buyer, role: "seller" })).value
      assert.deepStrictEqual([direct.buyerId, direct.sellerId, direct.turn], [buyer, seller, null])
      assert.deepStrictEqual(
        yield* Effect.all([
          codeOf(rooms.open(seller, { listingId: listing.id })),
          codeOf(rooms.open(seller, { counterparty: seller, role: "buyer" })),
          codeOf(rooms.open(seller, { counterparty: seller, role: "seller" })),
          codeOf(submitQuote(buyer, rfq.id))
        ]),
        ["self_deal", "self_deal", "self_deal", "self_deal"]
      )
    }).pipe(Effect.provide(market()))
  )

  it.effect("is not opened with somebody who is gone, or upon a quote that no longer stands", () =>
    Effect.gen(function* () {
      const [buyer, seller, closed] = yield* Effect.all([join("buyer"), join("seller"), join("closed")])
      const rooms = yield* DealRooms
      yield* (yield* Agents).close(closed)
      assert.strictEqual(
        yield* codeOf(rooms.open(buyer, { counterparty: closed, role: "buyer" })),
        "invalid_state"
      )
      const rfq = yield* callForQuotes(buyer)
      const quote = yield* submitQuote(seller, rfq.id)
      yield* (yield* Quotes).withdraw(seller, quote.id, undefined)
      assert.strictEqual(yield* codeOf(rooms.open(buyer, { quoteId: quote.id })), "invalid_state")
      const again = yield* submitQuote(seller, rfq.id)
      yield* (yield* Rfqs).move(buyer, rfq.id, "cancel")
      assert.strictEqual(yield* codeOf(rooms.open(buyer, { quoteId: again.id })), "invalid_state")
    }).pipe(Effect.provide(market()))
  )
})

describe("a negotiation", () => {
  it.effect("goes to and fro: a counter ends the offer before it, and turns name whose move it is", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const [rooms, store] = [yield* DealRooms, yield* Store]
      const room = yield* negotiate(buyer, seller)
      const first = offerIn(room)
      assert.deepStrictEqual([room.turn, room.round], ["seller", 1])
      assert.strictEqual(yield* codeOf(rooms.offer(buyer, room.id, { terms: terms("2") })), "not_your_turn")
      const { value: countered } = yield* rooms.offer(seller, room.id, { terms: terms("3") })
      assert.deepStrictEqual([countered.turn, countered.round], ["buyer", 2])
      assert.strictEqual((yield* store.rooms.offer(first.id))?.status, "countered")
      const late = rooms.accept(seller, room.id, first.id, { termsDigest: first.termsDigest })
      assert.strictEqual(yield* codeOf(late), "invalid_state")
      const agreed = yield* acceptOffer(buyer, countered)
      assert.deepStrictEqual(agreed.agreement?.terms, terms("3"))
      assert.strictEqual(agreed.agreement?.offerId, offerIn(countered).id)
      assert.strictEqual((yield* store.rooms.offer(offerIn(countered).id))?.status, "accepted")
    }).pipe(Effect.provide(market()))
  )

  it.effect("agrees to nothing but the terms that were named to the digit", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const rooms = yield* DealRooms
      const room = yield* negotiate(buyer, seller)
      const offer = offerIn(room)
      const wrong = { termsDigest: `sha256:${"0".repeat(64)}` }
      const refused = yield* Effect.flip(rooms.accept(seller, room.id, offer.id, wrong))
      assert(refused._tag === "TermsMismatch")
      assert.strictEqual(refused.termsDigest, offer.termsDigest)
      const own = rooms.accept(buyer, room.id, offer.id, { termsDigest: offer.termsDigest })
      assert.strictEqual(yield* codeOf(own), "not_your_turn")
      assert.strictEqual(yield* offerStatus(room, buyer), "pending")
    }).pipe(Effect.provide(market()))
  )

  it.effect(
    "is not opened with one who has not answered twenty others, until some are answered or over",
    () =>
      Effect.gen(function* () {
        const [buyer, seller] = yield* sides
        const rooms = yield* DealRooms
        const knock = (by: AgentId, counterparty: AgentId) =>
          rooms.open(by, { counterparty, role: "buyer", offer: { terms: terms("5") } })
        const ids: Array<DealRoomId> = []
        for (let n = 0; n < 20; n++) ids.push((yield* knock(buyer, seller)).value.id)
        const [first, second] = ids
        assert(first !== undefined && second !== undefined)
        assert.strictEqual(yield* codeOf(knock(buyer, seller)), "limit_reached")
        assert.strictEqual(yield* codeOf(knock(seller, buyer)), "done")
        yield* rooms.say(seller, first, { text: "hello" })
        assert.strictEqual(yield* codeOf(knock(buyer, seller)), "done")
        assert.strictEqual(yield* codeOf(knock(buyer, seller)), "limit_reached")
        yield* rooms.decline(buyer, second, undefined)
        assert.strictEqual(yield* codeOf(knock(buyer, seller)), "done")
        assert.strictEqual(yield* codeOf(knock(buyer, seller)), "limit_reached")
        yield* TestClock.adjust("3 days")
        assert.strictEqual(yield* codeOf(knock(buyer, seller)), "done")
      }).pipe(Effect.provide(market()))
  )

  it.effect("is not opened by one whose two hundred others are not answered", () =>
    Effect.gen(function* () {
      const buyer = yield* join("buyer")
      const sellers = yield* Effect.forEach(Array.from({ length: 11 }), (_, n) => join(`seller${n}`))
      const rooms = yield* DealRooms
      const knock = (counterparty: AgentId) => codeOf(rooms.open(buyer, { counterparty, role: "buyer" }))
      for (let n = 0; n < 200; n++) yield* knock(sellers[n % 10] ?? buyer)
      for (const seller of sellers.slice(9)) assert.strictEqual(yield* knock(seller), "limit_reached")
    }).pipe(Effect.provide(market()))
  )

  it.effect("offers no other offer once its rounds are used up", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* Effect.all([join("buyer"), join("seller")])
      const rooms = yield* DealRooms
      const { value: room } = yield* rooms.open(buyer, {
        counterparty: seller,
        role: "buyer",
        maxRounds: 1,
        offer: { terms: terms("5") }
      })
      const mine = room.nextActions.filter(({ by }) => by === "seller").map(({ action }) => action)
      assert.deepStrictEqual(mine, ["message", "accept", "reject", "decline"])
      assert.strictEqual(yield* codeOf(rooms.offer(seller, room.id, { terms: terms("6") })), "limit_reached")
      assert.strictEqual(yield* codeOf(rooms.offer(buyer, room.id, { terms: terms("6") })), "not_your_turn")
    }).pipe(Effect.provide(market()))
  )

  it.effect("ends when its rounds are used up and the last offer is refused", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const rooms = yield* DealRooms
      const opened = yield* rooms.open(buyer, {
        counterparty: seller,
        role: "buyer",
        maxRounds: 2,
        offer: { terms: terms("1") }
      })
      const { id } = opened.value
      const { value: last } = yield* rooms.offer(seller, id, { terms: terms("2") })
      assert.strictEqual(yield* codeOf(rooms.offer(buyer, id, { terms: terms("1") })), "limit_reached")
      const { value: ended } = yield* rooms.clearOffer(buyer, id, offerIn(last).id, "reject", "no")
      assert.deepStrictEqual([ended.status, ended.turn, ended.nextActions], ["expired", null, []])
      assert.strictEqual((yield* typesOf(id)).at(-1), "deal_room.expired")
    }).pipe(Effect.provide(market()))
  )

  it.effect("offers no further offer once its rounds are used up, and refuses one", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const rooms = yield* DealRooms
      const { value: room } = yield* rooms.open(buyer, {
        counterparty: seller,
        role: "buyer",
        maxRounds: 1,
        offer: { terms: terms("1") }
      })
      assert.notInclude(yield* actionsOf(seller, room.id), "offer seller")
      const further = (by: AgentId) => codeOf(rooms.offer(by, room.id, { terms: terms("2") }))
      assert.strictEqual(yield* further(seller), "limit_reached")
      assert.strictEqual(yield* further(buyer), "not_your_turn")
    }).pipe(Effect.provide(market()))
  )

  it.effect("in its last round still comes to an agreement", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const opened = yield* (yield* DealRooms).open(buyer, {
        counterparty: seller,
        role: "buyer",
        maxRounds: 1,
        offer: { terms: terms("1") }
      })
      assert.strictEqual((yield* acceptOffer(seller, opened.value)).status, "in_progress")
    }).pipe(Effect.provide(market()))
  )

  it.effect("expires with the offer that nobody answered, at its own millisecond", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const rooms = yield* DealRooms
      const room = yield* rooms.open(buyer, {
        counterparty: seller,
        role: "buyer",
        offer: { terms: terms("1"), validUntil: yield* inSeconds(60) }
      })
      const offer = offerIn(room.value)
      yield* TestClock.adjust(59_999)
      assert.strictEqual((yield* rooms.get(seller, room.value.id)).status, "negotiating")
      yield* TestClock.adjust(1)
      const ended = yield* rooms.get(seller, room.value.id)
      assert.deepStrictEqual(
        [ended.status, ended.currentOffer?.status, ended.turn],
        ["expired", "expired", null]
      )
      const accept = rooms.accept(seller, ended.id, offer.id, { termsDigest: offer.termsDigest })
      assert.strictEqual(yield* codeOf(accept), "offer_expired")
      assert.strictEqual(yield* codeOf(rooms.offer(seller, ended.id, { terms: terms("1") })), "invalid_state")
      const transcript = yield* transcriptOf(buyer, ended.id)
      assert.deepStrictEqual(Result.getOrThrow(verifyTranscript(transcript)), {
        entryCount: ended.entryCount,
        headHash: ended.headHash
      })
    }).pipe(Effect.provide(market()))
  )

  it.effect("in which nobody offers anything expires after a week", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const rooms = yield* DealRooms
      const { value: room } = yield* rooms.open(buyer, { counterparty: seller, role: "buyer" })
      yield* TestClock.adjust("7 days")
      assert.strictEqual((yield* rooms.get(buyer, room.id)).status, "expired")
    }).pipe(Effect.provide(market()))
  )

  it.effect("takes no offer that has ended or that stands for too long", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const rooms = yield* DealRooms
      const offer = (seconds: number) =>
        Effect.flatMap(inSeconds(seconds), (validUntil) =>
          codeOf(
            rooms.open(buyer, {
              counterparty: seller,
              role: "buyer",
              offer: { terms: terms("1"), validUntil }
            })
          )
        )
      assert.deepStrictEqual(yield* Effect.forEach([0, 1, 90 * 86_400, 90 * 86_400 + 1], offer), [
        "invalid_request",
        "done",
        "done",
        "invalid_request"
      ])
    }).pipe(Effect.provide(market()))
  )

  it.effect("that a quote opened awards the RFQ at the terms that were agreed", () =>
    Effect.gen(function* () {
      const [buyer, seller, rival] = yield* Effect.all([join("buyer"), join("seller"), join("rival")])
      const [rooms, rfqs, quotes] = [yield* DealRooms, yield* Rfqs, yield* Quotes]
      const rfq = yield* callForQuotes(buyer, { requirements: [{ id: "sworn", text: "sworn", hard: true }] })
      const [quote, loser] = [yield* submitQuote(seller, rfq.id), yield* submitQuote(rival, rfq.id)]
      const { value: room } = yield* rooms.open(seller, { quoteId: quote.id, offer: { terms: terms("390") } })
      const { id, termsDigest } = offerIn(room)
      const plain = rooms.accept(buyer, room.id, id, { termsDigest })
      assert.strictEqual(yield* codeOf(plain), "requirement_unmet")
      yield* rooms.accept(buyer, room.id, id, { termsDigest, acceptDeviations: true })
      const awarded = yield* rfqs.get(buyer, rfq.id)
      assert.deepStrictEqual([awarded.status, awarded.awardedQuoteId], ["awarded", quote.id])
      assert.strictEqual((yield* quotes.get(seller, quote.id)).status, "awarded")
      assert.strictEqual((yield* quotes.get(rival, loser.id)).status, "not_selected")
      assert.deepStrictEqual((yield* rooms.get(seller, room.id)).agreement?.terms, terms("390"))
      const again = rfqs.award(buyer, rfq.id, { quoteId: loser.id, acceptDeviations: true })
      assert.strictEqual(yield* codeOf(again), "invalid_state")
    }).pipe(Effect.provide(market()))
  )

  it.effect("about a quote is over when the RFQ has gone to another", () =>
    Effect.gen(function* () {
      const [buyer, seller, rival] = yield* Effect.all([join("buyer"), join("seller"), join("rival")])
      const [rooms, rfqs] = [yield* DealRooms, yield* Rfqs]
      const rfq = yield* callForQuotes(buyer)
      const [quote, winner] = [yield* submitQuote(seller, rfq.id), yield* submitQuote(rival, rfq.id)]
      const { value: room } = yield* rooms.open(buyer, { quoteId: quote.id, offer: { terms: terms("1") } })
      yield* rfqs.award(buyer, rfq.id, { quoteId: winner.id })
      const { id, termsDigest } = offerIn(room)
      assert.strictEqual(yield* codeOf(rooms.accept(seller, room.id, id, { termsDigest })), "invalid_state")
      assert.strictEqual((yield* rooms.get(seller, room.id)).status, "expired")
    }).pipe(Effect.provide(market()))
  )
})
