import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Deferred, Effect, Exit, Fiber, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { DealRoomId, DealRooms, Operators, SettlementOrders, Store, TaskId } from "../../src/index.ts"
import { agreeDeal, market, mortalNode, nodeOn, sharedStore, sides, terms } from "../fixtures.ts"
import { bank, carryOut, read, sweep } from "./bank.ts"

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
