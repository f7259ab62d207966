/** What single adapters do beside the requirements for all. */
import { assert, describe, it } from "@effect/vitest"
import { MemoryStore } from "@souk/core"
import express from "express"
import createFastify from "fastify"
import { Hono } from "hono"
import Koa from "koa"
import { createServer } from "node:http"
import { toExpressHandler } from "../../src/express.ts"
import { toFastifyPlugin } from "../../src/fastify.ts"
import { toHonoHandler } from "../../src/hono.ts"
import { createMarketplace } from "../../src/index.ts"
import type { Marketplace, MarketplaceOptions } from "../../src/index.ts"
import { toKoaMiddleware } from "../../src/koa.ts"
import { toNestModule } from "../../src/nest.ts"
import { toNextHandlers } from "../../src/next.ts"
import { toNodeHandler } from "../../src/node.ts"
import { account, post, register } from "./client.ts"
import { listening, portOf } from "./Host.ts"

const open = (options: Partial<MarketplaceOptions> = {}) =>
  createMarketplace({ store: MemoryStore.layer, ...options })

const once = { limit: 1, windowSeconds: 60 }
const rateLimits = { default: once, accounts: once }

/** Asks for the listings as two callers that proxies in front tell apart, the first of them twice. */
const statusesOf = async (url: string) => {
  const statuses: Array<number> = []
  for (const address of ["192.0.2.1", "192.0.2.1", "192.0.2.2"])
    statuses.push((await fetch(`${url}/api/v1/listings`, { headers: { "x-forwarded-for": address } })).status)
  return statuses
}

describe("toExpressHandler", () => {
  it("knows callers as the application's trust proxy setting has them", async () => {
    await using market = open({ rateLimits })
    const app = express().set("trust proxy", 1).use("/market", toExpressHandler(market))
    const { port, close } = await listening(createServer(app))
    assert.deepStrictEqual(await statusesOf(`http://127.0.0.1:${port}/market`), [200, 429, 200])
    void close()
  })

  it("takes what a parser has kept as rawBody, and what one has left as text or bytes", async () => {
    for (const parser of [
      express.json({
        verify: (request, _response, bytes) => void Object.assign(request, { rawBody: bytes })
      }),
      express.text({ type: "*/*" }),
      express.raw({ type: "*/*" })
    ]) {
      await using market = open()
      const { port, close } = await listening(createServer(express().use(parser, toExpressHandler(market))))
      assert.strictEqual((await register(`http://127.0.0.1:${port}`, "atlas")).status, 201)
      void close()
    }
  })

  it("has a body that was read and thrown away refused, and does not wait for it", async () => {
    await using market = open()
    const app = express().use((request, _response, next) => {
      request.resume().once("end", next)
    }, toExpressHandler(market))
    const { port, close } = await listening(createServer(app))
    const reply = await register(`http://127.0.0.1:${port}`, "atlas")
    assert.strictEqual(reply.status, 400)
    assert.include(await reply.text(), '"code":"invalid_json"')
    void close()
  })

  it("takes a compressed body that the parser has unpacked", async () => {
    await using market = open()
    const { port, close } = await listening(
      createServer(express().use(express.json(), toExpressHandler(market)))
    )
    const packed = new Blob([JSON.stringify(account("atlas"))])
      .stream()
      .pipeThrough(new CompressionStream("gzip"))
    const reply = await fetch(`http://127.0.0.1:${port}/api/agents`, {
      method: "POST",
      headers: { "content-type": "application/json", "content-encoding": "gzip" },
      body: await new Response(packed).arrayBuffer()
    })
    assert.strictEqual(reply.status, 201)
    void close()
  })
})

describe("toFastifyPlugin", () => {
  it("does not register below a prefix that is not the market's", async () => {
    await using market = open()
    const app = createFastify().register(toFastifyPlugin(market), { prefix: "/market" })
    const said: unknown = await Promise.resolve(app.ready()).then(
      () => undefined,
      (error: unknown) => error
    )
    assert.include(String(said), "give createMarketplace that basePath")
  })

  it("leaves the host's parsers to the host, and shows it the replies", async () => {
    await using market = open({ basePath: "/market" })
    const app = createFastify()
    const seen: Array<number> = []
    app.addHook("onSend", async (_request, reply) => void seen.push(reply.statusCode))
    await app.register(toFastifyPlugin(market))
    app.post("/echo", ({ body }) => body)
    await app.listen({ port: 0, host: "127.0.0.1" })
    const origin = `http://127.0.0.1:${portOf(app.server)}`
    assert.strictEqual((await register(`${origin}/market`, "atlas")).status, 201)
    assert.strictEqual(await (await fetch(`${origin}/echo`, post('{"a":1}'))).text(), '{"a":1}')
    assert.deepStrictEqual(seen, [201, 200])
    await app.close()
  })
})

describe("toKoaMiddleware", () => {
  it("shows the middleware around it the status, and knows callers as app.proxy has them", async () => {
    await using market = open({ rateLimits })
    const app = new Koa({ proxy: true })
    const seen: Array<number> = []
    app.use(async (context, next) => {
      await next()
      seen.push(context.status)
    })
    app.use(toKoaMiddleware(market))
    const { port, close } = await listening(createServer(app.callback()))
    const statuses = await statusesOf(`http://127.0.0.1:${port}`)
    assert.deepStrictEqual(statuses, [200, 429, 200])
    assert.deepStrictEqual(seen, statuses)
    void close()
  })
})

describe("handlers of requests", () => {
  const address = (request: Request) => request.headers.get("x-client") ?? undefined
  const ask = (client: string) =>
    new Request("http://market.test/api/v1/listings", { headers: { "x-client": client } })

  it("of Hono and of Next know callers as they are told", async () => {
    for (const make of [
      (market: ReturnType<typeof open>) => {
        const app = new Hono().use(toHonoHandler(market, { clientAddress: ({ req }) => address(req.raw) }))
        return (request: Request) => app.fetch(request)
      },
      (market: ReturnType<typeof open>) => toNextHandlers(market, { clientAddress: address }).GET
    ]) {
      await using market = open({ rateLimits })
      const handle = make(market)
      const statuses = []
      for (const client of ["192.0.2.1", "192.0.2.1", "192.0.2.2"])
        statuses.push((await handle(ask(client))).status)
      assert.deepStrictEqual(statuses, [200, 429, 200])
    }
  })
})

describe("toNextHandlers", () => {
  it("creates the market at the first request, and not while Next builds", async () => {
    const created: Array<Marketplace> = []
    const { GET } = toNextHandlers(() => {
      const [market = open({ basePath: "/market" })] = created
      created[0] = market
      return market
    })
    assert.isEmpty(created)
    const statuses = []
    for (const path of ["/market/livez", "/market/api/v1/listings"])
      statuses.push((await GET(new Request(`http://market.test${path}`))).status)
    assert.deepStrictEqual(statuses, [200, 200])
    await created[0]?.close()
  })
})

describe("every adapter", () => {
  it("refuses at once what is no marketplace", () => {
    for (const make of [
      toNodeHandler,
      toExpressHandler,
      toFastifyPlugin,
      toKoaMiddleware,
      toHonoHandler,
      toNestModule,
      toNextHandlers
    ])
      for (const market of [undefined, {}])
        // As hosts call it that are not written in TypeScript.
        assert.throws(() => void Reflect.apply(make, undefined, [market]), TypeError, "marketplace")
  })
})
