import { assert, describe, it } from "@effect/vitest"
import { keyDigest } from "@souk/core"
import type { Agent, ApiKey, Write } from "@souk/core"
import { DateTime, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { at, dataOf, errorOf, listAt, open, textAt, verdict } from "./market.ts"
import type { TestAgent, TestMarket } from "./market.ts"
import { agreed, callForQuotes, listing, openRequest, publish, quote, request, rfq, submit } from "./trade.ts"

const commit = (market: TestMarket, write: Write) =>
  market.store.commit({ writes: [write], reliesOn: [], events: [] })

/** Changes an agent behind the face, as its operator does. */
const setAgent = Effect.fnUntraced(function* (market: TestMarket, { id }: TestAgent, change: Partial<Agent>) {
  const agent = yield* market.store.agents.byId(id)
  if (agent === undefined) return yield* Effect.die("There is no such agent")
  const value = { ...agent, ...change, version: agent.version + 1 }
  yield* commit(market, { kind: "agent", value, replaces: agent.version })
})

/** Changes a key behind the face. */
const setKey = Effect.fnUntraced(function* (market: TestMarket, agent: TestAgent, change: Partial<ApiKey>) {
  const key = yield* market.store.keys.byDigest(keyDigest(agent.key))
  if (key === undefined) return yield* Effect.die("There is no such key")
  const value = { ...key, ...change, version: key.version + 1 }
  yield* commit(market, { kind: "key", value, replaces: key.version })
})

/** What needs a key, and what is open without one. Contract §2. */
const closed = [
  "GET /api/v1/me",
  "GET /api/v1/me/quotes",
  "GET /api/v1/deal-rooms",
  "GET /api/v1/matches",
  "GET /api/v1/webhooks",
  "POST /api/webhooks",
  "GET /api/v1/quotes/quo_01jd8wq0z7f3mbk5r2v6txn4ce",
  "GET /api/v1/rfqs/rfq_01jd8wq0z7f3mbk5r2v6txn4ce/quotes",
  "PATCH /api/me",
  "POST /api/me/close",
  "POST /api/listings",
  "POST /api/requests",
  "POST /api/requests/req_01jd8wq0z7f3mbk5r2v6txn4ce/fulfil",
  "POST /api/rfqs",
  "POST /api/matches/mat_01jd8wq0z7f3mbk5r2v6txn4ce/dismiss",
  "POST /api/deal-rooms"
]
const welcome = [
  "GET /api/v1/listings",
  "GET /api/v1/requests",
  "GET /api/v1/rfqs",
  "GET /api/v1/agents",
  "GET /api/v1/agents/atlas",
  "GET /api/v1/agents/atlas/reviews",
  "GET /api/v1/search",
  "GET /api/v1/events"
]
const pages = [
  "GET /openapi.json",
  "GET /docs",
  "GET /llms.txt",
  "GET /.well-known/api-catalog",
  "GET /livez",
  "GET /readyz",
  "GET /metrics"
]

describe("a key", () => {
  it.effect("is needed where the contract says so, and must be good wherever it is given", () =>
    Effect.gen(function* () {
      const market = yield* open()
      const { key } = yield* market.register("atlas")
      const typo = `${key.slice(0, 10)}${key[10] === "A" ? "B" : "A"}${key.slice(11)}`
      const unknown = (yield* (yield* open()).register("elsewhere")).key
      for (const endpoint of closed)
        assert.strictEqual(verdict(yield* market.call(endpoint)), "401 key_missing", endpoint)
      for (const endpoint of [...welcome, ...pages])
        assert.strictEqual((yield* market.call(endpoint)).status, 200, endpoint)
      for (const endpoint of [...closed, ...welcome])
        for (const bad of [typo, unknown, key.toLowerCase(), "agent_", "x", `Bearer ${key}`]) {
          const reply = yield* market.call(endpoint, { key: bad })
          assert.strictEqual(verdict(reply), "401 key_invalid", `${endpoint} ${bad}`)
          assert.notInclude(reply.text, bad.slice(6) || "agent_")
        }
      for (const endpoint of pages)
        assert.strictEqual((yield* market.call(endpoint, { key: "x" })).status, 200, endpoint)
      assert.strictEqual((yield* market.call("GET /api/v1/me", { key })).status, 200)
      const query = yield* market.call(`GET /api/v1/me?X-AGENT-KEY=${key}`)
      assert.strictEqual(verdict(query), "401 key_missing")
    })
  )

  it.effect("can be asked for everywhere but for creating an account", () =>
    Effect.gen(function* () {
      const market = yield* open({ requireKeyForReads: true })
      const { key } = yield* market.register("atlas")
      for (const endpoint of [...welcome, ...closed]) {
        assert.strictEqual(verdict(yield* market.call(endpoint)), "401 key_missing", endpoint)
      }
      for (const endpoint of welcome) assert.strictEqual((yield* market.call(endpoint, { key })).status, 200)
      for (const endpoint of pages) assert.strictEqual((yield* market.call(endpoint)).status, 200, endpoint)
    })
  )

  it.effect("is asked for where a query is about its owner", () =>
    Effect.gen(function* () {
      const market = yield* open()
      for (const path of [
        "/api/v1/listings?agent=me",
        "/api/v1/requests?agent=me",
        "/api/v1/rfqs?agent=me",
        "/api/v1/events?mine=true"
      ])
        assert.strictEqual(verdict(yield* market.call(`GET ${path}`)), "401 key_missing", path)
    })
  )

  it.effect("that has expired or was revoked is told so", () =>
    Effect.gen(function* () {
      const market = yield* open()
      const [early, late] = [yield* market.register("early"), yield* market.register("late")]
      const inAnHour = DateTime.add(yield* DateTime.now, { hours: 1 })
      yield* setKey(market, early, { revokedAt: yield* DateTime.now })
      yield* setKey(market, late, { expiresAt: inAnHour })
      for (const endpoint of ["GET /api/v1/me", "GET /api/v1/listings", "POST /api/listings"])
        assert.strictEqual(verdict(yield* market.call(endpoint, { key: early.key })), "401 key_revoked")
      assert.strictEqual((yield* market.call("GET /api/v1/me", { key: late.key })).status, 200)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(verdict(yield* market.call("GET /api/v1/me", { key: late.key })), "401 key_expired")
    })
  )

  it.effect("is shown once, and appears in no other reply and no log", () =>
    Effect.gen(function* () {
      const market = yield* open()
      const { key } = yield* market.register("atlas")
      const paths = ["/api/v1/me", "/api/v1/agents/atlas", "/api/v1/events?after=earliest", "/api/v1/search"]
      for (const path of paths) {
        const reply = yield* market.call(`GET ${path}`, { key, headers: { accept: "application/json" } })
        assert.notInclude(reply.text, key.slice(6), path)
        assert.notInclude(reply.text, "digest", path)
      }
      yield* market.call("POST /api/listings", { key, body: { title: key } })
      assert.deepStrictEqual(market.logs, [])
    })
  )
})

describe("a suspended agent", () => {
  it.effect("reads, but every write of its is 403", () =>
    Effect.gen(function* () {
      const market = yield* open()
      const [buyer, seller] = [yield* market.register("buyer"), yield* market.register("seller")]
      const listingId = yield* publish(market, seller)
      const requestId = yield* openRequest(market, seller)
      const rfqId = yield* callForQuotes(market, buyer)
      const quoteId = yield* submit(market, seller, rfqId)
      const roomId = yield* agreed(market, buyer, seller)
      yield* setAgent(market, seller, { status: "suspended" })
      const { key } = seller
      for (const path of ["/api/v1/me", "/api/v1/me/quotes", `/api/v1/deal-rooms/${roomId}`])
        assert.strictEqual((yield* market.call(`GET ${path}`, { key })).status, 200, path)
      const before = yield* market.position
      const writes: ReadonlyArray<readonly [endpoint: string, body?: unknown]> = [
        ["PATCH /api/me", { name: "New" }],
        ["POST /api/listings", listing()],
        [`PATCH /api/listings/${listingId}`, { title: "New title" }],
        [`POST /api/listings/${listingId}/pause`],
        ["POST /api/requests", request()],
        ["POST /api/webhooks", { url: "https://seller.example/", types: ["rfq.*"] }],
        [`POST /api/requests/${requestId}/cancel`],
        ["POST /api/rfqs", rfq()],
        [`POST /api/rfqs/${rfqId}/quotes`, quote()],
        [`POST /api/quotes/${quoteId}/revise`, quote("1")],
        [`POST /api/quotes/${quoteId}/withdraw`],
        ["POST /api/deal-rooms", { counterparty: buyer.id, role: "seller" }],
        [`POST /api/deal-rooms/${roomId}/messages`, { text: "Hello" }],
        [`POST /api/deal-rooms/${roomId}/deliver`, { note: "Here" }]
      ]
      for (const [endpoint, body] of writes) {
        const reply = yield* market.call(endpoint, { key, body })
        assert.strictEqual(verdict(reply), "403 agent_suspended", endpoint)
        assert.strictEqual(errorOf(reply).recovery, "terminal")
      }
      assert.strictEqual(yield* market.position, before)
    })
  )
})

describe("an agent that closes its account", () => {
  it.effect("leaves the market, but for its rooms under agreement", () =>
    Effect.gen(function* () {
      const market = yield* open()
      const [buyer, seller] = [yield* market.register("buyer"), yield* market.register("seller")]
      const listingId = yield* publish(market, seller)
      const requestId = yield* openRequest(market, seller)
      const rfqId = yield* callForQuotes(market, buyer)
      const quoteId = yield* submit(market, seller, rfqId)
      const roomId = yield* agreed(market, buyer, seller)
      const { key } = seller
      yield* market.ask("POST /api/me/close", { key })
      assert.strictEqual(verdict(yield* market.call(`GET /api/v1/listings/${listingId}`)), "404 not_found")
      assert.strictEqual(verdict(yield* market.call(`GET /api/v1/requests/${requestId}`)), "404 not_found")
      const after = yield* market.ask(`GET /api/v1/quotes/${quoteId}`, { key: buyer.key })
      assert.strictEqual(at(after, "quote", "status"), "withdrawn")
      assert.notInclude((yield* market.call("GET /api/v1/agents")).text, '"seller"')
      assert.strictEqual(
        verdict(yield* market.call("POST /api/listings", { key, body: listing() })),
        "403 forbidden"
      )
      assert.strictEqual(
        verdict(
          yield* market.call("POST /api/agents", {
            body: { handle: "seller", name: "x", email: "x@example.com" }
          })
        ),
        "409 handle_taken"
      )
      const delivered = yield* market.call(`POST /api/deal-rooms/${roomId}/deliver`, {
        key,
        body: { note: "Here" }
      })
      assert.strictEqual(delivered.status, 200)
    })
  )
})

describe("an agent's keys", () => {
  it.effect("are several, each with its label and expiry; a secret is shown once", () =>
    Effect.gen(function* () {
      const market = yield* open()
      const atlas = yield* market.register("atlas")
      const expiresAt = DateTime.formatIso(DateTime.add(yield* DateTime.now, { hours: 1 }))
      const body = { label: "laptop", expiresAt }
      const created = yield* market.call("POST /api/me/keys", { key: atlas.key, body })
      assert.strictEqual(created.status, 201)
      const second = textAt(dataOf(created), "apiKey")
      const listed = yield* market.call("GET /api/v1/me/keys", { key: second })
      const labels = listAt(dataOf(listed), "keys").map((key) => textAt(key, "label"))
      assert.deepStrictEqual(labels, ["laptop", "first key"])
      assert.notInclude(listed.text, second)
      assert.notInclude(listed.text, keyDigest(second))
      assert.strictEqual(textAt(dataOf(listed), "keys", 0, "hint"), second.slice(-4))
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(verdict(yield* market.call("GET /api/v1/me", { key: second })), "401 key_expired")
      assert.strictEqual((yield* market.call("GET /api/v1/me", { key: atlas.key })).status, 200)
    })
  )

  it.effect("rotate with a grace, at the end of which the old one is refused", () =>
    Effect.gen(function* () {
      const market = yield* open()
      const atlas = yield* market.register("atlas")
      const keys = dataOf(yield* market.call("GET /api/v1/me/keys", { key: atlas.key }))
      const path = `POST /api/me/keys/${textAt(keys, "keys", 0, "id")}/rotate`
      const rotated = dataOf(yield* market.call(path, { key: atlas.key, body: { graceSeconds: 60 } }))
      const next = textAt(rotated, "apiKey")
      for (const key of [atlas.key, next])
        assert.strictEqual((yield* market.call("GET /api/v1/me", { key })).status, 200)
      yield* TestClock.adjust("60 seconds")
      assert.strictEqual(verdict(yield* market.call("GET /api/v1/me", { key: atlas.key })), "401 key_revoked")
      assert.strictEqual((yield* market.call("GET /api/v1/me", { key: next })).status, 200)
      const beyond = yield* market.call(path, { key: next, body: { graceSeconds: 86_401 } })
      assert.strictEqual(verdict(beyond), "400 invalid_request")
    })
  )

  it.effect("are refused at once when they are revoked, and their streams end", () =>
    Effect.gen(function* () {
      const market = yield* open()
      const atlas = yield* market.register("atlas")
      const issued = dataOf(yield* market.call("POST /api/me/keys", { key: atlas.key, body: {} }))
      const key = textAt(issued, "apiKey")
      const stream = yield* market.stream("GET /api/v1/events", { key })
      const ended = yield* Effect.forkChild(
        Effect.promise(() => stream.text()),
        { startImmediately: true }
      )
      const path = `DELETE /api/me/keys/${textAt(issued, "key", "id")}`
      assert.strictEqual((yield* market.call(path, { key: atlas.key })).status, 200)
      assert.strictEqual(verdict(yield* market.call("GET /api/v1/me", { key })), "401 key_revoked")
      assert.include(yield* Fiber.join(ended), "stream.ready")
      assert.strictEqual(verdict(yield* market.call(path, { key: atlas.key })), "409 invalid_state")
    })
  )

  it.effect("end their streams when they expire", () =>
    Effect.gen(function* () {
      const market = yield* open()
      const atlas = yield* market.register("atlas")
      const expiresAt = DateTime.formatIso(DateTime.add(yield* DateTime.now, { seconds: 5 }))
      const issued = dataOf(yield* market.call("POST /api/me/keys", { key: atlas.key, body: { expiresAt } }))
      const stream = yield* market.stream("GET /api/v1/events", { key: textAt(issued, "apiKey") })
      const ended = yield* Effect.forkChild(
        Effect.promise(() => stream.text()),
        { startImmediately: true }
      )
      yield* TestClock.adjust("5 seconds")
      assert.include(yield* Fiber.join(ended), "stream.ready")
    })
  )

  it.effect("are nobody else's business, and at most twenty at a time", () =>
    Effect.gen(function* () {
      const market = yield* open()
      const [atlas, bolt] = [yield* market.register("atlas"), yield* market.register("bolt")]
      const own = dataOf(yield* market.call("GET /api/v1/me/keys", { key: atlas.key }))
      const path = `/api/me/keys/${textAt(own, "keys", 0, "id")}`
      assert.strictEqual(verdict(yield* market.call(`DELETE ${path}`, { key: bolt.key })), "404 not_found")
      const rotation = yield* market.call(`POST ${path}/rotate`, { key: bolt.key, body: {} })
      assert.strictEqual(verdict(rotation), "404 not_found")
      for (let n = 1; n < 20; n++)
        assert.strictEqual((yield* market.call("POST /api/me/keys", { key: bolt.key, body: {} })).status, 201)
      const tooMany = yield* market.call("POST /api/me/keys", { key: bolt.key, body: {} })
      assert.strictEqual(verdict(tooMany), "422 limit_reached")
    })
  )
})
