import { SqliteStore } from "@souk/sql"
import { storeConformance } from "@souk/testing/conformance"
import { Effect, Layer } from "effect"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

const directory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "souk-store-"))),
  (directory) => Effect.promise(() => rm(directory, { recursive: true }))
)

const inFile = Effect.map(directory, (directory) =>
  SqliteStore.layer({ filename: join(directory, "souk.db"), migrate: true })
)

const lacks = {
  processes:
    "One process runs a market on a file; where it is opened for several, no signal comes, and they look."
}

storeConformance("SqliteStore in memory", SqliteStore.layer({ filename: ":memory:" }), { lacks })
storeConformance("SqliteStore in a file", Layer.unwrap(inFile), { lacks })
