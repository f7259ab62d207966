/** The databases that the command knows: where each is, what the market is kept in, and how it is brought up to date. */
import { PgClient } from "@effect/sql-pg"
import { MemoryStore } from "@souk/core"
import type { Store } from "@souk/core"
import { RedisRateLimits } from "@souk/server/redis"
import { SqliteClient, SqliteStore } from "@souk/sql"
import { PostgresRateLimits, PostgresStore } from "@souk/sql/postgres"
import { Effect, Layer, Option, Redacted } from "effect"
import type { Migrator, SqlError } from "effect/sql"
import { existsSync } from "node:fs"

/** Where a database is; a file by its absolute path. */
export type DatabaseAt =
  | { readonly _tag: "Memory" }
  | { readonly _tag: "Sqlite"; readonly filename: string }
  | { readonly _tag: "Postgres"; readonly url: Redacted.Redacted }

/** A database, and the part of it that holds the market. */
export type Database =
  | Exclude<DatabaseAt, { readonly _tag: "Postgres" }>
  | (Extract<DatabaseAt, { readonly _tag: "Postgres" }> & { readonly schema: string })

export type DatabaseFailure =
  | Migrator.MigrationError
  | SqlError.SqlError
  | PostgresStore.InvalidSchemaName
  | SqliteClient.DatabaseInUse

/** The store on a database. A file of its own is brought up to date by itself; a server's schema is changed on purpose. */
export const storeOf = (database: Database): Layer.Layer<Store, DatabaseFailure> => {
  switch (database._tag) {
    case "Memory":
      return MemoryStore.layer
    case "Sqlite":
      return SqliteStore.layer({ filename: database.filename, migrate: true })
    case "Postgres":
      return PostgresStore.layer({ url: database.url, schema: database.schema })
  }
}

/** Where the nodes on a database count requests together; nothing where there can be but one, and no Redis is named. */
export const rateLimitsOf = (
  database: Database,
  redis: Option.Option<RedisRateLimits.RedisRateLimitsOptions>
) => {
  if (Option.isSome(redis)) return { rateLimitStore: RedisRateLimits.layer(redis.value) }
  return database._tag === "Postgres"
    ? { rateLimitStore: PostgresRateLimits.layer({ url: database.url, schema: database.schema }) }
    : {}
}

/** What can be done with the schema of a database. */
export interface DatabaseSchema {
  /** Tells where it stands, and changes nothing. */
  readonly status: Effect.Effect<SqliteStore.SchemaStatus, DatabaseFailure>
  /** Brings it up to date, and tells which migrations that took. */
  readonly migrate: Effect.Effect<ReadonlyArray<readonly [id: number, name: string]>, DatabaseFailure>
  /** Writes the migrations behind a version as SQL. */
  readonly sql: (behind: number) => Effect.Effect<string, DatabaseFailure>
}

/** The schema of a database that has one. */
export const schemaOf = (database: Exclude<Database, { readonly _tag: "Memory" }>): DatabaseSchema => {
  if (database._tag === "Sqlite") {
    const { filename } = database
    const look = Effect.provide(SqliteStore.status, SqliteClient.layer({ filename, readOnly: true }))
    return {
      // A look makes no file.
      status: Effect.suspend(() => (existsSync(filename) ? look : Effect.succeed(SqliteStore.noSchema))),
      migrate: Effect.provide(SqliteStore.migrate, SqliteClient.layer({ filename, exclusive: true })),
      sql: (behind) => Effect.succeed(SqliteStore.migrationSql(behind))
    }
  }
  const { schema, url } = database
  const client = PgClient.layer({ url, applicationName: "souk migrate" })
  return {
    status: Effect.provide(PostgresStore.status({ schema }), client),
    migrate: Effect.provide(PostgresStore.migrate({ schema }), client),
    sql: (behind) => PostgresStore.migrationSql(behind, { schema })
  }
}

/** Names a database for people, without what a URL may hold of secrets. */
export const placeOf = (database: Database): string => {
  switch (database._tag) {
    case "Memory":
      return "memory, until the process ends"
    case "Sqlite":
      return database.filename
    case "Postgres": {
      const { host, pathname } = new URL(Redacted.value(database.url))
      return `the schema ${database.schema} of postgres://${host}${pathname}`
    }
  }
}
