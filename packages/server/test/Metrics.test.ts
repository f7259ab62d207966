import { assert, describe, it } from "@effect/vitest"
import { MemoryStore, Store, Unavailable } from "@souk/core"
import { Duration, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { createMarketplace } from "../src/index.ts"
import { at, errorOf, open } from "./market.ts"
import type { Sending, TestMarket } from "./market.ts"
import { tell } from "./story.ts"
import { callForQuotes, openRequest, request } from "./trade.ts"

/** Reads the page: each series with its labels, and its value. */
const figures = Effect.fnUntraced(function* (market: TestMarket, sending?: Sending) {
  const { headers, status, text } = yield* market.call("GET /metrics", sending)
  assert.strictEqual(status, 200, text)
  assert.strictEqual(headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8")
  return read(text)
})

const read = (text: string): ReadonlyMap<string, number> =>
  new Map(
    text
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line): [string, number] => {
        const space = line.lastIndexOf(" ")
        return [line.slice(0, space), Number(line.slice(space + 1))]
      })
  )

const requests = (operation: string, method: string, status: string) =>
  `souk_http_requests_total{operation="${operation}",method="${method}",status="${status}"}`

describe("the metrics", () => {
  it.effect("count requests by operation and class of status, whatever their paths hold", () =>
    Effect.gen(function* () {
      const market = yield* open()
      yield* market.register("atlas")
      for (const endpoint of [
        "GET /api/v1/agents/atlas",
        "HEAD /api/v1/agents/atlas",
        "GET /api/v1/agents/nobody",
        "GET /api/v1/agents/nobody-else?q=1",
        "GET /nothing-here",
        "BREW /api/v1/agents/atlas"
      ])
        yield* market.call(endpoint)
      const counted = yield* figures(market)
      assert.strictEqual(counted.get(requests("agents.register", "POST", "2xx")), 1)
      assert.strictEqual(counted.get(requests("agents.get", "GET", "2xx")), 1)
      assert.strictEqual(counted.get(requests("agents.get", "HEAD", "2xx")), 1)
      assert.strictEqual(counted.get(requests("agents.get", "GET", "4xx")), 2)
      assert.strictEqual(counted.get(requests("other", "GET", "4xx")), 1)
      assert.strictEqual(counted.get(requests("other", "other", "4xx")), 1)
      const seconds = 'souk_http_request_duration_seconds_count{operation="agents.get",method="GET"}'
      assert.strictEqual(counted.get(seconds), 3)
    })
  )

  it.effect("count commits and the events in them", () =>
    Effect.gen(function* () {
      const market = yield* open()
      const agent = yield* market.register("atlas")
      yield* openRequest(market, agent)
      yield* market.call("POST /api/requests?validateOnly=true", { key: agent.key, body: request() })
      yield* market.call("POST /api/agents", { body: { handle: "Atlas", name: "A", email: "a@example.com" } })
      yield* market.call("GET /api/v1/search?q=sworn")
      const counted = yield* figures(market)
      // The account, the first use of its key, and the request.
      assert.strictEqual(counted.get('souk_commits_total{outcome="committed"}'), 3)
      assert.strictEqual(counted.get('souk_commits_total{outcome="stale"}'), 0)
      assert.strictEqual(counted.get("souk_conflicts_total"), 0)
      assert.strictEqual(counted.get('souk_events_total{type="request.opened"}'), 1)
      assert.strictEqual(counted.get('souk_events_total{type="rfq.opened"}'), 0)
      assert.strictEqual(counted.get("souk_search_duration_seconds_count"), 1)
      assert.strictEqual(counted.get("souk_feed_position"), yield* market.position)
    })
  )

  it.effect("tell how many streams are open", () =>
    Effect.gen(function* () {
      const market = yield* open()
      const streams = Effect.map(figures(market), (counted) => counted.get("souk_streams_open"))
      assert.strictEqual(yield* streams, 0)
      const one = yield* market.stream("GET /api/v1/events")
      const { key } = yield* market.register("atlas")
      const other = yield* market.stream("GET /api/v1/events", { key })
      assert.strictEqual(yield* streams, 2)
      yield* Effect.promise(async () => one.body?.cancel())
      assert.strictEqual(yield* streams, 1)
      yield* Effect.promise(async () => other.body?.cancel())
      assert.strictEqual(yield* streams, 0)
    })
  )

  it.effect("tell, as /readyz does, how far the sweeper is behind", () =>
    Effect.gen(function* () {
      const market = yield* open({}, { sweepEverySeconds: "off" })
      yield* callForQuotes(market, yield* market.register("buyer"))
      yield* TestClock.adjust(Duration.seconds(86_490))
      const counted = yield* figures(market)
      assert.strictEqual(counted.get("souk_overdue_entities"), 1)
      assert.strictEqual(counted.get("souk_sweep_lag_seconds"), 90)
      assert.strictEqual(counted.get("souk_store_up"), 1)
      for (const kind of ["delivery", "settlement"]) {
        assert.strictEqual(counted.get(`souk_tasks_due{kind="${kind}"}`), 0)
        assert.strictEqual(counted.get(`souk_task_lag_seconds{kind="${kind}"}`), 0)
      }
      assert.isAtLeast(counted.get("souk_matcher_lag") ?? -1, 0)
      const ready = yield* market.call("GET /readyz")
      assert.strictEqual(ready.status, 200)
      assert.deepStrictEqual(at(ready.body, "data", "sweep"), { overdue: 1, lagSeconds: 90 })
    })
  )

  it.effect("count what the rate limits refuse, and are not limited themselves", () =>
    Effect.gen(function* () {
      const policy = { limit: 1, windowSeconds: 60 }
      const market = yield* open({ rateLimits: { default: policy, accounts: policy } })
      yield* Effect.replicateEffect(market.call("GET /api/v1/listings"), 3)
      yield* figures(market)
      const counted = yield* figures(market)
      assert.strictEqual(counted.get('souk_rate_limit_refusals_total{operation="listings.list"}'), 2)
    })
  )

  it.effect("name no agent and no entity", () =>
    Effect.gen(function* () {
      const market = yield* open()
      const exchanges = yield* tell(market)
      const { text } = yield* market.call("GET /metrics")
      const ids = exchanges.flatMap(({ reply }) => [...reply.text.matchAll(/[a-z]{3,5}_[0-9a-z]{26}/gu)])
      assert.isNotEmpty(ids)
      for (const [id] of ids) assert.notInclude(text, id)
      for (const handle of ["atlas", "brenda", "bolt"]) assert.notInclude(text, handle)
      // Every operation of the contract with its few series, and not one more for each call.
      assert.isBelow(read(text).size, 2500)
    })
  )

  it.effect("go on when the store does not answer", () =>
    Effect.gen(function* () {
      const market = yield* open({}, { store: fallible })
      const before = yield* figures(market)
      assert.strictEqual(before.get("souk_store_up"), 1)
      yield* market.call("POST /api/agents", { body: { handle: "fail", name: "A", email: "a@example.com" } })
      yield* TestClock.adjust("1 second")
      const after = yield* figures(market)
      assert.strictEqual(after.get("souk_store_up"), 0)
      assert.strictEqual(after.get('souk_commits_total{outcome="failed"}'), 1)
    })
  )
})

