import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { at, dataOf, errorOf, listAt, open, textAt, verdict } from "./market.ts"
import type { Reply } from "./market.ts"
import { callForQuotes, listing, publish, rfq, submit } from "./trade.ts"

const scene = Effect.gen(function* () {
  const market = yield* open()
  const atlas = yield* market.register("atlas")
  const listingId = yield* publish(market, atlas)
  return { market, atlas, place: `/api/v1/listings/${listingId}`, change: `/api/listings/${listingId}` }
})

describe("an entity's tag", () => {
  it.effect("is that of the read that follows the write", () =>
    Effect.gen(function* () {
      const { market, atlas, place, change } = yield* scene
      const created = yield* market.call("POST /api/listings", { key: atlas.key, body: listing() })
      assert.strictEqual(created.headers.get("etag"), '"1-active"')
      const paused = yield* market.call(`POST ${change}/pause`, { key: atlas.key })
      const read = yield* market.call(`GET ${place}`, { key: atlas.key })
      assert.strictEqual(read.headers.get("etag"), '"2-paused"')
      assert.strictEqual(paused.headers.get("etag"), read.headers.get("etag"))
    })
  )

  it.effect("spares a reader what he has: 304 without a body, for GET and HEAD", () =>
    Effect.gen(function* () {
      const { market, place } = yield* scene
      const read = (method: string, tag: string) =>
        market.call(`${method} ${place}`, { headers: { "if-none-match": tag } })
      for (const tag of ['"1-active"', 'W/"1-active"', '"0-x", "1-active"', "*"]) {
        const reply = yield* read("GET", tag)
        assert.strictEqual(reply.status, 304, tag)
        assert.strictEqual(reply.text, "", tag)
        assert.strictEqual(reply.headers.get("etag"), '"1-active"', tag)
        assert.isNull(reply.headers.get("content-type"), tag)
        assert.isNotNull(reply.headers.get("request-id"), tag)
        assert.strictEqual((yield* read("HEAD", tag)).status, 304, tag)
      }
      for (const tag of ['"2-active"', '"1"', "1-active", '"1-paused"'])
        assert.strictEqual((yield* read("GET", tag)).status, 200, tag)
    })
  )

  it.effect("changes when time alone changes what is shown", () =>
    Effect.gen(function* () {
      const { market, atlas } = yield* scene
      const bolt = yield* market.register("bolt")
      const rfqId = yield* callForQuotes(market, atlas)
      const quoteId = yield* submit(market, bolt, rfqId)
      const tags = Effect.forEach([`/api/v1/rfqs/${rfqId}`, `/api/v1/quotes/${quoteId}`], (path) =>
        Effect.map(market.call(`GET ${path}`, { key: bolt.key }), ({ headers }) => headers.get("etag"))
      )
      const before = yield* tags
      yield* TestClock.adjust("10 days")
      const after = yield* tags
      assert.notStrictEqual(before[0], after[0])
      assert.notStrictEqual(before[1], after[1])
    })
  )

  it.effect("changes when a seed is shown, also of an RFQ that was cancelled before its deadline", () =>
    Effect.gen(function* () {
      const { market, atlas } = yield* scene
      const rfqId = yield* callForQuotes(market, atlas, { ...rfq(), quoteMode: "sealed" })
      yield* market.ask(`POST /api/rfqs/${rfqId}/cancel`, { key: atlas.key })
      const read = (headers = {}) => market.call(`GET /api/v1/rfqs/${rfqId}`, { headers })
      const tag = (yield* read()).headers.get("etag")
      assert.strictEqual(tag, '"2-cancelled-sealed"')
      yield* TestClock.adjust("24 hours")
      const again = yield* read({ "if-none-match": tag })
      assert.deepStrictEqual([again.status, again.headers.get("etag")], [200, '"2-cancelled"'])
    })
  )

  it.effect("guards a write: a stale one is 412 and tells the present version", () =>
    Effect.gen(function* () {
      const { market, atlas, change } = yield* scene
      const rename = (tag: string, title: string) =>
        market.call(`PATCH ${change}`, { key: atlas.key, body: { title }, headers: { "if-match": tag } })
      assert.strictEqual((yield* rename('"1-active"', "The first")).status, 200)
      const stale = yield* rename('"1-active"', "The second")
      assert.strictEqual(verdict(stale), "412 version_conflict")
      assert.strictEqual(errorOf(stale)["version"], 2)
      assert.strictEqual(verdict(yield* rename('"somebody-elses"', "The third")), "412 version_conflict")
      assert.strictEqual((yield* rename("*", "The fourth")).status, 200)
      assert.strictEqual((yield* rename('W/"3-active"', "The fifth")).status, 200)
    })
  )

  it.effect("of two changes that are based on the same version one wins", () =>
    Effect.gen(function* () {
      const { market, atlas, change } = yield* scene
      const rename = (title: string) =>
        market.call(`PATCH ${change}`, {
          key: atlas.key,
          body: { title },
          headers: { "if-match": '"1-active"' }
        })
      const replies = yield* Effect.all([rename("One of two"), rename("Two of two")], { concurrency: 2 })
      assert.sameMembers(
        replies.map(({ status }) => status),
        [200, 412]
      )
    })
  )
})

