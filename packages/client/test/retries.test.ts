/** What the client does when calls go wrong: a server stands before the market and spoils them. */
import { assert, describe, it } from "@effect/vitest"
import { ConnectionFailedError, NoReplyError, RateLimitedError, Souk } from "../src/index.ts"
import { refused } from "./refused.ts"
import { before, refuse, serve } from "./serve.ts"

const listing = { title: "Translate legal texts", pricing: { model: "quote" } } as const

const titles = async (souk: Souk) => (await souk.listings.list()).listings.map(({ title }) => title)

describe("a call that goes wrong", () => {
  it("is tried again after Retry-After, with the same Idempotency-Key", async () => {
    await using market = await serve()
    await using front = await before(market.url, ({ outgoing, count, pass }) => {
      if (count > 0) return pass()
      outgoing.setHeader("retry-after", "1")
      refuse(outgoing, 503, { code: "unavailable", recovery: "transient" })
    })
    const { souk } = await market.agent("seller", { baseUrl: front.url })
    const start = performance.now()
    await souk.listings.publish(listing)
    assert.isAtLeast(performance.now() - start, 1000)
    assert.strictEqual(front.seen.length, 2)
    const keys = front.seen.map(({ headers }) => headers["idempotency-key"])
    assert.match(String(keys[0]), /^[0-9a-f]{32}$/u)
    assert.strictEqual(keys[0], keys[1])
  })

  it("is done once although its reply was lost", async () => {
    await using market = await serve()
    await using front = await before(market.url, ({ count, pass }) =>
      pass(count === 0 ? () => [""] : undefined)
    )
    const { souk } = await market.agent("seller", { baseUrl: front.url })
    const { listing: published } = await souk.listings.publish(listing)
    assert.strictEqual(front.seen.length, 2)
    const all = await souk.listings.list()
    assert.deepStrictEqual(
      all.listings.map(({ id }) => id),
      [published.id]
    )
  })

  it("is done once when it is sent twice with one key", async () => {
    await using market = await serve()
    const { souk } = await market.agent("seller")
    const [one, two] = await Promise.all([
      souk.listings.publish(listing, { idempotencyKey: "the-same" }),
      souk.listings.publish(listing, { idempotencyKey: "the-same" })
    ])
    assert.strictEqual(one.listing.id, two.listing.id)
    assert.strictEqual((await titles(souk)).length, 1)
  })

  it("is done once although the market took longer than one waits", async () => {
    await using market = await serve()
    await using front = await before(market.url, ({ count, pass }) => {
      if (count === 0) setTimeout(pass, 300)
      else pass()
    })
    const { souk } = await market.agent("seller", { baseUrl: front.url, timeoutMillis: 150 })
    await souk.listings.publish(listing)
    assert.strictEqual((await titles(souk)).length, 1)
  })

  it("waits for the first request with its key to end", async () => {
    await using market = await serve()
    await using front = await before(market.url, ({ outgoing, count, pass }) =>
      count === 0
        ? refuse(outgoing, 409, {
            code: "idempotency_in_flight",
            recovery: "transient",
            retryAfterSeconds: 0
          })
        : pass()
    )
    const { souk } = await market.agent("seller", { baseUrl: front.url })
    await souk.listings.publish(listing)
    assert.strictEqual(front.seen.length, 2)
  })

  it("fails with the last error after three attempts, or as many as one wants", async () => {
    await using market = await serve()
    await using front = await before(market.url, ({ outgoing }) =>
      refuse(outgoing, 429, { code: "rate_limited", recovery: "transient", retryAfterSeconds: 0 })
    )
    const souk = new Souk({ baseUrl: front.url })
    await refused(RateLimitedError, souk.listings.list())
    assert.strictEqual(front.seen.length, 3)
    await refused(RateLimitedError, souk.listings.list({}, { maxAttempts: 1 }))
    assert.strictEqual(front.seen.length, 4)
  })

  it("is not tried again when that cannot help", async () => {
    await using market = await serve()
    await using front = await before(market.url, ({ outgoing, count }) => {
      if (count === 0) refuse(outgoing, 409, { code: "not_your_turn", recovery: "transient" })
      if (count === 1) refuse(outgoing, 422, { code: "self_deal", recovery: "terminal" })
      if (count === 2)
        refuse(outgoing, 429, { code: "rate_limited", recovery: "transient", retryAfterSeconds: 3600 })
      if (count === 3) outgoing.writeHead(404, { "content-type": "text/html" }).end("<h1>Not here</h1>")
      if (count === 4) outgoing.writeHead(302, { location: "https://elsewhere.example/" }).end()
    })
    const souk = new Souk({ baseUrl: front.url })
    const codes = []
    for (let call = 0; call < 5; call++)
      codes.push(
        await souk.listings.list().then(
          () => "",
          ({ code }) => code
        )
      )
    assert.deepStrictEqual(codes, [
      "not_your_turn",
      "self_deal",
      "rate_limited",
      "unexpected_reply",
      "unexpected_reply"
    ])
    assert.strictEqual(front.seen.length, 5)
  })

  it("takes the page of a proxy for what it is", async () => {
    await using market = await serve()
    await using front = await before(market.url, ({ outgoing, count, pass }) =>
      count === 0
        ? outgoing.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad gateway</h1>")
        : pass()
    )
    const souk = new Souk({ baseUrl: front.url })
    assert.deepStrictEqual(await titles(souk), [])
  })

  it("fails when nobody is there", async () => {
    await using market = await serve()
    const gone = await before(market.url, () => {})
    await gone[Symbol.asyncDispose]()
    const error = await refused(ConnectionFailedError, new Souk({ baseUrl: gone.url }).listings.list())
    assert.strictEqual(error.recovery, "transient")
    assert.isDefined(error.cause)
  })

  it("fails when no reply comes in time, and ends at once when its signal says so", async () => {
    await using market = await serve()
    await using front = await before(market.url, () => {})
    const souk = new Souk({ baseUrl: front.url, timeoutMillis: 50, maxAttempts: 2 })
    await refused(NoReplyError, souk.listings.list())
    assert.strictEqual(front.seen.length, 2)
    const reason = new RangeError("enough")
    const controller = new AbortController()
    const calling = souk.listings.list({}, { signal: controller.signal, timeoutMillis: 60_000 }).then()
    controller.abort(reason)
    assert.strictEqual(await refused(RangeError, calling), reason)
    assert.strictEqual(
      await refused(RangeError, souk.listings.get("x", { signal: AbortSignal.abort(reason) })),
      reason
    )
  })

  it("may take for ever", async () => {
    await using market = await serve()
    const { souk } = await market.agent("seller")
    for (const timeoutMillis of [Infinity, 2 ** 32])
      assert.deepStrictEqual((await souk.listings.list({}, { timeoutMillis, maxAttempts: 1 })).listings, [])
  })
})
