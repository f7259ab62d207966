import { assert, describe, it } from "@effect/vitest"
import { MemoryStore } from "@souk/core"
import { once } from "node:events"
import { createServer, request } from "node:http"
import type { IncomingMessage, RequestListener } from "node:http"
import { connect } from "node:net"
import { createMarketplace } from "../src/index.ts"
import type { MarketplaceOptions } from "../src/index.ts"
import { toNodeHandler } from "../src/node.ts"
import type { NodeHandler } from "../src/node.ts"

/** Serves a market on a free port; `host` puts something around its handler. */
const listen = async (
  options: Partial<MarketplaceOptions> = {},
  host: (handler: NodeHandler) => RequestListener = (handler) => handler
) => {
  const market = createMarketplace({ store: MemoryStore.layer, ...options })
  const server = createServer(host(toNodeHandler(market)))
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    market,
    server,
    port,
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      await market.close()
      server.closeAllConnections()
      server.close()
    }
  }
}

const register = (url: string, handle: string) =>
  fetch(`${url}/api/agents`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ handle, name: handle, email: `${handle}@example.com` })
  })

/** Sends a chunked POST that never ends. */
const endless = (url: string, chunk: string) =>
  new Promise<IncomingMessage>((resolve) => {
    const outgoing = request(url, { method: "POST", headers: { "content-type": "application/json" } })
    outgoing.on("response", resolve)
    outgoing.on("error", () => {})
    outgoing.write(chunk)
  })

const openStream = async (url: string, init?: RequestInit) => {
  const response = await fetch(`${url}/api/v1/events`, init)
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (reader === undefined) throw new Error("no body")
  assert.include((await reader.read()).value ?? "", "stream.ready")
  return reader
}

/** Cuts a prefix and calls the handler, as Express and Connect do. */
const mountedAt =
  (prefix: string) =>
  (handler: NodeHandler): RequestListener =>
  (request, response) => {
    const url = request.url ?? "/"
    Object.assign(request, {
      originalUrl: url,
      url: url.startsWith(prefix) ? url.slice(prefix.length) || "/" : url
    })
    handler(request, response, () => {
      response.writeHead(200, { "content-type": "text/plain" }).end("the host's own page")
    })
  }

describe("toNodeHandler", () => {
  it("answers JSON with JSON", async () => {
    await using host = await listen()
    const created = await register(host.url, "atlas")
    assert.strictEqual(created.status, 201)
    assert.include(await created.text(), '"handle":"atlas"')
    const refused = await fetch(`${host.url}/api/v1/nothing`)
    assert.strictEqual(refused.status, 404)
    assert.include(await refused.text(), '"code":"not_found"')
  })

  it("sends events one by one", async () => {
    await using host = await listen()
    const reader = await openStream(host.url)
    for (const handle of ["first", "second", "third"]) {
      await register(host.url, handle)
      const { value = "" } = await reader.read()
      assert.include(value, `"handle":"${handle}"`)
    }
    await reader.cancel()
  })

  it("refuses a chunked body over the limit before it ends", async () => {
    await using host = await listen({ limits: { maxBodyBytes: 1024 } })
    const response = await endless(`${host.url}/api/agents`, `{"name":"${"x".repeat(2048)}`)
    assert.strictEqual(response.statusCode, 413)
    assert.include((await response.toArray()).join(""), '"payload_too_large"')
  })

  it("goes on when callers abort, of bodies and of streams", async () => {
    await using host = await listen()
    const socket = connect(host.port, "127.0.0.1")
    await once(socket, "connect")
    socket.write("POST /api/agents HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{")
    socket.destroy()
    const abort = new AbortController()
    await openStream(host.url, { signal: abort.signal })
    abort.abort()
    assert.strictEqual((await register(host.url, "atlas")).status, 201)
    const started = performance.now()
    await host.market.close()
    assert.isBelow(performance.now() - started, 300)
  })

  it("answers HEAD without a body, of the stream as well", async () => {
    await using host = await listen()
    const list = await fetch(`${host.url}/api/v1/listings`, { method: "HEAD" })
    assert.strictEqual(list.status, 200)
    assert.isNotNull(list.headers.get("content-length"))
    const events = await fetch(`${host.url}/api/v1/events`, { method: "HEAD" })
    assert.strictEqual(events.headers.get("content-type"), "text/event-stream")
  })

  it("counts callers by the address of their connection", async () => {
    const one = { limit: 1, windowSeconds: 60 }
    await using host = await listen({ rateLimits: { default: one, accounts: one }, trustProxy: 1 })
    const ask = (address: string) =>
      fetch(`${host.url}/api/v1/listings`, { headers: { "x-forwarded-for": address } })
    assert.strictEqual((await ask("192.0.2.1")).status, 200)
    assert.strictEqual((await ask("192.0.2.1")).status, 429)
    assert.strictEqual((await ask("192.0.2.2")).status, 200)
    assert.strictEqual((await fetch(`${host.url}/api/v1/listings`)).status, 200)
    assert.strictEqual((await fetch(`${host.url}/api/v1/listings`)).status, 429)
  })

  it("closes with open streams, and with callers who read nothing, within a second", async () => {
    await using host = await listen()
    const reader = await openStream(host.url)
    const silent = connect(host.port, "127.0.0.1")
    silent.write("GET /api/v1/events HTTP/1.1\r\nhost: x\r\n\r\n")
    void endless(`${host.url}/api/agents`, "{")
    await register(host.url, "atlas")
    const started = performance.now()
    await host.market.close()
    await new Promise((resolve) => host.server.close(resolve))
    assert.isBelow(performance.now() - started, 1000)
    while (!(await reader.read()).done);
    silent.destroy()
  })

  describe("below a prefix", () => {
    it("answers at the path that the host left", async () => {
      await using host = await listen({}, mountedAt("/market"))
      assert.strictEqual((await register(`${host.url}/market`, "atlas")).status, 201)
    })

    it("with basePath it is the same whether the host cuts the prefix, and the rest is the host's", async () => {
      for (const prefix of ["/market", ""]) {
        await using host = await listen({ basePath: "/market" }, mountedAt(prefix))
        const created = await register(`${host.url}/market`, "atlas")
        assert.strictEqual(created.status, 201)
        assert.match(created.headers.get("location") ?? "", /^\/market\/api\//u)
        assert.strictEqual(await (await fetch(`${host.url}/about`)).text(), "the host's own page")
      }
    })
  })

  it("refuses what is no marketplace", async () => {
    await using market = createMarketplace({ store: MemoryStore.layer })
    assert.throws(() => toNodeHandler({ ...market }), /createMarketplace/u)
  })
})