describe("Request-Id", () => {
  it.effect("is kept where it is sane, and made where it is not, on every kind of reply", () =>
    Effect.gen(function* () {
      const { market, place } = yield* scene
      for (const endpoint of [
        `GET ${place}`,
        "GET /livez",
        "GET /nowhere",
        "PUT /api/listings",
        "OPTIONS /livez"
      ]) {
        const send = (id: string) => market.call(endpoint, { headers: { "request-id": id } })
        assert.strictEqual(
          (yield* send("trace-1.a:b_C")).headers.get("request-id"),
          "trace-1.a:b_C",
          endpoint
        )
        for (const id of ["", "a b", "x".repeat(129), "<script>", "ü"]) {
          const reply = yield* send(id)
          assert.match(reply.headers.get("request-id") ?? "", /^[0-9a-f-]{36}$/u, endpoint)
          if (reply.status >= 400)
            assert.strictEqual(errorOf(reply).requestId, reply.headers.get("request-id"))
        }
      }
    })
  )
})

describe("methods", () => {
  it.effect("HEAD answers as GET does, without the body", () =>
    Effect.gen(function* () {
      const { market, place } = yield* scene
      for (const path of [place, "/api/v1/listings", "/openapi.json", "/docs", "/livez", "/api/v1/nothing"]) {
        const [get, head] = [yield* market.call(`GET ${path}`), yield* market.call(`HEAD ${path}`)]
        assert.strictEqual(head.status, get.status, path)
        assert.strictEqual(head.text, "", path)
        for (const name of ["etag", "content-type", "cache-control"])
          assert.strictEqual(head.headers.get(name), get.headers.get(name), `${path} ${name}`)
      }
    })
  )

  it.effect("OPTIONS and 405 name what a path takes", () =>
    Effect.gen(function* () {
      const { market, place, change } = yield* scene
      const allowed: ReadonlyArray<readonly [path: string, allow: string]> = [
        [place, "GET, HEAD, OPTIONS"],
        [change, "OPTIONS, PATCH"],
        [`${change}/pause`, "OPTIONS, POST"],
        ["/api/agents", "OPTIONS, POST"],
        ["/api/v1/events", "GET, HEAD, OPTIONS"],
        ["/openapi.json", "GET, HEAD, OPTIONS"]
      ]
      for (const [path, allow] of allowed) {
        const options = yield* market.call(`OPTIONS ${path}`)
        assert.strictEqual(options.status, 204, path)
        assert.strictEqual(options.headers.get("allow"), allow, path)
        const refused = yield* market.call(`PUT ${path}`, { body: {} })
        assert.strictEqual(verdict(refused), "405 method_not_allowed", path)
        assert.strictEqual(refused.headers.get("allow"), allow, path)
      }
      const nowhere = yield* market.call("OPTIONS /nowhere")
      assert.strictEqual(verdict(nowhere), "404 not_found")
      assert.isNull(nowhere.headers.get("allow"))
    })
  )
})

