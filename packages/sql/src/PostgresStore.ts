/**
 * The store on PostgreSQL, for many processes on one database. Durable on every commit that the server is.
 *
 * Needs PostgreSQL 14 or later, and the package `@effect/sql-pg` beside this one.
 */
import { PgClient, PgConnection } from "@effect/sql-pg"
import { SchemaOutOfDate, Store, Unavailable } from "@souk/core"
import type { Constraint } from "@souk/core"
import { DateTime, Duration, Effect, Layer, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, SqlError } from "effect/sql"
import type { Migrator } from "effect/sql"
import { ask } from "./Dialect.ts"
import type { Dialect } from "./Dialect.ts"
import * as Migrations from "./migrations/Migration.ts"
import { migrations } from "./migrations/postgres/index.ts"
import * as PostgresCommit from "./PostgresCommit.ts"
import { configOf } from "./PostgresConnection.ts"
import type { PostgresConnectionOptions } from "./PostgresConnection.ts"
import * as PostgresFeed from "./PostgresFeed.ts"
import * as PostgresReferences from "./PostgresReferences.ts"
import { nameOf } from "./PostgresSchema.ts"
import type { InvalidSchemaName, PostgresSchemaOptions } from "./PostgresSchema.ts"
import * as PostgresSignals from "./PostgresSignals.ts"
import * as SqlStore from "./SqlStore.ts"

export { InvalidSchemaName } from "./PostgresSchema.ts"
export type { PostgresConnectionOptions } from "./PostgresConnection.ts"
export type { PostgresSchemaOptions } from "./PostgresSchema.ts"

/** Says which part of a database holds the market, and how long it may keep a caller waiting. */
export interface PostgresCallOptions extends PostgresSchemaOptions {
  /**
   * How long a call may take, 15 seconds by default: then it is `Unavailable`. A line that is dead, and nobody says so,
   * keeps a caller for five seconds more, in which the driver tries to end what it has sent, and is then given up. A
   * commit waits 10 seconds for others at most, so choose more than that. Migrations take as long as they take.
   */
  readonly answerWithin?: Duration.Input | undefined
}

/** Says where the database is, how it is reached, and which part of it holds the market. */
export interface PostgresStoreOptions extends PostgresCallOptions, PostgresConnectionOptions {
  /**
   * Brings the schema up to date before the store is used. Off by default, since a schema is changed on purpose in
   * production: `ready` tells when it is too old.
   */
  readonly migrate?: boolean | undefined
}

/**
 * Opens the store and closes its connections with the scope. A server that is away is no failure: the store is
 * `Unavailable` until it is there.
 *
 * Fails with `InvalidSchemaName`, and where `migrate` is asked for with what that fails with. Throws a `TypeError` for a
 * `url` that is none.
 */
export const layer = (
  options: PostgresStoreOptions
): Layer.Layer<Store, InvalidSchemaName | Migrator.MigrationError | SqlError.SqlError> => {
  const { answerWithin, migrate: migrates = false, schema, ...connection } = options
  const config = { applicationName: "souk", keepAlive, ...configOf(connection) }
  const prepare = migrates ? migrate({ schema }) : Effect.void
  const signalled = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    // Who listens keeps a connection for itself, which must not be one of those that queries wait for.
    const signals = yield* PostgresSignals.make({
      pg: yield* PgClient.PgClient,
      connect: PgConnection.make(config),
      schema: yield* nameOf({ schema }),
      answerWithin: withinOf(answerWithin)
    })
    const store = yield* make({ schema, answerWithin })
    return Store.of({
      ...store,
      migrate: migrate({ schema }).pipe(
        Effect.mapBoth({ onSuccess: (done) => done.map(([, name]) => name), onFailure: Unavailable.because }),
        Effect.provideService(SqlClient.SqlClient, sql)
      ),
      commit: (commit) =>
        Effect.tap(store.commit(commit), () => (commit.events.length > 0 ? signals.send : Effect.void)),
      events: { ...store.events, signals: signals.heard }
    })
  })
  return Layer.effect(Store, Effect.andThen(prepare, signalled)).pipe(
    Layer.provide([PgClient.layer(config), Reactivity.layer])
  )
}

