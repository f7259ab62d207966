/**
 * What a room's way orders of the settlement, and how the orders are carried out.
 *
 * The orders follow from what is told of the room, so whoever writes a room down, an agent's command, the operator's or
 * time's, writes them down with it.
 */
import { DateTime } from "effect"
import { sha256Bytes } from "../model/Canonical.ts"
import type { EventDraft } from "../model/Change.ts"
import type { DealRoom } from "../model/DealRoom.ts"
import { born, revised } from "../model/Entity.ts"
import { makeId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import { after, hour } from "../model/Instant.ts"
import type { Attempt, SettlementOrder, Task } from "../model/Task.ts"

/** How long the host may take for one order, in seconds. */
export const patience = 30

/** The tasks that come of what is told of a room; none where the host settles nothing. */
export const settlementTasks = (room: DealRoom, events: ReadonlyArray<EventDraft>): ReadonlyArray<Task> => {
  const { agreement, funding } = room
  if (agreement === undefined || funding === undefined) return []
  return events.flatMap((event) => {
    const action = actionOf(event, room)
    return action === undefined ? [] : [taskOf(room, agreement, action, event.at ?? room.updatedAt)]
  })
}

type Action = SettlementOrder["action"]

const actionOf = ({ type }: EventDraft, { status }: DealRoom): Action | undefined => {
  switch (type) {
    case "deal_room.agreed":
      return "authorise"
    case "deal_room.completed":
      return "capture"
    case "deal_room.cancelled":
    case "deal_room.expired":
      return "refund"
    case "deal_room.resolved":
      if (status === "split") return "split"
      return status === "completed" ? "capture" : "refund"
    default:
      return undefined
  }
}

/** A room orders each action once at most: its id follows from both, and so is the same whoever writes it. */
const taskOf = (
  room: DealRoom,
  { terms }: NonNullable<DealRoom["agreement"]>,
  action: Action,
  at: Instant
): Task => {
  // An authorisation that is on its way when the time is up may still get through: what it held is given back after it.
  const isUnfunded = action === "refund" && room.funding === "awaited"
  const order: SettlementOrder = {
    kind: "settlement",
    roomId: room.id,
    action,
    amount: terms.total,
    ...(action === "split" && room.refunded !== undefined ? { refunded: room.refunded } : {})
  }
  return {
    id: makeId("task", {
      millis: DateTime.toEpochMillis(at),
      ordinal: 0,
      bytes: sha256Bytes(`${room.id}/${action}`)
    }),
    queue: room.id,
    work: order,
    status: "pending",
    attempts: [],
    dueAt: isUnfunded ? after(at, 2 * patience) : at,
    ...born(at)
  }
}

/** How many attempts are kept: the latest ones. */
const attemptsKept = 20

/** Ends an order: it was carried out, came to nothing, or is needless by now. */
export const end = (
  task: Task,
  status: "done" | "failed",
  attempt: Attempt | undefined,
  now: Instant
): Task => revised(task, { status, dueAt: null, attempts: withAttempt(task, attempt) }, now)

/** Gives an order again later: after 5 seconds, then twice as long each time, an hour at most. */
export const postpone = (task: Task, attempt: Attempt, now: Instant): Task => {
  const wait = Math.min(5 * 2 ** Math.min(task.attempts.length, 16), hour)
  return revised(task, { dueAt: after(now, wait), attempts: withAttempt(task, attempt) }, now)
}

const withAttempt = (task: Task, attempt: Attempt | undefined): ReadonlyArray<Attempt> =>
  attempt === undefined ? task.attempts : [...task.attempts, attempt].slice(-attemptsKept)

/** One attempt, as it is kept. */
export const attemptFrom = (began: Instant, now: Instant, error?: string): Attempt => ({
  at: began,
  durationMillis: DateTime.toEpochMillis(now) - DateTime.toEpochMillis(began),
  succeeded: error === undefined,
  ...(error === undefined ? {} : { error })
})
