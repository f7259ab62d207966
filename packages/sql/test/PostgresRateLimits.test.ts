import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import { RateLimiter } from "effect/persistence"
import { SqlClient } from "effect/sql"
import * as PostgresRateLimits from "../src/PostgresRateLimits.ts"
import * as PostgresStore from "../src/PostgresStore.ts"
import { all, newSchema, openClient, range, usePostgres } from "./fixtures/postgres.ts"

usePostgres()

/** Counters of two nodes of a market. */
const twoNodes = Effect.gen(function* () {
  const schema = yield* newSchema
  const node = Effect.gen(function* () {
    const sql = yield* openClient()
    return { sql, run: Effect.provideService(SqlClient.SqlClient, sql) }
  })
  const [one, two] = [yield* node, yield* node]
  yield* one.run(PostgresStore.migrate({ schema }))
  const table = one.sql(`${schema}.rate_limits`)
  const open = PostgresRateLimits.make({ schema })
  return { sql: one.sql, table, open: one.run(open), stores: [yield* one.run(open), yield* two.run(open)] }
})

const taking = (store: RateLimiter.RateLimiterStore["Service"], millis = 1000) => {
  return (key: string, tokens = 1, limit: number | undefined = 3) =>
    store.fixedWindow({ key, tokens, limit, refillRate: Duration.millis(millis) })
}

describe("PostgresRateLimits", () => {
  it.live("counts as the counters in memory do", () =>
    Effect.gen(function* () {
      const { stores } = yield* twoNodes
      const memory = yield* RateLimiter.RateLimiterStore.pipe(Effect.provide(RateLimiter.layerStoreMemory))
      const told: Array<ReadonlyArray<number>> = []
      for (const store of [memory, ...stores.slice(0, 1)]) {
        const take = taking(store)
        const counts: Array<number> = []
        for (const [key, tokens, limit] of [
          ["a", 1, 3],
          ["a", 1, 3],
          ["b", 2, 3],
          ["a", 1, 3],
          ["a", 1, 3],
          ["b", 2, 3],
          ["b", 1, 3],
          ["c", 5, undefined],
          ["c", 5, undefined]
        ] as const) {
          const [count, left] = yield* store.fixedWindow({
            key,
            tokens,
            limit,
            refillRate: Duration.seconds(1)
          })
          counts.push(count, Math.ceil(left / 1000))
        }
        const [, before] = yield* take("a")
        const [, after] = yield* take("a")
        assert.isAtMost(after, before)
        told.push(counts)
      }
      assert.deepStrictEqual(told[1], told[0])
    }).pipe(Effect.scoped)
  )

  it.live("begins anew when a window is over", () =>
    Effect.gen(function* () {
      const { stores } = yield* twoNodes
      for (const store of stores) {
        const take = taking(store, 100)
        assert.strictEqual((yield* take("a", 3))[0], 3)
        assert.isAbove((yield* take("a"))[0], 3)
        yield* Effect.sleep("350 millis")
        assert.strictEqual((yield* take("a"))[0], 1)
        yield* Effect.sleep("150 millis")
      }
    }).pipe(Effect.scoped)
  )

  it.live("lets no more pass than the limit, however many call on however many nodes", () =>
    Effect.gen(function* () {
      const { stores } = yield* twoNodes
      const limiters = yield* Effect.forEach(stores, (store) =>
        Effect.provideService(RateLimiter.make, RateLimiter.RateLimiterStore, store)
      )
      for (const key of ["a", "b", "c"]) {
        const calls = range(80).map((n) =>
          Effect.isSuccess(
            (limiters[n % 2] ?? assert.fail()).consume({ key, limit: 10, window: Duration.hours(1) })
          )
        )
        assert.strictEqual((yield* Effect.all(calls, all)).filter((passed) => passed).length, 10)
      }
    }).pipe(Effect.scoped)
  )

  it.live("writes nothing of what is refused, and drops what is over", () =>
    Effect.gen(function* () {
      const { open, sql, stores, table } = yield* twoNodes
      const take = taking(stores[0] ?? assert.fail(), 50)
      yield* take("over")
      yield* take("full", 3)
      const rows = sql`SELECT key, count, expires_at::text AS at, xmin::text FROM ${table} ORDER BY key`
      const before = yield* rows
      yield* take("full")
      assert.deepStrictEqual(yield* rows, before)
      yield* Effect.sleep("60 millis")
      yield* Effect.scoped(Effect.andThen(open, Effect.repeat(rows, { until: (rows) => rows.length === 1 })))
    }).pipe(Effect.scoped)
  )

  it.live("fails where there are no counters, and has nothing else", () =>
    Effect.gen(function* () {
      const sql = yield* openClient()
      const store = yield* PostgresRateLimits.make({ schema: yield* newSchema }).pipe(
        Effect.provideService(SqlClient.SqlClient, sql)
      )
      const error = yield* Effect.flip(taking(store)("a"))
      assert.strictEqual(error.reason._tag, "RateLimitStoreError")
      const bucket = { key: "a", tokens: 1, limit: 1, refillRate: Duration.seconds(1), allowOverflow: false }
      assert.strictEqual((yield* Effect.flip(store.tokenBucket(bucket))).reason._tag, "RateLimitStoreError")
      const bad = Layer.build(PostgresRateLimits.layer({ schema: "Bad" }))
      assert.strictEqual((yield* Effect.flip(bad))._tag, "InvalidSchemaName")
    }).pipe(Effect.scoped)
  )
})
