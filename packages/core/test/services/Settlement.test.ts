import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import { Agents, DealRooms, Operators, Policy, Rfqs, verifyTranscript } from "../../src/index.ts"
import {
  agreeDeal,
  callForQuotes,
  codeOf,
  inSeconds,
  market,
  sides,
  storyOf,
  submitQuote,
  transcriptOf,
  typesOf
} from "../fixtures.ts"
import { bank, carryOut, day, fundedDeal, read, sweep } from "./bank.ts"

describe("a market that settles", () => {
  it.effect("holds the money at the agreement and pays it out at the completion", () => {
    const { asked, market } = bank()
    return Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const rooms = yield* DealRooms
      const room = yield* agreeDeal(buyer, seller)
      const fundBy = yield* inSeconds(day)
      assert.strictEqual(room.status, "agreed")
      assert.deepStrictEqual(room.deadlines, { fundBy })
      assert.deepInclude(room.nextActions, { action: "start", by: "operator", deadline: fundBy })
      assert.strictEqual(yield* codeOf(rooms.deliver(seller, room.id, { note: "early" })), "invalid_state")
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* carryOut, 1)
      const started = yield* read(room.id, seller)
      assert.strictEqual(started.status, "in_progress")
      assert.strictEqual(started.funding, "confirmed")
      assert.deepStrictEqual(started.deadlines, { deliverBy: yield* inSeconds(day) })
      yield* rooms.deliver(seller, room.id, { note: "done" })
      yield* rooms.complete(buyer, room.id)
      assert.strictEqual(yield* carryOut, 1)
      assert.strictEqual(yield* carryOut, 0, "nothing is ordered any more")
      const amount = { amount: "100", currency: "EUR" }
      const parties = { roomId: room.id, buyerId: buyer, sellerId: seller, amount }
      assert.deepStrictEqual(
        asked.map(({ idempotencyKey: _, ...call }) => call),
        [
          { action: "authorise", ...parties },
          { action: "capture", ...parties }
        ]
      )
      assert.strictEqual(new Set(asked.map(({ idempotencyKey }) => idempotencyKey)).size, 2)
      assert.deepStrictEqual((yield* typesOf(room.id)).slice(-4), [
        "deal_room.agreed",
        "deal_room.started",
        "deal_room.delivered",
        "deal_room.completed"
      ])
      assert.isTrue(Result.isSuccess(verifyTranscript(yield* transcriptOf(buyer, room.id))))
    }).pipe(Effect.provide(market))
  })

  it.effect("does so by itself, as soon as a deal is agreed and as soon as it ends", () => {
    const { actions, layer } = bank()
    return Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const rooms = yield* DealRooms
      yield* TestClock.adjust(1)
      const { id } = yield* agreeDeal(buyer, seller)
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* read(id, buyer)).status, "in_progress")
      yield* rooms.deliver(seller, id, { note: "done" })
      yield* TestClock.adjust("72 hours")
      assert.strictEqual((yield* read(id, buyer)).status, "completed")
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(actions(), ["authorise", "capture"])
    }).pipe(Effect.provide(Layer.provide(market({ sweepEverySeconds: 1 }), layer)))
  })

  it.effect("awards into a room that waits for its money", () => {
    const { actions, market } = bank()
    return Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const rfq = yield* callForQuotes(buyer)
      const quote = yield* submitQuote(seller, rfq.id)
      const { value } = yield* (yield* Rfqs).award(buyer, rfq.id, { quoteId: quote.id })
      assert.strictEqual(value.dealRoom.status, "agreed")
      yield* carryOut
      assert.strictEqual((yield* read(value.dealRoom.id, buyer)).status, "in_progress")
      assert.deepStrictEqual(actions(), ["authorise"])
    }).pipe(Effect.provide(market))
  })

  it.effect("starts a deal over nothing at once", () => {
    const { actions, market } = bank()
    return Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const room = yield* agreeDeal(buyer, seller, { total: { amount: "0.00", currency: "EUR" } })
      assert.strictEqual(room.status, "in_progress")
      assert.strictEqual(yield* carryOut, 0)
      assert.isEmpty(actions())
    }).pipe(Effect.provide(market))
  })
})

