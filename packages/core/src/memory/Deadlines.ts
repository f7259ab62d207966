/** The deadlines of the market in the order in which they come. */
import { DateTime } from "effect"
import type { Deadline, DeadlineNote } from "../model/Change.ts"
import type { Instant } from "../model/Instant.ts"
import type { Overdue } from "../ports/Store.ts"
import { firstPlace } from "./Order.ts"

export class Deadlines {
  readonly #known = new Map<string, Deadline>()
  readonly #order: Array<Deadline> = []

  /** Notes a deadline in place of the one that the entity had. */
  write({ at, id, kind }: DeadlineNote): void {
    const former = this.#known.get(id)
    if (former !== undefined) this.#order.splice(this.#placeOf(former), 1)
    this.#known.delete(id)
    if (at === null) return
    const deadline: Deadline = { kind, id, at }
    this.#known.set(id, deadline)
    this.#order.splice(this.#placeOf(deadline), 0, deadline)
  }

  due(until: Instant, limit: number): ReadonlyArray<Deadline> {
    return this.#order.slice(0, Math.min(limit, this.#countUpTo(until)))
  }

  next(): Instant | undefined {
    return this.#order[0]?.at
  }

  overdue(now: Instant): Overdue {
    const count = this.#countUpTo(now)
    return { count, since: count === 0 ? undefined : this.next() }
  }

  #countUpTo(moment: Instant): number {
    return this.#firstPlace(({ at }) => !DateTime.isGreaterThan(at, moment))
  }

  #placeOf(deadline: Deadline): number {
    return this.#firstPlace((other) => precedes(other, deadline))
  }

  #firstPlace(isBefore: (deadline: Deadline) => boolean): number {
    return firstPlace(this.#order.length, (place) => {
      const deadline = this.#order[place]
      return deadline !== undefined && isBefore(deadline)
    })
  }
}

const precedes = (a: Deadline, b: Deadline): boolean =>
  DateTime.isLessThan(a.at, b.at) || (DateTime.Equivalence(a.at, b.at) && a.id < b.id)
