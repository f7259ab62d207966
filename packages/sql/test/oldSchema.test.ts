/** A market on a database that was not brought up to date: it says so, and starts once that is done. */
import { assert, describe, it } from "@effect/vitest"
import { SchemaOutOfDate } from "@souk/core"
import type { Store } from "@souk/core"
import { createMarketplace } from "@souk/server"
import { Effect } from "effect"
import type { Layer } from "effect"
import { SqlClient } from "effect/sql"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { migrations as ofPostgres } from "../src/migrations/postgres/index.ts"
import { migrations as ofSqlite } from "../src/migrations/sqlite/index.ts"
import * as PostgresStore from "../src/PostgresStore.ts"
import * as SqliteClient from "../src/SqliteClient.ts"
import * as SqliteStore from "../src/SqliteStore.ts"
import { newSchema, openClient, url, usePostgres } from "./fixtures/postgres.ts"
import { build } from "./fixtures/upgrades/levels.ts"

usePostgres()

const expectRefusal = async (store: Layer.Layer<Store, unknown>) => {
  await using market = createMarketplace({ store, rateLimits: "off" })
  assert.instanceOf(await market.ready().catch((error: unknown) => error), SchemaOutOfDate)
  const ask = () => market.fetch(new Request("http://localhost/api/v1/agents/buyer"))
  const refused = await ask()
  assert.strictEqual(refused.status, 503)
  assert.include(await refused.text(), '"code":"schema_out_of_date"')
  assert.isAbove((await market.migrate()).length, 0)
  await market.ready()
  assert.strictEqual((await ask()).status, 200)
}

describe("a market on an old schema", () => {
  it.live("in a SQLite file says so, and starts when it is brought up to date", () =>
    Effect.gen(function* () {
      const directory = yield* Effect.acquireRelease(
        Effect.promise(() => mkdtemp(join(tmpdir(), "souk-old-"))),
        (directory) => Effect.promise(() => rm(directory, { recursive: true }))
      )
      const filename = join(directory, "souk.db")
      yield* build(ofSqlite, "souk_migrations", 3, { dialect: "sqlite", level: 3 }).pipe(
        Effect.provide(SqliteClient.layer({ filename }))
      )
      yield* Effect.promise(() => expectRefusal(SqliteStore.layer({ filename })))
    })
  )

  it.live("in a PostgreSQL schema says so, and starts when it is brought up to date", () =>
    Effect.gen(function* () {
      const [schema, sql] = [yield* newSchema, yield* openClient()]
      yield* sql`CREATE SCHEMA ${sql(schema)}`
      yield* sql`SET LOCAL search_path TO ${sql(schema)}`.pipe(
        Effect.andThen(build(ofPostgres, `${schema}.migrations`, 4, { dialect: "postgres", level: 4 })),
        Effect.provideService(SqlClient.SqlClient, sql),
        sql.withTransaction
      )
      const address = yield* url
      yield* Effect.promise(() => expectRefusal(PostgresStore.layer({ url: address, schema })))
    })
  )
})
