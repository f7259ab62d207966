import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { after } from "../../src/index.ts"
import type { Instant, Resolution, SettlementOrder, Side } from "../../src/index.ts"
import { roomAsOf, standing, writesOf } from "../../src/rules/DealRoomProgress.ts"
import type { Progress } from "../../src/rules/DealRoomProgress.ts"
import * as fulfilment from "../../src/rules/Fulfilment.ts"
import { confirm, declined } from "../../src/rules/Funding.ts"
import type { Funding } from "../../src/rules/Funding.ts"
import { acceptOffer, putOffer } from "../../src/rules/Negotiation.ts"
import { resolve } from "../../src/rules/Operators.ts"
import { end, postpone } from "../../src/rules/Settlements.ts"
import { claim } from "../../src/rules/Tasks.ts"
import { buyer, now, sampleOffer, sampleRoom, sampleTerms } from "./samples.ts"

type Decision = Result.Result<Progress, unknown>
type Move = (progress: Progress, now: Instant) => Decision

const accept =
  (funding: Funding): Move =>
  (progress, now) =>
    acceptOffer(progress, "seller", sampleOffer(buyer), sampleOffer(buyer).termsDigest, funding, now)

const oneSide = (move: (progress: Progress, side: Side, now: Instant) => Decision) =>
  (["buyer", "seller"] as const).map(
    (side): Move =>
      (progress, now) =>
        move(progress, side, now)
  )

const resolution =
  (resolution: Resolution): Move =>
  (progress, now) =>
    resolve(progress, resolution, now)

const moves: ReadonlyArray<Move> = [
  confirm,
  (progress, now) =>
    Result.succeed(progress.room.status === "agreed" ? declined(progress, "No", now) : progress),
  (progress, now) => fulfilment.deliver(progress, "seller", { note: "done" }, now),
  (progress, now) => fulfilment.acceptDelivery(progress, "buyer", now),
  (progress, now) => fulfilment.requestChanges(progress, "buyer", "More", now),
  ...oneSide((progress, side, now) => fulfilment.cancel(progress, side, undefined, now)),
  ...oneSide((progress, side, now) => fulfilment.dispute(progress, side, "No", now)),
  resolution({ outcome: "completed" }),
  resolution({ outcome: "refunded" }),
  resolution({ outcome: "split", refunded: { amount: "40", currency: "EUR" } })
]

/** What a deal orders that takes these moves, each some hours after the one before. */
const ordersOf = (funding: Funding, way: ReadonlyArray<readonly [move: Move, hours: number]>) => {
  const offered = putOffer(standing(sampleRoom()), "buyer", sampleOffer(buyer), now)
  const orders: Array<SettlementOrder> = []
  let room = offered.room
  let moment = now
  for (const [move, hours] of [[accept(funding), 0] as const, ...way, [Result.succeed, 2000] as const]) {
    moment = after(moment, hours * 3600)
    const asOf = roomAsOf(room, moment)
    const next = Result.getOrElse(move(asOf, moment), () => asOf)
    for (const write of writesOf(next, room.version, room.currentOffer))
      if (write.kind === "task" && write.value.work.kind === "settlement") orders.push(write.value.work)
    room = next.room
  }
  return { room, orders }
}

const expected = {
  completed: "capture",
  cancelled: "refund",
  expired: "refund",
  refunded: "refund",
  split: "split"
} as const

const step = fc.tuple(fc.constantFrom(...moves), fc.integer({ min: 0, max: 30 }))
const confirmed = fc.constant([confirm, 1] as const)
const way = fc
  .tuple(fc.oneof(step, confirmed), fc.array(step, { maxLength: 12 }))
  .map(([first, rest]) => [first, ...rest])

describe("the orders of a deal", () => {
  it("hold its money once, and part with it once, as the deal ended", () => {
    const ends = new Set<string>()
    fc.assert(
      fc.property(way, (way) => {
        const { orders, room } = ordersOf({ fundWithinSeconds: 86_400 }, way)
        const ending = Object.entries(expected).find(([status]) => status === room.status)
        ends.add(room.status)
        assert.deepStrictEqual(
          orders.map(({ action }) => action),
          ["authorise", ending?.[1]]
        )
        for (const order of orders) {
          assert.deepStrictEqual(order.amount, sampleTerms.total)
          assert.strictEqual(order.refunded?.amount, order.action === "split" ? "40" : undefined)
        }
      }),
      { numRuns: 1000, seed: 1 }
    )
    assert.deepStrictEqual([...ends].toSorted(), Object.keys(expected).toSorted())
  })

  it("are none where nothing is settled", () => {
    fc.assert(fc.property(way, (way) => assert.isEmpty(ordersOf("at_once", way).orders)))
  })
})

describe("an order", () => {
  const offered = putOffer(standing(sampleRoom()), "buyer", sampleOffer(buyer), now)
  const agreed = Result.getOrThrow(accept({ fundWithinSeconds: 60 })(offered, now))
  const [task] = writesOf(agreed, 1, undefined).flatMap((write) =>
    write.kind === "task" ? [write.value] : []
  )
  assert(task !== undefined)
  const attempt = { at: now, durationMillis: 1, succeeded: false, error: "fault" }

  it("is given again after ever longer waits, an hour at most, and keeps its latest attempts", () => {
    let current = task
    const waits: Array<number> = []
    for (let n = 0; n < 40; n++) {
      current = postpone(claim(current, now), attempt, now)
      assert(current.dueAt !== null)
      waits.push((current.dueAt.epochMilliseconds - now.epochMilliseconds) / 1000)
    }
    assert.deepStrictEqual(waits.slice(0, 4), [5, 10, 20, 40])
    assert.deepStrictEqual(new Set(waits.slice(10)), new Set([3600]))
    assert.strictEqual(current.attempts.length, 20)
    assert.strictEqual(current.status, "pending")
  })

  it("is due no more once it has ended", () => {
    const ended = end(task, "done", attempt, now)
    assert.isNull(ended.dueAt)
    assert.strictEqual(ended.status, "done")
  })
})
