/** The calls of the client against a market on a socket. */
import { assert, describe, it } from "@effect/vitest"
import {
  InvalidRequestError,
  InvalidStateError,
  NotFoundError,
  Souk,
  SoukError,
  VersionConflictError
} from "../src/index.ts"
import { refused } from "./refused.ts"
import { serve } from "./serve.ts"

const terms = {
  total: { amount: "400.00", currency: "EUR" },
  deliverWithinSeconds: 86_400,
  revisions: 1,
  acceptance: ["All pages"]
}

const listing = { title: "Translate legal texts", tags: ["legal"], pricing: { model: "quote" } } as const

describe("a client", () => {
  it("makes a deal from the call for quotes to the reviews", async () => {
    await using market = await serve()
    const buyer = await market.agent("buyer")
    const seller = await market.agent("seller")
    const { rfq } = await buyer.souk.rfqs.create({
      title: "Translate a contract",
      quoteDeadline: new Date(Date.now() + 3_600_000).toISOString()
    })
    const { quote } = await seller.souk.quotes.submit(rfq.id, { terms })
    assert.strictEqual(quote.terms?.total.amount, "400.00")
    const { dealRoom } = await buyer.souk.rfqs.award(rfq.id, {
      quoteId: quote.id,
      termsDigest: quote.termsDigest ?? ""
    })
    await seller.souk.dealRooms.deliver(dealRoom.id, { note: "Done." })
    const done = await buyer.souk.dealRooms.complete(dealRoom.id)
    assert.strictEqual(done.dealRoom.status, "completed")
    await buyer.souk.dealRooms.review(dealRoom.id, { rating: 5 })
    await seller.souk.dealRooms.review(dealRoom.id, { rating: 4 })
    const { reviews } = await new Souk({ baseUrl: market.url }).agents.reviews("seller")
    assert.deepStrictEqual(
      reviews.map(({ rating }) => rating),
      [5]
    )
  })

  it("finds with parameters of every kind", async () => {
    await using market = await serve()
    const { souk } = await market.agent("seller")
    await souk.listings.publish(listing)
    const found = await souk.search({ q: "legal texts", types: ["listing", "rfq"], limit: 5 })
    assert.deepStrictEqual(
      found.results.map(({ type }) => type),
      ["listing"]
    )
    const events = await souk.events.page({ after: "earliest", mine: true, types: ["listing.*"] })
    assert.deepStrictEqual(
      events.events.map(({ type }) => type),
      ["listing.published"]
    )
  })

  it("reads a list page by page: the first for who awaits it, all for who iterates", async () => {
    await using market = await serve()
    const { souk } = await market.agent("seller")
    for (let count = 1; count <= 7; count++)
      await souk.listings.publish({ ...listing, title: `Listing ${count}` })
    const first = await souk.listings.list({ limit: 3 })
    assert.strictEqual(first.listings.length, 3)
    assert.isString(first.nextCursor)
    const titles = []
    for await (const { title } of souk.listings.list({ limit: 3, tag: "legal" })) titles.push(title)
    assert.deepStrictEqual(
      titles,
      [7, 6, 5, 4, 3, 2, 1].map((count) => `Listing ${count}`)
    )
    const sizes = []
    for await (const { listings } of souk.listings.list({ limit: 3 }).pages()) sizes.push(listings.length)
    assert.deepStrictEqual(sizes, [3, 3, 1])
  })

  it("checks without effect, and changes only what has not changed meanwhile", async () => {
    await using market = await serve()
    const { souk } = await market.agent("seller")
    await souk.listings.publish(listing, { validateOnly: true })
    assert.deepStrictEqual((await souk.listings.list()).listings, [])
    const published = await souk.listings.publish(listing)
    const { id, version } = published.listing
    await souk.listings.update(id, { title: "Another title" }, { ifMatch: version })
    const error = await refused(VersionConflictError, souk.listings.pause(id, { ifMatch: version }))
    assert.strictEqual(error.version, 2)
  })

  it("tells failures apart by class, code and recovery", async () => {
    await using market = await serve()
    const { souk } = await market.agent("seller")
    const missing = await refused(NotFoundError, souk.listings.get("lst_01jd8wq0z7f3mbk5r2v6txn4ce"))
    assert.instanceOf(missing, SoukError)
    assert.strictEqual(missing.code, "not_found")
    assert.strictEqual(missing.name, "NotFoundError")
    assert.strictEqual(missing.recovery, "terminal")
    assert.strictEqual(missing.httpStatus, 404)
    assert.isString(missing.requestId)

    const invalid = await refused(InvalidRequestError, souk.listings.publish({ ...listing, title: "" }))
    assert.strictEqual(invalid.issues[0]?.path, "payload.title")

    const published = await souk.listings.publish(listing)
    await souk.listings.archive(published.listing.id)
    const ended = await refused(InvalidStateError, souk.listings.activate(published.listing.id))
    assert.strictEqual(ended.status, "archived")
    assert.deepStrictEqual(ended.nextActions, [])
  })

  it("keeps its key to itself", async () => {
    await using market = await serve()
    const { souk, apiKey } = await market.agent("seller")
    const { inspect } = await import("node:util")
    assert.notInclude(inspect(souk, { depth: 10, showHidden: true }), apiKey)
    assert.notInclude(JSON.stringify(souk), apiKey)
  })

  it("works where the market is mounted below a path", async () => {
    await using market = await serve({ basePath: "/market" })
    const souk = new Souk({ baseUrl: `${market.url}/market/` })
    assert.deepStrictEqual((await souk.agents.list()).agents, [])
  })

  it("refuses options and ids that make no sense before anything is sent", async () => {
    assert.throws(() => new Souk({ baseUrl: "market.example" }), /baseUrl/u)
    assert.throws(() => new Souk({ baseUrl: "https://market.example/?a=1" }), /baseUrl/u)
    assert.throws(
      () => new Souk({ baseUrl: "https://market.example", apiKey: "agent_a\n" }),
      /^apiKey must be the key/u
    )
    assert.throws(() => new Souk({ baseUrl: "https://market.example", maxAttempts: 0 }), /maxAttempts/u)
    const souk = new Souk({
      baseUrl: "https://market.example",
      fetch: () => Promise.reject(new Error("sent"))
    })
    for (const id of ["", ".", ".."]) await refused(TypeError, souk.listings.get(id))
    await refused(TypeError, souk.listings.publish(listing, { idempotencyKey: "two\nlines" }))
  })
})
