/** The market on a real socket: what the web handler of the other tests cannot show. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { NetAddress } from "effect/net"
import { connect } from "node:net"
import { Market } from "../src/index.ts"
import { Listener } from "../src/node.ts"
import { services } from "./market.ts"
import { listing } from "./trade.ts"

/** Serves a market on a free port, as `souk serve` does. */
const listen = Effect.gen(function* () {
  const scope = yield* Scope.make()
  yield* Effect.addFinalizer(() => Scope.close(scope, Exit.void))
  const server = HttpRouter.serve(Market.routes({ rateLimits: "off" }), {
    disableLogger: true,
    disableListenLog: true
  }).pipe(Listener.serve({ port: 0, host: "127.0.0.1" }), Layer.provide(services()))
  const context = yield* Layer.buildWithScope(server, scope)
  const { address } = yield* Effect.provideContext(HttpServer.HttpServer, context)
  const port = NetAddress.isInetAddress(address) ? address.port : 0
  return { port, url: `http://127.0.0.1:${port}`, close: Scope.close(scope, Exit.void) }
})

/** Writes to a connection as it is, and reads what comes until the server ends it, or until `enough` has come. */
const exchange = (port: number, request: string, enough?: string) =>
  Effect.callback<string>((resume) => {
    const socket = connect(port, "127.0.0.1")
    let read = ""
    const end = () => {
      socket.destroy()
      resume(Effect.succeed(read))
    }
    socket.setEncoding("utf8")
    socket.on("data", (chunk) => {
      read += chunk
      if (enough !== undefined && read.includes(enough)) end()
    })
    socket.on("close", end)
    socket.on("error", end)
    socket.write(request)
    return Effect.sync(() => socket.destroy())
  })

const host = "Host: market.test\r\nConnection: close\r\n"
const json = "Content-Type: application/json\r\n"
const account = JSON.stringify({ handle: "atlas", name: "Atlas", email: "desk@atlas.example" })
const post = (headers: string, body: string) =>
  `POST /api/agents HTTP/1.1\r\n${host}${json}${headers}\r\n${body}`
