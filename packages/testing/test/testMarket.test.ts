import { assert, describe, it } from "@effect/vitest"
import { HandleTakenError } from "@souk/client"
import { SoukClient } from "@souk/client/effect"
import { Agents } from "@souk/core"
import { Effect, Layer } from "effect"
import { MarketTest, testMarket } from "../src/index.ts"
import type { TestAgent } from "../src/index.ts"

const rfq = (quoteDeadline: string) =>
  JSON.stringify({ title: "Translate a contract", quoteDeadline, visibility: "public" })

describe("testMarket", () => {
  it("is a whole market: an agent calls it by its key", async () => {
    await using market = await testMarket()
    const buyer = await market.agent("buyer")
    const me = await buyer.fetch("/api/v1/me")
    assert.strictEqual(me.status, 200)
    assert.include(await me.text(), buyer.id)
    assert.strictEqual((await market.fetch("/api/v1/me")).status, 401)
  })

  it("gives the same ids and keys for the same seed, and others for another", async () => {
    const agents = async (seed: number | string) => {
      await using market = await testMarket({ seed })
      const [buyer, seller] = [await market.agent("buyer"), await market.agent("seller")]
      return [buyer.id, buyer.apiKey, seller.id, seller.apiKey]
    }
    assert.deepStrictEqual(await agents(7), await agents(7))
    assert.notDeepEqual(await agents(7), await agents(8))
    const ids = await agents("a word")
    assert.strictEqual(new Set(ids).size, ids.length)
  })

  it("stands still until its clock is turned, and then does what was due", async () => {
    await using market = await testMarket({ startsAt: "2026-03-01T12:00:00Z" })
    const buyer = await market.agent("buyer")
    const created = await buyer.fetch("/api/rfqs", { method: "POST", body: rfq("2026-03-02T12:00:00Z") })
    const path = created.headers.get("location") ?? ""
    assert.include(await (await market.fetch(path)).text(), '"status":"open"')
    await market.clock.advance("25 hours")
    assert.strictEqual(market.clock.now().toISOString(), "2026-03-02T13:00:00.000Z")
    assert.include(await (await market.fetch(path)).text(), '"status":"evaluating"')
  })

  it("refuses a turn of its clock that makes no sense, and stands still", async () => {
    await using market = await testMarket({ startsAt: "2026-03-01T12:00:00Z" })
    for (const duration of ["fourteen days", "", "-3 days", -1, Number.NaN, Infinity, null, undefined])
      // As tests call it that are not written in TypeScript.
      assert.match(
        String(await Reflect.apply(market.clock.advance, undefined, [duration]).catch(String)),
        /^TypeError: The clock goes on by a span of time/u
      )
    assert.strictEqual(market.clock.now().toISOString(), "2026-03-01T12:00:00.000Z")
  })

  it("refuses options that make no sense, by their name", async () => {
    const refused: ReadonlyArray<readonly [sentence: string, options: unknown]> = [
      ["seed must be a number or a text.", { seed: null }],
      ["startsAt must be a Date, or a time like", { startsAt: "yesterday" }],
      ["startsAt must be a Date, or a time like", { startsAt: new Date(Number.NaN) }],
      ["startAt is not an option. There are seed, startsAt, ", { startAt: "2026-03-01T12:00:00Z" }],
      ["store is not an option.", { store: "market.db" }],
      ['matching must be an object of options, or "off".', { matching: null }],
      ["limits.maxBodyBytes must be a whole number", { limits: { maxBodyBytes: -1 } }],
      ["policy must be a function.", { policy: "allowed" }],
      ["What is given must be an object of options.", null]
    ]
    for (const [sentence, options] of refused)
      assert.include(
        String(await Reflect.apply(testMarket, undefined, [options]).catch(String)),
        `TypeError: ${sentence}`
      )
  })

  it("has told of what was due when its clock has been turned, however far", async () => {
    await using market = await testMarket({ startsAt: "2026-03-01T12:00:00Z" })
    const buyer = await market.agent("buyer")
    await buyer.fetch("/api/rfqs", { method: "POST", body: rfq("2026-03-02T12:00:00Z") })
    // The time of the processor: others may be at work on this machine.
    const before = process.cpuUsage()
    await market.clock.advance("14 days")
    const { system, user } = process.cpuUsage(before)
    assert.isBelow(system + user, 2_000_000)
    const events = await market.fetch("/api/v1/events?after=earliest&types=rfq.*", {
      headers: { accept: "application/json" }
    })
    const text = await events.text()
    assert.match(text, /"type":"rfq.closed","at":"2026-03-02T12:00:00.000Z"/)
    assert.match(text, /"type":"rfq.unsuccessful","at":"2026-03-09T12:00:00.000Z"/)
  })

  it("tells both sides what fits, a moment after it has come", async () => {
    await using market = await testMarket()
    const [buyer, seller] = [await market.agent("buyer"), await market.agent("seller")]
    const post = async (agent: TestAgent, path: string, body: object) => {
      const response = await agent.fetch(path, { method: "POST", body: JSON.stringify(body) })
      assert.strictEqual(response.status, 201)
      return response.headers.get("location")?.split("/").at(-1) ?? ""
    }
    const headers = { accept: "application/json" }
    const heard = (agent: TestAgent) =>
      agent
        .fetch("/api/v1/events?after=earliest&types=match.found", { headers })
        .then((reply) => reply.text())
    const request = await post(buyer, "/api/requests", { title: "Translate a legal text" })
    const pricing = { model: "quote" }
    const listing = await post(seller, "/api/listings", { title: "Translation of legal texts", pricing })
    assert.notInclude(await heard(buyer), listing)
    await market.clock.advance("2 seconds")
    for (const agent of [buyer, seller]) {
      const told = await heard(agent)
      for (const id of [request, listing]) assert.include(told, id)
      const listed = await agent.fetch(`/api/v1/matches?demand=${request}&supply=${listing}`)
      assert.include(await listed.text(), '"status":"suggested"')
    }
  })

  it("each has a clock and a store of its own", async () => {
    await using one = await testMarket()
    await using other = await testMarket()
    await one.agent("buyer")
    await one.clock.advance("14 days")
    assert.strictEqual((await other.fetch("/api/v1/agents/buyer")).status, 404)
    assert.strictEqual(one.clock.now().getTime() - other.clock.now().getTime(), 14 * 86_400_000)
  })

  it("has the rate limits that it is given, and none else", async () => {
    await using free = await testMarket()
    for (let n = 0; n < 12; n++) await free.agent(`agent-${n}`)
    const limit = { limit: 1, windowSeconds: 60 }
    await using strict = await testMarket({ rateLimits: { default: limit, accounts: limit } })
    await strict.agent("first")
    assert.strictEqual((await strict.fetch("/api/v1/listings")).status, 429)
    await strict.clock.advance("61 seconds")
    assert.strictEqual((await strict.fetch("/api/v1/listings")).status, 200)
  })

  it("ends its streams when it closes", async () => {
    const market = await testMarket()
    const stream = await market.fetch("/api/v1/events")
    await market.agent("buyer")
    await market.clock.advance("14 days")
    const text = stream.text()
    await new Promise((resolve) => setTimeout(resolve, 20))
    await market.close()
    assert.include(await text, "agent.registered")
  })

  it("fails calls once it is closed, however often", async () => {
    const market = await testMarket()
    const buyer = await market.agent("buyer")
    await market.close()
    await market.close()
    for (const call of [buyer.agents.me(), market.fetch("/livez")])
      assert.strictEqual(String(await call.catch(String)), "Error: This market is closed.")
  })

  it("asks the host's own login, as createMarketplace does", async () => {
    await using market = await testMarket({
      principal: async ({ headers }) => headers.get("x-user"),
      trustedOrigins: ["https://app.example"]
    })
    const { id } = await market.agent("buyer")
    const me = await market.fetch("/api/v1/me", { headers: { "x-user": id } })
    assert.include(await me.text(), '"handle":"buyer"')
    assert.strictEqual((await market.fetch("/api/v1/me")).status, 401)
  })

  it("ends what its agents follow when it is closed, so that a test can end", async () => {
    const market = await testMarket()
    const [buyer, seller] = [await market.agent("buyer"), await market.agent("seller")]
    const heard: Array<string> = []
    const following = (async () => {
      for await (const { type } of seller.events({ types: ["request.*"], after: "earliest" }))
        heard.push(type)
      return "over"
    })()
    await buyer.requests.open({ title: "Translate a contract" })
    while (heard.length === 0) await new Promise((resolve) => setImmediate(resolve))
    await market.close()
    assert.strictEqual(await following, "over")
    assert.deepStrictEqual(heard, ["request.opened"])
  })

  it("says why an agent could not register", async () => {
    await using market = await testMarket()
    await market.agent("buyer")
    const reason: unknown = await market.agent("Buyer").catch((error: unknown) => error)
    assert(reason instanceof HandleTakenError)
    assert.strictEqual(reason.code, "handle_taken")
  })
})

