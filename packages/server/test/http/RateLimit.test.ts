import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Latch, Layer, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import { RateLimiter } from "effect/persistence"
import { TestClock } from "effect/testing"
import * as ClientAddress from "../../src/http/ClientAddress.ts"
import * as RateLimit from "../../src/http/RateLimit.ts"
import { errorOf, serve } from "./toyMarket.ts"

const from = (address: string) => ({ headers: { "x-forwarded-for": address } })
const register = (address: string) => ({ method: "POST", ...from(address) })
const behindProxy = { shell: { trustProxy: 1 } }

describe("rate limits", () => {
  it.effect("are told on every response, also on those that no endpoint gave", () =>
    Effect.gen(function* () {
      const market = yield* serve()
      for (const [path, left] of [
        ["/api/v1/things", 599],
        ["/nowhere", 598],
        ["/api/v1/broken", 597]
      ] as const) {
        const { headers } = yield* market.get(path)
        assert.strictEqual(headers.get("ratelimit-policy"), '"default";q=600;w=60')
        assert.match(headers.get("ratelimit") ?? "", new RegExp(`^"default";r=${left};t=\\d+$`, "u"))
      }
    })
  )

  it.effect("refuse the 601st request of a minute and say when to come back", () =>
    Effect.gen(function* () {
      const market = yield* serve()
      for (let count = 0; count < 600; count++) {
        assert.strictEqual((yield* market.get("/api/v1/things")).status, 200)
      }
      const response = yield* market.get("/api/v1/things")
      assert.strictEqual(response.status, 429)
      assert.strictEqual(response.headers.get("retry-after"), "60")
      assert.strictEqual(response.headers.get("ratelimit"), '"default";r=0;t=60')
      const error = yield* errorOf(response)
      assert.deepStrictEqual(
        [error.code, error.recovery, error["retryAfterSeconds"]],
        ["rate_limited", "transient", 60]
      )
      yield* TestClock.adjust("60 seconds")
      assert.strictEqual((yield* market.get("/api/v1/things")).status, 200)
    })
  )

  it.effect("let an address create 10 accounts an hour, and another address its own 10", () =>
    Effect.gen(function* () {
      const market = yield* serve(behindProxy)
      for (let count = 0; count < 10; count++) {
        assert.strictEqual((yield* market.get("/api/agents", register("198.51.100.7"))).status, 200)
      }
      const refused = yield* market.get("/api/agents", register("198.51.100.7"))
      assert.strictEqual(refused.status, 429)
      assert.strictEqual(refused.headers.get("retry-after"), "3600")
      assert.include(refused.headers.get("ratelimit") ?? "", '"accounts";r=0;t=3600')
      assert.strictEqual((yield* market.get("/api/agents", register("198.51.100.8"))).status, 200)
    })
  )

  it.effect("do not count the paths by which the server is watched", () =>
    Effect.gen(function* () {
      const policies = { ...RateLimit.defaultRatePolicies, default: { limit: 1, windowSeconds: 60 } }
      const market = yield* serve({
        shell: { uncounted: ["/livez"] },
        rateLimit: RateLimit.layerMemory(policies)
      })
      for (let count = 0; count < 3; count++) assert.strictEqual((yield* market.get("/livez")).status, 404)
    })
  )

  it.effect("can be switched off", () =>
    Effect.gen(function* () {
      const market = yield* serve({ rateLimit: RateLimit.layerOff })
      const response = yield* market.get("/api/v1/things")
      assert.isNull(response.headers.get("ratelimit-policy"))
      for (let count = 0; count < 20; count++) {
        assert.strictEqual((yield* market.get("/api/agents", { method: "POST" })).status, 200)
      }
    })
  )

  it.effect("keep a bounded number of callers", () =>
    Effect.gen(function* () {
      const limit = yield* RateLimit.RateLimit
      for (let caller = 0; caller < 5; caller++) yield* limit.check({ policy: "accounts", key: `${caller}` })
      yield* limit.check({ policy: "accounts", key: "0" })
    }).pipe(Effect.provide(RateLimit.layerMemory({ default: one, accounts: one }, 4)))
  )
})

