/** What comes in the order of time: one entry for each id, at the same moment by id. */
import { DateTime } from "effect"
import type { Instant } from "../model/Instant.ts"
import { firstPlace } from "./Order.ts"

export interface Entry {
  readonly id: string
  readonly at: Instant
}

export class Agenda<E extends Entry> {
  readonly #known = new Map<string, E>()
  readonly #order: Array<E> = []

  get first(): E | undefined {
    return this.#order[0]
  }

  /** Notes an entry in place of the one of the same id. */
  put(entry: E): void {
    this.drop(entry.id)
    this.#known.set(entry.id, entry)
    this.#order.splice(this.#placeOf(entry), 0, entry)
  }

  drop(id: string): void {
    const former = this.#known.get(id)
    if (former === undefined) return
    this.#order.splice(this.#placeOf(former), 1)
    this.#known.delete(id)
  }

  /** Those that have come at a moment. */
  due(until: Instant, limit: number): ReadonlyArray<E> {
    return this.#order.slice(0, Math.min(limit, this.countUpTo(until)))
  }

  countUpTo(moment: Instant): number {
    return this.#firstPlace(({ at }) => !DateTime.isGreaterThan(at, moment))
  }

  /** Walks those that have come at a moment. */
  *upTo(moment: Instant): Generator<E> {
    for (const entry of this.#order) {
      if (DateTime.isGreaterThan(entry.at, moment)) return
      yield entry
    }
  }

  #placeOf(entry: E): number {
    return this.#firstPlace((other) => precedes(other, entry))
  }

  #firstPlace(isBefore: (entry: E) => boolean): number {
    return firstPlace(this.#order.length, (place) => {
      const entry = this.#order[place]
      return entry !== undefined && isBefore(entry)
    })
  }
}

const precedes = (a: Entry, b: Entry): boolean =>
  DateTime.isLessThan(a.at, b.at) || (DateTime.Equivalence(a.at, b.at) && a.id < b.id)
