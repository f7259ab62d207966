/** Runs the conformance suite on a PostgreSQL server of its own. */
import { PostgresStore } from "@souk/sql/postgres"
import { storeConformance } from "@souk/testing/conformance"
import type { StoreConformanceOptions } from "@souk/testing/conformance"
import { Effect, Layer, Redacted } from "effect"
import { afterAll, beforeAll } from "vitest"
import { startPostgres } from "../../../test/Postgres.ts"
import type { Postgres, PostgresVersion } from "../../../test/Postgres.ts"

export const postgresConformance = (
  version: PostgresVersion,
  options: StoreConformanceOptions = {}
): void => {
  let server: Postgres | undefined
  let schemas = 0

  beforeAll(async () => {
    server = await startPostgres({ version })
  })
  afterAll(() => server?.stop())

  /** A store in a schema of its own. */
  const inNewSchema = Effect.sync(() =>
    PostgresStore.layer({
      url: Redacted.make(server?.url ?? ""),
      schema: `souk_${++schemas}`,
      migrate: true
    })
  )

  storeConformance(`PostgresStore on PostgreSQL ${version}`, Layer.unwrap(inNewSchema), {
    ...options,
    shared: inNewSchema
  })
}
