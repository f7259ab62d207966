/** What the operator of the market does, what its settlement does, and what time does. */
import { Effect } from "effect"
import { Operators, SettlementOrders, Settling } from "../../../src/index.ts"
import type { Resolution } from "../../../src/index.ts"
import type { Step } from "../manners.ts"
import { mark, oneOf, owns, pass } from "../world.ts"
import { agents, agreedRooms, disputes, holds, listings, on, suspended, undecidedRfqs } from "./common.ts"

export const operatorSteps: { readonly [name: string]: Step } = {
  suspend: on(agents, (id, _agent, _draw, world) =>
    Effect.gen(function* () {
      const reason = mark(world)
      yield* (yield* Operators).suspend(id, reason)
      owns(world, reason, id)
    })
  ),

  reinstate: on(suspended, (id) => Effect.flatMap(Operators, (operators) => operators.reinstate(id))),

  archiveListing: on(listings, (id, _agent, { how }, world) =>
    Effect.gen(function* () {
      const reason = mark(world)
      if (how % 3 !== 0) return
      yield* (yield* Operators).archiveListing(id, reason)
      owns(world, reason, world.ledger.listings.get(id)?.agentId ?? "")
    })
  ),

  cancelRfq: on(undecidedRfqs, (id, _agent, { how }, world) =>
    Effect.gen(function* () {
      const reason = mark(world)
      if (how % 3 !== 0) return
      yield* (yield* Operators).cancelRfq(id, reason)
      owns(world, reason, world.ledger.rfqs.get(id)?.agentId ?? "")
    })
  ),

  resolveDispute: on(disputes, (id, _agent, { how }, world) =>
    Effect.gen(function* () {
      const note = mark(world)
      const total = world.ledger.rooms.get(id)?.agreement?.terms.total
      const resolutions: ReadonlyArray<Resolution> = [
        { outcome: "completed", note },
        { outcome: "refunded", note },
        { outcome: "split", refunded: { amount: "0.25", currency: "EUR" }, note },
        // Not a part: all of it.
        { outcome: "split", refunded: total ?? { amount: "1", currency: "EUR" }, note }
      ]
      yield* (yield* Operators).resolveDispute(id, oneOf(resolutions, how))
      owns(world, note, id)
    })
  ),

  confirmFunding: on(agreedRooms, (id, _agent, { how }, world) =>
    Effect.gen(function* () {
      if (how % 3 !== 0) return
      yield* (yield* Operators).confirmFunding(id)
      world.confirmed.add(id)
    })
  ),

  releaseHold: on(holds, (id) => Effect.flatMap(Operators, (operators) => operators.releaseHold(id))),

  refuseHold: on(holds, (id, _agent, _draw, world) =>
    Effect.gen(function* () {
      const reason = mark(world)
      yield* (yield* Operators).refuseHold(id, reason)
      owns(world, reason, world.ledger.holds.get(id)?.agentId ?? "")
    })
  ),

  settle: (world, { how }) =>
    Effect.suspend(() => {
      world.mood.settlement = oneOf(
        ["agrees", "agrees", "agrees", "agrees", "agrees", "waits", "declines", "fails", "dies"],
        how
      )
      return carryOutAll
    }),

  wait: (world, { how }) => pass(world, `${1 + (how % 24)} hours`),

  waitLong: (world, { how }) => pass(world, `${oneOf([1, 1, 2, 2, 3, 4, 8], how)} days`),

  sweep: () => sweepAll,

  forget: () => Effect.flatMap(Settling, (settling) => settling.forget(100))
}

/** Writes down all that time has done. */
export const sweepAll = Effect.flatMap(Settling, (settling) =>
  Effect.repeat(settling.sweep(100), { while: (count) => count > 0 })
)

/** Gives the host's settlement all that is due. */
export const carryOutAll = Effect.flatMap(SettlementOrders, (orders) => orders.carryOut(100))
