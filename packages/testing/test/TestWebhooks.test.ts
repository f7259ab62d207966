import { assert, describe, it } from "@effect/vitest"
import { verifyWebhook } from "@souk/client"
import { testMarket } from "../src/index.ts"

const url = "https://buyer.example/hooks"

describe("market.webhooks", () => {
  it("notes what was sent, signed with the secret that its owner knows", async () => {
    await using market = await testMarket()
    const buyer = await market.agent("buyer")
    const { secret } = await buyer.webhooks.create({ url, types: ["request.*"] })
    const { request } = await buyer.requests.open({ title: "Translate a text" })
    await market.clock.advance("1 second")
    const { body, event, headers, isVerified } = await market.webhooks.take("request.opened", { to: url })
    assert.isTrue(isVerified)
    assert.strictEqual(event.subject.id, request.id)
    const verified = await verifyWebhook({ secret, headers, body, toleranceSeconds: Infinity })
    assert.deepStrictEqual(verified, event)
  })

  it("is tried again as the receiver answers", async () => {
    await using market = await testMarket()
    const buyer = await market.agent("buyer")
    const { webhook } = await buyer.webhooks.create({ url, types: ["request.opened"] })
    const answers = [500, undefined, 204]
    market.webhooks.answer(() => {
      const status = answers.shift()
      if (status === undefined) throw new Error("Nobody is there")
      return status
    })
    await buyer.requests.open({ title: "Translate a text" })
    await market.clock.advance("10 minutes")
    assert.lengthOf(market.webhooks.all(), 3)
    const { deliveries } = await buyer.webhooks.deliveries(webhook.id)
    assert.deepStrictEqual(
      deliveries[0]?.attempts.map(({ status, succeeded }) => ({ status, succeeded })),
      [
        { status: 500, succeeded: false },
        { status: undefined, succeeded: false },
        { status: 204, succeeded: true }
      ]
    )
  })

  it("says what was sent instead of what was expected", async () => {
    await using market = await testMarket()
    const buyer = await market.agent("buyer")
    await buyer.webhooks.create({ url, types: ["request.*"] })
    await buyer.requests.open({ title: "Translate a text" })
    await market.clock.advance("1 second")
    const error: unknown = await market.webhooks.take("rfq.*").catch((error: unknown) => error)
    assert.match(String(error), /No rfq\.\* was sent.*request\.opened to https:\/\/buyer\.example\/hooks/su)
  })
})

describe("market.operator and the host's ports", () => {
  it("suspends and reinstates", async () => {
    await using market = await testMarket()
    const buyer = await market.agent("buyer")
    assert.strictEqual((await market.operator.suspend(buyer.id, "Too loud")).status, "suspended")
    await market.events.take("agent.suspended", { as: buyer })
    const code = await buyer.requests.open({ title: "A text" }).catch((error: { code: string }) => error.code)
    assert.strictEqual(code, "agent_suspended")
    await market.operator.reinstate(buyer.id)
    await buyer.requests.open({ title: "A text" })
  })

  it("asks the policy and the moderation of the options", async () => {
    await using market = await testMarket({
      policy: ({ action, agent }) =>
        action === "rfq.create" && agent.handle === "novice"
          ? { outcome: "refused", reason: "Not yet" }
          : { outcome: "allowed" },
      moderation: async ({ kind }) =>
        kind === "listing" ? { outcome: "held", reason: "A person looks" } : { outcome: "allowed" }
    })
    const novice = await market.agent("novice")
    const rfq = { title: "Translate a text", quoteDeadline: "2026-01-06T09:00:00Z" }
    const code = await novice.rfqs.create(rfq).catch((error: { readonly code: string }) => error.code)
    assert.strictEqual(code, "policy_refused")
    await novice.listings.publish({ title: "Translations", description: "All", pricing: { model: "quote" } })
    const { holds } = await market.operator.holds()
    assert.lengthOf(holds, 1)
    await market.operator.releaseHold(holds[0]?.id ?? "")
    await market.events.take("listing.published")
  })

  it("gives the settlement its orders, and waits for what it is at", async () => {
    const orders: Array<string> = []
    await using market = await testMarket({
      settlement: {
        authorise: async () => {
          await new Promise((resolve) => setTimeout(resolve, 30))
          orders.push("authorise")
          return { outcome: "authorised" }
        },
        capture: () => orders.push("capture"),
        refund: () => orders.push("refund"),
        split: () => orders.push("split")
      }
    })
    const [buyer, seller] = [await market.agent("buyer"), await market.agent("seller")]
    const terms = {
      total: { amount: "450.00", currency: "EUR" },
      deliverWithinSeconds: 172_800,
      revisions: 1,
      acceptance: ["All 40 pages"]
    }
    const { dealRoom } = await buyer.dealRooms.start({
      counterparty: seller.id,
      role: "buyer",
      offer: { terms }
    })
    const { id, termsDigest } = dealRoom.currentOffer ?? { id: "", termsDigest: "" }
    await seller.dealRooms.acceptOffer(dealRoom.id, id, { termsDigest })
    await market.events.take("deal_room.started")
    assert.deepStrictEqual(orders, ["authorise"])
    await seller.dealRooms.deliver(dealRoom.id, { note: "Here it is" })
    await buyer.dealRooms.complete(dealRoom.id)
    await market.clock.advance("1 second")
    assert.deepStrictEqual(orders, ["authorise", "capture"])
  })
})
