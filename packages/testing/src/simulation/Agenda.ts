/** What is to be done when, soonest first; of the same moment, what was planned first. */
import { DateTime } from "effect"
import type { Instant } from "@souk/core"

export interface Agenda<A> {
  readonly plan: (at: Instant, what: A) => void
  /** Takes the soonest off, unless it lies behind a moment. */
  readonly take: (until: Instant) => { readonly at: Instant; readonly what: A } | undefined
}

/** Starts empty. */
export const makeAgenda = <A>(): Agenda<A> => {
  // Latest first, so that the soonest comes off the end.
  const planned: Array<{ readonly at: Instant; readonly what: A }> = []
  return {
    plan: (at, what) => {
      let [low, high] = [0, planned.length]
      while (low < high) {
        const middle = (low + high) >>> 1
        const other = planned[middle]
        if (other !== undefined && DateTime.isGreaterThan(other.at, at)) low = middle + 1
        else high = middle
      }
      planned.splice(low, 0, { at, what })
    },
    take: (until) => {
      const soonest = planned.at(-1)
      return soonest === undefined || DateTime.isGreaterThan(soonest.at, until) ? undefined : planned.pop()
    }
  }
}
