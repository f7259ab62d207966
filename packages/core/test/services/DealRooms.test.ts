import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { Agents, DealRooms, Listings, Quotes, Rfqs, Store, verifyTranscript } from "../../src/index.ts"
import type { AgentId, DealRoomId } from "../../src/index.ts"
import {
  acceptOffer,
  agreeDeal,
  callForQuotes,
  codeOf,
  deliverDeal,
  inSeconds,
  join,
  listingInput,
  market,
  negotiate,
  offerIn,
  submitQuote,
  terms,
  transcriptOf,
  typesOf
} from "../fixtures.ts"

const sides = Effect.all([join("buyer"), join("seller")])

const actionsOf = Effect.fnUntraced(function* (viewer: AgentId, id: DealRoomId) {
  const { nextActions } = yield* (yield* DealRooms).get(viewer, id)
  return nextActions.map(({ action, by }) => `${action} ${by}`).toSorted()
})

const offerStatus = Effect.fnUntraced(function* (room: { readonly id: DealRoomId }, viewer: AgentId) {
  return (yield* (yield* DealRooms).get(viewer, room.id)).currentOffer?.status
})

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

describe("the work", () => {
  it.effect("is delivered, sent back as often as the terms grant, and accepted", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const rooms = yield* DealRooms
      const { id } = yield* deliverDeal(buyer, seller, { revisions: 2 })
      for (const round of [1, 2]) {
        const { value } = yield* rooms.requestChanges(buyer, id, `Page ${round}`)
        assert.deepStrictEqual(
          [value.status, value.changesRequested, value.turn],
          ["changes_requested", round, "seller"]
        )
        const due = value.deadlines.deliverBy
        assert.deepStrictEqual(due, yield* inSeconds(86_400))
        yield* rooms.deliver(seller, id, { note: "again" })
      }
      assert.strictEqual(yield* codeOf(rooms.requestChanges(buyer, id, "More")), "limit_reached")
      assert.notInclude(yield* actionsOf(buyer, id), "request_changes buyer")
      const { value: done } = yield* rooms.complete(buyer, id)
      assert.deepStrictEqual([done.status, done.turn], ["completed", null])
      assert.strictEqual(yield* codeOf(rooms.complete(buyer, id)), "invalid_state")
      assert.strictEqual(yield* codeOf(rooms.dispute(buyer, id, "x")), "invalid_state")
      assert.strictEqual(yield* codeOf(rooms.say(buyer, id, { text: "x" })), "invalid_state")
    }).pipe(Effect.provide(market()))
  )

  it.effect("that is accepted by silence is accepted after 72 hours", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const rooms = yield* DealRooms
      const { id } = yield* deliverDeal(buyer, seller)
      yield* TestClock.adjust("259199 seconds")
      assert.strictEqual((yield* rooms.get(buyer, id)).status, "delivered")
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* rooms.get(buyer, id)).status, "completed")
      assert.strictEqual(yield* codeOf(rooms.requestChanges(buyer, id, "late")), "invalid_state")
    }).pipe(Effect.provide(market()))
  )

  it.effect("that is not delivered in time and a day of grace ends the deal", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const rooms = yield* DealRooms
      const { id } = yield* agreeDeal(buyer, seller)
      const late = yield* agreeDeal(buyer, seller)
      yield* TestClock.adjust("47 hours")
      assert.strictEqual(yield* codeOf(rooms.deliver(seller, id, { note: "late" })), "done")
      yield* TestClock.adjust("1 hour")
      assert.strictEqual((yield* rooms.get(buyer, late.id)).status, "expired")
      assert.strictEqual(yield* codeOf(rooms.deliver(seller, late.id, { note: "late" })), "invalid_state")
    }).pipe(Effect.provide(market()))
  )

  it.effect("is cancelled when both sides ask for it, and a request ends with the state it was made in", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const rooms = yield* DealRooms
      const { id } = yield* agreeDeal(buyer, seller)
      const { value: asked } = yield* rooms.cancel(buyer, id, "changed plans")
      assert.deepStrictEqual([asked.status, asked.cancelRequestedBy], ["in_progress", "buyer"])
      assert.strictEqual(yield* codeOf(rooms.cancel(buyer, id, undefined)), "not_your_turn")
      const { value: delivered } = yield* rooms.deliver(seller, id, { note: "done" })
      assert.isFalse("cancelRequestedBy" in delivered)
      assert.strictEqual(yield* codeOf(rooms.cancel(seller, id, undefined)), "invalid_state")
      yield* rooms.requestChanges(buyer, id, "again")
      const { value: once } = yield* rooms.cancel(seller, id, undefined)
      assert.strictEqual(once.status, "changes_requested")
      const { value: cancelled } = yield* rooms.cancel(buyer, id, undefined)
      assert.deepStrictEqual([cancelled.status, cancelled.nextActions], ["cancelled", []])
      assert.isFalse("cancelRequestedBy" in cancelled)

      const expiring = yield* agreeDeal(buyer, seller)
      yield* rooms.cancel(buyer, expiring.id, undefined)
      yield* TestClock.adjust("3 days")
      const expired = yield* rooms.get(buyer, expiring.id)
      assert.strictEqual(expired.status, "expired")
      assert.isFalse("cancelRequestedBy" in expired)
    }).pipe(Effect.provide(market()))
  )

  it.effect("that is disputed waits for the operator, and is refunded when he is silent", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const rooms = yield* DealRooms
      const { id } = yield* deliverDeal(buyer, seller)
      const { value } = yield* rooms.dispute(buyer, id, "empty pages")
      assert.deepStrictEqual([value.status, value.turn], ["disputed", null])
      yield* TestClock.adjust("4 days")
      assert.strictEqual((yield* rooms.get(buyer, id)).status, "disputed")
      assert.strictEqual(yield* codeOf(rooms.complete(buyer, id)), "not_your_turn")
      yield* TestClock.adjust("30 days")
      assert.strictEqual((yield* rooms.get(buyer, id)).status, "refunded")
    }).pipe(Effect.provide(market()))
  )
})