/**
 * Makes the store of a client, for hosts that share theirs. Other processes are not signalled of its commits, nor this
 * one of theirs: all of them look once a second.
 *
 * **Gotchas**
 *
 * Inside a transaction of the host's own a commit is as durable as that transaction, and one that is refused may spoil
 * it. The client must not transform names.
 */
export const make = (
  options: PostgresCallOptions = {}
): Effect.Effect<Store["Service"], InvalidSchemaName, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const schema = yield* nameOf(options)
    const dialect = dialectOf(sql, schema, withinOf(options.answerWithin))
    const store = SqlStore.make(
      sql,
      dialect,
      PostgresCommit.make(sql, dialect),
      PostgresFeed.dropEvents(sql, dialect)
    )
    const ready = Effect.all([store.ready, takesWrites(sql, dialect), feedGoesOn(sql, dialect)], {
      discard: true
    })
    return { ...store, ready }
  })

/**
 * Brings the schema up to date and tells which migrations that took: all of them or none. Safe to run twice, and by
 * several processes at once. Run it also after a dump was restored, before the market is used.
 */
export const migrate = (
  options: PostgresSchemaOptions = {}
): Effect.Effect<
  ReadonlyArray<readonly [id: number, name: string]>,
  InvalidSchemaName | Migrator.MigrationError | SqlError.SqlError,
  SqlClient.SqlClient
> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const schema = yield* nameOf(options)
    const { table } = dialectOf(sql, schema)
    const run = Effect.gen(function* () {
      // Whoever comes second waits here and finds everything done.
      yield* sql`SELECT pg_advisory_xact_lock(hashtextextended(${lockOf(schema)}, 0))`
      yield* sql`SET LOCAL statement_timeout = 0`
      const found = yield* sql`SELECT 1 FROM pg_namespace WHERE nspname = ${schema}`
      // Not IF NOT EXISTS, which asks for the right to create even where there is nothing to do.
      if (found.length === 0) yield* sql`CREATE SCHEMA ${sql(schema)}`
      yield* sql`SET LOCAL search_path TO ${sql(schema)}`
      const done = yield* Migrations.runAll(migrations, `${schema}.${migrationsTable}`)
      yield* PostgresFeed.goOn(sql, table)
      return done
    })
    // Commits of those who serve meanwhile may touch the tables in another order.
    const done = yield* Effect.retry(sql.withTransaction(run), { while: wasInACircle, times: 10 })
    yield* PostgresReferences.lookThrough(sql, schema)
    return done
  })

/** Tells where the schema stands, and changes nothing. */
export const status = (
  options: PostgresSchemaOptions = {}
): Effect.Effect<Migrations.SchemaStatus, InvalidSchemaName | SqlError.SqlError, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { schemaVersion } = dialectOf(sql, yield* nameOf(options))
    return Migrations.statusOf(migrations, yield* schemaVersion)
  })

/**
 * Writes the migrations behind a version as SQL for `psql -v ON_ERROR_STOP=1`: with 0, all there are. A database that
 * it was run on is as `migrate` leaves it.
 */
export const migrationSql = (
  behind: number,
  options: PostgresSchemaOptions = {}
): Effect.Effect<string, InvalidSchemaName> =>
  Effect.map(nameOf(options), (schema) => {
    const { pending } = Migrations.statusOf(migrations, behind)
    if (pending.length === 0) return "-- Nothing is pending.\n"
    // As the migrator makes it.
    const table = `CREATE TABLE IF NOT EXISTS ${schema}.${migrationsTable} (
  migration_id integer primary key,
  created_at timestamp with time zone not null default now(),
  name text not null
);`
    return [
      "BEGIN;",
      `SELECT pg_advisory_xact_lock(hashtextextended('${lockOf(schema)}', 0));`,
      "SET LOCAL statement_timeout = 0;",
      ...(behind === 0 ? [`CREATE SCHEMA IF NOT EXISTS ${schema};`] : []),
      `SET LOCAL search_path TO ${schema};`,
      table,
      Migrations.toSql(pending, `${schema}.${migrationsTable}`),
      "COMMIT;",
      PostgresReferences.lookThroughSql(schema)
    ].join("\n\n")
  })

