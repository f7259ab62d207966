/**
 * Operators: what the host that runs the market decides. Contract §4, the moves of O.
 *
 * None of it stands on the agents' HTTP face: whoever holds this service is the operator.
 */
import { Context, DateTime, Effect, Layer, Schema, Stream } from "effect"
import type { SecureRandom } from "effect/crypto"
import { Agent } from "../model/Agent.ts"
import type { Change } from "../model/Change.ts"
import { DealRoomView, Reason } from "../model/DealRoom.ts"
import { InvalidRequest } from "../model/Errors.ts"
import type { Conflict, InvalidCursor, NotFound, Unavailable } from "../model/Errors.ts"
import type { NewEvent } from "../model/Event.ts"
import { Hold } from "../model/Hold.ts"
import type { HoldStatus } from "../model/Hold.ts"
import type { AgentId, DealRoomId, HoldId, ListingId, RfqId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import { after, day } from "../model/Instant.ts"
import { Listing } from "../model/Listing.ts"
import type { CursorPage, PageQuery } from "../model/Page.ts"
import { Resolution } from "../model/Resolution.ts"
import { RfqView } from "../model/Rfq.ts"
import { viewOrder } from "../model/Task.ts"
import type { WaitingOrder } from "../model/Task.ts"
import { Store } from "../ports/Store.ts"
import type { Progress } from "../rules/DealRoomProgress.ts"
import { viewRoom } from "../rules/DealRooms.ts"
import { confirm } from "../rules/Funding.ts"
import * as listings from "../rules/Listings.ts"
import * as rules from "../rules/Operators.ts"
import * as rfqs from "../rules/Rfqs.ts"
import { viewRfq } from "../rules/Seals.ts"
import type { MoveRefused } from "../rules/StateTable.ts"
import { Commands } from "./Commands.ts"
import type { Command } from "./Commands.ts"
import { paged } from "./Cursors.ts"
import type { EventFeed } from "./EventFeed.ts"
import { feeds, wanted, cursorBehind } from "./feeds.ts"
import { notes, refusalOf, releaseOf, withHoldEnded } from "./holds.ts"
import { notFound } from "./reads.ts"
import { endedTalks, progressChange, roomNow } from "./rooms.ts"
import { sealer } from "./seals.ts"

export type OperatorRefused = Conflict | InvalidRequest | MoveRefused | NotFound | Unavailable

/** Which events to follow, and from where. */
export interface OperatorEventQuery {
  /** Event types; `rfq.*` stands for all of an RFQ's. */
  readonly types?: ReadonlyArray<string> | undefined
  /** The id of the entity that the events are about. */
  readonly subject?: string | undefined
  /** A cursor, or `earliest` for the oldest event that is kept; the present where nothing is said. */
  readonly after?: string | undefined
}

/** An event, who may read it, and the cursor behind it. */
export interface HeardEvent extends NewEvent {
  readonly cursor: string
}

export class Operators extends Context.Service<
  Operators,
  {
    /**
     * Keeps an agent from writing; it reads on, and so do its streams. What it has on the market stays. `reason`, 1 to
     * 2,000 characters, is the agent's alone to read, as `suspension`.
     */
    readonly suspend: (id: AgentId, reason: string) => Effect.Effect<Agent, OperatorRefused>
    readonly reinstate: (id: AgentId) => Effect.Effect<Agent, OperatorRefused>
    /** Takes a listing off the market for good; its owner alone reads why, as `removal`. */
    readonly archiveListing: (id: ListingId, reason: string) => Effect.Effect<Listing, OperatorRefused>
    /** Ends an RFQ without an award; its buyer alone reads why, as `removal`. */
    readonly cancelRfq: (id: RfqId, reason: string) => Effect.Effect<RfqView, OperatorRefused>
    /** Resolves a dispute: both sides are told how, and what is settled by it is settled. */
    readonly resolveDispute: (
      id: DealRoomId,
      resolution: Resolution
    ) => Effect.Effect<DealRoomView, OperatorRefused>
    /** Says that the money of an agreed deal is held, whatever the settlement said: the work starts. */
    readonly confirmFunding: (id: DealRoomId) => Effect.Effect<DealRoomView, OperatorRefused>
    /**
     * Up to `limit` orders to the settlement that have not been carried out: those first whose next attempt comes
     * soonest. An order that failed again and again waits with its attempts.
     */
    readonly orders: (limit: number) => Effect.Effect<ReadonlyArray<WaitingOrder>, Unavailable>
    /** What the moderation holds or has held, newest first. */
    readonly holds: (
      status: HoldStatus,
      query: PageQuery
    ) => Effect.Effect<CursorPage<Hold>, InvalidCursor | Unavailable>
    /**
     * Lets what is held be seen, as its author wanted it. An RFQ whose `quoteDeadline` has come too near is
     * `invalid_request`: refuse it, and its buyer can name another.
     */
    readonly releaseHold: (id: HoldId) => Effect.Effect<Hold, OperatorRefused>
    /**
     * Keeps what is held from being seen, and tells its author why: a listing is archived, an RFQ goes back to its buyer
     * as a draft, a message stays unsaid.
     */
    readonly refuseHold: (id: HoldId, reason: string) => Effect.Effect<Hold, OperatorRefused>
    /**
     * Follows everything that happens, whoever it is for, as long as it is read. A cursor that is too old is
     * `invalid_cursor`.
     */
    readonly events: (
      query: OperatorEventQuery
    ) => Stream.Stream<HeardEvent, InvalidCursor | InvalidRequest | Unavailable>
  }
>()("@souk/core/Operators") {
  static readonly layer: Layer.Layer<
    Operators,
    never,
    Store | Commands | EventFeed | SecureRandom.SecureRandom
  > = Layer.effect(
    Operators,
    Effect.gen(function* () {
      const store = yield* Store
      const commands = yield* Commands
      const seal = yield* sealer
      const { follow } = yield* feeds

      const run = <A, I>(command: Command<A, I, OperatorRefused>): Effect.Effect<A, OperatorRefused> =>
        commands.run(command).pipe(
          Effect.map(({ value }) => value),
          // Only a caller who sends an Idempotency-Key meets these.
          Effect.catchTag(["IdempotencyInFlight", "IdempotencyKeyReused"], Effect.die)
        )

      const moveAgent = (id: AgentId, name: "suspend" | "reinstate", reason?: string) => {
        const decide = Effect.fnUntraced(function* (now: Instant) {
          const agent = (yield* store.agents.byId(id)) ?? (yield* notFound("agent"))
          return yield* Effect.fromResult(rules.moveAgent(agent, name, now, reason))
        })
        return run({ on: id, result: Agent, decide })
      }

      const suspend = Effect.fn("Operators.suspend")(function* (id: AgentId, reason: string) {
        yield* checkReason(reason)
        return yield* moveAgent(id, "suspend", reason)
      })

      const reinstate = Effect.fn("Operators.reinstate")((id: AgentId) => moveAgent(id, "reinstate"))

      const archiveListing = Effect.fn("Operators.archiveListing")(function* (id: ListingId, reason: string) {
        yield* checkReason(reason)
        const decide = Effect.fnUntraced(function* (now: Instant) {
          const listing = (yield* store.listings.byId(id)) ?? (yield* notFound("listing"))
          const change = yield* Effect.fromResult(listings.move(listing, "archive", "operator", now, reason))
          return yield* withHoldEnded(store, change, listing, change.result, notes.removed, now)
        })
        return yield* run({ on: id, result: Listing, decide })
      })

      const cancelRfq = Effect.fn("Operators.cancelRfq")(function* (id: RfqId, reason: string) {
        yield* checkReason(reason)
        const decide = Effect.fnUntraced(function* (now: Instant) {
          const rfq = (yield* store.rfqs.byId(id)) ?? (yield* notFound("RFQ"))
          const change = yield* Effect.fromResult(rfqs.move(rfq, "cancel", "operator", now, reason))
          return {
            ...change,
            result: viewRfq(change.result, rfq.agentId, now),
            deadlines: yield* endedTalks(store, rfq, now)
          }
        })
        return yield* run({ on: id, result: RfqView, decide })
      })

      /** Moves a room as the operator: as its sides see it by now. */
      const moveRoom = <E extends OperatorRefused>(
        id: DealRoomId,
        move: (progress: Progress, now: Instant) => Effect.Effect<Progress, E>
      ) => {
        const decide = Effect.fnUntraced(function* (now: Instant) {
          const stored = (yield* store.rooms.byId(id)) ?? (yield* notFound("deal room"))
          const next = yield* move(yield* roomNow(store, stored, now), now)
          return yield* progressChange(store, stored, next, now, (room) => viewRoom(room, "operator", now))
        })
        return run({ on: id, result: DealRoomView, decide })
      }

      const resolveDispute = Effect.fn("Operators.resolveDispute")(function* (
        id: DealRoomId,
        resolution: Resolution
      ) {
        if (!isResolution(resolution))
          return yield* InvalidRequest.at("resolution", "must be completed, refunded, or split with refunded")
        return yield* moveRoom(id, (progress, now) =>
          Effect.fromResult(rules.resolve(progress, resolution, now))
        )
      })

      const confirmFunding = Effect.fn("Operators.confirmFunding")((id: DealRoomId) =>
        moveRoom(id, (progress, now) => Effect.fromResult(confirm(progress, now)))
      )

      const orders = Effect.fn("Operators.orders")(function* (limit: number) {
        const ever = after(yield* DateTime.now, longestWait)
        const rooms = yield* store.tasks.queuesDue("settlement", ever, [], limit)
        const tasks = yield* Effect.forEach(rooms, (room) => store.tasks.due(room, ever, limit))
        const waiting = tasks.flat().map(viewOrder)
        return waiting.filter((order) => order !== undefined).slice(0, limit)
      })

      const holds = Effect.fn("Operators.holds")((status: HoldStatus, query: PageQuery) =>
        paged(`holds ${status}`, query, (page) => store.holds.list(status, page))
      )

      const endHold = (
        id: HoldId,
        decide: (hold: Hold, now: Instant) => Effect.Effect<Change<Hold>, OperatorRefused>
      ) =>
        run({
          on: id,
          result: Hold,
          decide: Effect.fnUntraced(function* (now: Instant) {
            return yield* decide((yield* store.holds.byId(id)) ?? (yield* notFound("hold")), now)
          })
        })

      const releaseHold = Effect.fn("Operators.releaseHold")((id: HoldId) =>
        endHold(id, (hold, now) => releaseOf(store, seal, hold, now))
      )

      const refuseHold = Effect.fn("Operators.refuseHold")(function* (id: HoldId, reason: string) {
        yield* checkReason(reason)
        return yield* endHold(id, (hold, now) => refusalOf(store, hold, reason, now))
      })

      const events = (query: OperatorEventQuery) =>
        Stream.unwrap(
          Effect.map(Effect.fromResult(wanted(query)), (accepts) =>
            Stream.map(follow(accepts, query.after), ({ audience, event, position }) => ({
              audience,
              event,
              cursor: cursorBehind(position)
            }))
          )
        )

      return Operators.of({
        suspend,
        reinstate,
        archiveListing,
        cancelRfq,
        resolveDispute,
        confirmFunding,
        orders,
        holds,
        releaseHold,
        refuseHold,
        events
      })
    })
  )
}

/** Beyond the longest pause between attempts. */
const longestWait = 2 * day

const isResolution = Schema.is(Resolution)
const isReason = Schema.is(Reason.fields.reason)

const checkReason = (reason: string): Effect.Effect<void, InvalidRequest> =>
  isReason(reason)
    ? Effect.void
    : Effect.fail(InvalidRequest.at("reason", "must be 1 to 2,000 characters that can be kept"))
