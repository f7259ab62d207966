import { assert as holds, integer, property } from "fast-check"
import { describe, expect, it } from "vitest"
import { answerTo, priceAt } from "./limits.ts"
import type { Limits } from "./limits.ts"

/** Lets two sides haggle, the buyer first, and gives the price that they agree on, and how many offers it took. */
const haggle = (buyer: Limits, seller: Limits) => {
  let offered = priceAt(buyer, 0)
  for (let round = 1; ; round++) {
    const side = round % 2 === 1 ? "seller" : "buyer"
    const answer = answerTo(offered, round, side, side === "seller" ? seller : buyer)
    if (answer.move !== "counter")
      return { agreed: answer.move === "accept" ? offered : undefined, offers: round }
    offered = answer.cents
  }
}

describe("two agents that haggle", () => {
  const cents = integer({ min: 1, max: 100_000 })
  it("agree within both limits if there is anything between them, before the rounds of a room are used up", () => {
    holds(
      property(cents, cents, cents, cents, (a, b, c, d) => {
        const buyer = { opening: Math.min(a, b), limit: Math.max(a, b), steps: 4 }
        const seller = { opening: Math.max(c, d), limit: Math.min(c, d), steps: 4 }
        const { agreed, offers } = haggle(buyer, seller)
        expect(offers).toBeLessThanOrEqual(10)
        expect(agreed !== undefined).toBe(seller.limit <= buyer.limit)
        if (agreed === undefined) return
        expect(agreed).toBeGreaterThanOrEqual(seller.limit)
        expect(agreed).toBeLessThanOrEqual(buyer.limit)
      })
    )
  })
})
