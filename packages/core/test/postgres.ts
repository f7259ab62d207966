/** A PostgreSQL server for the tests of a file, with a schema for each market. */
import { PgClient } from "@effect/sql-pg"
import { PostgresStore } from "@souk/sql/postgres"
import { Effect, Redacted } from "effect"
import { afterAll, beforeAll } from "vitest"
import { startPostgres } from "../../../test/Postgres.ts"
import type { Postgres } from "../../../test/Postgres.ts"

let server: Postgres | undefined
let schemas = 0

/** Starts a server for the tests of a file. */
export const usePostgres = (): void => {
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server?.stop())
}

/** Makes a schema for a market, and says where it is. */
export const newSchema = Effect.gen(function* () {
  const place = { url: Redacted.make(server?.url ?? ""), schema: `souk_${++schemas}` }
  yield* Effect.provide(PostgresStore.migrate(place), PgClient.layer({ url: place.url }))
  return place
})
