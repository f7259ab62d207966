import { assert, describe, it } from "@effect/vitest"
import { MemoryStore, SchemaOutOfDate, Store, Unavailable } from "@souk/core"
import { Effect, Layer } from "effect"
import { createMarketplace } from "../src/index.ts"
import type { Marketplace, MarketplaceOptions } from "../src/index.ts"
import { eventually } from "./adapters/client.ts"

const open = (options: Partial<MarketplaceOptions> = {}) =>
  createMarketplace({ store: MemoryStore.layer, ...options })

const call = (market: Marketplace, path: string, init?: RequestInit) =>
  market.fetch(new Request(`http://market.test${path}`, init))

const register = (market: Marketplace, handle: string, prefix = "") =>
  call(market, `${prefix}/api/agents`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ handle, name: handle, email: `${handle}@example.com` })
  })

/** How many accounts a market has counted that it was asked for. */
const requestsOf = async (market: Marketplace) => {
  const text = await (await call(market, "/metrics")).text()
  const count = /souk_http_requests_total\{[^}]*operation="agents.register"[^}]*\} (\d+)/u.exec(text)?.[1]
  return Number(count ?? 0)
}

/** Opens the stream of events and reads its beginning. */
const openStream = async (market: Marketplace) => {
  const { body } = await call(market, "/api/v1/events")
  if (body === null) throw new Error("no body")
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  assert.include((await reader.read()).value ?? "", "stream.ready")
  return reader
}