// -----------------------------------------------------------------------------

const migrationsTable = "migrations"

/** The operating system asks an idle line whether it is still there, so that a dead one is not found by a caller. */
const keepAlive = Duration.seconds(10)

const withinOf = (answerWithin: Duration.Input = "15 seconds"): Duration.Duration =>
  Duration.fromInputUnsafe(answerWithin)

/** Whether the database undid a migration because it and others waited for each other. */
const wasInACircle = (error: Migrator.MigrationError | SqlError.SqlError): boolean => {
  const cause = error._tag === "MigrationError" ? error.cause : error
  return SqlError.isSqlError(cause) && cause.reason._tag === "DeadlockError"
}

/** Names what those who migrate a schema wait for each other by. */
const lockOf = (schema: string): string => `souk migrate ${schema}`

/** By the names of the constraints and unique indexes. */
const constraints: Readonly<Record<string, Constraint>> = {
  agent_handle: "agent_handle",
  key_digest: "key_digest",
  active_quote: "active_quote",
  room_review: "room_review"
}

const dialectOf = (
  sql: SqlClient.SqlClient,
  schema: string,
  answerWithin: Duration.Duration = withinOf()
): Dialect => {
  const table: Dialect["table"] = (name) => sql`${sql(`${schema}.${name}`)}`
  return {
    table,
    text: (column) => sql.literal(`${column}::text`),
    millis: (column) => sql`(extract(epoch FROM ${column}) * 1000)::bigint`,
    // Text, from which the server makes what the column holds; a commit carries the same in JSON.
    bind: (value) =>
      DateTime.isDateTime(value)
        ? DateTime.formatIso(value)
        : typeof value === "bigint"
          ? String(value)
          : value,
    json: (value) => value,
    isOneOf: (column, values) =>
      sql`${column} = ANY (ARRAY(SELECT json_array_elements_text(${JSON.stringify(values)}::json)))`,
    // Looked up in a hash, where an array would be searched from end to end for every row.
    isNoneOf: (column, values) =>
      sql`${column} NOT IN (SELECT json_array_elements_text(${JSON.stringify(values)}::json))`,
    isFree: sql.literal("FOR UPDATE SKIP LOCKED"),
    isSettled: PostgresFeed.isSettled(sql, table),
    signals: Stream.never,
    inTime: (call) =>
      Effect.timeoutOrElse(call, {
        duration: answerWithin,
        orElse: () => Effect.fail(Unavailable.because(new Error("PostgreSQL did not answer in time.")))
      }),
    constraintOf: (name) => constraints[name],
    schemaVersion: Effect.gen(function* () {
      const known = yield* sql`
        SELECT 1 FROM pg_tables WHERE schemaname = ${schema} AND tablename = ${migrationsTable}`
      if (known.length === 0) return 0
      const [row] = yield* sql<{ readonly version: number | null }>`
        SELECT max(migration_id) AS version FROM ${table(migrationsTable)}`
      return row?.version ?? 0
    }),
    latestVersion: Migrations.latestOf(migrations)
  }
}

const takesWrites = (sql: SqlClient.SqlClient, dialect: Dialect) =>
  Effect.flatMap(
    ask(dialect, sql`SELECT 1 WHERE current_setting('transaction_read_only') = 'on'`),
    (readOnly) =>
      readOnly.length === 0
        ? Effect.void
        : Effect.fail(
            new Unavailable({
              message: "The database takes no writes: it is a replica, or set to be read only."
            })
          )
  )

const feedGoesOn = (sql: SqlClient.SqlClient, dialect: Dialect) =>
  Effect.flatMap(ask(dialect, sql`SELECT 1 WHERE ${PostgresFeed.isAhead(sql, dialect.table)}`), (ahead) =>
    ahead.length === 0
      ? Effect.void
      : Effect.fail(
          new SchemaOutOfDate({ message: "The database was restored from a dump: run `souk migrate`." })
        )
  )
