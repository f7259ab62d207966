/**
 * What a host can do beside answering requests: the calls of the market's operator, as promises.
 *
 * Who holds this object is the operator: none of it stands on the agents' HTTP face. What goes in and comes out is JSON,
 * of the form that the HTTP contract has. A refusal rejects with the core's tagged class of error: `InvalidRequest`,
 * `NotFound`, `InvalidState`, `Conflict`, `Unavailable` …, each with its `code`, `message` and `recovery`.
 */
import {
  Agent,
  AgentId,
  DealRoomId,
  DealRoomView,
  Hold,
  HoldId,
  HoldStatus,
  InvalidRequest,
  Listing,
  ListingId,
  pageLimit,
  Rfq,
  RfqId,
  WaitingOrder
} from "@souk/core"
import type { Operators, Resolution } from "@souk/core"
import { Effect, Schema } from "effect"

type Json<S extends Schema.Top> = S["Encoded"]

export interface HoldsQuery {
  /** `"held"`, those that wait, by default. */
  readonly status?: "held" | "released" | "refused"
  /** 1 to 100; 20 by default. */
  readonly limit?: number
  /** The `nextCursor` of the page before. */
  readonly cursor?: string
}

export interface OrdersQuery {
  /** 1 to 100; 20 by default. */
  readonly limit?: number
}

/** Every `reason` and `note` is 1 to 2,000 characters. */
export interface OperatorApi {
  /** Keeps an agent from writing; it reads on, and what it has on the market stays. The agent alone is told why. */
  readonly suspend: (agentId: string, reason: string) => Promise<Json<typeof Agent>>
  /** Lets a suspended agent write again. */
  readonly reinstate: (agentId: string) => Promise<Json<typeof Agent>>
  /** Takes a listing off the market for good; its owner is told why. */
  readonly archiveListing: (listingId: string, reason: string) => Promise<Json<typeof Listing>>
  /** Ends an RFQ without an award; its buyer is told why. */
  readonly cancelRfq: (rfqId: string, reason: string) => Promise<Json<typeof Rfq>>
  /** Resolves a dispute: `completed`, `refunded`, or `split` with the part that is `refunded` to the buyer. */
  readonly resolveDispute: (roomId: string, resolution: Resolution) => Promise<Json<typeof DealRoomView>>
  /** Says that the money of an agreed deal is held, whatever the settlement said: the work starts. */
  readonly confirmFunding: (roomId: string) => Promise<Json<typeof DealRoomView>>
  /** Orders to the settlement that wait or fail, with their attempts; the soonest next attempt first. */
  readonly orders: (query?: OrdersQuery) => Promise<{
    readonly orders: ReadonlyArray<Json<typeof WaitingOrder>>
  }>
  /** What the moderation holds or has held, newest first. */
  readonly holds: (query?: HoldsQuery) => Promise<{
    readonly holds: ReadonlyArray<Json<typeof Hold>>
    readonly nextCursor: string | null
  }>
  /** Lets what is held be seen, as its author wanted it. */
  readonly releaseHold: (holdId: string) => Promise<Json<typeof Hold>>
  /** Keeps what is held from ever being seen; its author is told why. */
  readonly refuseHold: (holdId: string, reason: string) => Promise<Json<typeof Hold>>
}

export interface HostApi {
  readonly operator: OperatorApi
}

/** Runs a call on the operator's services, once the market is built. */
export type RunOperator = <A, E>(call: (operators: Operators["Service"]) => Effect.Effect<A, E>) => Promise<A>

/** Makes the calls. */
export const make = (run: RunOperator): HostApi => {
  const call =
    <S extends Schema.ConstraintCodec<unknown, unknown>>(result: S) =>
    <E>(use: (operators: Operators["Service"]) => Effect.Effect<S["Type"], E>): Promise<S["Encoded"]> =>
      run((operators) =>
        Effect.flatMap(use(operators), (value) => Effect.orDie(Schema.encodeEffect(result)(value)))
      )
  const agent = call(Agent)
  const room = call(DealRoomView)
  const hold = call(Hold)
  return {
    operator: {
      suspend: (agentId, reason) =>
        agent((operators) =>
          Effect.flatMap(read(AgentId, "agentId", agentId), (id) => operators.suspend(id, reason))
        ),
      reinstate: (agentId) =>
        agent((operators) => Effect.flatMap(read(AgentId, "agentId", agentId), operators.reinstate)),
      archiveListing: (listingId, reason) =>
        call(Listing)((operators) =>
          Effect.flatMap(read(ListingId, "listingId", listingId), (id) =>
            operators.archiveListing(id, reason)
          )
        ),
      cancelRfq: (rfqId, reason) =>
        call(Rfq)((operators) =>
          Effect.flatMap(read(RfqId, "rfqId", rfqId), (id) => operators.cancelRfq(id, reason))
        ),
      resolveDispute: (roomId, resolution) =>
        room((operators) =>
          Effect.flatMap(read(DealRoomId, "roomId", roomId), (id) => operators.resolveDispute(id, resolution))
        ),
      confirmFunding: (roomId) =>
        room((operators) => Effect.flatMap(read(DealRoomId, "roomId", roomId), operators.confirmFunding)),
      orders: (query = {}) => run((operators) => ordersOf(operators, query)),
      holds: (query = {}) => run((operators) => holdsOf(operators, query)),
      releaseHold: (holdId) =>
        hold((operators) => Effect.flatMap(read(HoldId, "holdId", holdId), operators.releaseHold)),
      refuseHold: (holdId, reason) =>
        hold((operators) =>
          Effect.flatMap(read(HoldId, "holdId", holdId), (id) => operators.refuseHold(id, reason))
        )
    }
  }
}

// -----------------------------------------------------------------------------

const ordersOf = Effect.fnUntraced(function* (
  operators: Operators["Service"],
  { limit = pageLimit.default }: OrdersQuery
) {
  const orders = yield* operators.orders(yield* read(Limit, "limit", limit))
  return { orders: yield* Effect.orDie(encodeOrders(orders)) }
})

const holdsOf = Effect.fnUntraced(function* (
  operators: Operators["Service"],
  { cursor, limit = pageLimit.default, status = "held" }: HoldsQuery
) {
  const { items, nextCursor } = yield* operators.holds(yield* read(HoldStatus, "status", status), {
    cursor,
    limit: yield* read(Limit, "limit", limit)
  })
  return { holds: yield* Effect.orDie(encodeHolds(items)), nextCursor }
})

const Limit = Schema.Int.check(Schema.isBetween({ minimum: pageLimit.min, maximum: pageLimit.max }))
const encodeOrders = Schema.encodeEffect(Schema.Array(WaitingOrder))
const encodeHolds = Schema.encodeEffect(Schema.Array(Hold))

/** Reads an argument: hosts are not always written in TypeScript. */
const read = <S extends Schema.ConstraintCodec<unknown, unknown>>(
  schema: S,
  name: string,
  value: unknown
): Effect.Effect<S["Type"], InvalidRequest> =>
  Effect.mapError(Schema.decodeUnknownEffect(schema)(value), ({ message }) =>
    InvalidRequest.at(name, `is not valid: ${message}`)
  )
