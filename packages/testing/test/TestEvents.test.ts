import { assert, describe, it } from "@effect/vitest"
import { expectTypeOf } from "vitest"
import { testMarket } from "../src/index.ts"

const deadline = "2026-01-06T09:00:00Z"
const terms = {
  total: { amount: "450.00", currency: "EUR" },
  deliverWithinSeconds: 172_800,
  revisions: 1,
  acceptance: ["All 40 pages"]
}

const messageOf = (call: Promise<unknown>) =>
  call.then(
    () => "it resolved",
    (error: unknown) => (error instanceof Error ? error.message : String(error))
  )

describe("market.events", () => {
  it("gives events of the very type that was asked for", async () => {
    await using market = await testMarket()
    await market.agent("buyer")
    const event = await market.events.take("agent.registered")
    expectTypeOf(event.type).toEqualTypeOf<"agent.registered">()
    await market.agent("seller")
    const one = await market.events.take("agent.*")
    expectTypeOf(one.type).toEqualTypeOf<
      "agent.registered" | "agent.updated" | "agent.suspended" | "agent.reinstated" | "agent.closed"
    >()
    expectTypeOf(market.webhooks.take<"agent.closed">)
      .returns.resolves.toHaveProperty("event")
      .toHaveProperty("type")
      .toEqualTypeOf<"agent.closed">()
  })

  it("gives what has happened, each event once", async () => {
    await using market = await testMarket()
    const [buyer, seller] = [await market.agent("buyer"), await market.agent("seller")]
    const { rfq } = await buyer.rfqs.create({ title: "Translate a contract", quoteDeadline: deadline })
    const { quote } = await seller.quotes.submit(rfq.id, { terms })
    assert.strictEqual((await market.events.take("quote.submitted")).subject.id, quote.id)
    assert.strictEqual((await market.events.take("rfq.opened")).subject.id, rfq.id, "also what came before")
    assert.strictEqual((await market.events.take("agent.registered")).subject.id, buyer.id)
    assert.strictEqual((await market.events.take("agent.registered")).subject.id, seller.id)
    assert.include(await messageOf(market.events.take("agent.registered")), "No agent.registered has come")
  })

  it("waits for what is under way", async () => {
    await using market = await testMarket()
    const buyer = await market.agent("buyer")
    const opened = market.events.take("rfq.*")
    const { rfq } = await buyer.rfqs.create({ title: "Translate a contract", quoteDeadline: deadline })
    assert.strictEqual((await opened).subject.id, rfq.id)
    const advancing = market.clock.advance("25 hours")
    assert.strictEqual((await market.events.take("rfq.closed")).at, "2026-01-06T09:00:00.000Z")
    await advancing
  })

  it("gives several who wait one event each, in the order in which they came", async () => {
    await using market = await testMarket()
    const buyer = await market.agent("buyer")
    const waiting = [1, 2, 3].map(() => market.events.take("request.opened"))
    const asked = []
    for (const title of ["First text", "Second text", "Third text"])
      asked.push((await buyer.requests.open({ title })).request.id)
    assert.deepStrictEqual(
      (await Promise.all(waiting)).map(({ subject }) => subject.id),
      asked
    )
  })

  it("takes for an agent only what it may hear, and once for each", async () => {
    await using market = await testMarket()
    const agents = [await market.agent("buyer"), await market.agent("seller"), await market.agent("other")]
    const [buyer, seller, other] = agents
    assert(buyer !== undefined && seller !== undefined && other !== undefined)
    const { rfq } = await buyer.rfqs.create({ title: "Translate a contract", quoteDeadline: deadline })
    await seller.quotes.submit(rfq.id, { terms })
    for (const as of [buyer, seller])
      assert.strictEqual((await market.events.take("quote.submitted", { as })).actorId, seller.id)
    assert.match(
      await messageOf(market.events.take("quote.submitted", { as: other })),
      /No quote.submitted has come for other, and nothing goes on any more/
    )
    assert.notInclude(market.events.types({ as: other }), "quote.submitted")
    assert.include(market.events.types({ as: buyer }), "quote.submitted")
  })

  it("takes what is as wanted, and leaves the rest", async () => {
    await using market = await testMarket()
    const buyer = await market.agent("buyer")
    await buyer.requests.open({ title: "First text" })
    const { request } = await buyer.requests.open({ title: "Second text" })
    const where = ({ subject }: { readonly subject: { readonly id: string } }) => subject.id === request.id
    assert.strictEqual((await market.events.take("request.opened", { where })).subject.id, request.id)
    assert.notStrictEqual((await market.events.take("request.opened")).subject.id, request.id)
    assert.lengthOf(market.events.all({ where: ({ type }) => type === "request.opened" }), 2)
  })

  it("says soon what has come instead, and what the clock shows", async () => {
    await using market = await testMarket()
    const buyer = await market.agent("buyer")
    await market.events.take("agent.registered")
    await buyer.requests.open({ title: "Translate a text" })
    const began = performance.now()
    const message = await messageOf(market.events.take("match.found"))
    assert.isBelow(performance.now() - began, 5000)
    assert.match(message, /^No match\.found has come, and nothing goes on any more\. The clock stands at /)
    assert.include(message, "2026-01-05T09:00:00.000Z")
    assert.match(message, /agent\.registered agt_\w+ \(taken\)/)
    assert.match(message, /request\.opened req_\w+$/m)
  })

  it("waits on in real time where it is told to", async () => {
    await using market = await testMarket()
    const buyer = await market.agent("buyer")
    const opened = market.events.take("request.opened", { withinMillis: 5000 })
    await new Promise((resolve) => setTimeout(resolve, 100))
    const { request } = await buyer.requests.open({ title: "Translate a text" })
    assert.strictEqual((await opened).subject.id, request.id)
  })

  it("refuses what is no type of event", async () => {
    await using market = await testMarket()
    // @ts-expect-error -- a name that does not exist
    assert.include(await messageOf(market.events.take("quote.sent")), "quote.sent is not a type of event")
  })
})
