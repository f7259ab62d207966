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
  Agents,
  DealRoomId,
  DealRoomView,
  Event,
  Events,
  Hold,
  HoldId,
  InvalidRequest,
  Listing,
  ListingId,
  NotFound,
  Operators,
  pageLimit,
  RfqView,
  RfqId,
  WaitingOrder
} from "@souk/core"
import type { AgentInput, EventQuery, Market, Resolution } from "@souk/core"
import { Context, Effect, Option, Schema, Stream } from "effect"
import * as AgentApi from "./AgentApi.ts"
import { toHostEvent } from "./HostEvents.ts"
import type { HostEvent } from "./HostEvents.ts"
import * as HostQueries from "./HostQueries.ts"

type Json<S extends Schema.Top> = S["Encoded"]

type Services = Context.Context<Market.MarketServices>

export interface HoldsQuery {
  /** `"held"`, those that wait, by default. */
  readonly status?: "held" | "released" | "refused"
  /** 1 to 100; 20 by default. */
  readonly limit?: number
  /** The `nextCursor` of the page before. */
  readonly cursor?: string
}

/** A new account, and its first key, which is shown this once. */
export interface RegisteredAgent {
  readonly agent: Json<typeof Agent>
  readonly apiKey: string
}

/** Which events to follow, and from where. */
export interface HostEventQuery {
  /** Event types; `rfq.*` stands for all of an RFQ's. */
  readonly types?: ReadonlyArray<string> | undefined
  /** The id of what the events are about. */
  readonly subject?: string | undefined
  /** A cursor, or `earliest` for the oldest event that is kept; the present where nothing is said. */
  readonly after?: string | undefined
  /** Ends the iteration, as if there were no more events. */
  readonly signal?: AbortSignal | undefined
}

export interface OrdersQuery {
  /** 1 to 100; 20 by default. */
  readonly limit?: number
}

/** Every `reason` and `note` is 1 to 2,000 characters. */
export interface OperatorApi {
  /**
   * Creates an account, for a user of the host's own for instance. No rate limit counts it. Whoever lets users in by
   * `principal` alone need not keep the key.
   */
  readonly registerAgent: (
    input: Json<typeof AgentInput>,
    options?: AgentApi.AgentWriteOptions
  ) => Promise<RegisteredAgent>
  /**
   * Follows everything that happens, whoever it is for, in order and without a gap, until the signal or the market ends
   * it. Keep the `cursor` of what you have done, and a later process goes on behind it. A cursor that is too old rejects
   * with `InvalidCursor`: events were missed.
   */
  readonly events: (query?: HostEventQuery) => AsyncIterable<HostEvent>
  /** Keeps an agent from writing; it reads on, and what it has on the market stays. The agent alone reads why, as `suspension`. */
  readonly suspend: (agentId: string, reason: string) => Promise<Json<typeof Agent>>
  /** Lets a suspended agent write again. */
  readonly reinstate: (agentId: string) => Promise<Json<typeof Agent>>
  /** Takes a listing off the market for good; its owner alone reads why, as `removal`. */
  readonly archiveListing: (listingId: string, reason: string) => Promise<Json<typeof Listing>>
  /** Ends an RFQ without an award; its buyer alone reads why, as `removal`. */
  readonly cancelRfq: (rfqId: string, reason: string) => Promise<Json<typeof RfqView>>
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
  /**
   * The calls of one agent. The host vouches for it, as with `principal`: no key is needed, and nothing is asked of
   * whoever holds this object. What is no text, a user without an agent for instance, is a `TypeError`.
   */
  readonly as: (agentId: string) => AgentApi.AgentApi
}

/** What is behind the calls. */
export interface Behind {
  /** Answers a request from inside the process, by whom it says. */
  readonly answer: (request: Request, by: string) => Promise<Response>
  /** Runs a call on the services. */
  readonly run: <A, E>(call: (services: Services) => Effect.Effect<A, E>) => Promise<A>
  /** Iterates over what the services stream. */
  readonly iterate: <A, E>(
    call: (services: Services) => Stream.Stream<A, E>,
    signal: AbortSignal | undefined
  ) => AsyncIterable<A>
}

/** Makes the calls. */
export const make = (behind: Behind): HostApi => ({
  operator: makeOperator(behind),
  as: (agentId) => {
    // Nobody would be a caller without a key, who may do less and reads what is public.
    if (typeof agentId !== "string" || agentId === "")
      throw new TypeError("agentId must be a text that is not empty.")
    return AgentApi.make({
      answer: (request) => behind.answer(request, agentId),
      follow: (query, signal) => behind.iterate((services) => followAs(services, agentId, query), signal)
    })
  }
})

// -----------------------------------------------------------------------------
// As an agent
// -----------------------------------------------------------------------------

const encodeEvent = Schema.encodeEffect(Event)

const followAs = (services: Services, agentId: string, query: EventQuery) =>
  Effect.gen(function* () {
    const id = Option.getOrUndefined(Schema.decodeOption(AgentId)(agentId))
    if (id === undefined) return yield* new NotFound({ message: "There is no agent with this id." })
    yield* Context.get(services, Agents).me(id)
    const known = yield* HostQueries.read(HostQueries.AgentEvents, query)
    return Stream.mapEffect(Context.get(services, Events).follow(id, known), ({ event }) =>
      Effect.orDie(encodeEvent(event))
    )
  }).pipe(Stream.unwrap)

// -----------------------------------------------------------------------------
// As the operator
// -----------------------------------------------------------------------------

const followAll = (services: Services, query: unknown) =>
  HostQueries.streamBy(HostQueries.OperatorEvents, query, (known) =>
    Stream.mapEffect(Context.get(services, Operators).events(known), toHostEvent)
  )

const makeOperator = ({ answer, iterate, run: runOn }: Behind): OperatorApi => {
  const run = <A, E>(use: (operators: Operators["Service"]) => Effect.Effect<A, E>) =>
    runOn((services) => use(Context.get(services, Operators)))
  const itself = AgentApi.make({
    answer: (request) => answer(request, "the operator"),
    follow: () => Stream.toAsyncIterable(Stream.empty)
  })
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
    registerAgent: (input, options) => itself.agents.register(input, options),
    events: (query = {}) => iterate((services) => followAll(services, query), HostQueries.signalOf(query)),
    suspend: (agentId, reason) =>
      agent((operators) =>
        Effect.flatMap(read(AgentId, "agentId", agentId), (id) => operators.suspend(id, reason))
      ),
    reinstate: (agentId) =>
      agent((operators) => Effect.flatMap(read(AgentId, "agentId", agentId), operators.reinstate)),
    archiveListing: (listingId, reason) =>
      call(Listing)((operators) =>
        Effect.flatMap(read(ListingId, "listingId", listingId), (id) => operators.archiveListing(id, reason))
      ),
    cancelRfq: (rfqId, reason) =>
      call(RfqView)((operators) =>
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

// -----------------------------------------------------------------------------

const ordersOf = Effect.fnUntraced(function* (operators: Operators["Service"], query: unknown) {
  const { limit = pageLimit.default } = yield* HostQueries.read(HostQueries.Orders, query)
  return { orders: yield* Effect.orDie(encodeOrders(yield* operators.orders(limit))) }
})

const holdsOf = Effect.fnUntraced(function* (operators: Operators["Service"], query: unknown) {
  const known = yield* HostQueries.read(HostQueries.Holds, query)
  const { cursor, limit = pageLimit.default, status = "held" } = known
  const { items, nextCursor } = yield* operators.holds(status, { cursor, limit })
  return { holds: yield* Effect.orDie(encodeHolds(items)), nextCursor }
})

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
