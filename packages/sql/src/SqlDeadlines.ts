/** The deadlines in a database: which have come, and when the next one does. */
import { DeadlineKind } from "@souk/core"
import type { Deadline, Store } from "@souk/core"
import { DateTime, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { ask, momentOf } from "./Dialect.ts"
import type { Dialect, Millis } from "./Dialect.ts"

export const make = (sql: SqlClient.SqlClient, dialect: Dialect): Store["Service"]["deadlines"] => {
  const deadlines = dialect.table("deadlines")
  const at = dialect.millis(sql.literal("at"))
  const soonest = dialect.millis(sql.literal("min(at)"))

  return {
    due: (until, limit) =>
      sql<Row>`
        SELECT kind, id, ${at} AS at FROM ${deadlines} WHERE at <= ${dialect.bind(until)}
        ORDER BY at, id LIMIT ${limit}`.pipe(
        Effect.map((rows) => rows.flatMap(deadlineOf)),
        (question) => ask(dialect, question)
      ),
    next: sql<{ readonly at: Millis | null }>`SELECT ${soonest} AS at FROM ${deadlines}`.pipe(
      Effect.map(([row]) => momentOf(row?.at)),
      (question) => ask(dialect, question)
    ),
    overdue: (now) =>
      sql<{ readonly count: number | bigint; readonly at: Millis | null }>`
        SELECT count(*) AS count, ${soonest} AS at FROM ${deadlines} WHERE at <= ${dialect.bind(now)}`.pipe(
        Effect.map(([row]) => ({ count: Number(row?.count ?? 0), since: momentOf(row?.at) })),
        (question) => ask(dialect, question)
      )
  }
}

// -----------------------------------------------------------------------------

interface Row {
  readonly kind: string
  readonly id: string
  readonly at: Millis
}

/** What a newer version of the market notes of kinds that this one does not know is left to it. */
const deadlineOf = ({ at, id, kind }: Row): ReadonlyArray<Deadline> =>
  isKnown(kind) ? [{ kind, id, at: DateTime.makeUnsafe(Number(at)) }] : []

const isKnown = Schema.is(DeadlineKind)
