/**
 * Carrying out what rooms have ordered of the host's settlement: each order at least once, until it succeeds, and the
 * orders of a room one at a time, whichever process is at it. Contract §4 Deal room.
 */
import { Context, DateTime, Duration, Effect, Layer, Schema } from "effect"
import type { Change } from "../model/Change.ts"
import type { DealRoom } from "../model/DealRoom.ts"
import type { Unavailable } from "../model/Errors.ts"
import type { Instant } from "../model/Instant.ts"
import { hasPassed } from "../model/Instant.ts"
import type { SettlementOrder, Task } from "../model/Task.ts"
import { Authorisation, Settlement } from "../ports/Settlement.ts"
import type { SettlementCall, SettlementPort } from "../ports/Settlement.ts"
import { Store } from "../ports/Store.ts"
import { roomAsOf } from "../rules/DealRoomProgress.ts"
import * as funding from "../rules/Funding.ts"
import * as rules from "../rules/Settlements.ts"
import { claim as claimed, isClaimed } from "../rules/Tasks.ts"
import { keepClaim } from "./claims.ts"
import { Commands } from "./Commands.ts"
import type { Command } from "./Commands.ts"
import { answerOf } from "./hosts.ts"
import type { HostFault } from "./hosts.ts"
import { readAll } from "./lists.ts"
import { progressChange } from "./rooms.ts"

/** What the host answered; `fault` where it gave no answer that can be used. */
type Answer =
  | Authorisation
  | { readonly outcome: "done" }
  | { readonly outcome: "fault"; readonly cause: unknown }

const concurrency = 16

export class SettlementOrders extends Context.Service<
  SettlementOrders,
  {
    /**
     * Gives the host the orders that are due, of up to `limit` rooms, and tells of how many rooms there were any. Nothing
     * where the host settles nothing. Safe at any time and on several nodes at once.
     */
    readonly carryOut: (limit: number) => Effect.Effect<number, Unavailable>
    /** Gives the host the orders of one room that are due, one after the other; tells whether there were any. */
    readonly carryOutOf: (queue: string) => Effect.Effect<boolean, Unavailable>
  }
>()("@souk/core/SettlementOrders") {
  static readonly layer: Layer.Layer<SettlementOrders, never, Store | Commands> = Layer.effect(
    SettlementOrders,
    Effect.gen(function* () {
      const store = yield* Store
      const commands = yield* Commands
      const settlement = yield* Settlement
      const keep = keepClaim(store, commands)

      /** Runs a command that the next attempt makes good where others were faster. */
      const run = <A, I>(command: Command<A, I, Unavailable>, otherwise: A): Effect.Effect<A, Unavailable> =>
        commands.run(command).pipe(
          Effect.map(({ value }) => value),
          Effect.catchTag(["Conflict", "IdempotencyInFlight", "IdempotencyKeyReused"], () =>
            Effect.succeed(otherwise)
          )
        )

      const roomOf = Effect.fnUntraced(function* ({ roomId }: SettlementOrder, now: Instant) {
        const stored = yield* store.rooms.byId(roomId)
        if (stored === undefined) return yield* Effect.die(new Error(`${roomId} has orders and is no room`))
        return { stored, progress: roomAsOf(stored, now) }
      })

      /**
       * Takes an order for this process; nothing where it has ended, is needless by now, or somebody is at an order of
       * the same room. Of two who take two orders of a room at once, one finds that what it relied upon is no longer so.
       */
      const claim = ({ id, queue }: Task, order: SettlementOrder) => {
        const decide = Effect.fnUntraced(function* (now: Instant) {
          const tasks = yield* readAll((page) => store.tasks.list(queue, page))
          const task = tasks.find((task) => task.id === id)
          const pending = tasks.filter((other) => other.dueAt !== null && other !== task)
          const isFree = isDue(task, now) && !pending.some((other) => isClaimed(other, now))
          if (task === undefined || !isFree) return { result: undefined, writes: [], events: [] }
          const { progress } = yield* roomOf(order, now)
          const isNeedless = order.action === "authorise" && progress.room.status !== "agreed"
          const next = isNeedless ? rules.end(task, "done", undefined, now) : claimed(task, now)
          const change: Change<number | undefined> = {
            result: isNeedless ? undefined : next.version,
            writes: [{ kind: "task", value: next, replaces: task.version }],
            events: [],
            reliesOn: pending.map(({ id, version }) => ({ kind: "task", id, version }))
          }
          return change
        })
        return run({ on: queue, result: Schema.UndefinedOr(Schema.Int), decide }, undefined)
      }

      /** Writes down what came of an order, with what it does to the room; not where another process has taken it over. */
      const note = (
        id: Task["id"],
        version: number,
        order: SettlementOrder,
        answer: Answer,
        began: Instant
      ) => {
        const decide = Effect.fnUntraced(function* (now: Instant) {
          const nothing: Change<boolean> = { result: false, writes: [], events: [] }
          const task = yield* store.tasks.byId(id)
          if (task?.version !== version) return nothing
          const { progress, stored } = yield* roomOf(order, now)
          const next = isWaiting(progress.room) ? afterwards(progress, answer, now) : progress
          const change =
            next === progress ? nothing : yield* progressChange(store, stored, next, now, () => true)
          const value = judged(task, answer, began, now)
          return {
            ...change,
            writes: [...change.writes, { kind: "task" as const, value, replaces: version }]
          }
        })
        return run({ on: order.roomId, result: Schema.Boolean, decide }, false)
      }

      const carry = Effect.fnUntraced(function* (port: SettlementPort, task: Task) {
        const { work: order } = task
        if (order.kind !== "settlement") return false
        const claimedAs = yield* claim(task, order)
        if (claimedAs === undefined) return false
        const { stored } = yield* roomOf(order, yield* DateTime.now)
        const began = yield* DateTime.now
        const { value: answer, version } = yield* keep(
          task.id,
          claimedAs,
          ask(port, order, callOf(order, stored, task.id))
        )
        if (answer.outcome === "fault")
          yield* Effect.logWarning(`The settlement failed to ${order.action} ${order.roomId}`, answer.cause)
        yield* note(task.id, version, order, answer, began)
        return true
      })

      /** Puts off an order at which the market itself fails, so that it is in nobody's way. */
      const putOff = (id: Task["id"]) => {
        const decide = Effect.fnUntraced(function* (now: Instant) {
          const task = yield* store.tasks.byId(id)
          if (task === undefined || !isDue(task, now)) return { result: false, writes: [], events: [] }
          const value = rules.postpone(task, rules.attemptFrom(now, now, "fault"), now)
          const change: Change<boolean> = {
            result: true,
            writes: [{ kind: "task", value, replaces: task.version }],
            events: []
          }
          return change
        })
        return run({ on: id, result: Schema.Boolean, decide }, false)
      }

      const carryOutOf = Effect.fn("SettlementOrders.carryOutOf")(function* (queue: string) {
        if (settlement === undefined) return false
        const tasks = yield* store.tasks.due(queue, yield* DateTime.now, 10)
        const given = yield* Effect.forEach(tasks, (task) =>
          Effect.catchDefect(carry(settlement, task), (defect) =>
            Effect.logError(
              `What ${queue} has ordered of the settlement could not be carried out`,
              defect
            ).pipe(Effect.andThen(putOff(task.id)), Effect.as(false))
          )
        )
        return given.includes(true)
      })

      const carryOut = Effect.fn("SettlementOrders.carryOut")(function* (limit: number) {
        if (settlement === undefined) return 0
        const queues = yield* store.tasks.queuesDue("settlement", yield* DateTime.now, [], limit)
        const given = yield* Effect.forEach(queues, carryOutOf, { concurrency })
        return given.filter(Boolean).length
      })

      return SettlementOrders.of({ carryOut, carryOutOf })
    })
  )
}