describe("who may read the metrics", () => {
  const bearer = "a-token-of-the-host-alone"
  const sending = (authorization: string) => ({ headers: { authorization } })

  it.effect("is who has the host's token, where the host has one", () =>
    Effect.gen(function* () {
      const market = yield* open({ metrics: { bearer } })
      const missing = yield* market.call("GET /metrics")
      assert.strictEqual(missing.status, 401)
      assert.strictEqual(missing.headers.get("www-authenticate"), "Bearer")
      assert.strictEqual(errorOf(missing).code, "key_missing")
      const agent = yield* market.register("atlas")
      assert.strictEqual((yield* market.call("GET /metrics", { key: agent.key })).status, 401)
      const wrong = yield* market.call("GET /metrics", sending(`Bearer ${bearer}x`))
      assert.strictEqual(errorOf(wrong).code, "key_invalid")
      yield* figures(market, sending(`Bearer ${bearer}`))
    })
  )

  it.effect("is told to wait after too many guesses", () =>
    Effect.gen(function* () {
      const policy = { limit: 2, windowSeconds: 60 }
      const market = yield* open({ metrics: { bearer }, rateLimits: { default: policy, accounts: policy } })
      const guess = market.call("GET /metrics", sending("Bearer guess"))
      const replies = yield* Effect.replicateEffect(guess, 3)
      assert.deepStrictEqual(
        replies.map(({ status }) => status),
        [401, 401, 429]
      )
      yield* figures(market, sending(`Bearer ${bearer}`))
    })
  )

  it.effect("is nobody where they are off", () =>
    Effect.gen(function* () {
      const market = yield* open({ metrics: "off" })
      assert.strictEqual((yield* market.call("GET /metrics")).status, 404)
      assert.strictEqual((yield* market.call("POST /metrics")).status, 404)
    })
  )

  it("is not left to a token that was not set", () => {
    for (const bearer of ["", "short", "with a space in the middle"])
      assert.throws(
        () => createMarketplace({ store: MemoryStore.layer, metrics: { bearer } }),
        /^metrics.bearer /u
      )
  })
})

describe("two markets in one process", () => {
  it("share no figure", async () => {
    const options = { store: MemoryStore.layer }
    await using one = createMarketplace(options)
    await using other = createMarketplace(options)
    const call = async (market: typeof one, path: string) =>
      (await market.fetch(new Request(`http://market.test${path}`))).text()
    await call(one, "/api/v1/listings")
    const listed = requests("listings.list", "GET", "2xx")
    assert.strictEqual(read(await call(one, "/metrics")).get(listed), 1)
    assert.isUndefined(read(await call(other, "/metrics")).get(listed))
  })
})

/** A store that answers until an agent with the handle `fail` is written. */
const fallible = Layer.effect(
  Store,
  Effect.map(Store, (store) => {
    let broken = false
    const gone = Effect.fail(Unavailable.because("the disk is gone"))
    return Store.of({
      ...store,
      commit: () =>
        Effect.suspend(() => {
          broken = true
          return gone
        }),
      deadlines: {
        ...store.deadlines,
        overdue: (now) => Effect.suspend(() => (broken ? gone : store.deadlines.overdue(now)))
      }
    })
  })
).pipe(Layer.provide(MemoryStore.layer))
