/** The rules of tasks: who has one in hand. */
import { DateTime } from "effect"
import { revised } from "../model/Entity.ts"
import type { Instant } from "../model/Instant.ts"
import { after, hasPassed } from "../model/Instant.ts"
import type { Task } from "../model/Task.ts"

/**
 * For how long a claim holds, in seconds, unless it is renewed. Short, since what a node had in hand when it died waits
 * for so long; and long enough for a node that a busy database holds up.
 */
const claimSeconds = 8

/** How often a claim is renewed while its holder is at it, in seconds: twice at least before it would end. */
export const renewEverySeconds = 3

/** Takes a task for oneself, or keeps it: who else looks finds it due only when the claim has ended. */
export const claim = (task: Task, now: Instant): Task => {
  const claimedUntil = after(now, claimSeconds)
  return revised(task, { dueAt: claimedUntil, claimedUntil }, now)
}

/** Tells whether somebody has a task in hand. */
export const isClaimed = ({ claimedUntil, dueAt }: Task, now: Instant): boolean =>
  dueAt !== null &&
  claimedUntil !== undefined &&
  DateTime.Equivalence(dueAt, claimedUntil) &&
  !hasPassed(dueAt, now)
