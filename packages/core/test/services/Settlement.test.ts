import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Deferred, Effect, Exit, Fiber, Layer, Logger, Result } from "effect"
import { TestClock } from "effect/testing"
import {
  Agents,
  DealRoomId,
  DealRooms,
  Operators,
  Policy,
  Rfqs,
  Settlement,
  SettlementOrders,
  Settling,
  Store,
  TaskId,
  verifyTranscript
} from "../../src/index.ts"
import type { AgentId, Authorisation, Money, SettlementCall, SettlementOrder } from "../../src/index.ts"
import {
  agreeDeal,
  callForQuotes,
  codeOf,
  inSeconds,
  join,
  market,
  mortalNode,
  nodeOn,
  sharedStore,
  storyOf,
  submitQuote,
  terms,
  transcriptOf,
  typesOf
} from "../fixtures.ts"

type Action = SettlementOrder["action"]

interface Asked extends SettlementCall {
  readonly action: Action
  readonly refunded?: Money
}

/** A bank that keeps books of what it was asked, and moves money once for each key. */
const bank = (fundWithinSeconds?: number) => {
  const asked: Array<Asked> = []
  const moved = new Map<string, Action>()
  const mood: {
    authorise: Effect.Effect<Authorisation, unknown>
    move: Effect.Effect<void, unknown>
  } = { authorise: Effect.succeed({ outcome: "authorised" }), move: Effect.void }
  const act = (action: Action) => (call: SettlementCall) =>
    Effect.suspend(() => {
      asked.push({ action, ...call })
      return mood.move
    }).pipe(Effect.tap(() => Effect.sync(() => moved.set(call.idempotencyKey, action))))
  const layer = Layer.succeed(Settlement, {
    fundWithinSeconds,
    authorise: (call) =>
      Effect.suspend(() => {
        asked.push({ action: "authorise", ...call })
        return mood.authorise
      }),
    capture: act("capture"),
    refund: act("refund"),
    split: act("split")
  })
  return {
    asked,
    mood,
    /** What money was moved, in its order. */
    moved: () => [...moved.values()],
    actions: () => asked.map(({ action }) => action),
    layer,
    /** Orders are carried out when the test says so. */
    market: Layer.provide(market({ settlementOrders: "off" }), layer)
  }
}

const sides = Effect.all([join("buyer"), join("seller")])
const carryOut = SettlementOrders.use((orders) => orders.carryOut(100))
const sweep = Settling.use((settling) => settling.sweep(100))
const read = (id: DealRoomId, by: AgentId) => DealRooms.use((rooms) => rooms.get(by, id))
const day = 86_400

/** A deal whose money is held. */
const fundedDeal = Effect.gen(function* () {
  const [buyer, seller] = yield* sides
  const { id } = yield* agreeDeal(buyer, seller)
  yield* carryOut
  return { id, buyer, seller }
})

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

describe("an order that cannot be carried out", () => {
  it.effect("keeps no other from it, and nobody busy", () => {
    const { actions, layer } = bank()
    let complaints = 0
    const logger = Logger.make(() => void complaints++)
    return Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const room = yield* agreeDeal(buyer, seller)
      yield* TestClock.adjust(1)
      const store = yield* Store
      const [task] = (yield* store.tasks.list(room.id, { limit: 1 })).items
      assert(task !== undefined)
      const nowhere = DealRoomId.make("room_01jd8wq0z7f3mbk5r2v6txn4ce")
      const order = {
        kind: "settlement",
        roomId: nowhere,
        action: "capture",
        amount: terms("1").total
      } as const
      const broken = {
        ...task,
        id: TaskId.make("tsk_01jd8wq0z7f3mbk5r2v6txn4ce"),
        queue: nowhere,
        work: order
      }
      const value = { ...broken, status: "pending" as const, dueAt: task.createdAt, version: 1 }
      yield* store.commit({ writes: [{ kind: "task", value, replaces: null }], reliesOn: [], events: [] })
      yield* TestClock.adjust("1 minute")
      const other = yield* agreeDeal(buyer, seller)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* read(other.id, buyer)).status, "in_progress")
      assert.deepStrictEqual(actions(), ["authorise", "authorise"])
      assert.isAtLeast(complaints, 1)
      assert.isAtMost(complaints, 150, "once a second, and when something new is ordered")
    }).pipe(Effect.provide(Layer.provide(market(), layer)), Effect.provide(Logger.layer([logger])))
  })
})

