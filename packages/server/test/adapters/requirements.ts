/** What every host must give a market, as data: each is checked on each host over a real socket. */
import { assert } from "@effect/vitest"
import { once } from "node:events"
import { connect } from "node:net"
import type { Marketplace } from "../../src/index.ts"
import * as bodies from "./bodies.ts"
import { account, eventually, exchange, openStream, post, register, settled, verdictOf } from "./client.ts"
import type { Furniture } from "./furnish.ts"
import { cookies, eventCount, ownPage } from "./Host.ts"
import type { Limitations, Seen, Setting } from "./Host.ts"

type Opening = Partial<Furniture & Omit<Setting, "marketplace">>

/** A host that runs: `url` is that of the market. */
export interface Open {
  readonly marketplace: Pick<Marketplace, "close" | "fetch" | "ready">
  readonly seen: () => Promise<Seen>
  readonly origin: string
  readonly url: string
  readonly port: number
  readonly close: () => Promise<void>
}

export interface Requirement {
  readonly id: string
  /** What a host does, as a sentence that begins with it. */
  readonly sentence: string
  /** The limitation that excuses a host. */
  readonly unless?: keyof Limitations
  readonly check: (open: (opening?: Opening) => Promise<Open>, cannot: Limitations) => Promise<void>
}

const inTime = async (work: () => Promise<unknown>) => {
  const started = performance.now()
  await work()
  assert.isBelow(performance.now() - started, 1000)
}

