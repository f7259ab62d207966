/** The events of the market in their order; the oldest of them may be forgotten. */
import { DateTime } from "effect"
import type { NewEvent, StoredEvent } from "../model/Event.ts"
import type { Expired } from "../ports/Store.ts"

export class Feed {
  readonly #events: Array<StoredEvent> = []
  #forgotten = 0

  /** The position of the newest event that is no longer kept. */
  get forgotten(): number {
    return this.#forgotten
  }

  /** The position of the newest event, kept or not. */
  get latest(): number {
    return this.#forgotten + this.#events.length
  }

  append(events: ReadonlyArray<NewEvent>): void {
    for (const event of events) this.#events.push({ ...event, position: this.latest + 1 })
  }

  after(position: number, limit: number): ReadonlyArray<StoredEvent> {
    const begin = Math.max(0, position - this.#forgotten)
    return this.#events.slice(begin, begin + limit)
  }

  /** Drops the oldest events, and tells how many that were. */
  forget(until: Expired["eventsUntil"], limit: number): number {
    if (until === undefined) return 0
    const kept = this.#events.findIndex(
      ({ event, position }) => position > until.position || DateTime.isGreaterThan(event.at, until.at)
    )
    const dropped = Math.max(0, Math.min(limit, kept < 0 ? this.#events.length : kept))
    this.#events.splice(0, dropped)
    this.#forgotten += dropped
    return dropped
  }
}