const chunked = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`

describe("on a socket", () => {
  it.live("a body may come in chunks, and its type with parameters", () =>
    Effect.gen(function* () {
      const { port } = yield* listen
      const reply = yield* exchange(port, post("Transfer-Encoding: chunked\r\n", chunked(account)))
      assert.match(reply, /^HTTP\/1\.1 201 /u)
      assert.match(reply, /\r\nlocation: \/api\/v1\/agents\/agt_/iu)
      assert.include(reply, '"apiKey":"agent_')
    })
  )

  it.live("a chunked body that is too large is 413, and nothing comes of it", () =>
    Effect.gen(function* () {
      const { port, url } = yield* listen
      const large = account.replace('"Atlas"', `"${"A".repeat(300_000)}"`)
      const reply = yield* exchange(port, post("Transfer-Encoding: chunked\r\n", chunked(large)), "requestId")
      assert.match(reply, /^HTTP\/1\.1 413 /u)
      assert.include(reply, '"payload_too_large"')
      const announced = yield* exchange(port, post(`Content-Length: ${large.length}\r\n`, ""), "requestId")
      assert.match(announced, /^HTTP\/1\.1 413 /u)
      const read = yield* Effect.promise(() => fetch(`${url}/api/v1/agents/atlas`))
      assert.strictEqual(read.status, 404)
    })
  )

  it.live("what is no HTTP is turned away, and the next request is served", () =>
    Effect.gen(function* () {
      const { port, url } = yield* listen
      const withoutHost = `GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n`
      const oddities = [
        "NONSENSE\r\n\r\n",
        `GET http://[ HTTP/1.1\r\n${host}\r\n`,
        `GET /%E0%A4%A HTTP/1.1\r\n${host}\r\n`,
        `GET //evil.example/api/v1/listings HTTP/1.1\r\n${host}\r\n`,
        `GET /api/v1/listings?${"q=%F0".repeat(10)} HTTP/1.1\r\n${host}\r\n`,
        `GET /api/v1/listings?q=%00 HTTP/1.1\r\n${host}\r\n`,
        `GET /api/v1/agents/a\u00fcb HTTP/1.1\r\n${host}\r\n`,
        `OPTIONS * HTTP/1.1\r\n${host}\r\n`,
        `BREW /api/agents HTTP/1.1\r\n${host}\r\n`,
        withoutHost,
        `GET /livez HTTP/1.1\r\n${host}X-Large: ${"x".repeat(20_000)}\r\n\r\n`,
        post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", chunked(account)),
        post("Content-Length: abc\r\n", account),
        post("Transfer-Encoding: chunked\r\n", "zz\r\n")
      ]
      for (const oddity of oddities) {
        const reply = yield* exchange(port, oddity)
        const [line = ""] = reply.split("\r\n")
        assert.match(line, /^HTTP\/1\.1 (?:200|4\d\d) /u, `${oddity.slice(0, 60)} ${reply}`)
        // Node itself refuses a request without Host, and lets nobody else answer.
        if (!line.includes(" 200 ") && oddity !== withoutHost)
          assert.include(reply, '"ok":false', oddity.slice(0, 60))
        assert.notMatch(reply, /node_modules|\.ts:|\bat \w+ \(/u)
      }
      const alive = yield* Effect.promise(() => fetch(`${url}/livez`))
      assert.strictEqual(alive.status, 200)
    })
  )

  it.live("a write whose client hangs up is done once, or not at all", () =>
    Effect.gen(function* () {
      const { port, url } = yield* listen
      const key = { "idempotency-key": "hang-up" }
      const socket = connect(port, "127.0.0.1")
      yield* Effect.callback<void>((resume) => {
        socket.write(post(`Idempotency-Key: hang-up\r\nContent-Length: ${account.length}\r\n`, account), () =>
          resume(Effect.void)
        )
      })
      socket.destroy()
      const again = () =>
        fetch(`${url}/api/agents`, {
          method: "POST",
          headers: { "content-type": "application/json", ...key },
          body: account
        })
      const replies = [yield* Effect.promise(again), yield* Effect.promise(again)]
      const texts = yield* Effect.forEach(replies, (reply) => Effect.promise(() => reply.text()))
      assert.strictEqual(replies.at(-1)?.status, 201)
      assert.strictEqual(replies.at(-1)?.headers.get("idempotent-replayed"), "true")
      assert.include(texts.at(-1), '"apiKey"')
    })
  )

  it.live("HEAD, 304 and 204 have no body, so that the connection can go on", () =>
    Effect.gen(function* () {
      const { port } = yield* listen
      const keep = "Host: market.test\r\n"
      const reply = yield* exchange(
        port,
        [
          `HEAD /api/v1/listings HTTP/1.1\r\n${keep}\r\n`,
          `OPTIONS /api/v1/listings HTTP/1.1\r\n${keep}\r\n`,
          `HEAD /nowhere HTTP/1.1\r\n${keep}\r\n`,
          `GET /livez HTTP/1.1\r\n${host}\r\n`
        ].join("")
      )
      const replies = reply.split("HTTP/1.1 ").slice(1)
      assert.deepStrictEqual(
        replies.map((text) => text.slice(0, 3)),
        ["200", "204", "404", "200"]
      )
      for (const text of replies.slice(0, 3)) assert.match(text, /\r\n\r\n$/u)
    })
  )

  it.live("the stream comes at once, goes on where it was cut off, and ends when the server closes", () =>
    Effect.gen(function* () {
      const { port, url, close } = yield* listen
      const registered = yield* Effect.promise(() =>
        fetch(`${url}/api/agents`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: account
        })
      )
      const reply: unknown = yield* Effect.promise(() => registered.json())
      const key = /"(agent_\w+)"/u.exec(JSON.stringify(reply))?.[1] ?? ""
      const publish = Effect.promise(() =>
        fetch(`${url}/api/listings`, {
          method: "POST",
          headers: { "content-type": "application/json", "x-agent-key": key },
          body: JSON.stringify(listing())
        })
      )
      const stream = (cursor: string) => `GET /api/v1/events${cursor} HTTP/1.1\r\n${host}\r\n`
      const first = yield* exchange(port, stream(""), "stream.ready\ndata:")
      assert.match(first, /^HTTP\/1\.1 200 /u)
      const cursor = /\nid: (\w+)\n/u.exec(first)?.[1] ?? ""
      yield* publish
      const second = yield* exchange(port, stream(`?after=${cursor}`), "event: listing.published")
      assert.include(second, "event: stream.ready")
      const open = yield* Effect.forkChild(exchange(port, stream("?after=earliest")), {
        startImmediately: true
      })
      yield* exchange(port, stream("?after=earliest"), "event: listing.published")
      const started = yield* Clock.currentTimeMillis
      yield* close
      assert.isBelow((yield* Clock.currentTimeMillis) - started, 1000)
      assert.include(yield* Fiber.join(open), "event: listing.published")
    })
  )
})
