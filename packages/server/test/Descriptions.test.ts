import { assert, describe, it } from "@effect/vitest"
import { MemoryStore } from "@souk/core"
import { Effect } from "effect"
import { createMarketplace } from "../src/index.ts"
import { operations } from "./document.ts"
import { at, listAt, open, textAt } from "./market.ts"

const catalogPath = "/.well-known/api-catalog"

describe("llms.txt", () => {
  it.effect("lists every operation of the document with its method, path and summary", () =>
    Effect.gen(function* () {
      const market = yield* open({ baseUrl: "https://souk.example" })
      const { headers, text } = yield* market.call("GET /llms.txt")
      assert.strictEqual(headers.get("content-type"), "text/markdown; charset=utf-8")
      assert.match(text, /^# Souk\n\n> [^\n]+\n/u)
      assert.isAbove(operations.size, 40)
      const docs = (yield* market.call("GET /docs")).text
      const lines = new Map(
        [...text.matchAll(/^- \[([^\]]+)\]\(([^)]+)\): (.+)$/gmu)].map(([, name, link, summary]) => [
          name,
          { link, summary }
        ])
      )
      for (const { method, path } of operations.values()) {
        const { link, summary } = lines.get(`${method} ${path}`) ?? {}
        assert.isNotEmpty(summary, `${method} ${path}`)
        const [page, id] = link?.split("#") ?? []
        assert.strictEqual(page, "https://souk.example/docs")
        assert.include(docs, `id="${id}"`)
      }
    })
  )

  it.effect("leads only to what is there", () =>
    Effect.gen(function* () {
      const market = yield* open({ baseUrl: "https://souk.example" })
      const { text } = yield* market.call("GET /llms.txt")
      const links = [...text.matchAll(/\]\(https:\/\/souk\.example(\/[^#)]*)/gu)].map(([, path = ""]) => path)
      assert.includeMembers(links, ["/openapi.json", "/docs", catalogPath])
      for (const path of new Set(links))
        assert.strictEqual((yield* market.call(`GET ${path}`)).status, 200, path)
    })
  )
})

describe("the API catalog", () => {
  it.effect("is a link set that leads to the descriptions, to HEAD as well", () =>
    Effect.gen(function* () {
      const market = yield* open({ baseUrl: "https://example.com/market/" })
      const reply = yield* market.call(`GET ${catalogPath}`)
      assert.strictEqual(
        reply.headers.get("content-type"),
        'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'
      )
      const [entry] = listAt(reply.body, "linkset")
      assert.strictEqual(textAt(entry, "anchor"), "https://example.com/market")
      assert.strictEqual(
        textAt(entry, "service-desc", "0", "href"),
        "https://example.com/market/openapi.json"
      )
      for (const relation of ["service-desc", "service-doc", "status"])
        for (const link of listAt(entry, relation)) {
          const path = textAt(link, "href").replace("https://example.com/market", "")
          assert.strictEqual((yield* market.call(`GET ${path}`)).status, 200, path)
        }
      const head = yield* market.call(`HEAD ${catalogPath}`)
      assert.strictEqual(head.status, 200)
      assert.strictEqual(head.text, "")
      assert.strictEqual(
        head.headers.get("link"),
        `<https://example.com/market${catalogPath}>; rel="api-catalog"`
      )
      const post = yield* market.call(`POST ${catalogPath}`)
      assert.strictEqual(post.headers.get("allow"), "GET, HEAD, OPTIONS")
    })
  )

  it.effect("names the market as it was addressed where the host does not say", () =>
    Effect.gen(function* () {
      const forwarded = { "x-forwarded-proto": "https", "x-forwarded-host": "souk.example" }
      const anchor = (market: Effect.Success<ReturnType<typeof open>>) =>
        Effect.map(market.call(`GET ${catalogPath}`, { headers: forwarded }), ({ body }) =>
          at(body, "linkset", 0, "anchor")
        )
      assert.strictEqual(yield* anchor(yield* open()), "http://market.test")
      assert.strictEqual(yield* anchor(yield* open({ trustProxy: 1 })), "https://souk.example")
      const evil = { "x-forwarded-host": "a b\\//", "x-forwarded-proto": "javascript" }
      const market = yield* open({ trustProxy: 1 })
      const reply = yield* market.call(`GET ${catalogPath}`, { headers: evil })
      assert.strictEqual(at(reply.body, "linkset", 0, "anchor"), "http://market.test")
    })
  )
})

describe("wellKnown", () => {
  const ask = (market: ReturnType<typeof createMarketplace>, path: string, method = "GET") =>
    market.wellKnown(new Request(`https://example.com${path}`, { method }))

  it("answers at the root of the origin for a market below a path", async () => {
    await using market = createMarketplace({ store: MemoryStore.layer, basePath: "/market" })
    const reply = await ask(market, catalogPath)
    assert.strictEqual(reply?.status, 200)
    assert.strictEqual(
      textAt(await reply?.json(), "linkset", "0", "anchor"),
      "https://example.com/market",
      "a market below a path names itself with the path"
    )
    const below = await market.fetch(new Request(`https://example.com/market${catalogPath}`))
    assert.strictEqual(below.status, 200)
    assert.strictEqual((await ask(market, catalogPath, "HEAD"))?.status, 200)
    assert.strictEqual((await ask(market, catalogPath, "DELETE"))?.status, 405)
  })

  it("leaves everything else to the host", async () => {
    await using market = createMarketplace({ store: MemoryStore.layer })
    for (const path of ["/", "/.well-known/security.txt", `${catalogPath}/x`, "/api/v1/listings", "/market"])
      assert.isUndefined(await ask(market, path))
  })
})