describe("the rate limits", () => {
  const limited = open({
    rateLimits: { default: { limit: 5, windowSeconds: 60 }, accounts: { limit: 2, windowSeconds: 3600 } },
    trustProxy: 1
  })
  const from = (address: string) => ({ "x-forwarded-for": address })
  const remaining = ({ headers }: Reply) =>
    Number(/"default";r=(\d+)/u.exec(headers.get("ratelimit") ?? "")?.[1])

  it.effect("are told on every reply, and count down", () =>
    Effect.gen(function* () {
      const market = yield* limited
      const headers = from("192.0.2.1")
      const endpoints = ["GET /api/v1/listings", "GET /api/v1/me", "GET /nowhere", "POST /api/listings"]
      for (const [index, endpoint] of endpoints.entries()) {
        const reply = yield* market.call(endpoint, { headers })
        assert.strictEqual(reply.headers.get("ratelimit-policy"), '"default";q=5;w=60', endpoint)
        assert.strictEqual(remaining(reply), 4 - index, endpoint)
      }
    })
  )

  it.effect("refuse with 429 and how long to wait, and let through again after that", () =>
    Effect.gen(function* () {
      const market = yield* limited
      const read = market.call("GET /api/v1/listings", { headers: from("192.0.2.2") })
      for (const _ of [1, 2, 3, 4, 5]) assert.strictEqual((yield* read).status, 200)
      const refused = yield* read
      assert.strictEqual(verdict(refused), "429 rate_limited")
      const wait = Number(refused.headers.get("retry-after"))
      assert.strictEqual(errorOf(refused)["retryAfterSeconds"], wait)
      assert.isAtLeast(wait, 1)
      assert.isAtMost(wait, 60)
      assert.strictEqual((yield* market.call("GET /livez", { headers: from("192.0.2.2") })).status, 200)
      assert.strictEqual(
        (yield* market.call("GET /api/v1/listings", { headers: from("192.0.2.3") })).status,
        200
      )
      yield* TestClock.adjust(wait * 1000)
      assert.strictEqual((yield* read).status, 200)
    })
  )

  it.effect("count by key, wherever the requests come from", () =>
    Effect.gen(function* () {
      const market = yield* limited
      const atlas = yield* market.register("atlas")
      const read = (address: string) =>
        market.call("GET /api/v1/me", { key: atlas.key, headers: from(address) })
      for (const n of [1, 2, 3, 4, 5]) assert.strictEqual(remaining(yield* read(`192.0.2.${n}`)), 5 - n)
      assert.strictEqual(verdict(yield* read("192.0.2.9")), "429 rate_limited")
    })
  )

  it.effect("refuse before a body is read", () =>
    Effect.gen(function* () {
      const market = yield* limited
      const headers = from("192.0.2.5")
      for (const _ of [1, 2, 3, 4, 5]) yield* market.call("POST /api/agents", { headers, body: {} })
      const endless = new ReadableStream({ pull: () => new Promise(() => {}) })
      const refused = yield* market.call("POST /api/agents", { headers, raw: endless })
      assert.strictEqual(verdict(refused), "429 rate_limited")
    })
  )

  it.effect("give an address few accounts, whatever it sends as its own addresses", () =>
    Effect.gen(function* () {
      const market = yield* limited
      const register = (handle: string, address: string) =>
        market.call("POST /api/agents", {
          headers: from(address),
          body: { handle, name: handle, email: "x@example.com" }
        })
      assert.strictEqual((yield* register("first", "192.0.2.1")).status, 201)
      assert.strictEqual((yield* register("second", "203.0.113.7, 192.0.2.1")).status, 201)
      const refused = yield* register("third", "203.0.113.8, 192.0.2.1")
      assert.strictEqual(verdict(refused), "429 rate_limited")
      assert.isAbove(Number(refused.headers.get("retry-after")), 60)
      assert.strictEqual(
        (yield* market.call("GET /api/v1/agents/third", { headers: from("192.0.2.4") })).status,
        404
      )
    })
  )
})

describe("the pages beside the contract", () => {
  it.effect("are there: the document, its page, and the probes", () =>
    Effect.gen(function* () {
      const market = yield* open()
      const document = yield* market.call("GET /openapi.json")
      assert.strictEqual(at(document.body, "openapi"), "3.1.0")
      const docs = yield* market.call("GET /docs")
      assert.include(docs.headers.get("content-type") ?? "", "text/html")
      assert.match(
        docs.headers.get("content-security-policy") ?? "",
        /^default-src 'none'; style-src 'sha256-/u
      )
      assert.notMatch(docs.text, /<script|https?:\/\/[^\s"<]+\.(?:js|css)/u)
      assert.strictEqual(textAt((yield* market.call("GET /livez")).body, "data", "status"), "live")
      assert.deepStrictEqual(dataOf(yield* market.call("GET /readyz")), {
        status: "ready",
        sweep: { overdue: 0, lagSeconds: 0 }
      })
      yield* market.drain
      const stopping = yield* market.call("GET /readyz")
      assert.strictEqual(verdict(stopping), "503 unavailable")
      assert.isEmpty(listAt((yield* market.call("GET /api/v1/listings")).body, "data", "listings"))
    })
  )
})
