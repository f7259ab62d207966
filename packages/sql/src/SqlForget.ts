/** Forgets in a database what need not be kept any longer: replies that have expired, tasks that have ended. */
import { Unavailable } from "@souk/core"
import type { Store } from "@souk/core"
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { Dialect } from "./Dialect.ts"

/** Makes the `forget` of a store. */
export const make = (sql: SqlClient.SqlClient, dialect: Dialect): Store["Service"]["forget"] => {
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

  return ({ repliesUntil, tasksUntil }, limit) =>
    Effect.gen(function* () {
      const hasExpired = sql`expires_at <= ${dialect.bind(repliesUntil)}`
      const replies = yield* drop("idempotency", "expires_at", hasExpired, limit)
      const hasEnded = sql`due_at IS NULL AND updated_at <= ${dialect.bind(tasksUntil)}`
      return replies + (yield* drop("tasks", "updated_at", hasEnded, limit - replies))
    }).pipe(Effect.mapError(Unavailable.because))
}
