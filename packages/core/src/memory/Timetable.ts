/**
 * The tasks by their time: what is to be done in the order in which it is due, in each queue and across the queues of
 * a kind, and what has ended in the order in which it did.
 */
import type { Instant } from "../model/Instant.ts"
import type { Task, WorkKind } from "../model/Task.ts"
import type { Overdue } from "../ports/Store.ts"
import { Agenda } from "./Agenda.ts"
import type { Entry } from "./Agenda.ts"

export class Timetable {
  /** The tasks of a queue that are to be done, by the queue's name. */
  readonly #queues = new Map<string, Agenda<Entry>>()
  /** The same, for each kind of work by itself. */
  readonly #queuesOfKind = new Map<string, Agenda<Entry>>()
  /** The queues that have something to be done of a kind, each at the moment of its first task. */
  readonly #heads = new Map<WorkKind, Agenda<Entry>>()
  readonly #ended = new Agenda<Entry>()

  /** Notes what has become of a task. */
  follow(previous: Task | undefined, next: Task | undefined): void {
    if (previous !== undefined) this.#leave(previous)
    if (next !== undefined) this.#enter(next)
  }

  /** The ids of the tasks of a queue that are due. */
  due(queue: string, until: Instant, limit: number): ReadonlyArray<string> {
    return idsOf(this.#queues.get(queue)?.due(until, limit))
  }

  queuesDue(
    kind: WorkKind,
    until: Instant,
    except: ReadonlyArray<string>,
    limit: number
  ): ReadonlyArray<string> {
    const excepted = new Set(except)
    const queues: Array<string> = []
    for (const { id } of this.#heads.get(kind)?.upTo(until) ?? []) {
      if (queues.length === limit) break
      if (!excepted.has(id)) queues.push(id)
    }
    return queues
  }

  next(kind: WorkKind): Instant | undefined {
    return this.#heads.get(kind)?.first?.at
  }

  /** Counts the tasks of a kind that are due. */
  overdue(kind: WorkKind, now: Instant): Overdue {
    const heads = [...(this.#heads.get(kind)?.upTo(now) ?? [])]
    const counts = heads.map(({ id }) => this.#queuesOfKind.get(nameOf(kind, id))?.countUpTo(now) ?? 0)
    return { count: counts.reduce((sum, count) => sum + count, 0), since: heads[0]?.at }
  }

  /** The ids of the tasks that ended and did not change after a moment, the oldest first. */
  endedUpTo(moment: Instant, limit: number): ReadonlyArray<string> {
    return idsOf(this.#ended.due(moment, limit))
  }

  #enter({ dueAt, id, queue, updatedAt, work }: Task): void {
    if (dueAt === null) return this.#ended.put({ id, at: updatedAt })
    agendaOf(this.#queues, queue).put({ id, at: dueAt })
    agendaOf(this.#queuesOfKind, nameOf(work.kind, queue)).put({ id, at: dueAt })
    this.#moveHead(work.kind, queue)
  }

  #leave({ dueAt, id, queue, work }: Task): void {
    if (dueAt === null) return this.#ended.drop(id)
    dropFrom(this.#queues, queue, id)
    dropFrom(this.#queuesOfKind, nameOf(work.kind, queue), id)
    this.#moveHead(work.kind, queue)
  }

  #moveHead(kind: WorkKind, queue: string): void {
    const head = this.#queuesOfKind.get(nameOf(kind, queue))?.first
    const heads = agendaOf(this.#heads, kind)
    if (head === undefined) heads.drop(queue)
    else heads.put({ id: queue, at: head.at })
  }
}

const nameOf = (kind: WorkKind, queue: string): string => `${kind}/${queue}`

const agendaOf = <K>(agendas: Map<K, Agenda<Entry>>, name: K): Agenda<Entry> => {
  const known = agendas.get(name)
  if (known !== undefined) return known
  const agenda = new Agenda<Entry>()
  agendas.set(name, agenda)
  return agenda
}

/** Drops an entry, and an agenda with its last one: queues come and go. */
const dropFrom = (agendas: Map<string, Agenda<Entry>>, name: string, id: string): void => {
  const agenda = agendas.get(name)
  agenda?.drop(id)
  if (agenda?.first === undefined) agendas.delete(name)
}

const idsOf = (entries: ReadonlyArray<Entry> = []): ReadonlyArray<string> => entries.map(({ id }) => id)
