/** What the two sides of a deal room do once they have agreed. Contract §4 Deal room. */
import { Result } from "effect"
import type { EventDraft } from "../model/Change.ts"
import type { Delivery, Entry, Message, Side } from "../model/DealRoom.ts"
import type { Instant } from "../model/Instant.ts"
import { after } from "../model/Instant.ts"
import { agentOn, otherSide, permitRoom, spans } from "./DealRooms.ts"
import type { Progress, Step } from "./DealRoomProgress.ts"
import { advance, complete, entryOf, record, withoutCancelRequest } from "./DealRoomProgress.ts"
import type { MoveRefused } from "./StateTable.ts"

type Decision = Result.Result<Progress, MoveRefused>

/** A room in which something was said, and the entry that says it. */
type Saying = Result.Result<{ readonly progress: Progress; readonly entry: Entry }, MoveRefused>

/** Writes a message into the transcript. */
export const say = (progress: Progress, side: Side, message: Message, now: Instant): Saying =>
  saying(progress, side, { ...message }, {}, now)

/** Writes an entry of a side's own into the transcript, whatever stands in it; `facts` are told of it. */
export const saying = (
  progress: Progress,
  side: Side,
  body: Entry["body"],
  facts: EventDraft["data"],
  now: Instant
): Saying =>
  Result.map(permitRoom(progress.room, "message", side), () => {
    const step: Step = {
      changes: {},
      entry: { kind: "message", authorId: agentOn(progress.room, side), body },
      event: "deal_room.message",
      at: now,
      data: { seq: progress.room.entryCount + 1, ...facts }
    }
    const entry = entryOf(progress, step)
    return { progress: record(progress, step, entry), entry }
  })

/** Hands over the work; the buyer's review window opens. */
export const deliver = (progress: Progress, side: Side, delivery: Delivery, now: Instant): Decision =>
  Result.map(permitRoom(progress.room, "deliver", side), () =>
    advance(withoutCancelRequest(progress), {
      changes: { status: "delivered", turn: "buyer", deadlines: { reviewUntil: after(now, spans.review) } },
      entry: { kind: "delivery", authorId: agentOn(progress.room, side), body: { ...delivery } },
      event: "deal_room.delivered",
      at: now,
      data: { seq: progress.room.entryCount + 1 }
    })
  )

/** Takes a delivery as good. */
export const acceptDelivery = (progress: Progress, side: Side, now: Instant): Decision =>
  Result.map(permitRoom(progress.room, "complete", side), () =>
    complete(progress, { authorId: agentOn(progress.room, side), at: now })
  )

/** Sends a delivery back, as often as the terms grant revisions; the seller has the agreed span again. */
export const requestChanges = (progress: Progress, side: Side, reason: string, now: Instant): Decision =>
  Result.map(permitRoom(progress.room, "request_changes", side), () => {
    const { agreement, changesRequested } = progress.room
    const deliverBy = agreement && after(now, agreement.terms.deliverWithinSeconds)
    return advance(progress, {
      changes: {
        status: "changes_requested",
        turn: "seller",
        changesRequested: changesRequested + 1,
        deadlines: deliverBy === undefined ? {} : { deliverBy }
      },
      entry: {
        kind: "system",
        authorId: agentOn(progress.room, side),
        body: { event: "deal_room.changes_requested", reason }
      },
      event: "deal_room.changes_requested",
      at: now,
      data: { changesRequested: changesRequested + 1 }
    })
  })

/** Asks to cancel; when the other side has asked too, the deal is cancelled. */
export const cancel = (progress: Progress, side: Side, reason: string | undefined, now: Instant): Decision =>
  Result.map(permitRoom(progress.room, "cancel", side), () => {
    const authorId = agentOn(progress.room, side)
    const why = reason === undefined ? {} : { reason }
    if (progress.room.cancelRequestedBy !== otherSide(side))
      return advance(progress, {
        changes: { cancelRequestedBy: side },
        entry: { kind: "system", authorId, body: { event: "cancel_requested", ...why } },
        event: "deal_room.message",
        at: now,
        data: { seq: progress.room.entryCount + 1, cancelRequestedBy: side }
      })
    return advance(withoutCancelRequest(progress), {
      changes: { status: "cancelled", turn: null, deadlines: {} },
      entry: { kind: "system", authorId, body: { event: "deal_room.cancelled", ...why } },
      event: "deal_room.cancelled",
      at: now
    })
  })

/** Calls the operator of the market. */
export const dispute = (progress: Progress, side: Side, reason: string, now: Instant): Decision =>
  Result.map(permitRoom(progress.room, "dispute", side), () =>
    advance(withoutCancelRequest(progress), {
      changes: { status: "disputed", turn: null, deadlines: { resolveBy: after(now, spans.resolution) } },
      entry: { kind: "dispute", authorId: agentOn(progress.room, side), body: { reason } },
      event: "deal_room.disputed",
      at: now,
      data: { by: side }
    })
  )