describe("a deal that waits for its money", () => {
  it.effect("is asked about again, and is cancelled when the time is up, which counts for nobody", () => {
    const { actions, mood, market } = bank(3 * 3600)
    mood.authorise = Effect.succeed({ outcome: "pending" })
    return Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const { id } = yield* agreeDeal(buyer, seller)
      const fundBy = yield* inSeconds(3 * 3600)
      assert.strictEqual(yield* carryOut, 1)
      assert.strictEqual(yield* carryOut, 0, "not at once")
      const [order, ...others] = yield* (yield* Operators).orders(20)
      assert.isEmpty(others)
      assert.deepInclude(order, { roomId: id, action: "authorise", nextAttemptAt: yield* inSeconds(5) })
      assert.deepStrictEqual(
        order?.attempts.map(({ error }) => error),
        ["pending"]
      )
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* carryOut, 1)
      yield* TestClock.adjust(3 * 3_600_000 - 5001)
      assert.strictEqual((yield* read(id, buyer)).status, "agreed")
      yield* TestClock.adjust(1)
      const seen = yield* read(id, buyer)
      assert.strictEqual(seen.status, "cancelled")
      assert.strictEqual(yield* carryOut, 0, "the authorisation is needless by now")
      assert.deepStrictEqual(actions(), ["authorise", "authorise"])
      assert.strictEqual(yield* sweep, 1)
      assert.deepStrictEqual(yield* read(id, buyer), seen)
      const last = (yield* storyOf(id)).at(-1)
      assert.deepStrictEqual([last?.type, last?.at], ["deal_room.cancelled", fundBy])
      for (const side of [buyer, seller])
        assert.strictEqual((yield* (yield* Agents).me(side)).reputation.cancelledDeals, 0)
      // An authorisation that is on its way may still get through: what it held is given back after it.
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual(yield* carryOut, 0)
      yield* TestClock.adjust("1 second")
      yield* carryOut
      assert.deepStrictEqual(actions(), ["authorise", "authorise", "refund"])
      assert.isEmpty(yield* (yield* Operators).orders(20), "nothing waits any more")
      assert.strictEqual(yield* codeOf((yield* Operators).confirmFunding(id)), "invalid_state")
    }).pipe(Effect.provide(market))
  })

  it.effect("tells both sides when it is declined, and starts on the operator's word", () => {
    const { actions, mood, market } = bank()
    mood.authorise = Effect.succeed({ outcome: "declined", reason: "The account is empty." })
    return Effect.gen(function* () {
      const { buyer, id, seller } = yield* fundedDeal
      assert.strictEqual((yield* read(id, buyer)).status, "agreed")
      const entries = yield* transcriptOf(seller, id)
      assert.deepStrictEqual(entries.at(-1)?.body, {
        event: "funding_declined",
        reason: "The account is empty."
      })
      assert.deepInclude((yield* storyOf(id)).at(-1)?.data, { funding: "declined", seq: entries.length })
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* carryOut, 0, "it is not asked again")
      assert.strictEqual((yield* (yield* Operators).confirmFunding(id)).status, "in_progress")
      assert.strictEqual(yield* codeOf((yield* Operators).confirmFunding(id)), "invalid_state")
      assert.deepStrictEqual(actions(), ["authorise"])
    }).pipe(Effect.provide(market))
  })

  it.effect("is not held up by a bank that answers nothing", () => {
    const { mood, market } = bank()
    mood.authorise = Effect.never
    return Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const { id } = yield* agreeDeal(buyer, seller)
      const asking = yield* Effect.forkChild(carryOut)
      yield* TestClock.adjust("30 seconds")
      yield* Fiber.join(asking)
      assert.strictEqual(yield* codeOf((yield* DealRooms).say(buyer, id, { text: "?" })), "done")
      mood.authorise = Effect.succeed({ outcome: "authorised" })
      yield* TestClock.adjust("5 seconds")
      yield* carryOut
      assert.strictEqual((yield* read(id, buyer)).status, "in_progress")
    }).pipe(Effect.provide(market))
  })
})

