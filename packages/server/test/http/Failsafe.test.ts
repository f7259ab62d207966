import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { errorOf, serve } from "./toyMarket.ts"

describe("every failure is an envelope", () => {
  it.effect("an unknown path is 404 not_found and carries the request id of the header", () =>
    Effect.gen(function* () {
      const market = yield* serve()
      const response = yield* market.get("/api/v1/nothing?secret=1")
      const error = yield* errorOf(response)
      assert.strictEqual(response.status, 404)
      assert.strictEqual(error.code, "not_found")
      assert.strictEqual(error.requestId, response.headers.get("request-id"))
      assert.notInclude(error.message, "secret")
    })
  )

  it.effect("a known path with a wrong method is 405 with Allow", () =>
    Effect.gen(function* () {
      const market = yield* serve()
      for (const [method, path, allow] of [
        ["DELETE", "/api/v1/things", "GET, HEAD, OPTIONS, POST"],
        ["POST", "/api/v1/things/7?x=1", "GET, HEAD, OPTIONS"],
        ["HEAD", "/api/touch", "OPTIONS, POST"],
        ["PROPFIND", "/api/v1/things", "GET, HEAD, OPTIONS, POST"]
      ] as const) {
        const response = yield* market.get(path, { method })
        assert.strictEqual(response.status, 405)
        assert.strictEqual(response.headers.get("allow"), allow)
        if (method !== "HEAD") assert.strictEqual((yield* errorOf(response)).code, "method_not_allowed")
      }
    })
  )

  it.effect("HEAD answers as GET does, without the body", () =>
    Effect.gen(function* () {
      const market = yield* serve()
      const response = yield* market.get("/api/v1/things", { method: "HEAD" })
      assert.strictEqual(response.status, 200)
      assert.strictEqual(response.headers.get("content-type"), "application/json")
      assert.strictEqual(yield* Effect.promise(() => response.text()), "")
    })
  )

  it.effect("OPTIONS answers 204 with Allow, and 404 where nothing is", () =>
    Effect.gen(function* () {
      const market = yield* serve()
      const response = yield* market.get("/api/v1/things", { method: "OPTIONS" })
      assert.strictEqual(response.status, 204)
      assert.strictEqual(response.headers.get("allow"), "GET, HEAD, OPTIONS, POST")
      assert.strictEqual((yield* market.get("/nowhere", { method: "OPTIONS" })).status, 404)
    })
  )

  it.effect("a body that is not JSON by its type is 415", () =>
    Effect.gen(function* () {
      const market = yield* serve()
      const response = yield* market.post("/api/v1/things", "<thing/>", { "content-type": "text/xml" })
      assert.strictEqual(response.status, 415)
      const error = yield* errorOf(response)
      assert.strictEqual(error.code, "unsupported_media_type")
      assert.include(error.message, "text/xml")
    })
  )

  it.effect("a body of no type is 415, since any page could send it in its visitor's name", () =>
    Effect.gen(function* () {
      const market = yield* serve()
      const body = new Blob([JSON.stringify({ name: "thing" })])
      const response = yield* market.get("/api/v1/things", { method: "POST", body })
      assert.strictEqual(response.status, 415)
      assert.strictEqual((yield* errorOf(response)).code, "unsupported_media_type")
    })
  )

  it.effect("a compressed body is 415 too", () =>
    Effect.gen(function* () {
      const market = yield* serve()
      const response = yield* market.post("/api/v1/things", "x", { "content-encoding": "gzip" })
      assert.strictEqual(response.status, 415)
    })
  )

  it.effect("a defect is 500, tells the caller nothing, and the log everything", () =>
    Effect.gen(function* () {
      const market = yield* serve()
      const response = yield* market.get("/api/v1/broken", { headers: { "request-id": "find-me" } })
      const text = yield* Effect.promise(() => response.clone().text())
      assert.strictEqual(response.status, 500)
      assert.notInclude(text, "hunter2")
      const error = yield* errorOf(response)
      assert.strictEqual(error.code, "internal")
      assert.strictEqual(error.requestId, "find-me")
      const line = market.logs.find((line) => line.includes("hunter2"))
      assert.include(line ?? "", "find-me")
    })
  )

  it.effect("a request that takes longer than 30 s is 503 timeout", () =>
    Effect.gen(function* () {
      const market = yield* serve()
      const answer = yield* Effect.forkChild(market.get("/api/v1/slow"))
      yield* TestClock.adjust("29 seconds")
      assert.isUndefined(answer.pollUnsafe())
      yield* TestClock.adjust("1 second")
      const response = yield* Fiber.join(answer)
      assert.strictEqual(response.status, 503)
      const error = yield* errorOf(response)
      assert.deepStrictEqual([error.code, error.recovery], ["timeout", "transient"])
    })
  )

  it.effect("a route that must not be interrupted is left to end", () =>
    Effect.gen(function* () {
      const market = yield* serve()
      const answer = yield* Effect.forkChild(market.get("/api/v1/careful"))
      yield* TestClock.adjust("31 seconds")
      assert.strictEqual((yield* Fiber.join(answer)).status, 200)
    })
  )

  it.effect("a request that its client gives up is no failure", () =>
    Effect.gen(function* () {
      const market = yield* serve()
      const client = new AbortController()
      const answer = market.start("/api/v1/slow", { signal: client.signal })
      client.abort()
      yield* Effect.promise(() => answer)
      assert.deepStrictEqual(market.logs, [])
    })
  )

  it.effect("an input that does not decode is 400 with its issues", () =>
    Effect.gen(function* () {
      const market = yield* serve()
      const response = yield* market.post("/api/v1/things", '{"nmae":"lamp"}')
      assert.strictEqual(response.status, 400)
      const error = yield* errorOf(response)
      assert.strictEqual(error.code, "invalid_request")
      assert.include(JSON.stringify(error["issues"]), '"path":"payload.nmae"')
    })
  )

  it.effect("an odd path is 404 and no defect", () =>
    Effect.gen(function* () {
      const market = yield* serve()
      for (const path of [
        "/%",
        "/%zz/%00",
        "//",
        "/api/v1/things/%ff",
        `/api/v1/things/${"x".repeat(2000)}`
      ]) {
        const response = yield* market.get(path)
        assert.strictEqual(response.status, 404, path)
        yield* errorOf(response)
      }
    })
  )
})
