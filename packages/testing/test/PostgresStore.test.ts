import { PostgresStore } from "@souk/sql/postgres"
import { storeConformance } from "@souk/testing/conformance"
import { Effect, Layer, Redacted } from "effect"
import { afterAll, beforeAll } from "vitest"
import { startPostgres } from "../../../test/Postgres.ts"
import type { Postgres } from "../../../test/Postgres.ts"

let server: Postgres | undefined
let schemas = 0

beforeAll(async () => {
  server = await startPostgres()
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

storeConformance("PostgresStore", Layer.unwrap(inNewSchema), { shared: inNewSchema })
