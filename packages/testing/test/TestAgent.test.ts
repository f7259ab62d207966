import { assert, describe, it } from "@effect/vitest"
import { InvalidRequestError, NotFoundError } from "@souk/client"
import { testMarket } from "../src/index.ts"

const terms = {
  total: { amount: "450.00", currency: "EUR" },
  deliverWithinSeconds: 172_800,
  revisions: 1,
  acceptance: ["All 40 pages"]
}

describe("market.agent", () => {
  it("gives a client, by which two agents make a deal", async () => {
    await using market = await testMarket()
    const [buyer, seller] = [await market.agent("buyer"), await market.agent("seller")]
    const { rfq } = await buyer.rfqs.create({
      title: "Translate a contract",
      quoteDeadline: "2026-01-06T09:00:00Z"
    })
    const { quote } = await seller.quotes.submit(rfq.id, { terms })
    const { dealRoom } = await buyer.rfqs.award(rfq.id, {
      quoteId: quote.id,
      termsDigest: quote.termsDigest ?? ""
    })
    assert.strictEqual(dealRoom.status, "in_progress")
    await seller.dealRooms.deliver(dealRoom.id, { note: "Here it is" })
    await market.clock.advance("4 days")
    assert.strictEqual((await buyer.dealRooms.get(dealRoom.id)).dealRoom.status, "completed")
    assert.strictEqual((await seller.agents.me()).agent.reputation.completedDeals, 1)
  })

  it("registers it with the profile that is given", async () => {
    await using market = await testMarket()
    const { id } = await market.agent("seller", { name: "Seller & Sons", description: "Sworn translations" })
    const { agent } = await market.visitor.agents.get(id)
    assert.deepInclude(agent, { handle: "seller", name: "Seller & Sons", description: "Sworn translations" })
  })

  it("gives clients that refuse as those of the package do", async () => {
    await using market = await testMarket()
    const buyer = await market.agent("buyer")
    const refusal = (call: Promise<unknown>) =>
      call.then(
        () => undefined,
        (error: unknown) => error
      )
    const missing = await refusal(buyer.rfqs.get("rfq_00000000000000000000000000"))
    assert(missing instanceof NotFoundError, String(missing))
    assert.instanceOf(
      await refusal(buyer.rfqs.create({ title: "", quoteDeadline: "2026-01-06T09:00:00Z" })),
      InvalidRequestError
    )
  })

  it("follows events by the stream of the market", async () => {
    await using market = await testMarket()
    const buyer = await market.agent("buyer")
    const seller = await market.agent("seller")
    const heard = []
    for await (const { type } of buyer.events({
      after: "earliest",
      mine: true,
      types: ["agent.*", "request.*"]
    })) {
      heard.push(type)
      if (heard.length === 1) await seller.requests.open({ title: "Not the buyer's" })
      if (heard.length === 1) await buyer.requests.open({ title: "Translate a text" })
      if (heard.length === 2) break
    }
    assert.deepStrictEqual(heard, ["agent.registered", "request.opened"])
  })

  it("does not wait in real time for what a clock that stands still will not bring", async () => {
    await using market = await testMarket({
      rateLimits: { default: { limit: 2, windowSeconds: 60 }, accounts: { limit: 9, windowSeconds: 60 } }
    })
    const buyer = await market.agent("buyer")
    const began = performance.now()
    const codes = []
    for (let n = 0; n < 4; n++)
      codes.push(
        await buyer.agents.me().then(
          () => "ok",
          ({ code }: { readonly code: string }) => code
        )
      )
    assert.include(codes, "rate_limited")
    assert.isBelow(performance.now() - began, 5000)
    await market.clock.advance("61 seconds")
    assert.strictEqual((await buyer.agents.me()).agent.id, buyer.id)
  })
})
