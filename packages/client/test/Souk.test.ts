/** The calls of the client against a market on a socket. */
import { assert, describe, it } from "@effect/vitest"
import {
  ConnectionFailedError,
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

const elsewhere = { baseUrl: "https://market.example" }

const unsent = () => new Souk({ ...elsewhere, fetch: () => assert.fail("sent") })

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

  it("gives lists that are promises in all they do, and ask once", async () => {
    let sent = 0
    const souk = new Souk({
      baseUrl: "https://market.example",
      maxAttempts: 1,
      fetch: async () => {
        sent++
        throw new Error("offline")
      }
    })
    const list: Promise<unknown> = souk.listings.list()
    let ended = false
    const caught = await list.catch((error: unknown) => error)
    assert.instanceOf(caught, ConnectionFailedError)
    await refused(
      ConnectionFailedError,
      list.finally(() => {
        ended = true
      })
    )
    assert.isTrue(ended)
    await refused(ConnectionFailedError, Promise.resolve(list))
    assert.strictEqual(sent, 1)
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

  it.each<[unknown, string]>([
    [undefined, "baseUrl must be a URL that begins with http: or https:, without a query."],
    [
      { baseUrl: "market.example" },
      "baseUrl must be a URL that begins with http: or https:, without a query."
    ],
    [{ ...elsewhere, baseUrl: "https://market.example/?a=1" }, "baseUrl must be"],
    [{ ...elsewhere, apiKey: "agent_a\n" }, "apiKey must be the key as the market gave it."],
    [{ ...elsewhere, apiKey: 5 }, "apiKey must be"],
    [{ ...elsewhere, maxAttempts: 0 }, "maxAttempts must be 1 or more."],
    [{ ...elsewhere, timeoutMillis: "1000" }, "timeoutMillis must be a number of milliseconds above zero."],
    [{ ...elsewhere, signal: true }, "signal must be an AbortSignal."],
    [{ ...elsewhere, fetch: 5 }, "fetch must be a function."],
    [{ ...elsewhere, apikey: "agent_a" }, "apikey is not an option. There are baseUrl, apiKey,"]
  ])("refuses the options %o at once", (options, sentence) => {
    // As from JavaScript, where no compiler has judged them.
    assert.throws(() => Reflect.construct(Souk, [options]), TypeError, sentence)
  })

  it.each<[object, string]>([
    [{ idempotencyKey: "two\nlines" }, "idempotencyKey must be of visible ASCII characters."],
    [{ ifMatch: "x" }, "ifMatch must be the version that was read."],
    [{ ifMatch: 0 }, "ifMatch must be"],
    [{ validateOnly: "true" }, "validateOnly must be true or false."],
    [{ maxAttempts: "many" }, "maxAttempts must be 1 or more."],
    [{ timeoutMillis: 0 }, "timeoutMillis must be"],
    [{ signal: {} }, "signal must be an AbortSignal."],
    [{ idempotencykey: "once" }, "idempotencykey is not an option. There are signal,"]
  ])("refuses the call with %o, and sends nothing", async (options, sentence) => {
    const { message } = await refused(TypeError, unsent().listings.publish(listing, options))
    assert.include(message, sentence)
  })

  it("refuses ids, and options of reads and streams, that make no sense before anything is sent", async () => {
    const souk = unsent()
    for (const id of ["", ".", ".."]) await refused(TypeError, souk.listings.get(id))
    const misplaced: object = { ifMatch: 1 }
    await refused(TypeError, souk.listings.get("lst_1", misplaced))
    await refused(TypeError, souk.listings.list({}, misplaced))
    assert.throws(() => souk.events({}, misplaced), TypeError, "ifMatch is not an option.")
    assert.throws(() => souk.events({}, { silenceMillis: 0 }), TypeError, "silenceMillis must be")
  })
})
