/**
 * The store in one SQLite file: the embedded default. Durable on every commit, one process at a time unless it is opened
 * for several.
 */
import { Store, Unavailable } from "@souk/core"
import type { Constraint } from "@souk/core"
import { DateTime, Effect, Layer, Stream } from "effect"
import { SqlClient } from "effect/sql"
import type { Migrator, SqlError } from "effect/sql"
import type { Dialect } from "./Dialect.ts"
import * as Migrations from "./migrations/Migration.ts"
import { migrations } from "./migrations/sqlite/index.ts"
import * as SqlCommit from "./SqlCommit.ts"
import * as SqlForget from "./SqlForget.ts"
import * as SqlStore from "./SqlStore.ts"
import * as SqliteClient from "./SqliteClient.ts"

/** Says which file holds the market and how it is opened. */
export interface SqliteStoreOptions extends SqliteClient.SqliteClientOptions {
  /**
   * Brings the schema up to date before the store is used. Off by default, since a schema is changed on purpose in
   * production: `ready` tells when it is too old. A `":memory:"` database is always migrated.
   */
  readonly migrate?: boolean
  /**
   * Refuses a second process that opens the file. On by default. Where it is off, what others commit is told and found
   * here when it is looked for, once a second, as on a database of many processes; and who writes waits for those who
   * do, `busyTimeoutMillis` at most, in which his process does nothing else.
   */
  readonly exclusive?: boolean
}

/**
 * Opens the store and closes it with the scope.
 *
 * Fails with `DatabaseInUse` when another process has the file open, and with `MigrationError` when `migrate` does.
 * Throws a `TypeError` that names the option when one is unknown, and where `filename` is missing.
 */
export const layer = (
  options: SqliteStoreOptions
): Layer.Layer<Store, SqliteClient.DatabaseInUse | Migrator.MigrationError | SqlError.SqlError> => {
  check(options)
  const { exclusive = true, filename, migrate: migrates = false, ...rest } = options
  const prepare = migrates || filename === ":memory:" ? migrate : Effect.void
  const others = exclusive ? undefined : Stream.never
  return Layer.effect(Store, Effect.andThen(prepare, migrating(others))).pipe(
    Layer.provide(SqliteClient.layer({ ...rest, filename, exclusive }))
  )
}

/**
 * Makes the store of a client, for hosts that share the client, to back the file up for instance. No other process may
 * write to the file: nothing would be told or found of it here.
 *
 * **Gotchas**
 *
 * A commit inside a transaction of the host's own is as durable as that transaction.
 */
export const make: Effect.Effect<Store["Service"], never, SqlClient.SqlClient> = Effect.map(
  SqlClient.SqlClient,
  (sql) => {
    const dialect = dialectOf(sql)
    return SqlStore.make(
      sql,
      dialect,
      SqlCommit.make(sql, dialect),
      SqlForget.dropEventsInSteps(sql, dialect)
    )
  }
)

/**
 * Brings the schema up to date and tells which migrations that took: all of them or none. Safe to run twice, and by
 * two processes at once.
 */
export const migrate: Effect.Effect<
  ReadonlyArray<readonly [id: number, name: string]>,
  Migrator.MigrationError | SqlError.SqlError,
  SqlClient.SqlClient
> = Effect.suspend(() => Migrations.runAll(migrations, migrationsTable))

export type SchemaStatus = Migrations.SchemaStatus

/** Where the schema of a new file stands. */
export const noSchema: SchemaStatus = Migrations.statusOf(migrations, 0)

/** Tells where the schema stands, and changes nothing. */
export const status: Effect.Effect<SchemaStatus, SqlError.SqlError, SqlClient.SqlClient> = Effect.suspend(
  () =>
    Effect.map(Effect.flatMap(SqlClient.SqlClient, versionOf), (version) =>
      Migrations.statusOf(migrations, version)
    )
)

/**
 * Writes the migrations behind a version as SQL for `sqlite3 -bail`: with 0, all there are. A file that it was run on
 * is as `migrate` leaves it.
 */
