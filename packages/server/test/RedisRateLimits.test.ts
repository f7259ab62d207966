import { assert, it } from "@effect/vitest"
import { MemoryStore } from "@souk/core"
import { Context, Duration, Effect, Layer, Redacted, Schedule } from "effect"
import { RateLimiter } from "effect/persistence"
import { inspect } from "node:util"
import { makeLine } from "../../../test/Line.ts"
import { describeWithRedis, makeRedis, startRedis } from "../../../test/Redis.ts"
import { createMarketplace } from "../src/createMarketplace.ts"
import * as RedisRateLimits from "../src/RedisRateLimits.ts"

const at = (url: string, prefix?: string) =>
  RedisRateLimits.layer({ url, ...(prefix === undefined ? {} : { prefix }) })

/** A node of a market that counts in Redis. */
const openMarket = (url: string, prefix?: string) =>
  Effect.acquireRelease(
    Effect.sync(() => createMarketplace({ store: MemoryStore.layer, rateLimitStore: at(url, prefix) })),
    (market) => Effect.promise(() => market.close())
  )

type Market = ReturnType<typeof createMarketplace>

const call = (market: Market) =>
  Effect.promise(() =>
    market.fetch(new Request("http://localhost/api/v1/listings"), { clientAddress: "198.51.100.7" })
  )

let handles = 0

const register = (market: Market) => {
  const body = JSON.stringify({ handle: `agent-${++handles}`, name: "Agent", email: "desk@example.com" })
  const headers = { "content-type": "application/json" }
  return Effect.promise(async () => {
    const request = new Request("http://localhost/api/agents", { method: "POST", headers, body })
    return (await market.fetch(request, { clientAddress: "198.51.100.7" })).status
  })
}

/** What is left of the limit after a call, which is counted at last. */
const leftOf = (market: Market) =>
  call(market).pipe(
    Effect.map(({ headers }) => /r=(\d+)/u.exec(headers.get("ratelimit") ?? "")?.[1]),
    Effect.repeat({ until: (left) => left !== undefined, schedule: Schedule.spaced("20 millis") })
  )

const openStore = (layer: ReturnType<typeof at>) =>
  Effect.map(Layer.build(Layer.fresh(layer)), Context.get(RateLimiter.RateLimiterStore))

const taking = (store: RateLimiter.RateLimiterStore["Service"]) => {
  return (key: string, tokens = 1, limit: number | undefined = 3) =>
    store.fixedWindow({ key, tokens, limit, refillRate: Duration.seconds(1) })
}

