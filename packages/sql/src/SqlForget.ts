/** Forgets in a database what need not be kept any longer: replies that have expired, tasks that have ended, old events. */
import type { Expired, Store } from "@souk/core"
import { Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { ask } from "./Dialect.ts"
import type { Dialect } from "./Dialect.ts"

/**
 * Deletes the oldest events up to the first that is kept, and notes how far; tells how many. One at a time: whoever comes
 * second would note a place with events before it that the first may yet leave there.
 */
export type DropEvents = (
  until: NonNullable<Expired["eventsUntil"]>,
  limit: number
) => Effect.Effect<number, SqlError.SqlError>

/** Makes the `forget` of a store. */
export const make = (
  sql: SqlClient.SqlClient,
  dialect: Dialect,
  dropEvents: DropEvents
): Store["Service"]["forget"] => {
  /** Deletes the oldest rows of which a condition holds, and tells how many that were. */
  const drop = Effect.fnUntraced(function* (
    name: string,
    age: string,
    condition: Statement.Fragment,
    limit: number
  ) {
    if (limit <= 0) return 0
    const table = dialect.table(name)
    // Not a subquery, which a plan may run more than once: then more would go than was asked for.
    const gone = yield* sql`
      WITH old AS MATERIALIZED (
        SELECT id FROM ${table} WHERE ${condition} ORDER BY ${sql(age)}, id LIMIT ${limit} ${dialect.isFree}
      ) DELETE FROM ${table} WHERE id IN (SELECT id FROM old) RETURNING id`
    return gone.length
  })

  return ({ eventsUntil, repliesUntil, tasksUntil }, limit) =>
    Effect.gen(function* () {
      const hasExpired = sql`expires_at <= ${dialect.bind(repliesUntil)}`
      const replies = yield* drop("idempotency", "expires_at", hasExpired, limit)
      const hasEnded = sql`due_at IS NULL AND updated_at <= ${dialect.bind(tasksUntil)}`
      const tasks = yield* drop("tasks", "updated_at", hasEnded, limit - replies)
      const left = limit - replies - tasks
      return (
        replies + tasks + (eventsUntil === undefined || left <= 0 ? 0 : yield* dropEvents(eventsUntil, left))
      )
    }).pipe((work) => ask(dialect, work))
}

/** Drops events in a transaction of some statements. */
export const dropEventsInSteps = (sql: SqlClient.SqlClient, dialect: Dialect): DropEvents => {
  const [feed, events] = [dialect.table("feed"), dialect.table("events")]
  return Effect.fnUntraced(function* (until, limit) {
    const gone = yield* sql<{ readonly position: number | bigint }>`
      WITH old AS MATERIALIZED (
        SELECT position, at FROM ${events} WHERE position <= ${until.position} AND ${dialect.isSettled}
        ORDER BY position LIMIT ${limit}
      ), kept AS (
        SELECT min(position) AS first FROM old WHERE at > ${dialect.bind(until.at)}
      ) DELETE FROM ${events} WHERE position IN (
        SELECT position FROM old, kept WHERE first IS NULL OR position < first
      ) RETURNING position`
    if (gone.length === 0) return 0
    const last = gone.reduce((last, { position }) => Math.max(last, Number(position)), 0)
    yield* sql`UPDATE ${feed} SET forgotten = ${last} WHERE forgotten < ${last}`
    return gone.length
  }, sql.withTransaction)
}
