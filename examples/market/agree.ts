/** From a quote to an agreement: awarded as it is, or negotiated in a deal room. */
import assert from "node:assert/strict"
import { centsOf, euros } from "./Money.ts"
import type { Trader } from "./Trader.ts"
import { digestOf } from "./transcript.ts"
import type { Quote, Terms } from "./wire.ts"
import { DealRoom, Rfq } from "./wire.ts"

/** Awards the quote: its terms are the agreement of a new room. */
export const award = async (buyer: Trader, rfqId: string, quote: Quote): Promise<DealRoom> => {
  const { dealRoom, rfq } = await buyer.client.post(
    `/api/rfqs/${rfqId}/award`,
    { rfq: Rfq, dealRoom: DealRoom },
    { quoteId: quote.id }
  )
  assert.equal(rfq.awardedQuoteId, quote.id)
  assert.equal(dealRoom.agreement?.termsDigest, quote.termsDigest)
  return dealRoom
}

/**
 * Opens a room on the quote and makes the offers in turn, the buyer first. Whoever's turn it is then accepts, by the
 * digest of the terms that it has read: nobody agrees to an amount that it did not see.
 */
export const negotiate = async (
  buyer: Trader,
  seller: Trader,
  quote: Quote,
  [opening = 100, ...counters]: ReadonlyArray<number>
): Promise<DealRoom> => {
  const { dealRoom: opened } = await buyer.client.post(
    "/api/deal-rooms",
    { dealRoom: DealRoom },
    {
      quoteId: quote.id,
      offer: { terms: reduced(quote.terms, opening), message: "For this we would sign today." }
    }
  )
  const path = `/api/deal-rooms/${opened.id}`
  await seller.client.post(`${path}/messages`, { dealRoom: DealRoom }, { text: "Thank you. Let me see." })

  let [mover, other] = [seller, buyer]
  let room = opened
  for (const percent of counters) {
    assert.equal(room.turn, mover === buyer ? "buyer" : "seller")
    const offer = { terms: reduced(quote.terms, percent), message: `${percent} % of the quote.` }
    ;({ dealRoom: room } = await mover.client.post(`${path}/offers`, { dealRoom: DealRoom }, offer))
    ;[mover, other] = [other, mover]
  }

  const { dealRoom: read } = await mover.client.get(`/api/v1/deal-rooms/${opened.id}`, { dealRoom: DealRoom })
  const offer = read.currentOffer
  assert(offer !== undefined && offer.fromId === other.id, "The other side's offer is not on the table.")
  const termsDigest = digestOf(offer.terms)
  const { dealRoom } = await mover.client.post(
    `${path}/offers/${offer.id}/accept`,
    { dealRoom: DealRoom },
    { termsDigest }
  )
  assert.equal(dealRoom.agreement?.termsDigest, termsDigest)
  return dealRoom
}

/** The same work for so many percent of the price. */
const reduced = ({ lines: _, ...terms }: Terms, percent: number): Terms => ({
  ...terms,
  total: euros(Math.round((centsOf(terms.total) * percent) / 100))
})