describe("time", () => {
  it.effect(
    "completes a delivery that nobody answered after 72 hours to the millisecond, and pays it out",
    () => {
      const { moved, market } = bank()
      return Effect.gen(function* () {
        const { id, buyer, seller } = yield* fundedDeal
        yield* (yield* DealRooms).deliver(seller, id, { note: "done" })
        yield* TestClock.adjust(72 * 3_600_000 - 1)
        assert.strictEqual(yield* sweep, 0)
        yield* TestClock.adjust(1)
        assert.strictEqual((yield* read(id, buyer)).status, "completed")
        assert.strictEqual(yield* sweep, 1)
        yield* carryOut
        assert.deepStrictEqual(moved(), ["capture"])
      }).pipe(Effect.provide(market))
    }
  )

  it.effect("is written down by whoever comes first, with its order, once", () => {
    const { moved, market } = bank()
    return Effect.gen(function* () {
      const { id, buyer, seller } = yield* fundedDeal
      yield* (yield* DealRooms).deliver(seller, id, { note: "done" })
      yield* TestClock.adjust("73 hours")
      yield* (yield* DealRooms).review(buyer, id, { rating: 5 })
      yield* sweep
      yield* carryOut
      assert.deepStrictEqual(moved(), ["capture"])
    }).pipe(Effect.provide(market))
  })

  const never: Effect.Effect<never> = Effect.never
  const moods = {
    fails: Effect.fail("no connection"),
    dies: Effect.die(new Error("a bug")),
    "answers nothing": never
  }
  for (const [name, move] of Object.entries(moods))
    it.effect(
      `refunds what is late or disputed for too long, though the bank ${name} and the policy says no`,
      () => {
        const { asked, mood, moved, layer } = bank()
        const policy: { refuses: boolean } = { refuses: false }
        const veto = Layer.succeed(Policy, {
          check: () =>
            Effect.sync(() =>
              policy.refuses
                ? { outcome: "refused" as const, reason: "No." }
                : { outcome: "allowed" as const }
            )
        })
        return Effect.gen(function* () {
          const late = yield* fundedDeal
          const disputed = yield* agreeDeal(late.buyer, late.seller)
          yield* carryOut
          policy.refuses = true
          mood.move = move
          yield* (yield* DealRooms).dispute(late.buyer, disputed.id, "Not what was agreed")
          yield* TestClock.adjust("31 days")
          assert.strictEqual((yield* read(late.id, late.buyer)).status, "expired")
          assert.strictEqual((yield* read(disputed.id, late.buyer)).status, "refunded")
          assert.strictEqual(yield* sweep, 2)
          for (let n = 0; n < 15; n++) {
            const trying = yield* Effect.forkChild(carryOut)
            yield* TestClock.adjust("30 seconds")
            yield* Fiber.join(trying)
            yield* TestClock.adjust("1 hour")
          }
          assert.isEmpty(moved())
          mood.move = Effect.void
          assert.strictEqual(yield* carryOut, 2)
          assert.deepStrictEqual(moved(), ["refund", "refund"])
          const refunds = asked.filter(({ action }) => action === "refund")
          assert.isAbove(refunds.length, 20)
          assert.strictEqual(new Set(refunds.map(({ idempotencyKey }) => idempotencyKey)).size, 2)
          assert.strictEqual(yield* carryOut, 0)
        }).pipe(Effect.provide(Layer.provide(market({ settlementOrders: "off" }), Layer.merge(layer, veto))))
      }
    )
})

describe("the end of a deal", () => {
  it.effect(
    "parts the money as the operator resolved the dispute, and gives it back when both cancel",
    () => {
      const { asked, market } = bank()
      return Effect.gen(function* () {
        const rooms = yield* DealRooms
        const { buyer, id, seller } = yield* fundedDeal
        const cancelled = yield* agreeDeal(buyer, seller)
        yield* carryOut
        yield* rooms.dispute(buyer, id, "Half of it is missing")
        const refunded = { amount: "40", currency: "EUR" }
        yield* (yield* Operators).resolveDispute(id, { outcome: "split", refunded })
        yield* rooms.cancel(seller, cancelled.id, undefined)
        yield* rooms.cancel(buyer, cancelled.id, undefined)
        yield* carryOut
        assert.deepStrictEqual(
          asked.slice(2).map(({ action, refunded, roomId }) => [roomId, action, refunded]),
          [
            [id, "split", refunded],
            [cancelled.id, "refund", undefined]
          ]
        )
      }).pipe(Effect.provide(market))
    }
  )
})