describeWithRedis("RedisRateLimits", () => {
  it.live("has one limit for all nodes of a market", () =>
    Effect.gen(function* () {
      const { url } = yield* startRedis
      const nodes = [yield* openMarket(url), yield* openMarket(url)]
      const statuses: Array<number> = []
      for (let n = 0; n < 6; n++) for (const node of nodes) statuses.push(yield* register(node))
      assert.deepStrictEqual(statuses, [...Array.from({ length: 10 }, () => 201), 429, 429])
    })
  )

  it.live("lets no more pass than the limit, however many call at once on however many nodes", () =>
    Effect.gen(function* () {
      const { url } = yield* startRedis
      const stores = [yield* openStore(at(url)), yield* openStore(at(url))]
      const limiters = yield* Effect.forEach(stores, (store) =>
        Effect.provideService(RateLimiter.make, RateLimiter.RateLimiterStore, store)
      )
      const calls = Array.from({ length: 80 }, (_, n) =>
        Effect.isSuccess(
          (limiters[n % 2] ?? assert.fail()).consume({ key: "a", limit: 10, window: Duration.hours(1) })
        )
      )
      const passed = yield* Effect.all(calls, { concurrency: "unbounded" })
      assert.strictEqual(passed.filter((is) => is).length, 10)
    })
  )

  it.live("counts as the counters in memory do", () =>
    Effect.gen(function* () {
      const { url } = yield* startRedis
      const told: Array<ReadonlyArray<number>> = []
      const memory = yield* Effect.provide(RateLimiter.RateLimiterStore, RateLimiter.layerStoreMemory)
      for (const store of [memory, yield* openStore(at(url))]) {
        const take = taking(store)
        const counts: Array<number> = []
        for (const [key, tokens] of [
          ["a", 1],
          ["a", 2],
          ["b", 2],
          ["a", 1],
          ["b", 2],
          ["b", 1]
        ] as const) {
          const [count, left] = yield* take(key, tokens)
          counts.push(count, Math.ceil(left / 1000))
        }
        told.push(counts)
      }
      assert.deepStrictEqual(told[1], told[0])
    })
  )

  it.live("keeps the markets apart that share a Redis, each with its prefix", () =>
    Effect.gen(function* () {
      const { url } = yield* startRedis
      const [one, two] = [yield* openMarket(url, "one"), yield* openMarket(url, "two")]
      for (let n = 0; n < 10; n++) assert.strictEqual(yield* register(one), 201)
      assert.strictEqual(yield* register(one), 429)
      assert.strictEqual(yield* register(two), 201)
    })
  )

  it.live("lets requests pass while there is no Redis, and counts as soon as there is", () =>
    Effect.gen(function* () {
      const redis = yield* makeRedis()
      const market = yield* openMarket(redis.url)
      const pass = Effect.gen(function* () {
        const { headers, status } = yield* call(market)
        assert.deepStrictEqual([status, headers.get("ratelimit")], [200, null])
      })
      yield* Effect.repeat(pass, { times: 5 })
      yield* Effect.promise(() => market.ready())
      yield* redis.start
      assert.strictEqual(yield* leftOf(market), "599")
      yield* redis.crash
      yield* Effect.repeat(pass, { times: 5 })
      // Another Redis, as it were: it knows neither the counters nor the script that counts.
      yield* redis.start
      assert.strictEqual(yield* leftOf(market), "599")
    })
  )

  it.live("lets requests pass over a line that is dead, and counts again over a new one", () =>
    Effect.gen(function* () {
      const redis = yield* startRedis
      const line = yield* makeLine(redis.port)
      const market = yield* openMarket(`redis://127.0.0.1:${line.port}`)
      assert.strictEqual(yield* leftOf(market), "599")
      yield* line.stayDead
      const replies = yield* Effect.all([call(market), call(market), call(market)], {
        concurrency: "unbounded"
      })
      for (const { status } of replies) assert.strictEqual(status, 200)
      yield* line.mend
      yield* leftOf(market)
      yield* line.stayDead
      yield* Effect.timeout(
        Effect.promise(() => market.close()),
        "5 seconds"
      )
    })
  )

  it.live("says why it cannot count, and no secret", () =>
    Effect.gen(function* () {
      const redis = yield* makeRedis({ password: "s3cret" })
      yield* redis.start
      const store = yield* openStore(at(redis.url.replace("//", "//:wr0ng@")))
      const told = inspect(yield* Effect.flip(taking(store)("a")), { depth: 9 })
      assert.match(told, /The counters cannot be reached.*WRONGPASS/su)
      assert.notMatch(told, /wr0ng|s3cret/u)
      const [count] = yield* taking(yield* openStore(at(redis.url.replace("//", "//:s3cret@"))))("a")
      assert.strictEqual(count, 1)
    })
  )
})

it("options of RedisRateLimits that make no sense are refused at once, by their name", () => {
  // As hosts call it that are not written in TypeScript.
  const open = (options: unknown) => () => void Reflect.apply(RedisRateLimits.layer, undefined, [options])
  for (const url of [
    undefined,
    5,
    "localhost:6379",
    "http://localhost:6379",
    "redis://",
    "redis://localhost/market",
    Redacted.make("redis://souk:s3cret%@localhost")
  ])
    assert.throws(
      open({ url }),
      TypeError,
      /^url must be a URL that begins with redis: or rediss:, like \S+\.$/u
    )
  for (const prefix of ["", "a b", "souk:", "s".repeat(65), 7, null])
    assert.throws(open({ url: "redis://localhost", prefix }), TypeError, /^prefix must be a word /u)
})
