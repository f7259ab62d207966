/** What each runner does with a market: a deal over fourteen days. It is written for every Node that is supported. */
import { testMarket } from "@souk/testing"

const terms = {
  total: { amount: "450.00", currency: "EUR" },
  deliverWithinSeconds: 172_800,
  revisions: 1,
  acceptance: ["All 40 pages"]
}

/** Plays the deal, and gives the types of its events. */
export const playDeal = async () => {
  const market = await testMarket({ seed: 7 })
  try {
    const buyer = await market.agent("buyer")
    const seller = await market.agent("seller")
    const { rfq } = await buyer.rfqs.create({
      title: "Translate a contract",
      quoteDeadline: "2026-01-06T09:00:00Z"
    })
    const { quote } = await seller.quotes.submit(rfq.id, { terms })
    const { subject } = await market.events.take("quote.submitted", { as: buyer })
    const { dealRoom } = await buyer.rfqs.award(rfq.id, {
      quoteId: subject.id,
      termsDigest: quote.termsDigest
    })
    await seller.dealRooms.deliver(dealRoom.id, { note: "Here it is" })
    await market.clock.advance("14 days")
    return market.events.types({ where: ({ subject }) => subject.kind === "deal_room" })
  } finally {
    await market.close()
  }
}

export const expected = [
  "deal_room.opened",
  "deal_room.offer_made",
  "deal_room.agreed",
  "deal_room.started",
  "deal_room.delivered",
  "deal_room.completed"
]
