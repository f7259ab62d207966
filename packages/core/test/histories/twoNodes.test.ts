/**
 * The histories of a market of two nodes, each with services, an index and a clock of its own, on one store.
 * `SOUK_HISTORIES_OF_NODES` says how many there are on each store.
 */
import { describe, it } from "@effect/vitest"
import { SqliteStore } from "@souk/sql"
import { PostgresStore } from "@souk/sql/postgres"
import { Context, Effect, Layer, Stream } from "effect"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { MemoryStore, Store } from "../../src/index.ts"
import { newSchema, usePostgres } from "../postgres.ts"
import { expectHistories } from "./history.ts"
import type { Place } from "./place.ts"

usePostgres()

const runs = Number(process.env["SOUK_HISTORIES_OF_NODES"] ?? 3)

/** As far as clocks may be from each other. */
const aheadMillis = [0, 5000]

/** A store in memory that says of itself that others write to it. */
const onMemory: Place = {
  aheadMillis,
  races: true,
  stores: Effect.gen(function* () {
    const store = Context.get(yield* Layer.build(Layer.fresh(MemoryStore.layer)), Store)
    const node = Layer.succeed(Store, {
      ...store,
      events: { ...store.events, signals: Stream.never },
      // Between what a command reads and what it commits, the other node gets its turn.
      commit: (commit) => Effect.andThen(Effect.yieldNow, store.commit(commit))
    })
    return [node, node]
  })
}

/** Without races: in one process, who waits for another's transaction would keep it from going on. */
const onSqlite: Place = {
  aheadMillis,
  looksAfter: 12,
  stores: Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => mkdtemp(join(tmpdir(), "souk-histories-"))),
      (directory) => Effect.promise(() => rm(directory, { recursive: true }))
    ),
    (directory) => {
      const file = { filename: join(directory, "souk.db"), exclusive: false, migrate: true } as const
      const open = () => SqliteStore.layer({ ...file, synchronous: "normal" })
      return [open(), open()]
    }
  )
}

const onPostgres: Place = {
  aheadMillis,
  races: true,
  stores: Effect.map(newSchema, (place) => [PostgresStore.layer(place), PostgresStore.layer(place)]),
  looksAfter: 12
}

describe("any history of two nodes leaves the market as the contract has it, after each of its steps", () => {
  it("with a store in memory", { timeout: 60_000 + runs * 10_000 }, () => expectHistories(onMemory, runs))
  it("on one SQLite file", { timeout: 60_000 + runs * 40_000 }, () => expectHistories(onSqlite, runs))
  it("on one PostgreSQL database", { timeout: 60_000 + runs * 40_000 }, () =>
    expectHistories(onPostgres, runs)
  )
})