const one = { limit: 1, windowSeconds: 60 }

/** Counters that answer in one way, whoever asks. */
const storeThat = (answer: Effect.Effect<readonly [number, number], RateLimiter.RateLimiterError>) =>
  Layer.succeed(RateLimiter.RateLimiterStore, {
    fixedWindow: () => answer,
    tokenBucket: () => answer,
    adaptiveConsume: () => Effect.never,
    adaptiveFeedback: () => Effect.never
  })

const away = new RateLimiter.RateLimiterError({
  reason: new RateLimiter.RateLimitStoreError({ message: "The counters are away" })
})

describe("a store of counters that a host chooses", () => {
  it.effect("decides", () =>
    Effect.gen(function* () {
      const market = yield* serve({ rateLimit: RateLimit.layerStore(storeThat(Effect.succeed([601, 5000]))) })
      const response = yield* market.get("/api/v1/things")
      assert.deepStrictEqual([response.status, response.headers.get("retry-after")], [429, "5"])
    })
  )

  it.effect("lets requests pass while it fails, and says so now and then", () =>
    Effect.gen(function* () {
      const market = yield* serve({ rateLimit: RateLimit.layerStore(storeThat(Effect.fail(away))) })
      const warnings = () => market.logs.filter((line) => line.includes("cannot be counted")).length
      for (let count = 0; count < 20; count++)
        assert.strictEqual((yield* market.get("/api/v1/things")).status, 200)
      assert.strictEqual(warnings(), 1)
      yield* TestClock.adjust("10 seconds")
      yield* market.get("/api/v1/things")
      assert.strictEqual(warnings(), 2)
    })
  )

  it.effect("keeps no request waiting for more than a second", () =>
    Effect.gen(function* () {
      const asked = yield* Latch.make()
      // As a driver does that waits for an answer to what it has sent.
      const neverEnds = Effect.uninterruptible(Effect.never)
      const store = storeThat(Effect.andThen(asked.open, neverEnds))
      const market = yield* serve({ rateLimit: RateLimit.layerStore(store) })
      const reply = yield* Effect.forkChild(market.get("/api/v1/things"), { startImmediately: true })
      yield* asked.await
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(reply)).status, 200)
    })
  )
})

describe("the address of a caller", () => {
  const request = (forwarded?: string) =>
    HttpServerRequest.fromWeb(
      new Request("http://market.test/", forwarded === undefined ? {} : from(forwarded))
    ).modify({ remoteAddress: Option.some("10.0.0.1") })

  it("is that of the socket unless the host trusts proxies", () => {
    assert.strictEqual(ClientAddress.of(request("6.6.6.6"), 0), "10.0.0.1")
  })

  it("is what the outermost trusted proxy saw, whatever the caller wrote before it", () => {
    assert.strictEqual(ClientAddress.of(request("6.6.6.6, 198.51.100.7"), 1), "198.51.100.7")
    assert.strictEqual(ClientAddress.of(request("6.6.6.6, 198.51.100.7, 10.0.0.2"), 2), "198.51.100.7")
    assert.strictEqual(ClientAddress.of(request(), 1), "10.0.0.1")
  })

  it("counts as one network where a caller holds many", () => {
    assert.strictEqual(
      ClientAddress.networkOf("2001:db8:1:2:3::4"),
      ClientAddress.networkOf("2001:db8:1:2::9")
    )
    assert.strictEqual(ClientAddress.networkOf("::ffff:192.0.2.1"), "192.0.2.1")
    assert.notStrictEqual(ClientAddress.networkOf("192.0.2.1"), ClientAddress.networkOf("192.0.2.2"))
  })
})
