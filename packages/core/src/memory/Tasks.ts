/** The tasks that are to be done, in the order in which they are due. */
import { DateTime } from "effect"
import type { Instant } from "../model/Instant.ts"
import type { Task } from "../model/Task.ts"
import type { Table } from "./Table.ts"

/** The tasks of a kind, or of a queue, that have not ended. */
export const tasksIn = (tasks: Table<Task>, kindOrQueue: string): ReadonlyArray<Task> =>
  tasks.all(`pending/${kindOrQueue}`)

/** Those that are due at a moment (all of them where none is given), the longest waiting first, then by id. */
export const tasksDue = (pending: ReadonlyArray<Task>, until?: Instant): ReadonlyArray<Task> =>
  pending
    .filter(({ dueAt }) => dueAt !== null && (until === undefined || !DateTime.isGreaterThan(dueAt, until)))
    .toSorted((a, b) => millis(a) - millis(b) || (a.id < b.id ? -1 : 1))

const millis = ({ dueAt }: Task): number => (dueAt === null ? Infinity : DateTime.toEpochMillis(dueAt))
