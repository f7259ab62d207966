/**
 * The money of deals: held once, moved once, in the way in which the deal has ended, and never in the way of time.
 * Contract §4 Deal room.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { DealRoom } from "../../src/index.ts"
import { carryOutAll, sweepAll } from "./steps/operator.ts"
import { pass } from "./world.ts"
import type { Ordered, World } from "./world.ts"

/** Which end of a room moves its money in which way. */
const endings: { readonly [status: string]: Ordered["action"] } = {
  completed: "capture",
  cancelled: "refund",
  expired: "refund",
  refunded: "refund",
  split: "split"
}

/** Expects of all orders that were given so far that they fit their rooms. */
export const expectOrders = (world: World): void => {
  if (!world.settles) assert.deepStrictEqual(world.orders, [], "nobody settles in this market")
  for (const room of world.ledger.rooms.values()) {
    const orders = world.orders.filter(({ roomId }) => roomId === room.id)
    for (const order of orders) expectFits(world, room, order)
    expectOnce(room, orders)
    if (room.funding !== undefined && hasStarted(world, room))
      assert(isFunded(world, room), `the money of ${room.id} was held before the work began`)
    if (world.settles && room.status === "agreed") assert.strictEqual(room.funding, "awaited", room.id)
  }
}

const expectFits = (world: World, room: DealRoom, order: Ordered): void => {
  const { action, amount, buyerId, refunded, sellerId, status } = order
  const total = room.agreement?.terms.total
  assert.deepStrictEqual(amount, total, `the amount of ${room.id}`)
  assert.isAbove(Number(amount.amount), 0, `nothing is ordered for nothing in ${room.id}`)
  assert.deepStrictEqual([buyerId, sellerId], [room.buyerId, room.sellerId], `the sides of ${room.id}`)
  if (action === "authorise") {
    assert.strictEqual(status, "agreed", `${room.id} waited for its money when it was asked for`)
    return
  }
  assert.strictEqual(endings[room.status], action, `what ${room.id}, ${room.status}, orders`)
  if (action === "capture") assert(isFunded(world, room), `what is paid out in ${room.id} was held`)
  assert.deepStrictEqual(refunded, action === "split" ? room.refunded : undefined, `the part of ${room.id}`)
  if (refunded === undefined) return
  assert.strictEqual(refunded.currency, amount.currency)
  assert(
    Number(refunded.amount) > 0 && Number(refunded.amount) < Number(amount.amount),
    `a part of ${room.id}`
  )
}

/** Each order moves money once at most, whatever it takes; and of the ways to end there is one. */
const expectOnce = (room: DealRoom, orders: ReadonlyArray<Ordered>): void => {
  const actions = new Set(orders.map(({ action }) => action))
  const keys = new Set(orders.map(({ action, idempotencyKey }) => `${action} ${idempotencyKey}`))
  assert.strictEqual(keys.size, actions.size, `each order of ${room.id} has one key`)
  assert.strictEqual(new Set(orders.map((order) => order.idempotencyKey)).size, actions.size, room.id)
  for (const action of actions)
    assert.isAtMost(effective(orders, action).length, 1, `${action} of ${room.id} is done once`)
  actions.delete("authorise")
  assert.isAtMost(actions.size, 1, `${room.id} ends in one way`)
  const ended = orders.findIndex(({ action, isEffective }) => action !== "authorise" && isEffective)
  if (ended >= 0)
    assert.strictEqual(ended, orders.length - 1, `nothing is ordered after the end of ${room.id}`)
}

const effective = (orders: ReadonlyArray<Ordered>, action: Ordered["action"]) =>
  orders.filter((order) => order.action === action && order.isEffective)

const isFunded = (world: World, { id }: DealRoom): boolean =>
  world.confirmed.has(id) ||
  world.orders.some(
    ({ action, isEffective, roomId }) => roomId === id && action === "authorise" && isEffective
  )

const hasStarted = (world: World, { id }: DealRoom): boolean =>
  world.events.some(({ event }) => event.subject.id === id && event.type === "deal_room.started")

const open: ReadonlyArray<string> = [
  "open",
  "evaluating",
  "active",
  "negotiating",
  "agreed",
  "in_progress",
  "delivered",
  "changes_requested",
  "disputed"
]

/**
 * Expects that everything that waits for somebody comes to its end by itself, however the settlement fails; and that
 * all money has gone its way once the settlement can be reached again.
 */
export const expectEnds = Effect.fnUntraced(function* (world: World) {
  world.mood.settlement = "fails"
  for (let weeks = 0; weeks < 30; weeks += 6) {
    yield* pass(world, "42 days")
    yield* sweepAll
    yield* carryOutAll
  }
  const { quotes, requests, rfqs, rooms } = world.ledger
  const dated = [...requests.values()].filter(({ expiresAt }) => expiresAt !== undefined)
  for (const { id, status } of [...quotes.values(), ...rfqs.values(), ...rooms.values(), ...dated])
    assert.notInclude(open, status, `${id} waits for nobody for ever`)
  world.mood.settlement = "agrees"
  yield* pass(world, "2 hours")
  yield* Effect.repeat(carryOutAll, { while: (count) => count > 0 })
  for (const room of rooms.values()) expectSettled(world, room)
})

/** A room that was to be funded has ended in the one way that fits it. */
const expectSettled = (world: World, room: DealRoom): void => {
  if (room.funding === undefined) return
  const orders = world.orders.filter(({ roomId }) => roomId === room.id)
  const action = endings[room.status]
  assert(action !== undefined, `${room.id} has ended`)
  assert.strictEqual(effective(orders, action).length, 1, `${action} of ${room.id} is done`)
}
