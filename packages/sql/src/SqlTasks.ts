/**
 * The tasks in a database: which queues have work that is due, when there will be some, and how
 * much there is.
 *
 * Of a queue with thousands of tasks only the first one counts. So `tasks_due_by_kind_and_queue` is not read from its
 * beginning to its end: each step leaps from a queue to the next, and costs what finding one row costs.
 */
import type { Store } from "@souk/core"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { ask, momentOf } from "./Dialect.ts"
import type { Dialect, Millis } from "./Dialect.ts"

type Tasks = Store["Service"]["tasks"]

export const make = (
  sql: SqlClient.SqlClient,
  dialect: Dialect
): Pick<Tasks, "queuesDue" | "next" | "overdue"> => {
  const tasks = dialect.table("tasks")

  return {
    queuesDue: (kind, until, except, limit) => {
      const ofKind = sql`FROM ${tasks} AS t WHERE t.kind = ${kind} AND t.due_at IS NOT NULL`
      const isOther = dialect.isNoneOf(sql`q.queue`, except)
      const queues = sql<{ readonly queue: string }>`
        WITH RECURSIVE queues (queue) AS (
          SELECT (SELECT t.queue ${ofKind} ORDER BY t.queue LIMIT 1)
          UNION ALL
          SELECT (SELECT t.queue ${ofKind} AND t.queue > q.queue ORDER BY t.queue LIMIT 1)
          FROM queues AS q WHERE q.queue IS NOT NULL
        ), heads AS (
          SELECT q.queue, (SELECT t.due_at ${ofKind} AND t.queue = q.queue ORDER BY t.due_at LIMIT 1) AS due_at
          FROM queues AS q WHERE q.queue IS NOT NULL AND ${isOther}
        )
        SELECT queue FROM heads WHERE due_at <= ${dialect.bind(until)} ORDER BY due_at, queue LIMIT ${limit}`
      return ask(
        dialect,
        Effect.map(queues, (rows) => rows.map(({ queue }) => queue))
      )
    },
    next: (kind) =>
      sql<{ readonly at: Millis | null }>`
        SELECT ${dialect.millis(sql.literal("min(due_at)"))} AS at FROM ${tasks}
        WHERE kind = ${kind} AND due_at IS NOT NULL`.pipe(
        Effect.map(([row]) => momentOf(row?.at)),
        (question) => ask(dialect, question)
      ),
    overdue: (kind, now) =>
      sql<{ readonly count: number | bigint; readonly at: Millis | null }>`
        SELECT count(*) AS count, ${dialect.millis(sql.literal("min(due_at)"))} AS at FROM ${tasks}
        WHERE kind = ${kind} AND due_at <= ${dialect.bind(now)}`.pipe(
        Effect.map(([row]) => ({ count: Number(row?.count ?? 0), since: momentOf(row?.at) })),
        (question) => ask(dialect, question)
      )
  }
}
