/** What migrations are, how they are run, and how they are told to people. */
import { Effect } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"

/** A step of the schema: statements that are run in their order, one a call. */
export interface Migration {
  readonly id: number
  readonly name: string
  readonly statements: ReadonlyArray<string>
}

/** Where the schema of a database stands. */
export interface SchemaStatus {
  /** The number of the last migration that was run, 0 when there was none. */
  readonly version: number
  /** The number of the last migration that this version of the code knows. */
  readonly latest: number
  /** What is still to be run, in its order. */
  readonly pending: ReadonlyArray<Migration>
}

/** Tells where a schema stands that has come so far. */
export const statusOf = (migrations: ReadonlyArray<Migration>, version: number): SchemaStatus => ({
  version,
  latest: latestOf(migrations),
  pending: migrations.filter(({ id }) => id > version)
})

/** The number of the last migration. */
export const latestOf = (migrations: ReadonlyArray<Migration>): number => migrations.at(-1)?.id ?? 0

/** Runs what is pending, and notes it in a table of the migrator's: all of it or nothing. */
export const runAll = (
  migrations: ReadonlyArray<Migration>,
  table: string
): Effect.Effect<
  ReadonlyArray<readonly [id: number, name: string]>,
  Migrator.MigrationError | SqlError.SqlError,
  SqlClient.SqlClient
> =>
  Migrator.make({})({
    loader: Effect.succeed(
      migrations.map(({ id, name, statements }) => [id, name, Effect.succeed(run(statements))] as const)
    ),
    table
  })

/** Writes migrations as SQL that notes them as run, so that nobody runs them a second time. */
export const toSql = (migrations: ReadonlyArray<Migration>, table: string): string =>
  migrations
    .map(({ id, name, statements }) =>
      [
        `-- ${id} ${name}`,
        // First, so that what is run twice fails before anything else does.
        `INSERT INTO ${table} (migration_id, name) VALUES (${id}, '${name}');`,
        ...statements.map((statement) => `${statement.trim()};`)
      ].join("\n\n")
    )
    .join("\n\n")

// -----------------------------------------------------------------------------

const run = (statements: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.forEach(statements, (statement) => sql.unsafe(statement).unprepared, { discard: true })
  )
