/** From the agreement to the work: whether the money has to be held first. Contract §4 Deal room, `agreed`. */
import { Result } from "effect"
import type { Instant } from "../model/Instant.ts"
import { after } from "../model/Instant.ts"
import type { Terms } from "../model/Terms.ts"
import { toMicros } from "../model/Money.ts"
import { permitRoom } from "./DealRooms.ts"
import type { Progress } from "./DealRoomProgress.ts"
import { advance } from "./DealRoomProgress.ts"
import type { MoveRefused } from "./StateTable.ts"

/** Whether work starts with the agreement, or once the settlement holds the money. */
export type Funding = "at_once" | { readonly fundWithinSeconds: number }

/** What an agreed room waits for: nothing, where there is no money to hold. */
export const awaits = (funding: Funding, terms: Terms, now: Instant): Instant | undefined =>
  funding === "at_once" || toMicros(terms.total.amount) === 0n
    ? undefined
    : after(now, funding.fundWithinSeconds)

/** Starts the work on what was agreed. */
export const begin = (progress: Progress, now: Instant): Progress => {
  const { agreement, funding } = progress.room
  return advance(progress, {
    changes: {
      status: "in_progress",
      turn: "seller",
      deadlines:
        agreement === undefined ? {} : { deliverBy: after(now, agreement.terms.deliverWithinSeconds) },
      ...(funding === undefined ? {} : { funding: "confirmed" })
    },
    entry: { kind: "system", body: { event: "deal_room.started" } },
    event: "deal_room.started",
    at: now
  })
}

/** Confirms that the money is held: the settlement's word, or the operator's. */
export const confirm = (progress: Progress, now: Instant): Result.Result<Progress, MoveRefused> =>
  Result.map(permitRoom(progress.room, "start", "operator"), () => begin(progress, now))

/** Tells both sides that the settlement did not take the buyer's money. The room waits on until `fundBy`. */
export const declined = (progress: Progress, reason: string, now: Instant): Progress =>
  advance(progress, {
    changes: {},
    entry: { kind: "system", body: { event: "funding_declined", reason } },
    event: "deal_room.message",
    at: now,
    data: { seq: progress.room.entryCount + 1, funding: "declined" }
  })