describe("the transcript", () => {
  it.effect("holds everything that was said and done, and is read page by page", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const rooms = yield* DealRooms
      const { id } = yield* negotiate(buyer, seller)
      for (let n = 0; n < 9; n++) yield* rooms.say(seller, id, { text: `Message ${n}`, data: { n } })
      yield* TestClock.adjust("8 days")
      const read: Array<number> = []
      let cursor: string | null | undefined
      do {
        const page = yield* rooms.entries(buyer, id, { limit: 4, ...(cursor ? { cursor } : {}) })
        read.push(...page.items.map(({ seq }) => seq))
        cursor = page.nextCursor
      } while (cursor !== null)
      // Opened, offered, nine messages, and what time did: the offer lapsed, the room expired.
      assert.deepStrictEqual(
        read,
        Array.from({ length: 13 }, (_, n) => n + 1)
      )
      const all = yield* transcriptOf(seller, id)
      assert.deepStrictEqual(
        all.slice(-2).map(({ body }) => body["event"]),
        ["deal_room.offer_expired", "deal_room.expired"]
      )
      assert.strictEqual((yield* rooms.get(buyer, id)).headHash, all.at(-1)?.hash)
    }).pipe(Effect.provide(market()))
  )

  it.effect("reads the same before and after what time did is written down", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const rooms = yield* DealRooms
      const { id } = yield* deliverDeal(buyer, seller)
      yield* TestClock.adjust("5 days")
      const [before, room] = [yield* transcriptOf(buyer, id), yield* rooms.get(buyer, id)]
      yield* rooms.review(buyer, id, { rating: 5 })
      assert.deepStrictEqual(yield* transcriptOf(buyer, id), before)
      const after = yield* rooms.get(buyer, id)
      assert.deepStrictEqual([after.headHash, after.entryCount], [room.headHash, room.entryCount])
    }).pipe(Effect.provide(market()))
  )
})