const isDue = (task: Task | undefined, now: Instant): boolean =>
  task !== undefined && task.dueAt !== null && hasPassed(task.dueAt, now)

const isWaiting = ({ status }: DealRoom): boolean => status === "agreed"

/** What an answer does to a room that waits for its money. */
const afterwards = (progress: ReturnType<typeof roomAsOf>, answer: Answer, now: Instant) => {
  if (answer.outcome === "authorised") return funding.begin(progress, now)
  return answer.outcome === "declined" ? funding.declined(progress, answer.reason, now) : progress
}

/** An order with what came of it. What the host's fault was stands in the log, which is the operator's alone. */
const judged = (task: Task, { outcome }: Answer, began: Instant, now: Instant): Task => {
  switch (outcome) {
    case "authorised":
    case "done":
      return rules.end(task, "done", rules.attemptFrom(began, now), now)
    case "declined":
      return rules.end(task, "failed", rules.attemptFrom(began, now, outcome), now)
    case "pending":
    case "fault":
      return rules.postpone(task, rules.attemptFrom(began, now, outcome), now)
  }
}

const callOf = (order: SettlementOrder, room: DealRoom, idempotencyKey: string): SettlementCall => ({
  roomId: room.id,
  buyerId: room.buyerId,
  sellerId: room.sellerId,
  amount: order.amount,
  idempotencyKey
})

const ask = (port: SettlementPort, order: SettlementOrder, call: SettlementCall): Effect.Effect<Answer> => {
  const patience = Duration.seconds(rules.patience)
  const asked = (): Effect.Effect<Answer, HostFault> => {
    switch (order.action) {
      case "authorise":
        return answerOf(Authorisation, patience, () => port.authorise(call))
      case "capture":
        return Effect.as(
          answerOf(Schema.Unknown, patience, () => port.capture(call)),
          done
        )
      case "refund":
        return Effect.as(
          answerOf(Schema.Unknown, patience, () => port.refund(call)),
          done
        )
      case "split": {
        const parts = { ...call, refunded: order.refunded ?? order.amount }
        return Effect.as(
          answerOf(Schema.Unknown, patience, () => port.split(parts)),
          done
        )
      }
    }
  }
  return Effect.catchTag(asked(), "HostFault", ({ cause }) =>
    Effect.succeed<Answer>({ outcome: "fault", cause })
  )
}

const done: Answer = { outcome: "done" }
