/**
 * Commits to a database in the process: the checks, the reply, the writes and the events, statement by statement in
 * one transaction.
 *
 * Documents are encoded before the transaction begins, so nothing but statements runs inside it.
 */
import { StaleVersion, Unavailable, UniqueViolation } from "@souk/core"
import type { Commit, CommitFailure, CommitReceipt, Reliance } from "@souk/core"
import { Array as Arr, Effect, Result } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { Dialect } from "./Dialect.ts"
import { prepare } from "./Prepared.ts"
import type { Bound, Note, Prepared, Reply, Row, Side } from "./Prepared.ts"
import { tables } from "./Tables.ts"

/** Makes the `commit` of a store. */
export const make = (
  sql: SqlClient.SqlClient,
  dialect: Dialect
): ((commit: Commit) => Effect.Effect<CommitReceipt, CommitFailure>) => {
  const check = Effect.fnUntraced(function* ({ id, kind, version }: Reliance) {
    const [row] = yield* sql<{ readonly version: number }>`
      SELECT version FROM ${sql(tables[kind].name)} WHERE id = ${id}`
    if (row?.version !== version) return yield* new StaleVersion({ kind, id })
  })

  const insert = Effect.fnUntraced(function* ({ columns, id, kind, sides }: Row) {
    // Whatever else an entry clashes with, its writer had not seen the head of the transcript.
    const known = kind === "entry" ? sql`` : sql`(id)`
    const inserted = yield* sql`
      INSERT INTO ${sql(tables[kind].name)} ${sql.insert(columns)} ON CONFLICT ${known} DO NOTHING RETURNING id`
    if (inserted.length === 0) return yield* new StaleVersion({ kind, id })
    for (const side of sides) yield* addRows(side)
  })

  const update = Effect.fnUntraced(function* ({ columns, id, kind, sides }: Row, replaces: number) {
    const updated = yield* sql`
      UPDATE ${sql(tables[kind].name)} SET ${sql.update(columns, ["id"])}
      WHERE id = ${id} AND version = ${replaces} RETURNING id`
    if (updated.length === 0) return yield* new StaleVersion({ kind, id })
    for (const side of sides) {
      yield* removeOtherRows(side, id)
      yield* addRows(side)
    }
  })

  const addRows = ({ name, rows }: Side) =>
    Arr.isReadonlyArrayNonEmpty(rows)
      ? sql`INSERT INTO ${sql(name)} ${sql.insert(rows)} ON CONFLICT DO NOTHING`
      : Effect.void

  /** Removes what is no longer so and leaves the rest, which is mostly all of it. */
  const removeOtherRows = ({ name, owner, rows }: Side, id: string) => {
    const old = sql`DELETE FROM ${sql(name)} WHERE ${sql(owner)} = ${id}`
    if (!Arr.isReadonlyArrayNonEmpty(rows)) return old
    const names = sql.csv(Object.keys(rows[0]))
    const values = sql.csv(rows.map((row) => sql`${sql.in(Object.values(row))}`))
    return sql`${old} AND (${names}) NOT IN (VALUES ${values})`
  }

  /** Keeps a reply in place of an expired one of the same id, and forgets some others that have expired. */
  const keep = Effect.fnUntraced(function* ({ createdAt, row }: Reply) {
    yield* sql`
      DELETE FROM idempotency WHERE id IN (
        SELECT id FROM idempotency WHERE expires_at <= ${createdAt} ORDER BY expires_at LIMIT 8)`
    const kept = yield* sql`
      INSERT INTO idempotency ${sql.insert(row)} ON CONFLICT (id)
      DO UPDATE SET expires_at = excluded.expires_at, document = excluded.document
      WHERE idempotency.expires_at <= ${createdAt} RETURNING id`
    if (kept.length === 0) return yield* new UniqueViolation({ constraint: "idempotency" })
  })

  /** Notes a deadline in place of the one that the entity had. */
  const note = ({ at, id, kind }: Note) =>
    at === null
      ? sql`DELETE FROM deadlines WHERE id = ${id}`
      : sql`
          INSERT INTO deadlines ${sql.insert({ id, kind, at })}
          ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, at = excluded.at`

  /** Appends events and gives the position of the newest. */
  const append = Effect.fnUntraced(function* (events: ReadonlyArray<Bound>) {
    for (const some of Arr.chunksOf(events, eventsInStatement)) {
      yield* sql`INSERT INTO events ${sql.insert(some)}`
    }
    const [row] = yield* sql<{ readonly position: number }>`
      SELECT coalesce(max(position), (SELECT forgotten FROM feed)) AS position FROM events`
    return row?.position ?? 0
  })

  const write = Effect.fnUntraced(function* ({ deadlines, events, reliesOn, reply, writes }: Prepared) {
    // Where the driver is synchronous, commits that queue would run as one, and signals and reads wait for the last.
    yield* Effect.yieldNow
    for (const reliance of reliesOn) yield* check(reliance)
    if (reply !== undefined) yield* keep(reply)
    for (const row of writes) yield* row.replaces === null ? insert(row) : update(row, row.replaces)
    for (const deadline of deadlines) yield* note(deadline)
    return { position: yield* append(events) }
  })

  return (commit) =>
    Effect.suspend(() => {
      const prepared = prepare(dialect, commit)
      return Result.isFailure(prepared)
        ? Effect.fail(Unavailable.because(prepared.failure))
        : Effect.catchTag(sql.withTransaction(write(prepared.success)), "SqlError", (error) =>
            Effect.fail(refusalOf(dialect, error))
          )
    })
}

/** What a database's refusal of a commit means. */
export const refusalOf = (dialect: Dialect, error: SqlError.SqlError): UniqueViolation | Unavailable => {
  const constraint =
    error.reason._tag === "UniqueViolation" ? dialect.constraintOf(error.reason.constraint) : undefined
  return constraint === undefined ? Unavailable.because(error) : new UniqueViolation({ constraint })
}

// -----------------------------------------------------------------------------

/** Keeps the number of parameters far below what any database allows. */
const eventsInStatement = 200