describe("createMarketplace", () => {
  it("answers requests from its first moment", async () => {
    await using market = open()
    const created = await register(market, "atlas")
    assert.strictEqual(created.status, 201)
    const listed = await call(market, "/api/v1/agents/atlas")
    assert.include(await listed.text(), '"handle":"atlas"')
    await market.ready()
  })

  it("tells what fetch takes to those who give it something else", async () => {
    await using market = open()
    for (const call of [market.fetch, market.wellKnown])
      for (const given of ["http://localhost/api/v1/listings", new URL("http://localhost/"), undefined]) {
        // As from JavaScript, where no compiler has judged it.
        const reason: unknown = await Reflect.apply(call, market, [given]).catch((error: unknown) => error)
        assert.instanceOf(reason, TypeError)
        assert.include(String(reason), "request must be a Request")
      }
  })

  it("two of the same options share nothing", async () => {
    const options = { store: MemoryStore.layer }
    await using one = createMarketplace(options)
    const other = createMarketplace(options)
    await register(one, "atlas")
    assert.strictEqual((await call(other, "/api/v1/agents/atlas")).status, 404)
    assert.strictEqual(await requestsOf(one), 1)
    assert.strictEqual(await requestsOf(other), 0)
    await other.close()
    assert.strictEqual((await call(one, "/api/v1/agents/atlas")).status, 200)
  })

  it("builds its store once, whoever asks first", async () => {
    let built = 0
    const store = Layer.effectDiscard(Effect.sync(() => built++)).pipe(Layer.provideMerge(MemoryStore.layer))
    await using market = open({ store })
    await Promise.all([
      market.ready(),
      register(market, "a-first"),
      register(market, "a-second"),
      market.wellKnown(new Request("http://market.test/.well-known/api-catalog")),
      market.api.operator.holds(),
      market.migrate(),
      market.ready()
    ])
    assert.strictEqual(built, 1)
  })

  it("lets go of the store when it closes, once", async () => {
    let released = 0
    const store = Layer.effectDiscard(Effect.addFinalizer(() => Effect.sync(() => released++))).pipe(
      Layer.provideMerge(MemoryStore.layer)
    )
    const market = open({ store })
    await market.ready()
    await Promise.all([market.close(), market.close()])
    assert.strictEqual(released, 1)
  })

  it("is 503 with the contract's envelope once it closes", async () => {
    const market = open()
    await market.close()
    const reason: unknown = await market.ready().catch((error: unknown) => error)
    assert.include(String(reason), "closed")
    const response = await register(market, "late")
    assert.strictEqual(response.status, 503)
    assert.isNotNull(response.headers.get("request-id"))
    assert.include(await response.text(), '"code":"unavailable"')
  })

  it("is 503, and ready says why, when the store cannot be opened", async () => {
    const store = Layer.effect(Store, Effect.fail(new Unavailable({ message: "The disk is full." })))
    const market = open({ store })
    const reason: unknown = await market.ready().catch((error: unknown) => error)
    assert.include(String(reason), "The disk is full.")
    const response = await register(market, "atlas")
    assert.strictEqual(response.status, 503)
    assert.notInclude(await response.text(), "disk")
    await market.close()
  })

  it("starts by itself when the store can be opened again, and lets go of each try", async () => {
    const seen = { opened: 0, released: 0 }
    const store = Layer.unwrap(
      Effect.gen(function* () {
        const count = ++seen.opened
        yield* Effect.addFinalizer(() => Effect.sync(() => seen.released++))
        return count <= 2
          ? Layer.effect(Store, Effect.fail(new Unavailable({ message: "The disk is away." })))
          : MemoryStore.layer
      })
    )
    const market = open({ store })
    assert.include(String(await market.ready().catch((error: unknown) => error)), "The disk is away.")
    assert.strictEqual((await register(market, "early")).status, 503)
    await eventually(async () => (await register(market, "atlas")).status === 201)
    await market.ready()
    assert.deepStrictEqual(seen, { opened: 3, released: 2 })
    await market.close()
    assert.deepStrictEqual(seen, { opened: 3, released: 3 })
  })

  it("can be closed while it starts", async () => {
    const store = Layer.effect(Store, Effect.never)
    const market = open({ store })
    const waiting = register(market, "atlas")
    await market.close()
    assert.strictEqual((await waiting).status, 503)
  })

  it("streams event by event, and ends streams at once when it closes", async () => {
    const market = open()
    const reader = await openStream(market)
    await register(market, "atlas")
    assert.include((await reader.read()).value ?? "", "event: agent.registered")
    const started = performance.now()
    await market.close()
    assert.isBelow(performance.now() - started, 500)
    while (!(await reader.read()).done);
  })

  it("counts callers by the address that the host tells", async () => {
    const one = { limit: 1, windowSeconds: 60 }
    await using market = open({ rateLimits: { default: one, accounts: one } })
    const ask = (clientAddress: string) =>
      market.fetch(new Request("http://market.test/api/v1/listings"), { clientAddress })
    assert.strictEqual((await ask("192.0.2.1")).status, 200)
    assert.strictEqual((await ask("192.0.2.1")).status, 429)
    assert.strictEqual((await ask("192.0.2.2")).status, 200)
  })

  it("stops the work of an aborted request", async () => {
    let stopped = false
    const stop = Effect.sync(() => {
      stopped = true
    })
    await using market = open({ store: hanging(Effect.onInterrupt(Effect.never, () => stop)) })
    await market.ready()
    const abort = new AbortController()
    const asked = call(market, "/api/v1/listings", { signal: abort.signal })
    setTimeout(() => abort.abort(), 20)
    await asked
    assert.isTrue(stopped)
  })

  describe("below a path", () => {
    it("cuts basePath from requests and puts it before Location", async () => {
      await using market = open({ basePath: "/market/eu" })
      const created = await register(market, "atlas", "/market/eu")
      assert.strictEqual(created.status, 201)
      assert.match(created.headers.get("location") ?? "", /^\/market\/eu\/api\/v1\//u)
      const outside = await register(market, "other")
      assert.strictEqual(outside.status, 404)
      assert.include(await outside.text(), `"requestId":"${outside.headers.get("request-id")}"`)
      assert.strictEqual((await call(market, "/market/european/api/v1/listings")).status, 404)
      const nothing = await call(market, "/market/eu/nothing?limit=1")
      assert.include(await nothing.text(), "There is nothing at /market/eu/nothing.")
      const document = await (await call(market, "/market/eu/openapi.json")).text()
      assert.include(document, '"servers":[{"url":"/market/eu"}]')
    })

    it("calls itself what baseUrl says", async () => {
      await using market = open({ basePath: "/internal", baseUrl: "https://example.com/market/" })
      const created = await register(market, "atlas", "/internal")
      assert.match(created.headers.get("location") ?? "", /^\/market\/api\/v1\//u)
    })
  })

  describe("on an old schema", () => {
    it("says so, and starts when it is brought up to date", async () => {
      const { seen, store } = outdated()
      await using market = open({ store })
      const reason: unknown = await market.ready().catch((error: unknown) => error)
      assert.instanceOf(reason, SchemaOutOfDate)
      const refused = await register(market, "early")
      assert.strictEqual(refused.status, 503)
      assert.include(await refused.text(), '"code":"schema_out_of_date"')
      const done = await Promise.all([market.migrate(), market.migrate()])
      assert.deepStrictEqual(done.flat(), ["first"])
      await market.ready()
      assert.strictEqual((await register(market, "atlas")).status, 201)
      assert.deepStrictEqual(seen, { built: 1, released: 0 })
      await market.close()
      assert.deepStrictEqual(seen, { built: 1, released: 1 })
      assert.include(String(await market.migrate().catch((error: unknown) => error)), "closed")
    })

    it("starts by itself when somebody else brings it up to date, on the store that it has", async () => {
      const { bringUpToDate, seen, store } = outdated()
      await using market = open({ store })
      assert.strictEqual((await register(market, "early")).status, 503)
      bringUpToDate()
      await eventually(async () => (await register(market, "atlas")).status === 201)
      assert.deepStrictEqual(seen, { built: 1, released: 0 })
    })

    it("has nothing to do where there is no schema, or it is up to date", async () => {
      await using market = open()
      assert.deepStrictEqual(await market.migrate(), [])
      assert.strictEqual((await register(market, "atlas")).status, 201)
      assert.deepStrictEqual(await market.migrate(), [])
      assert.strictEqual((await call(market, "/api/v1/agents/atlas")).status, 200)
    })
  })
})

/** A store whose schema is one migration old, and word of how often it was built and let go of. */
const outdated = () => {
  const seen = { built: 0, released: 0 }
  let isOld = true
  const store = Layer.effect(
    Store,
    Effect.gen(function* () {
      yield* Effect.acquireRelease(
        Effect.sync(() => seen.built++),
        () => Effect.sync(() => seen.released++)
      )
      return Store.of({
        ...(yield* Store),
        ready: Effect.suspend(() => (isOld ? new SchemaOutOfDate({ message: "Too old" }) : Effect.void)),
        migrate: Effect.sync(() => {
          const done = isOld ? ["first"] : []
          isOld = false
          return done
        })
      })
    })
  ).pipe(Layer.provide(MemoryStore.layer))
  return { bringUpToDate: () => (isOld = false), seen, store }
}

/** A store whose list of listings works for the start of the market, and then does something else. */
const hanging = (list: Effect.Effect<never>) =>
  Layer.effect(
    Store,
    Effect.map(Store, ({ listings, ...store }) => {
      let reads = 0
      return Store.of({
        ...store,
        listings: {
          ...listings,
          list: (filter, page) => (reads++ === 0 ? listings.list(filter, page) : list)
        }
      })
    })
  ).pipe(Layer.provide(MemoryStore.layer))
