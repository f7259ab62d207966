import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as JsonBody from "../../src/http/JsonBody.ts"
import { errorOf, serve } from "./toyMarket.ts"

const nested = (depth: number) =>
  `{"name":"x","metadata":${'{"a":'.repeat(depth - 2)}{}${"}".repeat(depth - 2)}}`

const chunks = (...parts: ReadonlyArray<Uint8Array | string>) =>
  ReadableStream.from(parts).pipeThrough(
    new TransformStream<Uint8Array | string, Uint8Array>({
      transform: (part, to) => to.enqueue(typeof part === "string" ? new TextEncoder().encode(part) : part)
    })
  )

describe("bodies", () => {
  it.effect("of up to 256 KiB are read, larger ones are 413", () =>
    Effect.gen(function* () {
      const market = yield* serve()
      const body = (bytes: number) => `{"name":"${"x".repeat(bytes - 11)}"}`
      assert.strictEqual((yield* market.post("/api/v1/things", body(262_144))).status, 200)
      const response = yield* market.post("/api/v1/things", body(262_145))
      assert.strictEqual(response.status, 413)
      const error = yield* errorOf(response)
      assert.deepStrictEqual([error.code, error["maxBytes"]], ["payload_too_large", 262_144])
    })
  )

  it.effect("that announce too much are refused before they are read", () =>
    Effect.gen(function* () {
      const market = yield* serve()
      const response = yield* market.post("/api/v1/things", "{}", { "content-length": "262145" })
      assert.strictEqual((yield* errorOf(response)).code, "payload_too_large")
    })
  )

  it.effect("that come in chunks are held to the same limit", () =>
    Effect.gen(function* () {
      const market = yield* serve({ shell: { limits: { maxBodyBytes: 100 } } })
      const response = yield* Effect.promise(() =>
        market.start("/api/v1/things", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: chunks('{"name":"', "x".repeat(60), "x".repeat(60), '"}'),
          duplex: "half"
        })
      )
      assert.strictEqual((yield* errorOf(response)).code, "payload_too_large")
    })
  )

  it.effect("nest 32 levels and no more", () =>
    Effect.gen(function* () {
      const market = yield* serve()
      assert.strictEqual((yield* market.post("/api/v1/things", nested(32))).status, 200)
      const error = yield* errorOf(yield* market.post("/api/v1/things", nested(33)))
      assert.strictEqual(error.code, "invalid_json")
      assert.include(error.message, "32")
    })
  )

  it.effect("that are not JSON are 400 invalid_json and say why", () =>
    Effect.gen(function* () {
      const market = yield* serve()
      for (const [body, word] of [
        ['{"name":', "not JSON"],
        ["", "empty"],
        ["  \n", "empty"],
        [new Uint8Array([0x7b, 0xff, 0x7d]), "UTF-8"],
        ["[".repeat(200_000), "deeper"]
      ] as const) {
        const response = yield* market.post("/api/v1/things", body)
        assert.strictEqual(response.status, 400)
        const error = yield* errorOf(response)
        assert.strictEqual(error.code, "invalid_json")
        assert.include(error.message, word)
      }
    })
  )

  it.effect("may be left out where the call takes none", () =>
    Effect.gen(function* () {
      const market = yield* serve()
      const response = yield* market.post("/api/touch", "")
      assert.strictEqual(yield* Effect.promise(() => response.json()), "no body")
    })
  )

  it.effect("with __proto__ pollute nothing and are refused like any unknown field", () =>
    Effect.gen(function* () {
      const market = yield* serve()
      const refused = yield* market.post("/api/v1/things", '{"name":"x","__proto__":{"admin":true}}')
      assert.strictEqual(refused.status, 400)
      assert.include(JSON.stringify((yield* errorOf(refused))["issues"]), "__proto__")
      const hidden = '{"name":"x","metadata":{"__proto__":{"admin":true}}}'
      const kept = yield* market.post("/api/v1/things", hidden)
      assert.strictEqual(yield* Effect.promise(() => kept.text()), hidden)
      assert.notProperty({}, "admin")
    })
  )
})

describe("shapeOf", () => {
  it("counts brackets and commas outside strings", () => {
    assert.deepStrictEqual(JsonBody.shapeOf(String.raw`["[[,[[\"[,[[\\"]`), { depth: 1, values: 2 })
    assert.deepStrictEqual(JsonBody.shapeOf("[[]]"), { depth: 2, values: 3 })
    assert.deepStrictEqual(JsonBody.shapeOf("[[],[],{}]"), { depth: 2, values: 7 })
    assert.deepStrictEqual(JsonBody.shapeOf('"unterminated [[['), { depth: 0, values: 1 })
  })
})
