import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Queue, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"
import * as Draining from "../../src/http/Draining.ts"
import * as Sse from "../../src/http/Sse.ts"
import { serve } from "./toyMarket.ts"

/** Reads a response chunk by chunk; `undefined` at its end. */
const reader = (response: Response) => {
  const chunks = (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader()
  return Effect.promise(() => chunks.read().then(({ value }) => value))
}

const hello = 'retry: 3000\nid: c0\nevent: stream.ready\ndata: {"cursor":"c0"}\n\n'

describe("a stream of events", () => {
  it.effect("begins at once with its headers, retry and stream.ready", () =>
    Effect.gen(function* () {
      const market = yield* serve()
      const response = yield* market.get("/api/v1/events")
      assert.strictEqual(response.headers.get("content-type"), "text/event-stream")
      assert.strictEqual(response.headers.get("cache-control"), "no-cache, no-transform")
      assert.strictEqual(response.headers.get("x-accel-buffering"), "no")
      assert.strictEqual(yield* reader(response), hello)
    })
  )

  it.effect("writes each event with id, type and one line of JSON, in order", () =>
    Effect.gen(function* () {
      const market = yield* serve()
      const read = reader(yield* market.get("/api/v1/events"))
      yield* read
      yield* Queue.offer(market.feed, { id: "c1", event: "rfq.opened", data: { text: "two\nlines" } })
      assert.strictEqual(yield* read, 'id: c1\nevent: rfq.opened\ndata: {"text":"two\\nlines"}\n\n')
      yield* Queue.offer(market.feed, { id: "c2", event: "rfq.closed", data: {} })
      assert.strictEqual(yield* read, "id: c2\nevent: rfq.closed\ndata: {}\n\n")
    })
  )

  it.effect("says that it lives after 15 s of silence, and only then", () =>
    Effect.gen(function* () {
      const market = yield* serve()
      const read = reader(yield* market.get("/api/v1/events"))
      yield* read
      const first = yield* Effect.forkChild(read)
      yield* TestClock.adjust("14 seconds")
      assert.isUndefined(first.pollUnsafe())
      yield* Queue.offer(market.feed, { id: "c1", event: "rfq.opened", data: {} })
      assert.include((yield* Fiber.join(first)) ?? "", "id: c1")
      const second = yield* Effect.forkChild(read)
      yield* TestClock.adjust("14 seconds")
      assert.isUndefined(second.pollUnsafe())
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(second), ":\n\n")
      const third = yield* Effect.forkChild(read)
      yield* TestClock.adjust("15 seconds")
      assert.strictEqual(yield* Fiber.join(third), ":\n\n")
      yield* Queue.offer(market.feed, { id: "c2", event: "rfq.closed", data: {} })
      assert.include((yield* read) ?? "", "id: c2")
    })
  )

  it.effect("outlasts the time that a request may take", () =>
    Effect.gen(function* () {
      const market = yield* serve()
      const read = reader(yield* market.get("/api/v1/events"))
      yield* read
      for (const _ of [1, 2, 3, 4]) {
        const silence = yield* Effect.forkChild(read)
        yield* TestClock.adjust("15 seconds")
        assert.strictEqual(yield* Fiber.join(silence), ":\n\n")
      }
    })
  )

  it.effect("ends without a word when its source fails, and logs why", () =>
    Effect.gen(function* () {
      const market = yield* serve()
      const read = reader(yield* market.get("/api/v1/events"))
      yield* read
      yield* Queue.fail(market.feed, new Error("the password is hunter2"))
      assert.isUndefined(yield* read)
      assert.isTrue(market.logs.some((line) => line.includes("hunter2")))
    })
  )

  it.effect("ends when the server drains", () =>
    Effect.gen(function* () {
      const market = yield* serve()
      const read = reader(yield* market.get("/api/v1/events"))
      yield* read
      yield* market.dispose
      assert.isUndefined(yield* read)
    })
  )

  it.effect("lets go of its source when the reader leaves", () =>
    Effect.gen(function* () {
      const released = yield* Deferred.make<void>()
      const frames = Stream.make({ event: "rfq.opened", data: {} }).pipe(
        Stream.concat(Stream.never),
        Stream.onExit(() => Deferred.succeed(released, undefined))
      )
      const response = HttpServerResponse.toWeb(yield* Sse.respond({ cursor: "c0", frames }))
      const chunks = (response.body ?? new ReadableStream()).getReader()
      yield* Effect.promise(() => chunks.read())
      yield* Effect.promise(() => chunks.read())
      yield* Effect.promise(() => chunks.cancel())
      yield* Deferred.await(released)
    }).pipe(Effect.provide(Draining.layer))
  )
})