describe("MarketTest", () => {
  const register = Effect.gen(function* () {
    const agents = yield* Agents
    const { value } = yield* agents.register({ handle: "buyer", name: "Buyer", email: "buyer@example.com" })
    return { id: value.agent.id, apiKey: value.apiKey }
  })

  it.effect("gives the services, with ids and keys from the seed", () =>
    Effect.gen(function* () {
      const first = yield* Effect.provide(register, MarketTest.layer({ seed: 7 }))
      const again = yield* Effect.provide(register, MarketTest.layer({ seed: 7 }))
      const other = yield* Effect.provide(register, MarketTest.layer({ seed: 8 }))
      assert.deepStrictEqual(again, first)
      assert.notStrictEqual(other.apiKey, first.apiKey)
    })
  )

  it.effect("gives the HTTP face beside the services, on the same store and clock", () =>
    Effect.gen(function* () {
      const { id } = yield* register
      const souk = yield* SoukClient.make({ baseUrl: MarketTest.baseUrl })
      const { agent } = yield* souk.agents.get({
        params: { idOrHandle: "buyer" },
        query: {},
        headers: {}
      })
      assert.strictEqual(agent.id, id)
      assert.strictEqual(agent.createdAt.epochMilliseconds, 0)
    }).pipe(Effect.provide(Layer.provideMerge(MarketTest.layerHttp(), MarketTest.layer())))
  )
})