export const migrationSql = (behind: number): string => {
  const { pending } = Migrations.statusOf(migrations, behind)
  if (pending.length === 0) return "-- Nothing is pending.\n"
  // As the migrator makes it.
  const table = `CREATE TABLE IF NOT EXISTS ${migrationsTable} (
  migration_id integer PRIMARY KEY NOT NULL,
  created_at datetime NOT NULL DEFAULT current_timestamp,
  name VARCHAR(255) NOT NULL
);`
  return ["BEGIN IMMEDIATE;", table, Migrations.toSql(pending, migrationsTable), "COMMIT;\n"].join("\n\n")
}

/**
 * Makes a copy of a market's file a history of its own: what happens there stands far behind all that has happened in
 * the first since, so no cursor from there skips an event of the copy. To be run once on a copy that `backup` made,
 * before a market runs on it. Leaves a file alone that holds no market.
 */
export const setApart: Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const known = yield* sql`SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'events'`
  if (known.length === 0) return
  const [row] = yield* sql<{ readonly seq: number }>`SELECT seq FROM sqlite_sequence WHERE name = 'events'`
  const next = { name: "events", seq: (row?.seq ?? 0) + positionsApart }
  yield* sql`DELETE FROM sqlite_sequence WHERE name = 'events'`
  yield* sql`INSERT INTO sqlite_sequence ${sql.insert(next)}`
}).pipe((change) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(change)))

// -----------------------------------------------------------------------------

/** More events than a market has between a copy and the day when one goes back to it. */
const positionsApart = 2 ** 32

const optionNames: Readonly<Record<keyof Required<SqliteStoreOptions>, true>> = {
  filename: true,
  migrate: true,
  exclusive: true,
  busyTimeoutMillis: true,
  synchronous: true,
  readOnly: true
}

/** Not every host is written in TypeScript, and names come from the environment. */
const check = (options: unknown): void => {
  const unknown = Object.keys(Object(options)).find((name) => !Object.hasOwn(optionNames, name))
  if (unknown !== undefined)
    throw new TypeError(`${unknown} is not an option. There are ${Object.keys(optionNames).join(", ")}.`)
  const filename: unknown = Reflect.get(Object(options), "filename")
  if (typeof filename !== "string" || filename === "")
    throw new TypeError('filename must be the path of a file, or ":memory:".')
}

/** The store, and its schema brought up to date by the connection that it has. */
const migrating = Effect.fnUntraced(function* (signals: Store["Service"]["events"]["signals"]) {
  const sql = yield* SqlClient.SqlClient
  const store = yield* make
  return Store.of({
    ...store,
    events: { ...store.events, signals },
    migrate: migrate.pipe(
      Effect.mapBoth({ onSuccess: (done) => done.map(([, name]) => name), onFailure: Unavailable.because }),
      Effect.provideService(SqlClient.SqlClient, sql)
    )
  })
})

const migrationsTable = "souk_migrations"

/** By the columns that SQLite names when a unique index refuses a row. */
const constraints: Readonly<Record<string, Constraint>> = {
  "agents.handle": "agent_handle",
  "api_keys.digest": "key_digest",
  "quotes.rfq_id, quotes.agent_id": "active_quote",
  "reviews.room_id, reviews.by_id": "room_review"
}

const versionOf = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const known = yield* sql`SELECT name FROM sqlite_master WHERE name = ${migrationsTable}`
  if (known.length === 0) return 0
  const [row] = yield* sql<{ readonly version: number | null }>`
    SELECT max(migration_id) AS version FROM ${sql(migrationsTable)}`
  return row?.version ?? 0
})

const dialectOf = (sql: SqlClient.SqlClient): Dialect => ({
  table: (name) => sql`${sql(name)}`,
  text: (column) => sql.literal(column),
  millis: (column) => column,
  bind: (value) => (DateTime.isDateTime(value) ? DateTime.toEpochMillis(value) : value),
  json: JSON.stringify,
  isOneOf: (column, values) => sql`${column} IN (SELECT value FROM json_each(${JSON.stringify(values)}))`,
  isNoneOf: (column, values) =>
    sql`${column} NOT IN (SELECT value FROM json_each(${JSON.stringify(values)}))`,
  isFree: sql.literal(""),
  // One commit at a time: positions are given and seen in one order.
  isSettled: sql.literal("TRUE"),
  signals: undefined,
  // Whoever asks a file waits for the disk, which nobody can end.
  inTime: (call) => call,
  constraintOf: (name) => constraints[name],
  schemaVersion: versionOf(sql),
  latestVersion: Migrations.latestOf(migrations)
})
