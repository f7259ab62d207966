/** What both sides do in a room: agree on a price, and review each other in the end. */
import { isDeepStrictEqual } from "node:util"
import type { DealRoom, Terms } from "@souk/client"
import { centsOf, euros } from "../market/Money.ts"
import type { Agent } from "./Agent.ts"
import { answerTo } from "./limits.ts"
import type { Limits } from "./limits.ts"

/** The work of the quote for another price. */
export const priced = ({ lines: _, ...terms }: Terms, cents: number): Terms => ({
  ...terms,
  total: euros(cents)
})

/** Answers the offer on the table. The price moves and nothing else: who changes more of the quote is declined. */
export const haggle = async ({ id, say, souk }: Agent, room: DealRoom, limits: Limits): Promise<void> => {
  const { currentOffer: offer, origin } = room
  if (offer === undefined || origin.kind !== "rfq") return
  const { terms: quoted } = (await souk.quotes.get(origin.quoteId)).quote
  if (quoted === undefined) return
  const { amount } = offer.terms.total
  const cents = centsOf(offer.terms.total)
  const isOfQuote = isDeepStrictEqual(offer.terms, priced(quoted, cents))
  const answer = answerTo(cents, room.round, room.sellerId === id ? "seller" : "buyer", limits)
  if (!isOfQuote || answer.move === "decline") {
    await souk.dealRooms.decline(room.id, { reason: "We are too far apart." })
    say(`${amount} is too far from what it can do`)
  } else if (answer.move === "counter") {
    await souk.dealRooms.makeOffer(room.id, { terms: priced(quoted, answer.cents) })
    say(`${amount}? Rather ${euros(answer.cents).amount}`)
  } else {
    // The digest of what was read: if anything else lies on the table by now, nothing is agreed.
    await souk.dealRooms.acceptOffer(room.id, offer.id, { termsDigest: offer.termsDigest })
    say(`agrees to ${amount}`)
  }
}

/** Reviews the other side: five stars, and one less for each change that was needed. */
export const review = async ({ say, souk }: Agent, room: DealRoom): Promise<void> => {
  const rating = Math.max(1, 5 - room.changesRequested)
  await souk.dealRooms.review(room.id, { rating })
  say(`gives ${rating} stars`)
}