describe("two workers", () => {
  it.effect("carry out each order once", () => {
    const { actions, layer, mood, market } = bank()
    const slow = Effect.andThen(Effect.yieldNow, Effect.yieldNow)
    mood.move = slow
    mood.authorise = Effect.as(slow, { outcome: "authorised" })
    return Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const other = yield* nodeOn(5, { settlementOrders: "off" })
      const both = Effect.all([carryOut, Context.get(other, SettlementOrders).carryOut(100), carryOut], {
        concurrency: "unbounded"
      })
      const deals = yield* Effect.forEach(Array.from({ length: 5 }), () => agreeDeal(buyer, seller))
      yield* both
      for (const { id } of deals) assert.strictEqual((yield* read(id, buyer)).status, "in_progress")
      yield* TestClock.adjust("3 days")
      yield* sweep
      yield* both
      assert.deepStrictEqual(
        actions().toSorted(),
        [...deals.map(() => "authorise"), ...deals.map(() => "refund")].toSorted()
      )
    }).pipe(Effect.provide(Layer.merge(market, layer)))
  })

  it.effect("take over what another left in the middle, under the same key", () => {
    const { asked, mood, market } = bank()
    return Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const { id } = yield* agreeDeal(buyer, seller)
      const began = yield* Deferred.make<void>()
      mood.authorise = Effect.andThen(Deferred.succeed(began, undefined), Effect.never)
      const killed = yield* Effect.forkChild(carryOut)
      yield* Deferred.await(began)
      yield* Fiber.interrupt(killed)
      mood.authorise = Effect.succeed({ outcome: "authorised" })
      assert.strictEqual(yield* carryOut, 0, "it may still be at it")
      yield* TestClock.adjust("8 seconds")
      assert.strictEqual(yield* carryOut, 1)
      assert.strictEqual((yield* read(id, buyer)).status, "in_progress")
      assert.strictEqual(asked[0]?.idempotencyKey, asked[1]?.idempotencyKey)
      const [task] = (yield* (yield* Store).tasks.list(id, { limit: 10 })).items
      assert.strictEqual(task?.status, "done")
    }).pipe(Effect.provide(market))
  })

  it.effect("take over by themselves within ten seconds of another's death", () => {
    const { asked, layer, mood } = bank()
    return Effect.gen(function* () {
      const { die, node } = yield* mortalNode(1)
      const { buyer, seller } = yield* Effect.provide(sides, node).pipe(
        Effect.map(([buyer, seller]) => ({ buyer, seller }))
      )
      const other = yield* nodeOn(2)
      mood.authorise = Effect.never
      const begun = yield* Effect.provide(agreeDeal(buyer, seller), node)
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual(asked.length, 1)
      yield* die
      mood.authorise = Effect.succeed({ outcome: "authorised" })
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Effect.provide(read(begun.id, buyer), other)).status, "in_progress")
      assert.deepStrictEqual([asked.length, asked[0]?.idempotencyKey], [2, asked[1]?.idempotencyKey])
    }).pipe(Effect.provide(Layer.merge(sharedStore, layer)))
  })

  it.effect("leave an order to whoever is at it, for as long as the bank takes", () => {
    const { asked, layer, mood, market } = bank()
    return Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const other = Context.get(yield* nodeOn(5, { settlementOrders: "off" }), SettlementOrders)
      const { id } = yield* agreeDeal(buyer, seller)
      mood.authorise = Effect.delay(Effect.succeed({ outcome: "authorised" }), "29 seconds")
      yield* Effect.forkChild(carryOut)
      for (let second = 0; second < 28; second++) {
        yield* TestClock.adjust("1 second")
        assert.strictEqual(yield* other.carryOut(100), 0)
      }
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* read(id, buyer)).status, "in_progress")
      assert.strictEqual(asked.length, 1)
    }).pipe(Effect.provide(Layer.merge(market, layer)))
  })

  it.effect("give one room's orders one at a time, though each is at another", () => {
    const { layer, mood, market } = bank()
    const told: Array<string> = []
    mood.authorise = Effect.suspend(() => {
      told.push("authorise begins")
      return Effect.sync(() => {
        told.push("authorise ends")
        return { outcome: "authorised" as const }
      }).pipe(Effect.delay("20 seconds"))
    })
    mood.move = Effect.sync(() => void told.push("refund"))
    return Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const rooms = yield* DealRooms
      const other = Context.get(yield* nodeOn(5, { settlementOrders: "off" }), SettlementOrders)
      const { id } = yield* agreeDeal(buyer, seller)
      const asking = yield* Effect.forkChild(carryOut)
      yield* TestClock.adjust("1 second")
      yield* (yield* Operators).confirmFunding(id)
      yield* rooms.cancel(buyer, id, undefined)
      yield* rooms.cancel(seller, id, undefined)
      for (let second = 0; second < 18; second++) {
        assert.strictEqual(yield* other.carryOut(100), 0)
        yield* TestClock.adjust("1 second")
      }
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(asking)
      assert.strictEqual(yield* other.carryOut(100), 1)
      assert.deepStrictEqual(told, ["authorise begins", "authorise ends", "refund"])
    }).pipe(Effect.provide(Layer.merge(market, layer)))
  })
})