export const requirements: ReadonlyArray<Requirement> = [
  {
    id: "json",
    sentence: "passes requests, replies and refusals on as they are",
    check: async (open) => {
      const { url } = await open()
      const created = await register(url, "atlas")
      assert.strictEqual(created.status, 201)
      assert.match(created.headers.get("location") ?? "", /^\/api\/v1\/agents\/agt_/u)
      assert.strictEqual(created.headers.get("x-content-type-options"), "nosniff")
      assert.include(await (await fetch(`${url}/api/v1/agents/atlas`)).text(), '"handle":"atlas"')
      const refused = await fetch(`${url}/api/v1/nothing`, {
        headers: { "request-id": "named-by-the-caller" }
      })
      assert.strictEqual(verdictOf(refused.status, await refused.text()), "404 not_found")
      assert.strictEqual(refused.headers.get("request-id"), "named-by-the-caller")
      const removed = await fetch(`${url}/api/v1/listings`, { method: "DELETE" })
      assert.strictEqual(removed.status, 405)
      assert.strictEqual(removed.headers.get("allow"), "GET, HEAD, OPTIONS")
      const listed = await fetch(`${url}/api/v1/listings?limit=1&tag=a%2Fb`)
      assert.strictEqual(verdictOf(listed.status, await listed.text()), "400 invalid_request")
    }
  },
  {
    id: "prefix",
    sentence: "has the market below a prefix of any depth",
    check: async (open) => {
      for (const mount of ["/market", "/a/b/market"]) {
        const { url, origin } = await open({ mount })
        const created = await register(url, "atlas")
        assert.strictEqual(created.status, 201)
        const location = created.headers.get("location") ?? ""
        assert.isTrue(location.startsWith(`${mount}/api/v1/agents/`), location)
        assert.strictEqual((await fetch(origin + location)).status, 200)
        assert.include(await (await fetch(`${url}/openapi.json`)).text(), `"url":"${mount}"`)
      }
    }
  },
  {
    id: "trailing-slashes",
    sentence: "leaves slashes at the end, and at the beginning, to the market",
    check: async (open) => {
      const { url, origin, marketplace } = await open({ mount: "/market" })
      for (const path of [
        "",
        "/",
        "/?limit=1",
        "/livez",
        "/livez/",
        "/api/v1/listings/",
        "//api/v1/listings"
      ]) {
        const expected = await marketplace.fetch(new Request(`${origin}/market${path}`))
        const reply = await fetch(url + path, { redirect: "manual" })
        assert.strictEqual(
          verdictOf(reply.status, await reply.text()),
          verdictOf(expected.status, await expected.text()),
          path
        )
      }
    }
  },
  {
    id: "next",
    sentence: "answers what is outside of the market itself",
    check: async (open) => {
      const { origin } = await open({ mount: "/market" })
      for (const path of ["/about", "/marketing"])
        assert.strictEqual(await (await fetch(origin + path)).text(), ownPage, path)
    }
  },
  {
    id: "bodies",
    sentence: "lets the market judge bodies",
    check: async (open) => bodies.areJudged(await open())
  },
  {
    id: "parsed-bodies",
    sentence: "has bodies judged alike behind its own parser",
    unless: "noParser",
    check: async (open) => bodies.areJudged(await open({ parses: true }), { behindParser: true })
  },
  {
    id: "parsed-values",
    sentence: "loses nothing of a body behind its own parser",
    unless: "noParser",
    check: async (open) => {
      const plain = await bodies.keptOf(await open())
      assert.deepStrictEqual(await bodies.keptOf(await open({ parses: true })), plain)
    }
  },
  {
    id: "head-and-options",
    sentence: "answers HEAD without a body and OPTIONS with what is allowed",
    check: async (open) => {
      const { url } = await open({ mount: "/market" })
      const [get, head] = await Promise.all(
        ["GET", "HEAD"].map((method) => fetch(`${url}/api/v1/listings`, { method }))
      )
      assert.strictEqual(head?.status, 200)
      assert.strictEqual(await head?.text(), "")
      assert.strictEqual(head?.headers.get("content-length"), `${(await get?.text())?.length}`)
      const stream = await fetch(`${url}/api/v1/events`, { method: "HEAD" })
      assert.strictEqual(stream.headers.get("content-type"), "text/event-stream")
      const options = await fetch(`${url}/api/agents`, { method: "OPTIONS" })
      assert.strictEqual(options.status, 204)
      assert.strictEqual(options.headers.get("allow"), "OPTIONS, POST")
    }
  },
  {
    id: "no-body",
    sentence: "sends nothing after the headers of HEAD, 304 and 204, so that the connection goes on",
    check: async (open) => {
      const { url, port } = await open()
      await register(url, "atlas")
      const etag = (await fetch(`${url}/api/v1/agents/atlas`)).headers.get("etag") ?? ""
      assert.isNotEmpty(etag)
      const keep = "Host: market.test\r\n"
      const text = await exchange(
        port,
        [
          `HEAD /api/v1/listings HTTP/1.1\r\n${keep}\r\n`,
          `GET /api/v1/agents/atlas HTTP/1.1\r\n${keep}If-None-Match: ${etag}\r\n\r\n`,
          `OPTIONS /api/v1/listings HTTP/1.1\r\n${keep}\r\n`,
          `HEAD /nowhere HTTP/1.1\r\n${keep}\r\n`,
          `GET /livez HTTP/1.1\r\n${keep}Connection: close\r\n\r\n`
        ].join("")
      )
      const replies = text.split("HTTP/1.1 ").slice(1)
      assert.deepStrictEqual(
        replies.map((reply) => reply.slice(0, 3)),
        ["200", "304", "204", "404", "200"]
      )
      for (const reply of replies.slice(0, 4)) assert.match(reply, /\r\n\r\n$/u)
    }
  },
  {
    id: "cookies",
    sentence: "keeps the cookies that it has set",
    unless: "undressed",
    check: async (open) => {
      const { url } = await open({ dressed: true })
      const replies = [
        await fetch(`${url}/api/v1/listings`),
        await fetch(`${url}/api/v1/nothing`),
        await register(url, "atlas")
      ]
      for (const { headers } of replies) {
        assert.deepStrictEqual(headers.getSetCookie(), cookies)
        assert.include(headers.get("content-type"), "application/json")
        assert.isNotNull(headers.get("request-id"))
      }
    }
  },
  {
    id: "cors",
    sentence: "keeps its CORS and its security headers",
    unless: "undressed",
    check: async (open) => {
      const { url } = await open({ dressed: true, mount: "/market" })
      const origin = "https://desk.example"
      const preflight = await fetch(`${url}/api/agents`, {
        method: "OPTIONS",
        headers: { origin, "access-control-request-method": "POST" }
      })
      assert.strictEqual(preflight.status, 204)
      assert.include(preflight.headers.get("access-control-allow-methods") ?? "", "POST")
      const reply = await fetch(`${url}/api/v1/listings`, { headers: { origin } })
      assert.strictEqual(reply.status, 200)
      assert.include([origin, "*"], reply.headers.get("access-control-allow-origin"))
      assert.isNotNull(reply.headers.get("x-frame-options"))
    }
  },
  {
    id: "compression",
    sentence: "compresses a document, and sends events one by one",
    unless: "undressed",
    check: async (open) => {
      const { url } = await open({ dressed: true })
      const document = await fetch(`${url}/openapi.json`, { headers: { "accept-encoding": "gzip" } })
      assert.strictEqual(document.headers.get("content-encoding"), "gzip")
      assert.include(await document.text(), '"openapi":"3.1')
      const stream = await openStream(url, { headers: { "accept-encoding": "gzip" } })
      assert.isNull(stream.response.headers.get("content-encoding"))
      for (const handle of ["first", "second", "third"]) {
        await register(url, handle)
        await stream.until(`"handle":"${handle}"`)
      }
      await stream.cancel()
    }
  },
  {
    id: "events",
    sentence: "sends events one by one, with the contract's headers",
    check: async (open) => {
      const { url } = await open({ mount: "/a/b/market" })
      const stream = await openStream(url)
      assert.strictEqual(stream.response.headers.get("cache-control"), "no-cache, no-transform")
      for (const handle of ["first", "second", "third"]) {
        await register(url, handle)
        await stream.until(`"handle":"${handle}"`)
      }
      await stream.cancel()
    }
  },
  {
    id: "abort",
    sentence: "stops the work of a request that is aborted",
    check: async (open) => {
      const { url, marketplace, seen } = await open({ store: "hanging" })
      await marketplace.ready()
      const abort = new AbortController()
      const asked = fetch(`${url}/api/v1/listings`, { signal: abort.signal }).catch(() => undefined)
      await eventually(async () => (await seen()).started === 1)
      abort.abort()
      await asked
      await eventually(async () => (await seen()).stopped === 1)
    }
  },
  {
    id: "cut-off",
    sentence: "goes on when a caller hangs up in the middle of a body",
    check: async (open) => {
      const { url, port } = await open()
      const head = "POST /api/agents HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
      for (const rest of ["Content-Length: 100\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"]) {
        const socket = connect(port, "127.0.0.1")
        await once(socket, "connect")
        await new Promise<void>((resolve) => socket.write(head + rest, () => resolve()))
        await new Promise((resolve) => setTimeout(resolve, 20))
        socket.destroy()
      }
      assert.strictEqual((await register(url, "atlas")).status, 201)
    }
  },
  {
    id: "back-pressure",
    sentence: "takes no more events than a caller reads, and none when he is gone",
    check: async (open) => {
      const { port, marketplace, seen } = await open({ store: "flooded" })
      const taken = async () => (await seen()).taken
      await marketplace.ready()
      const socket = connect(port, "127.0.0.1")
      await once(socket, "connect")
      socket.pause()
      socket.write("GET /api/v1/events?after=earliest HTTP/1.1\r\nHost: market.test\r\n\r\n")
      await eventually(async () => (await taken()) > 0)
      const unread = await settled(taken)
      assert.isBelow(unread, eventCount)
      socket.resume()
      await eventually(async () => (await taken()) > unread)
      socket.pause()
      socket.destroy()
      assert.isBelow(await settled(taken), eventCount)
    }
  },
  {
    id: "close",
    sentence: "closes with open streams, and with callers who read nothing, within a second",
    check: async (open) => {
      const { url, port, marketplace, close } = await open()
      const stream = await openStream(url)
      const silent = connect(port, "127.0.0.1")
      silent.on("error", () => {})
      silent.write("GET /api/v1/events HTTP/1.1\r\nhost: x\r\n\r\n")
      await register(url, "atlas")
      await inTime(async () => {
        await marketplace.close()
        await close()
      })
      await stream.end()
      silent.destroy()
    }
  },
  {
    id: "closed",
    sentence: "passes on that the market is closed",
    check: async (open) => {
      const { url, marketplace } = await open()
      await marketplace.close()
      const reply = await register(url, "late")
      assert.strictEqual(verdictOf(reply.status, await reply.text()), "503 unavailable")
    }
  },
  {
    id: "body-limit",
    sentence: "has bodies over the limit refused, with Content-Length and without",
    check: async (open, { readsOn }) => {
      const opened = await open({ options: { limits: { maxBodyBytes: 1024 } } })
      await bodies.areLimited(opened, { readsOn: readsOn !== undefined })
    }
  },
  {
    id: "address",
    sentence: "tells callers apart by the address of their connection, or of the proxies in front",
    check: async (open, { noAddress }) => {
      const one = { limit: 1, windowSeconds: 60 }
      const { url } = await open({
        options: { rateLimits: { default: one, accounts: one }, trustProxy: 1 }
      })
      const ask = async (forwarded: string) =>
        (await fetch(`${url}/api/v1/listings`, { headers: { "x-forwarded-for": forwarded } })).status
      assert.deepStrictEqual(
        [await ask("192.0.2.1"), await ask("192.0.2.1"), await ask("198.51.100.7, 192.0.2.2")],
        [200, 429, 200]
      )
      if (noAddress !== undefined) return
      const direct = await open({ options: { rateLimits: { default: one, accounts: one } } })
      const told = await direct.marketplace.fetch(new Request(`${direct.url}/api/v1/listings`), {
        clientAddress: "127.0.0.1"
      })
      assert.strictEqual(told.status, 200)
      assert.strictEqual((await fetch(`${direct.url}/api/v1/listings`)).status, 429)
    }
  },
  {
    id: "login",
    sentence: "hands over what it knows of a caller, so that its own login stands for an agent",
    check: async (open) => {
      const { url } = await open({ login: true })
      const [id = ""] = /agt_\w+/u.exec(await (await register(url, "atlas")).text()) ?? []
      const mine = `${url}/api/v1/me`
      assert.strictEqual((await fetch(mine)).status, 401)
      const known = await fetch(mine, { headers: { "x-user": id } })
      assert.include(await known.text(), '"handle":"atlas"')
    }
  },
  {
    id: "odd-methods",
    sentence: "leaves no request without an answer, whatever its method",
    check: async (open) => {
      const { port } = await open()
      for (const method of ["TRACE", "PROPFIND", "PUT", "QUERY"]) {
        const text = await exchange(
          port,
          `${method} /api/agents HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`
        )
        assert.match(text, /^HTTP\/1\.1 (?:4\d\d|501|200) /u, method)
      }
      const { status } = await fetch(
        `http://127.0.0.1:${port}/api/agents`,
        post(JSON.stringify(account("atlas")))
      )
      assert.strictEqual(status, 201)
    }
  }
]
