/** The deadlines of the market in the order in which they come. */
import type { Deadline, DeadlineNote } from "../model/Change.ts"
import type { Instant } from "../model/Instant.ts"
import type { Overdue } from "../ports/Store.ts"
import { Agenda } from "./Agenda.ts"

export class Deadlines {
  readonly #agenda = new Agenda<Deadline>()

  /** Notes a deadline in place of the one that the entity had. */
  write({ at, id, kind }: DeadlineNote): void {
    if (at === null) this.#agenda.drop(id)
    else this.#agenda.put({ kind, id, at })
  }

  due(until: Instant, limit: number): ReadonlyArray<Deadline> {
    return this.#agenda.due(until, limit)
  }

  next(): Instant | undefined {
    return this.#agenda.first?.at
  }

  overdue(now: Instant): Overdue {
    const count = this.#agenda.countUpTo(now)
    return { count, since: count === 0 ? undefined : this.next() }
  }
}
