/** The market called from inside the host's process, as an agent and as the operator. */
import { openApiDocument } from "@souk/api"
import { assert, describe, it } from "@effect/vitest"
import {
  Conflict,
  HandleTaken,
  InvalidCursor,
  InvalidRequest,
  MemoryStore,
  NotFound,
  Unavailable,
  VersionConflict
} from "@souk/core"
import { createMarketplace } from "../src/index.ts"
import type { Marketplace, MarketplaceOptions } from "../src/index.ts"
import { terms } from "./trade.ts"

const open = (options: Partial<MarketplaceOptions> = {}) =>
  createMarketplace({ store: MemoryStore.layer, ...options })

const join = async ({ api }: Marketplace, handle: string) => {
  const { agent, apiKey } = await api.operator.registerAgent({
    handle,
    name: handle,
    email: `${handle}@example.com`
  })
  return { id: agent.id, key: apiKey, calls: api.as(agent.id) }
}

const rejection = (promise: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(promise).then(
    () => undefined,
    (error: unknown) => error
  )

const all = async <A>(items: AsyncIterable<A>) => {
  const found: Array<A> = []
  for await (const item of items) found.push(item)
  return found
}

const offered = {
  title: "Translate legal texts",
  description: "Sworn translations.",
  tags: ["legal"],
  pricing: { model: "fixed", price: { amount: "10", currency: "EUR" } }
} as const

describe("api.as", () => {
  it("deals from end to end, in the JSON of the contract", async () => {
    await using market = open({ basePath: "/market" })
    const [buyer, seller] = await Promise.all([join(market, "buyer"), join(market, "seller")])
    const { dealRoom } = await buyer.calls.dealRooms.start({
      counterparty: seller.id,
      role: "buyer",
      offer: { terms: terms("100") }
    })
    const offer = dealRoom.currentOffer
    if (offer === undefined || offer === null) return assert.fail("no offer")
    const agreed = await seller.calls.dealRooms.acceptOffer(dealRoom.id, offer.id, {
      termsDigest: offer.termsDigest
    })
    assert.strictEqual(agreed.dealRoom.status, "in_progress")
    assert.match(agreed.dealRoom.updatedAt, /^\d{4}-.*Z$/u)
    await seller.calls.dealRooms.deliver(dealRoom.id, { note: "Here it is" })
    assert.strictEqual((await buyer.calls.dealRooms.complete(dealRoom.id)).dealRoom.status, "completed")
    assert.strictEqual((await seller.calls.agents.me()).agent.reputation.completedDeals, 1)
  })

  it("has every operation of the contract, and no others", async () => {
    await using market = open()
    const { calls } = await join(market, "atlas")
    const documented = Object.values(openApiDocument().paths)
      .flatMap((item) => Object.values(item).map(({ operationId }) => operationId))
      .filter((id) => !id.startsWith("system."))
    const reachable = Object.entries(calls).flatMap(([group, namespace]) => [
      ...(typeof namespace === "function"
        ? [group === "events" ? "events.subscribe" : `${group}.${group}`]
        : []),
      ...Object.keys(namespace)
        .filter((name) => name !== "page")
        .map((name) => `${group}.${name}`)
    ])
    assert.sameMembers(reachable, documented)
  })

  it("pages and iterates over lists", async () => {
    await using market = open()
    const { calls } = await join(market, "seller")
    for (const title of ["First", "Second", "Third"]) await calls.listings.publish({ ...offered, title })
    const { listings, nextCursor } = await calls.listings.list({ limit: 2, tag: "legal" })
    assert.deepStrictEqual([listings.length, typeof nextCursor], [2, "string"])
    const titles = []
    for await (const { title } of calls.listings.list({ limit: 2 })) titles.push(title)
    assert.deepStrictEqual(titles, ["Third", "Second", "First"])
    assert.lengthOf((await calls.search({ q: "second" })).results, 1)
  })

  it("is judged as over HTTP, and rejects with the tagged errors", async () => {
    await using market = open()
    const { calls } = await join(market, "seller")
    const wrong = await rejection(calls.listings.publish(Object.assign({ colour: "red" }, offered)))
    if (!(wrong instanceof InvalidRequest)) return assert.fail(String(wrong))
    assert.deepStrictEqual(wrong.issues, [{ path: "payload.colour", message: "is unknown" }])
    const { listing } = await calls.listings.publish(offered)
    await calls.listings.pause(listing.id)
    const stale = await rejection(calls.listings.update(listing.id, { title: "Other" }, { ifMatch: 1 }))
    if (!(stale instanceof VersionConflict)) return assert.fail(String(stale))
    assert.strictEqual(stale.version, 2)
    assert.instanceOf(await rejection(calls.listings.get("lst_01h455vb4pex5vsknk084sn02q")), NotFound)
    assert.instanceOf(await rejection(calls.listings.get("")), TypeError)
    assert.notInstanceOf(stale, Conflict)
  })

  it("takes the options of a write", async () => {
    await using market = open()
    const { calls } = await join(market, "seller")
    await calls.listings.publish(offered, { validateOnly: true })
    assert.lengthOf((await calls.listings.list()).listings, 0)
    const once = () => calls.listings.publish(offered, { idempotencyKey: "once" })
    assert.deepStrictEqual(await once(), await once())
    const reason = new Error("Enough")
    assert.strictEqual(await rejection(calls.agents.me({ signal: AbortSignal.abort(reason) })), reason)
  })

  it("gives lists that are promises in all they do", async () => {
    await using market = open()
    const calls = market.api.as("nobody")
    const list: Promise<unknown> = calls.listings.list()
    assert.instanceOf(await list.catch((error: unknown) => error), NotFound)
    let ended = false
    await rejection(calls.listings.list().finally(() => (ended = true)))
    assert.isTrue(ended)
  })

  it.each<[object, string]>([
    [{ ifMatch: "x" }, "ifMatch must be the version that was read."],
    [{ validateOnly: "true" }, "validateOnly must be true or false."],
    [{ idempotencyKey: "two\nlines" }, "idempotencyKey must be of visible ASCII characters."],
    [{ signal: "now" }, "signal must be an AbortSignal."],
    [{ idempotencykey: "once" }, "idempotencykey is not an option. There are signal,"]
  ])("refuses the options %o before anything is done", async (options, sentence) => {
    await using market = open()
    const { calls } = await join(market, "seller")
    const error = await rejection(calls.listings.publish(offered, options))
    if (!(error instanceof TypeError)) return assert.fail(String(error))
    assert.include(error.message, sentence)
    assert.lengthOf((await calls.listings.list()).listings, 0)
  })

  it("refuses options that a read or a stream has not", async () => {
    await using market = open()
    const { calls } = await join(market, "seller")
    const misplaced: object = { ifMatch: 1 }
    assert.instanceOf(await rejection(calls.agents.me(misplaced)), TypeError)
    assert.instanceOf(await rejection(calls.listings.list({}, misplaced)), TypeError)
    assert.throws(() => calls.events({}, misplaced), TypeError, "ifMatch is not an option.")
  })

  it("is no agent that does not exist", async () => {
    await using market = open()
    for (const id of ["agt_01h455vb4pex5vsknk084sn02q", "nobody"]) {
      const calls = market.api.as(id)
      assert.instanceOf(await rejection(calls.agents.me()), NotFound)
      assert.instanceOf(await rejection(calls.listings.list()), NotFound)
      assert.instanceOf(await rejection(all(calls.events())), NotFound)
    }
  })

  it("is not nobody, where the host has no agent to name", async () => {
    await using market = open()
    for (const id of [undefined, null, ""])
      // As hosts call it that are not written in TypeScript.
      assert.throws(() => void Reflect.apply(market.api.as, undefined, [id]), TypeError, "agentId must be")
  })

  it("is counted by no rate limit, and asks for no key", async () => {
    const none = { limit: 1, windowSeconds: 60 }
    await using market = open({
      requireKeyForReads: true,
      rateLimits: { default: none, accounts: none },
      limits: { maxBodyBytes: 1000 }
    })
    const { calls } = await join(market, "atlas")
    await join(market, "borealis")
    for (let count = 0; count < 3; count++) await calls.listings.list()
    const { status } = await market.fetch(new Request("http://market.test/api/v1/listings"))
    assert.strictEqual(status, 401, "the world's requests are counted apart")
  })

  it("follows the events that the agent may hear, and ends with the market or the signal", async () => {
    const market = open()
    const [atlas, borealis] = await Promise.all([join(market, "atlas"), join(market, "borealis")])
    await borealis.calls.keys.create({ label: "hidden" })
    await atlas.calls.keys.create({ label: "mine" })
    const heard: Array<string> = []
    const abort = new AbortController()
    for await (const event of atlas.calls.events({ after: "earliest", types: ["key.*"] }, abort)) {
      heard.push(`${event.type} ${event.actorId}`)
      if (heard.length === 2) abort.abort()
    }
    assert.deepStrictEqual(heard, [`key.created ${atlas.id}`, `key.created ${atlas.id}`])
    const following = all(atlas.calls.events())
    const page = await atlas.calls.events.page({ after: "earliest", types: ["key.created"] })
    assert.lengthOf(page.events, 2)
    await market.close()
    assert.deepStrictEqual(await following, [])
    assert.instanceOf(await rejection(atlas.calls.agents.me()), Unavailable)
    assert.instanceOf(await rejection(all(atlas.calls.events())), Unavailable)
  })
})

describe("api.operator", () => {
  it("registers agents for the host's own users, once", async () => {
    await using market = open()
    const account = { handle: "atlas", name: "Atlas", email: "atlas@example.com" }
    const register = (idempotencyKey?: string) =>
      market.api.operator.registerAgent(account, { idempotencyKey })
    const first = await register("user-7")
    assert.deepStrictEqual(await register("user-7"), first)
    assert.instanceOf(await rejection(register()), HandleTaken)
    const me = await market.fetch(
      new Request("http://market.test/api/v1/me", { headers: { "x-agent-key": first.apiKey } })
    )
    assert.strictEqual(me.status, 200)
    const stranger = await market.fetch(
      new Request("http://market.test/api/agents", {
        method: "POST",
        headers: { "content-type": "application/json", "idempotency-key": "user-7" },
        body: JSON.stringify(account)
      })
    )
    assert.strictEqual(stranger.status, 409, "the operator's replies are nobody else's")
  })

  it("hears everything, and goes on where it was", async () => {
    await using market = open()
    const { operator } = market.api
    const [atlas] = await Promise.all([join(market, "atlas"), join(market, "borealis")])
    await atlas.calls.keys.create({ label: "robot" })
    await atlas.calls.listings.publish(offered)
    const types = ["agent.*", "key.created", "listing.*"]
    const take = async (count: number, after: string) => {
      const events = []
      for await (const event of operator.events({ after, types })) {
        events.push(event)
        if (events.length === count) break
      }
      return events
    }
    const events = await take(6, "earliest")
    assert.deepStrictEqual(
      events.slice(4).map(({ audience, type }) => [type, audience]),
      [
        ["key.created", [atlas.id]],
        ["listing.published", "public"]
      ]
    )
    assert.deepStrictEqual(await take(1, events[4]?.cursor ?? ""), events.slice(5))
    assert.instanceOf(await rejection(take(1, "c999999")), InvalidCursor)
    assert.instanceOf(await rejection(all(operator.events({ types: ["nothing.*"] }))), InvalidRequest)
  })
})
