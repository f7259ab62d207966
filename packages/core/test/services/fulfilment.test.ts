import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { Agents, DealRooms } from "../../src/index.ts"
import {
  agreeDeal,
  codeOf,
  deliverDeal,
  inSeconds,
  market,
  negotiate,
  sides,
  transcriptOf
} from "../fixtures.ts"
import { actionsOf } from "./parties.ts"

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