describe("a reputation", () => {
  const reputationOf = (handle: string) =>
    Effect.flatMap(Agents, (agents) => Effect.map(agents.profile(handle), ({ reputation }) => reputation))

  it.effect("counts a deal once, whether its buyer or time completes it, and each review once", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const rooms = yield* DealRooms
      const byBuyer = yield* deliverDeal(buyer, seller)
      yield* rooms.complete(buyer, byBuyer.id)
      const byTime = yield* deliverDeal(buyer, seller)
      yield* TestClock.adjust("4 days")
      for (const [by, rating] of [
        [seller, 5],
        [buyer, 2]
      ] as const)
        yield* rooms.review(by, byTime.id, { rating })
      yield* rooms.review(buyer, byBuyer.id, { rating: 5 })
      yield* rooms.review(seller, byBuyer.id, { rating: 4 })
      const none = { cancelledDeals: 0, disputedDeals: 0 }
      assert.deepStrictEqual(yield* reputationOf("seller"), {
        ...none,
        completedDeals: 2,
        reviewCount: 2,
        rating: 3.5
      })
      assert.deepStrictEqual(yield* reputationOf("buyer"), {
        ...none,
        completedDeals: 2,
        reviewCount: 2,
        rating: 4.5
      })
    }).pipe(Effect.provide(market()))
  )

  it.effect("counts cancellations and disputes of both sides, and expiries of none", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const rooms = yield* DealRooms
      const [one, two] = [yield* agreeDeal(buyer, seller), yield* agreeDeal(buyer, seller)]
      yield* agreeDeal(buyer, seller)
      yield* rooms.cancel(buyer, one.id, undefined)
      yield* rooms.cancel(seller, one.id, undefined)
      yield* rooms.dispute(seller, two.id, "no answer")
      yield* TestClock.adjust("60 days")
      for (const handle of ["buyer", "seller"])
        assert.deepStrictEqual(yield* reputationOf(handle), {
          completedDeals: 0,
          cancelledDeals: 1,
          disputedDeals: 1,
          reviewCount: 0,
          rating: null
        })
    }).pipe(Effect.provide(market()))
  )
})

describe("a review", () => {
  it.effect("is given once by each side, of a completed deal, within seven days", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const rooms = yield* DealRooms
      const { id } = yield* deliverDeal(buyer, seller)
      const review = codeOf(rooms.review(buyer, id, { rating: 5 }))
      assert.strictEqual(yield* review, "invalid_state")
      yield* rooms.complete(buyer, id)
      assert.deepStrictEqual(yield* actionsOf(buyer, id), ["review buyer", "review seller"])
      assert.strictEqual(yield* review, "done")
      assert.strictEqual(yield* review, "invalid_state")
      assert.deepStrictEqual(yield* actionsOf(buyer, id), ["review seller"])
      yield* TestClock.adjust("7 days")
      assert.deepStrictEqual(yield* actionsOf(buyer, id), [])
      const late = yield* Effect.flip(rooms.review(seller, id, { rating: 5 }))
      assert(late._tag === "InvalidState")
      assert.deepStrictEqual([late.status, late.nextActions], ["completed", []])
    }).pipe(Effect.provide(market()))
  )

  it.effect("keeps its author, its subject and its moment", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const rooms = yield* DealRooms
      const { id } = yield* deliverDeal(buyer, seller)
      yield* rooms.complete(buyer, id)
      const { value } = yield* rooms.review(buyer, id, { rating: 3, text: "fine" })
      assert.deepStrictEqual([value.byId, value.ofId, value.roomId, value.rating], [buyer, seller, id, 3])
      assert.deepStrictEqual(value.publishedAt, DateTime.add(yield* DateTime.now, { days: 7 }))
    }).pipe(Effect.provide(market()))
  )
})
