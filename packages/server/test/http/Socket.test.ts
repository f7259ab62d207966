/** What only a real socket shows: chunked bodies, HEAD, requests that hang, and how fast the server closes. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Exit, Layer, Queue, Scope } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { NetAddress } from "effect/net"
import { request } from "node:http"
import type { IncomingMessage } from "node:http"
import * as Draining from "../../src/http/Draining.ts"
import * as Listener from "../../src/http/Listener.ts"
import * as RateLimit from "../../src/http/RateLimit.ts"
import type { Frame } from "../../src/http/Sse.ts"
import { errorOf, routes, type ToyOptions } from "./toyMarket.ts"

/** Serves the toy market on a free port, as a host would. */
const listen = Effect.fnUntraced(function* (options: ToyOptions = {}) {
  const feed = yield* Queue.unbounded<Frame, Error>()
  const host = HttpRouter.serve(routes(feed, options), { disableLogger: true, disableListenLog: true }).pipe(
    Listener.serve({ port: 0, host: "127.0.0.1" }),
    Layer.provide(Layer.merge(Draining.layer, RateLimit.layerOff))
  )
  const scope = yield* Scope.make()
  yield* Effect.addFinalizer(() => Scope.close(scope, Exit.void))
  const context = yield* Layer.buildWithScope(host, scope)
  const { address } = yield* Effect.provideContext(HttpServer.HttpServer, context)
  const port = NetAddress.isInetAddress(address) ? address.port : 0
  return { url: `http://127.0.0.1:${port}`, close: Scope.close(scope, Exit.void) }
})

const send = (url: string, init?: RequestInit) => Effect.promise(() => fetch(url, init))

/** Sends a chunked POST that never ends. */
const endless = (url: string, chunk: string) =>
  Effect.callback<IncomingMessage>((resume) => {
    const outgoing = request(url, { method: "POST", headers: { "content-type": "application/json" } })
    outgoing.on("response", (response) => resume(Effect.succeed(response)))
    outgoing.on("error", () => {})
    outgoing.write(chunk)
  })

const textOf = (response: IncomingMessage) => Effect.promise(async () => (await response.toArray()).join(""))

describe("on a socket", () => {
  it.live("a chunked body over the limit is 413 before it ends", () =>
    Effect.gen(function* () {
      const { url } = yield* listen()
      const response = yield* endless(`${url}/api/v1/things`, `{"name":"${"x".repeat(300 * 1024)}`)
      assert.strictEqual(response.statusCode, 413)
      assert.include(yield* textOf(response), '"payload_too_large"')
    })
  )

  it.live("a body that never ends is 503 timeout", () =>
    Effect.gen(function* () {
      const { url } = yield* listen({ shell: { limits: { requestTimeoutSeconds: 0.05 } } })
      const response = yield* endless(`${url}/api/v1/things`, '{"name":')
      assert.strictEqual(response.statusCode, 503)
      assert.include(yield* textOf(response), '"timeout"')
    })
  )

  it.live("a handler that hangs is 503 timeout", () =>
    Effect.gen(function* () {
      const { url } = yield* listen({ shell: { limits: { requestTimeoutSeconds: 0.05 } } })
      const error = yield* errorOf(yield* send(`${url}/api/v1/slow`))
      assert.strictEqual(error.code, "timeout")
    })
  )

  it.live("HEAD answers without a body, for the stream as well", () =>
    Effect.gen(function* () {
      const { url } = yield* listen()
      const things = yield* send(`${url}/api/v1/things`, { method: "HEAD" })
      assert.strictEqual(things.status, 200)
      assert.isNotNull(things.headers.get("content-length"))
      const events = yield* send(`${url}/api/v1/events`, { method: "HEAD" })
      assert.strictEqual(events.headers.get("content-type"), "text/event-stream")
    })
  )

  it.live("a request target that is no path is 404", () =>
    Effect.gen(function* () {
      const { url } = yield* listen()
      const response = yield* Effect.callback<IncomingMessage>((resume) => {
        request(url, { method: "OPTIONS", path: "*" }, (response) => resume(Effect.succeed(response))).end()
      })
      assert.strictEqual(response.statusCode, 404)
      assert.include(yield* textOf(response), '"not_found"')
    })
  )

  it.live("closing ends open streams and the server at once", () =>
    Effect.gen(function* () {
      const { url, close } = yield* listen()
      yield* send(`${url}/api/v1/things`).pipe(Effect.flatMap((idle) => Effect.promise(() => idle.text())))
      const streams = yield* Effect.forEach([1, 2, 3], () => send(`${url}/api/v1/events`), { concurrency: 3 })
      const started = yield* Clock.currentTimeMillis
      yield* close
      const took = (yield* Clock.currentTimeMillis) - started
      const texts = yield* Effect.forEach(streams, (stream) => Effect.promise(() => stream.text()))
      assert.isBelow(took, 300)
      for (const text of texts) assert.include(text, "stream.ready")
    })
  )

  it.live("closing does not wait for clients that hang", () =>
    Effect.gen(function* () {
      const { url, close } = yield* listen()
      yield* endless(`${url}/api/v1/nothing`, "{")
      yield* Effect.forkChild(endless(`${url}/api/v1/things`, "{"), { startImmediately: true })
      yield* send(`${url}/api/v1/things`)
      const started = yield* Clock.currentTimeMillis
      yield* close
      assert.isBelow((yield* Clock.currentTimeMillis) - started, 1000)
    })
  )
})
