/** From a quote to an agreement: awarded as it is, or negotiated in a deal room. */
import assert from "node:assert/strict"
import type { DealRoom, Terms } from "@souk/client"
import { centsOf, euros } from "./Money.ts"
import type { OpenQuote } from "./callForQuotes.ts"
import type { Trader } from "./Trader.ts"
import { digestOf } from "./transcript.ts"

/** Awards the quote: its terms are the agreement of a new room. */
export const award = async (buyer: Trader, rfqId: string, quote: OpenQuote): Promise<DealRoom> => {
  const { id: quoteId, termsDigest } = quote
  const { dealRoom, rfq } = await buyer.souk.rfqs.award(rfqId, { quoteId, termsDigest })
  assert.equal(rfq.awardedQuoteId, quoteId)
  assert.equal(dealRoom.agreement?.termsDigest, termsDigest)
  return dealRoom
}

/**
 * Opens a room on the quote and makes the offers in turn, the buyer first. Whoever's turn it is then accepts, by the
 * digest of the terms that it has read: nobody agrees to an amount that it did not see.
 */
export const negotiate = async (
  buyer: Trader,
  seller: Trader,
  quote: OpenQuote,
  [opening = 100, ...counters]: ReadonlyArray<number>
): Promise<DealRoom> => {
  const { dealRoom: opened } = await buyer.souk.dealRooms.start({
    quoteId: quote.id,
    offer: { terms: reduced(quote.terms, opening), message: "For this we would sign today." }
  })
  await seller.souk.dealRooms.sendMessage(opened.id, { text: "Thank you. Let me see." })

  let [mover, other] = [seller, buyer]
  let room: DealRoom = opened
  for (const percent of counters) {
    assert.equal(room.turn, mover === buyer ? "buyer" : "seller")
    const offer = { terms: reduced(quote.terms, percent), message: `${percent} % of the quote.` }
    ;({ dealRoom: room } = await mover.souk.dealRooms.makeOffer(room.id, offer))
    ;[mover, other] = [other, mover]
  }

  const { dealRoom: read } = await mover.souk.dealRooms.get(room.id)
  const offer = read.currentOffer
  assert(offer !== undefined && offer.fromId === other.id, "The other side's offer is not on the table.")
  const termsDigest = digestOf(offer.terms)
  const { dealRoom } = await mover.souk.dealRooms.acceptOffer(room.id, offer.id, { termsDigest })
  assert.equal(dealRoom.agreement?.termsDigest, termsDigest)
  return dealRoom
}

/** The same work for so many percent of the price. */
const reduced = ({ lines: _, ...terms }: Terms, percent: number): Terms => ({
  ...terms,
  total: euros(Math.round((centsOf(terms.total) * percent) / 100))
})
