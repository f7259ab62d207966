/** The histories of a market of two nodes, each with services, an index and a clock of its own, on one store. */
import { describe, it } from "@effect/vitest"
import { PostgresStore } from "@souk/sql/postgres"
import { Context, Effect, Layer, Stream } from "effect"
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

const onPostgres: Place = {
  aheadMillis,
  races: true,
  stores: Effect.map(newSchema, (place) => [PostgresStore.layer(place), PostgresStore.layer(place)]),
  looksAfter: 12
}

describe("any history of two nodes leaves the market as the contract has it, after each of its steps", () => {
  it("with a store in memory", { timeout: 60_000 + runs * 10_000 }, () => expectHistories(onMemory, 2 * runs))
  it("on one database", { timeout: 60_000 + runs * 40_000 }, () => expectHistories(onPostgres, runs))
})
