/** A bank that settles as it is told, and the deals that it settles. */
import { Effect, Layer } from "effect"
import { DealRoomId, DealRooms, Settlement, SettlementOrders, Settling } from "../../src/index.ts"
import type { AgentId, Authorisation, Money, SettlementCall, SettlementOrder } from "../../src/index.ts"
import { agreeDeal, market, sides } from "../fixtures.ts"

type Action = SettlementOrder["action"]

interface Asked extends SettlementCall {
  readonly action: Action
  readonly refunded?: Money
}

/** A bank that keeps books of what it was asked, and moves money once for each key. */
export const bank = (fundWithinSeconds?: number) => {
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

export const carryOut = SettlementOrders.use((orders) => orders.carryOut(100))
export const sweep = Settling.use((settling) => settling.sweep(100))
export const read = (id: DealRoomId, by: AgentId) => DealRooms.use((rooms) => rooms.get(by, id))
export const day = 86_400

/** A deal whose money is held. */
export const fundedDeal = Effect.gen(function* () {
  const [buyer, seller] = yield* sides
  const { id } = yield* agreeDeal(buyer, seller)
  yield* carryOut
  return { id, buyer, seller }
})
