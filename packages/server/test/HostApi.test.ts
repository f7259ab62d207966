import { assert, describe, it } from "@effect/vitest"
import { InvalidRequest, InvalidState, MemoryStore, NotFound, Unavailable } from "@souk/core"
import { createMarketplace } from "../src/index.ts"
import type { HostContent, HostSettlement, Marketplace, MarketplaceOptions } from "../src/index.ts"
import { at, listAt, textAt } from "./market.ts"
import { listing, rfq, terms } from "./trade.ts"

const open = (options: Partial<MarketplaceOptions> = {}) =>
  createMarketplace({ store: MemoryStore.layer, rateLimits: "off", ...options })

const call = async (market: Marketplace, endpoint: string, key?: string, body?: unknown) => {
  const [method = "GET", path = "/"] = endpoint.split(" ")
  const response = await market.fetch(
    new Request(`http://market.test${path}`, {
      method,
      headers: {
        ...(key === undefined ? {} : { "x-agent-key": key }),
        ...(body === undefined ? {} : { "content-type": "application/json" })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
  )
  const json: unknown = await response.json()
  return { status: response.status, json, code: at(json, "error", "code") }
}

const join = async (market: Marketplace, handle: string) => {
  const account = { handle, name: handle, email: `${handle}@example.com` }
  const { json } = await call(market, "POST /api/agents", undefined, account)
  return { id: textAt(json, "data", "agent", "id"), key: textAt(json, "data", "apiKey") }
}

const joinBoth = (market: Marketplace) => Promise.all([join(market, "buyer"), join(market, "seller")])

type Agent = Awaited<ReturnType<typeof join>>

/** Agrees upon a deal, and gives the room as it is then. */
const agree = async (market: Marketplace, buyer: Agent, seller: Agent) => {
  const opened = await call(market, "POST /api/deal-rooms", buyer.key, {
    counterparty: seller.id,
    role: "buyer",
    offer: { terms: terms("100") }
  })
  const id = textAt(opened.json, "data", "dealRoom", "id")
  const offer = at(opened.json, "data", "dealRoom", "currentOffer")
  const accept = `POST /api/deal-rooms/${id}/offers/${textAt(offer, "id")}/accept`
  const agreed = await call(market, accept, seller.key, { termsDigest: textAt(offer, "termsDigest") })
  return { id, status: at(agreed.json, "data", "dealRoom", "status") }
}

const dispute = async (market: Marketplace, buyer: Agent, seller: Agent) => {
  const { id } = await agree(market, buyer, seller)
  await call(market, `POST /api/deal-rooms/${id}/dispute`, buyer.key, { reason: "Half is missing" })
  return id
}

/** Waits until an agent has heard of an event. */
const hear = async (market: Marketplace, { key }: Agent, type: string) => {
  const stream = await market.fetch(
    new Request(`http://market.test/api/v1/events?after=earliest&types=${type}`, {
      headers: { "x-agent-key": key }
    })
  )
  let heard = ""
  for await (const text of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    heard += text
    if (heard.includes(`event: ${type}`)) return
  }
  throw new Error(`${type} was never heard of`)
}

const rejection = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error
  )

describe("api.operator", () => {
  it("suspends and reinstates", async () => {
    await using market = open()
    const { operator } = market.api
    const seller = await join(market, "seller")
    const publish = () => call(market, "POST /api/listings", seller.key, listing())
    const suspended = await operator.suspend(seller.id, "Sold fakes")
    assert.strictEqual(suspended.status, "suspended")
    assert.match(suspended.updatedAt, /^\d{4}-.*Z$/u, "JSON, as on the wire")
    assert.deepStrictEqual([(await publish()).status, (await publish()).code], [403, "agent_suspended"])
    await operator.reinstate(seller.id)
    assert.strictEqual((await publish()).status, 201)
  })

  it("takes listings and RFQs off the market", async () => {
    await using market = open()
    const { operator } = market.api
    const { key } = await join(market, "seller")
    const listed = await call(market, "POST /api/listings", key, listing())
    const deadline = new Date(Date.now() + 3_600_000).toISOString()
    const asked = await call(market, "POST /api/rfqs", key, {
      ...rfq(),
      quoteDeadline: deadline,
      awardBy: undefined
    })
    const archived = await operator.archiveListing(textAt(listed.json, "data", "listing", "id"), "A fake")
    assert.strictEqual(archived.status, "archived")
    assert.strictEqual((await call(market, `GET /api/v1/listings/${archived.id}`)).status, 404)
    const cancelled = await operator.cancelRfq(textAt(asked.json, "data", "rfq", "id"), "No real need")
    assert.strictEqual(cancelled.status, "cancelled")
  })

  it("resolves disputes", async () => {
    await using market = open()
    const [buyer, seller] = await joinBoth(market)
    const id = await dispute(market, buyer, seller)
    const refunded = { amount: "0.50", currency: "EUR" }
    const resolved = await market.api.operator.resolveDispute(id, {
      outcome: "split",
      refunded,
      note: "Half"
    })
    assert.deepStrictEqual([resolved.status, resolved.refunded], ["split", refunded])
    const seen = await call(market, `GET /api/v1/deal-rooms/${id}`, seller.key)
    assert.deepStrictEqual(at(seen.json, "data", "dealRoom", "refunded"), refunded)
  })

  it("rejects with the classes of the core", async () => {
    await using market = open()
    const { operator } = market.api
    const seller = await join(market, "seller")
    const nobody = "agt_01jd8wq0z7f3mbk5r2v6txn4ce"
    assert.instanceOf(await rejection(operator.suspend(nobody, "Why")), NotFound)
    assert.instanceOf(await rejection(operator.suspend("nobody", "Why")), InvalidRequest)
    assert.instanceOf(await rejection(operator.suspend(seller.id, "")), InvalidRequest)
    assert.instanceOf(await rejection(operator.reinstate(seller.id)), InvalidState)
    assert.instanceOf(await rejection(operator.holds({ limit: 0 })), InvalidRequest)
    await market.close()
    assert.instanceOf(await rejection(operator.suspend(seller.id, "Why")), Unavailable)
  })

  it.each<[string, unknown, string]>([
    ["events", { types: "rfq.*" }, "query.types must be an array"],
    ["events", { type: ["rfq.*"] }, "query.type is unknown"],
    ["events", { after: 5 }, "query.after must be a string"],
    ["events", { signal: 5 }, "query.signal must be an AbortSignal"],
    ["events", null, "query must be an object"],
    ["holds", null, "query must be an object"],
    ["holds", { status: "gone" }, "query.status must be"],
    ["holds", { cursor: 5 }, "query.cursor must be a string"],
    ["orders", { limit: "5" }, "query.limit must be a"],
    ["orders", { cursor: "c1" }, "query.cursor is unknown"]
  ])("refuses %s(%j), and names what is wrong", async (name, query, sentence) => {
    await using market = open()
    const { events, holds, orders } = market.api.operator
    // As from JavaScript, where no compiler has judged them.
    const asked: Promise<unknown> =
      name === "events"
        ? Reflect.apply(events, undefined, [query])[Symbol.asyncIterator]().next()
        : Reflect.apply(name === "holds" ? holds : orders, undefined, [query])
    const refusal = await rejection(asked)
    if (!(refusal instanceof InvalidRequest)) return assert.fail(String(refusal))
    assert.include(refusal.message, sentence)
  })

  it("refuses an agent's query for events that makes no sense", async () => {
    await using market = open()
    const { id } = await join(market, "atlas")
    const { events } = market.api.as(id)
    for (const query of [{ types: "rfq.*" }, { type: ["rfq.*"] }, { mine: "true" }]) {
      const stream = Reflect.apply(events, undefined, [query])
      assert.instanceOf(await rejection(stream[Symbol.asyncIterator]().next()), InvalidRequest)
    }
  })

  it("is nowhere on the agents' face", async () => {
    await using market = open()
    const { json } = await call(market, "GET /openapi.json")
    const paths = Object.keys(Object(at(json, "paths")))
    assert.isNotEmpty(paths)
    assert.isEmpty(paths.filter((path) => /operator|suspend|resolve|hold|fund/u.test(path)))
  })
})

describe("a policy of the host's", () => {
  it("is asked with plain values, and tells the agent why", async () => {
    const asked: Array<unknown> = []
    await using market = open({
      policy: ({ action, agent, subject }) => {
        asked.push([agent.handle, typeof agent.createdAt, action, subject])
        return action === "listing.publish"
          ? { outcome: "refused", reason: "Buyers only." }
          : { outcome: "allowed" }
      }
    })
    const { key } = await join(market, "buyer")
    const { code, json, status } = await call(market, "POST /api/listings", key, listing())
    assert.deepStrictEqual([status, code], [403, "policy_refused"])
    assert.strictEqual(at(json, "error", "message"), "Buyers only.")
    assert.strictEqual(at(json, "error", "recovery"), "terminal")
    assert.deepStrictEqual(asked, [["buyer", "string", "listing.publish", undefined]])
  })

  it("that fails in whatever way is 503, and says nothing of how", async () => {
    const failures = [
      () => Promise.reject(new Error("secret connection string")),
      () => {
        throw new Error("secret connection string")
      },
      () => JSON.parse('{ "outcome": "secret connection string" }')
    ]
    for (const policy of failures) {
      await using market = open({ policy })
      const { key } = await join(market, "seller")
      const { code, json, status } = await call(market, "POST /api/listings", key, listing())
      assert.deepStrictEqual([status, code], [503, "unavailable"])
      assert.notInclude(JSON.stringify(json), "secret")
    }
  })
})

describe("a moderation of the host's", () => {
  it("holds what the operator then releases or refuses", async () => {
    const shown: Array<HostContent> = []
    await using market = open({
      moderation: async (content) => {
        shown.push(content)
        return { outcome: "held", reason: "Somebody looks at it." }
      }
    })
    const { operator } = market.api
    const { key } = await join(market, "seller")
    const publish = async () => {
      const { json, status } = await call(market, "POST /api/listings", key, listing())
      assert.strictEqual(status, 201)
      assert.strictEqual(textAt(json, "data", "listing", "status"), "draft")
      return textAt(json, "data", "listing", "id")
    }
    const [good, fake] = [await publish(), await publish()]
    const { holds, nextCursor } = await operator.holds({ limit: 1 })
    assert.deepStrictEqual(holds[0]?.subject, { kind: "listing", id: fake })
    const rest = await operator.holds(nextCursor === null ? {} : { limit: 1, cursor: nextCursor })
    assert.isNull(rest.nextCursor)
    await operator.refuseHold(textAt(holds, 0, "id"), "A fake")
    await operator.releaseHold(rest.holds[0]?.id ?? "")
    const { json } = await call(market, "GET /api/v1/listings")
    assert.deepStrictEqual(
      listAt(json, "data", "listings").map((item) => textAt(item, "id")),
      [good]
    )
    assert.strictEqual(shown.length, 2)
    assert.isTrue(shown[0]?.kind === "listing" && typeof shown[0].listing.createdAt === "string")
  })
})

describe("a settlement of the host's", () => {
  it("holds the money of a deal, and gives it back when both sides cancel", async () => {
    const asked: Array<unknown> = []
    const refunds = Promise.withResolvers<undefined>()
    const settlement: HostSettlement = {
      authorise: async ({ amount }) => {
        asked.push(["authorise", amount])
        return { outcome: "authorised" }
      },
      capture: () => asked.push("capture"),
      refund: async ({ amount }) => {
        asked.push(["refund", amount])
        refunds.resolve(undefined)
      },
      split: () => asked.push("split")
    }
    await using market = open({ settlement })
    const [buyer, seller] = await joinBoth(market)
    const { id, status } = await agree(market, buyer, seller)
    assert.strictEqual(status, "agreed")
    await hear(market, buyer, "deal_room.started")
    for (const { key } of [buyer, seller]) await call(market, `POST /api/deal-rooms/${id}/cancel`, key, {})
    await refunds.promise
    assert.deepStrictEqual(asked, [
      ["authorise", terms("100").total],
      ["refund", terms("100").total]
    ])
  })

  it("that does not answer has its orders listed for the operator", async () => {
    const asked = Promise.withResolvers<undefined>()
    const settlement: HostSettlement = {
      authorise: () => {
        asked.resolve(undefined)
        throw new Error("no connection")
      },
      capture: () => undefined,
      refund: () => undefined,
      split: () => undefined
    }
    await using market = open({ settlement })
    const [buyer, seller] = await joinBoth(market)
    const { id } = await agree(market, buyer, seller)
    await asked.promise
    const { orders } = await market.api.operator.orders()
    assert.strictEqual(orders.length, 1)
    assert.deepInclude(orders[0], { roomId: id, action: "authorise", amount: terms("100").total })
    assert.instanceOf(await rejection(market.api.operator.orders({ limit: 0 })), InvalidRequest)
  })

  it("that declines leaves the word to the operator", async () => {
    const settlement: HostSettlement = {
      authorise: () => ({ outcome: "declined", reason: "The account is empty." }),
      capture: () => undefined,
      refund: () => undefined,
      split: () => undefined
    }
    await using market = open({ settlement })
    const [buyer, seller] = await joinBoth(market)
    const { id } = await agree(market, buyer, seller)
    const room = await market.api.operator.confirmFunding(id)
    assert.strictEqual(room.status, "in_progress")
    assert.strictEqual(room.funding, "confirmed")
  })

  it("is refused a time that makes no sense, by name", () => {
    const settlement: HostSettlement = {
      fundWithinSeconds: 0.5,
      authorise: () => ({ outcome: "pending" }),
      capture: () => undefined,
      refund: () => undefined,
      split: () => undefined
    }
    assert.throws(() => open({ settlement }), /^settlement\.fundWithinSeconds /u)
  })
})
