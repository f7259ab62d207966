import { assert, describe, it } from "@effect/vitest"
import { MemoryStore } from "@souk/core"
import { createMarketplace } from "../src/index.ts"
import type { Marketplace, MarketplaceOptions, PrincipalAnswer } from "../src/index.ts"
import { at, textAt } from "./market.ts"
import { listing } from "./trade.ts"

/** A host whose login is a cookie: whom each session stands for. */
const open = (options: Partial<MarketplaceOptions> = {}) => {
  const sessions = new Map<string, PrincipalAnswer>()
  const market = createMarketplace({
    store: MemoryStore.layer,
    principal: ({ headers }) => sessions.get(headers.get("cookie") ?? ""),
    ...options
  })
  return { market, sessions, [Symbol.asyncDispose]: market.close }
}

interface Sending {
  readonly cookie?: string
  readonly key?: string
  readonly headers?: Record<string, string>
  readonly body?: unknown
  readonly host?: unknown
}

const send = (market: Marketplace, endpoint: string, { cookie, key, headers, body, host }: Sending = {}) => {
  const [method = "GET", path = "/"] = endpoint.split(" ")
  const request = new Request(`http://market.test${path}`, {
    method,
    headers: {
      ...(cookie === undefined ? {} : { cookie }),
      ...(key === undefined ? {} : { "x-agent-key": key }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  return market.fetch(request, { host })
}

const call = async (market: Marketplace, endpoint: string, sending?: Sending) => {
  const response = await send(market, endpoint, sending)
  const json: unknown = await response.json()
  const code = at(json, "error", "code")
  return {
    json,
    headers: response.headers,
    verdict: code === undefined ? `${response.status}` : `${response.status} ${String(code)}`
  }
}

const join = async (market: Marketplace, handle: string) => {
  const account = { handle, name: handle, email: `${handle}@example.com` }
  const { json } = await call(market, "POST /api/agents", { body: account })
  return { id: textAt(json, "data", "agent", "id"), key: textAt(json, "data", "apiKey") }
}

const read = async (response: Response) => {
  if (response.body === null) throw new Error("no body")
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let heard = ""
  return {
    until: async (text: string) => {
      while (!heard.includes(text)) {
        const { done, value } = await reader.read()
        if (done) throw new Error(`ended after ${heard}`)
        heard += value
      }
    },
    end: async () => {
      while (!(await reader.read()).done);
    }
  }
}

describe("principal", () => {
  it("stands for a key on every kind of call", async () => {
    await using host = open()
    const { market, sessions } = host
    const { id } = await join(market, "atlas")
    sessions.set("s=1", id)
    const me = await call(market, "GET /api/v1/me", { cookie: "s=1" })
    assert.strictEqual(textAt(me.json, "data", "agent", "handle"), "atlas")
    const draft = await call(market, "POST /api/listings", {
      cookie: "s=1",
      body: { ...listing(), status: "draft" }
    })
    assert.strictEqual(draft.verdict, "201")
    const path = `GET /api/v1/listings/${textAt(draft.json, "data", "listing", "id")}`
    assert.strictEqual(
      (await call(market, path, { cookie: "s=1" })).verdict,
      "200",
      "what an open call shows"
    )
    assert.strictEqual((await call(market, path)).verdict, "404 not_found")
    assert.strictEqual((await call(market, "GET /api/v1/me", { cookie: "s=2" })).verdict, "401 key_missing")
  })

  it("may be asynchronous, and is told what the host knows", async () => {
    const seen: Array<unknown> = []
    const { market } = open({
      basePath: "/market",
      principal: async ({ method, url }, host: { readonly user: string }) => {
        seen.push([method, url])
        return host.user
      }
    })
    await using _ = market
    const { json } = await call(market, "POST /market/api/agents", {
      body: { handle: "atlas", name: "Atlas", email: "atlas@example.com" }
    })
    const me = await call(market, "GET /market/api/v1/me?", {
      host: { user: textAt(json, "data", "agent", "id") }
    })
    assert.strictEqual(textAt(me.json, "data", "agent", "handle"), "atlas")
    assert.deepStrictEqual(seen, [["GET", "/market/api/v1/me?"]])
  })

  it("is not asked where a key is given, be it a bad one", async () => {
    await using host = open()
    const { market, sessions } = host
    const { id } = await join(market, "atlas")
    const { key } = await join(market, "borealis")
    sessions.set("s=1", id)
    const me = await call(market, "GET /api/v1/me", { cookie: "s=1", key })
    assert.strictEqual(textAt(me.json, "data", "agent", "handle"), "borealis")
    const bad = await call(market, "GET /api/v1/me", { cookie: "s=1", key: "agent_nonsense" })
    assert.strictEqual(bad.verdict, "401 key_invalid")
  })

  it("opens what is closed to those without a key", async () => {
    await using host = open({ requireKeyForReads: true })
    const { market, sessions } = host
    const { id } = await join(market, "atlas")
    sessions.set("s=1", id)
    assert.strictEqual((await call(market, "GET /api/v1/listings")).verdict, "401 key_missing")
    assert.strictEqual((await call(market, "GET /api/v1/listings", { cookie: "s=1" })).verdict, "200")
  })

  it("is refused for an agent that is not there", async () => {
    await using host = open()
    const { market, sessions } = host
    sessions.set("s=1", "agt_01h455vb4pex5vsknk084sn02q").set("s=2", "nobody")
    for (const cookie of ["s=1", "s=2"])
      for (const endpoint of ["GET /api/v1/me", "GET /api/v1/listings"])
        assert.strictEqual((await call(market, endpoint, { cookie })).verdict, "401 key_invalid")
  })

  it("is no yes when it fails, or answers what makes no sense", async () => {
    const wrong: ReadonlyArray<NonNullable<MarketplaceOptions["principal"]>> = [
      () => Promise.reject(new Error("The session store is away")),
      () => {
        throw new Error("The session store is away")
      },
      () => ""
    ]
    for (const principal of wrong) {
      await using host = open({ principal })
      const { json, verdict } = await call(host.market, "GET /api/v1/listings")
      assert.strictEqual(verdict, "503 unavailable")
      assert.notInclude(JSON.stringify(json), "session store")
    }
  })

  it("is counted by the agent, wherever it calls from", async () => {
    const one = { limit: 1, windowSeconds: 60 }
    const { market, sessions } = open({
      rateLimits: { default: one, accounts: { limit: 9, windowSeconds: 60 } }
    })
    await using _ = market
    const [atlas, borealis] = await Promise.all(
      ["atlas", "borealis"].map(async (handle, index) => {
        const body = { handle, name: handle, email: `${handle}@example.com` }
        const response = await market.fetch(
          new Request("http://market.test/api/agents", {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify(body)
          }),
          { clientAddress: `192.0.2.${index}` }
        )
        return textAt(await response.json(), "data", "agent", "id")
      })
    )
    sessions.set("s=1", atlas).set("s=2", atlas).set("s=3", borealis)
    const verdicts = []
    for (const cookie of ["s=1", "s=2", "s=3"])
      verdicts.push((await call(market, "GET /api/v1/me", { cookie })).verdict)
    assert.deepStrictEqual(verdicts, ["200", "429 rate_limited", "200"])
  })

  it("keeps idempotency keys for each agent, whichever way it comes", async () => {
    await using host = open()
    const { market, sessions } = host
    const { id, key } = await join(market, "atlas")
    sessions.set("s=1", id)
    const sending = { body: listing(), headers: { "idempotency-key": "once" } }
    const first = await call(market, "POST /api/listings", { cookie: "s=1", ...sending })
    const again = await call(market, "POST /api/listings", { key, ...sending })
    assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
    assert.deepStrictEqual(again.json, first.json)
  })

  it("hears what its agent may hear, until the login ends", async () => {
    await using host = open()
    const { market, sessions } = host
    const { id } = await join(market, "atlas")
    sessions.set("s=1", { agentId: id, expiresAt: new Date(Date.now() + 400) })
    const stream = await read(await send(market, "GET /api/v1/events?types=key.*", { cookie: "s=1" }))
    await stream.until("stream.ready")
    await call(market, "POST /api/me/keys", { cookie: "s=1", body: { label: "robot" } })
    await stream.until("event: key.created")
    await stream.end()
    assert.strictEqual((await call(market, "GET /api/v1/me", { cookie: "s=1" })).verdict, "401 key_expired")
  })

  describe("writes from a browser", () => {
    const cases: ReadonlyArray<[sentence: string, headers: Record<string, string>, verdict: string]> = [
      ["of the market's own page", { "sec-fetch-site": "same-origin", origin: "https://market.test" }, "200"],
      ["by the user's own hand", { "sec-fetch-site": "none" }, "200"],
      [
        "of another site",
        { "sec-fetch-site": "cross-site", origin: "https://evil.example" },
        "403 forbidden"
      ],
      [
        "of a sibling",
        { "sec-fetch-site": "same-site", origin: "https://blog.market.test" },
        "403 forbidden"
      ],
      [
        "of an origin that is trusted",
        { "sec-fetch-site": "cross-site", origin: "https://app.example" },
        "200"
      ],
      ["of the public name", { "sec-fetch-site": "same-site", origin: "https://www.example" }, "200"],
      ["of an old browser", { origin: "http://market.test", host: "market.test" }, "200"],
      [
        "of an old browser elsewhere",
        { origin: "https://evil.example", host: "market.test" },
        "403 forbidden"
      ],
      ["of a page without an origin", { origin: "null", host: "market.test" }, "403 forbidden"],
      ["of no browser", {}, "200"]
    ]
    it.each(cases)("%s", async (_, headers, verdict) => {
      await using host = open({
        trustedOrigins: ["https://app.example"],
        baseUrl: "https://www.example/market"
      })
      const { market, sessions } = host
      const { id, key } = await join(market, "atlas")
      sessions.set("s=1", id)
      const body = { description: "Changed" }
      assert.strictEqual(
        (await call(market, "PATCH /api/me", { cookie: "s=1", headers, body })).verdict,
        verdict
      )
      assert.strictEqual((await call(market, "PATCH /api/me", { key, headers, body })).verdict, "200")
      assert.strictEqual((await call(market, "GET /api/v1/me", { cookie: "s=1", headers })).verdict, "200")
    })
  })
})
