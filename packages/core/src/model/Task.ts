/**
 * Tasks: what the market owes the world outside, kept with the change that caused it and done at least once.
 *
 * A task is written in the commit that makes it due, so that none is forgotten, and carried out by a worker after it.
 */
import { Schema, Struct } from "effect"
import { stamps } from "./Entity.ts"
import { Event } from "./Event.ts"
import { DealRoomId, TaskId, WebhookId } from "./Id.ts"
import { Instant } from "./Instant.ts"
import { Money } from "./Money.ts"

/** Tells one event to one webhook. */
export const WebhookDelivery = Schema.Struct({
  kind: Schema.Literal("delivery"),
  webhookId: WebhookId,
  event: Event,
  /** When its owner asked for it again, last: attempts before do not count. */
  replayedAt: Schema.optionalKey(Instant)
})
export interface WebhookDelivery extends Schema.Schema.Type<typeof WebhookDelivery> {}

/**
 * Has the host's settlement move the money of one room: hold it (`authorise`), pay it out to the seller (`capture`),
 * give it back to the buyer (`refund`), or both in parts (`split`, with the part that goes back).
 */
export const SettlementOrder = Schema.Struct({
  kind: Schema.Literal("settlement"),
  roomId: DealRoomId,
  action: Schema.Literals(["authorise", "capture", "refund", "split"]),
  amount: Money,
  refunded: Schema.optionalKey(Money)
})
export interface SettlementOrder extends Schema.Schema.Type<typeof SettlementOrder> {}

export const Work = Schema.Union([WebhookDelivery, SettlementOrder])
export type Work = typeof Work.Type
export type WorkKind = Work["kind"]

/** One try at a task: when it began, how long it took, and what came of it. */
export const Attempt = Schema.Struct({
  at: Instant,
  durationMillis: Schema.Int,
  succeeded: Schema.Boolean,
  /** The HTTP status where there was an answer. */
  status: Schema.optionalKey(Schema.Int),
  error: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "Attempt" })
export interface Attempt extends Schema.Schema.Type<typeof Attempt> {}

export const TaskStatus = Schema.Literals(["pending", "done", "failed"])
export type TaskStatus = typeof TaskStatus.Type

/**
 * `queue` is the id of what the tasks are done for, a webhook or a room: a queue that is slow holds up no other.
 * `dueAt` is null once nothing is to be done any more.
 */
export const Task = Schema.Struct({
  id: TaskId,
  queue: Schema.String,
  work: Work,
  status: TaskStatus,
  attempts: Schema.Array(Attempt),
  dueAt: Schema.NullOr(Instant),
  /** Until when somebody has it in hand, where that is `dueAt`; otherwise it was in hand once. */
  claimedUntil: Schema.optionalKey(Instant),
  ...stamps
})
export interface Task extends Schema.Schema.Type<typeof Task> {}

/** An order that has not been carried out yet, for the operator. */
export const WaitingOrder = Schema.Struct({
  id: TaskId,
  ...Struct.omit(SettlementOrder.fields, ["kind"]),
  /** The latest, oldest first; `error` is what the settlement answered, or `fault` where it gave no answer. */
  attempts: Schema.Array(Attempt),
  nextAttemptAt: Schema.NullOr(Instant),
  ...stamps
})
export interface WaitingOrder extends Schema.Schema.Type<typeof WaitingOrder> {}

/** Shows a task as an order; `undefined` where it is another kind of task. */
export const viewOrder = ({ work, ...task }: Task): WaitingOrder | undefined => {
  if (work.kind !== "settlement") return undefined
  const { kind: _, ...order } = work
  const { attempts, createdAt, dueAt, id, updatedAt, version } = task
  return { id, ...order, attempts, nextAttemptAt: dueAt, createdAt, updatedAt, version }
}
