/** A process dies in the middle of a migration: the database is as it was before, and the next one finds it free. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { migrations as ofPostgres } from "../src/migrations/postgres/index.ts"
import { migrations as ofSqlite } from "../src/migrations/sqlite/index.ts"
import * as PostgresStore from "../src/PostgresStore.ts"
import * as SqliteClient from "../src/SqliteClient.ts"
import * as SqliteStore from "../src/SqliteStore.ts"
import { newSchema, openClient, url, usePostgres } from "./fixtures/postgres.ts"
import { build } from "./fixtures/upgrades/levels.ts"

usePostgres()

/** In the migration of the matches and tasks, behind tables that it has made. */
const middle = "CREATE INDEX tasks_due_by_kind "

/** Runs a process that migrates a database and is killed half-way. */
const dieMigrating = (...place: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const fixture = fileURLToPath(new URL("fixtures/dieMigrating.ts", import.meta.url))
    const child = spawn(process.execPath, ["--conditions=source", fixture, middle, ...place], {
      stdio: ["ignore", "inherit", "inherit"]
    })
    const ended: ReadonlyArray<unknown> = await once(child, "close")
    assert.deepStrictEqual(ended, [null, "SIGKILL"])
  })

describe("a migration whose process is killed half-way", () => {
  it.live("leaves a SQLite file as it was, and the next one does it all", () =>
    Effect.gen(function* () {
      const directory = yield* Effect.acquireRelease(
        Effect.promise(() => mkdtemp(join(tmpdir(), "souk-killed-"))),
        (directory) => Effect.promise(() => rm(directory, { recursive: true }))
      )
      const filename = join(directory, "souk.db")
      yield* build(ofSqlite, "souk_migrations", 2, { dialect: "sqlite", level: 2 }).pipe(
        Effect.provide(SqliteClient.layer({ filename }))
      )
      yield* dieMigrating(filename)
      const sql = yield* Effect.provide(SqliteClient.make({ filename }), Reactivity.layer)
      const run = Effect.provideService(SqlClient.SqlClient, sql)
      assert.strictEqual((yield* run(SqliteStore.status)).version, 2)
      assert.deepStrictEqual(
        yield* sql`SELECT name FROM sqlite_master WHERE name IN ('requests', 'matches', 'tasks')`,
        []
      )
      assert.strictEqual((yield* run(SqliteStore.migrate)).length, ofSqlite.length - 2)
      yield* (yield* run(SqliteStore.make)).ready
    })
  )

  it.live("leaves a PostgreSQL schema as it was, and the next one does it all", () =>
    Effect.gen(function* () {
      const [schema, sql] = [yield* newSchema, yield* openClient()]
      const run = Effect.provideService(SqlClient.SqlClient, sql)
      yield* sql`CREATE SCHEMA ${sql(schema)}`
      yield* sql`SET LOCAL search_path TO ${sql(schema)}`.pipe(
        Effect.andThen(run(build(ofPostgres, `${schema}.migrations`, 3, { dialect: "postgres", level: 3 }))),
        sql.withTransaction
      )
      yield* dieMigrating(Redacted.value(yield* url), schema)
      assert.strictEqual((yield* run(PostgresStore.status({ schema }))).version, 3)
      assert.deepStrictEqual(
        yield* sql`
          SELECT tablename FROM pg_tables
          WHERE schemaname = ${schema} AND tablename IN ('requests', 'matches', 'tasks')`,
        []
      )
      assert.strictEqual((yield* run(PostgresStore.migrate({ schema }))).length, ofPostgres.length - 3)
      yield* (yield* run(PostgresStore.make({ schema }))).ready
    })
  )
})