describe("a bank that misbehaves", () => {
  it.effect("is asked again after it broke off, and the orders of other rooms go on", () => {
    const { asked, layer, mood } = bank()
    const interrupted: Effect.Effect<never> = Effect.interrupt
    return Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      yield* TestClock.adjust(1)
      mood.authorise = interrupted
      const first = yield* agreeDeal(buyer, seller)
      yield* TestClock.adjust("1 second")
      mood.authorise = Effect.succeed({ outcome: "authorised" })
      const other = yield* agreeDeal(buyer, seller)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* read(first.id, buyer)).status, "in_progress")
      assert.strictEqual((yield* read(other.id, buyer)).status, "in_progress")
      assert.strictEqual(asked.length, 3)
    }).pipe(Effect.provide(Layer.provide(market(), layer)))
  })

  it.effect("holds up one room alone while it answers nothing", () => {
    const { layer, mood } = bank()
    return Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      yield* TestClock.adjust(1)
      mood.authorise = Effect.never
      const stuck = yield* Effect.forEach(Array.from({ length: 20 }), () => agreeDeal(buyer, seller))
      yield* TestClock.adjust("1 second")
      mood.authorise = Effect.succeed({ outcome: "authorised" })
      const other = yield* agreeDeal(buyer, seller)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* read(other.id, buyer)).status, "in_progress")
      for (const { id } of stuck) assert.strictEqual((yield* read(id, buyer)).status, "agreed")
    }).pipe(Effect.provide(Layer.provide(market(), layer)))
  })

  it.effect("is refused a time for the money that makes no sense", () =>
    Effect.gen(function* () {
      for (const seconds of [0, -5, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
        const exit = yield* Effect.exit(Effect.scoped(Layer.build(bank(seconds).market)))
        assert(Exit.isFailure(exit), `${seconds}`)
        assert.include(Cause.pretty(exit.cause), "fundWithinSeconds must be a whole number")
      }
    })
  )
})
