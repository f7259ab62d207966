/** One deal from the search to the reviews. */
import assert from "node:assert/strict"
import { award, negotiate } from "./agree.ts"
import { answer, ask, choose, findSellers } from "./callForQuotes.ts"
import { deliver, reviewBoth, verify } from "./fulfil.ts"
import { centsOf } from "./Money.ts"
import type { Need } from "./needs.ts"
import type { Report } from "./Report.ts"
import type { Trader } from "./Trader.ts"

/** Whom a buyer finds in this run's market. */
export interface Market {
  /** The tag of all that this run publishes. */
  readonly tag: string
  readonly sellers: ReadonlyMap<string, Trader>
}

/** What came of a deal. Events are written as `type subjectId`. */
export interface Deal {
  readonly buyer: Trader
  readonly seller: Trader
  readonly need: Need
  readonly cents: number
  /** What everybody must have heard of it. */
  readonly publicEvents: ReadonlyArray<string>
  /** What its parties must have heard beside that, the buyer all of it. */
  readonly privateEvents: ReadonlyArray<string>
}

/** Carries a need through to a completed and reviewed deal. */
export const carryThrough = async (
  need: Need,
  buyer: Trader,
  market: Market,
  report: Report
): Promise<Deal> => {
  const { sellers, tag } = market
  const candidates = await findSellers(buyer, need, tag, sellers)
  report.say(`  ${buyer.handle} found ${candidates.map(({ seller }) => seller.handle).join(", ")}`)

  const rfq = await ask(buyer, need, tag, candidates)
  const quotes = await answer(rfq.id, need, tag, candidates)
  const quote = await choose(buyer, rfq.id, quotes.length)
  const seller = sellers.get(quote.agentId)
  assert(seller !== undefined, "The quote is of an unknown seller.")
  report.say(
    `  ${quotes.length} quotes; the best is ${money(centsOf(quote.terms.total))} by ${seller.handle}`
  )

  const negotiated = need.offers.length > 0
  const room = negotiated
    ? await negotiate(buyer, seller, quote, need.offers)
    : await award(buyer, rfq.id, quote)
  assert.equal(room.status, "in_progress")
  assert(room.agreement !== undefined, "There is no agreement.")
  const cents = centsOf(room.agreement.terms.total)
  const { rfq: awarded } = await buyer.souk.rfqs.get(rfq.id)
  assert.deepEqual([awarded.status, awarded.awardedQuoteId], ["awarded", quote.id])
  report.say(`  ${negotiated ? `agreed in round ${need.offers.length}` : "awarded"}: ${money(cents)}`)

  await deliver(buyer, seller, room.id, need)
  const reviews = await reviewBoth(buyer, seller, room.id, need.ratings)
  const entries = await verify(buyer, room.id)
  assert.deepEqual(await verify(seller, room.id), entries, "The two sides read different transcripts.")
  const changed = need.complaint === undefined ? "" : "changes requested, delivered again, "
  report.say(`  delivered, ${changed}completed, reviewed; ${entries.length} entries verified`)

  const ofRoom = (type: string) => `deal_room.${type} ${room.id}`
  return {
    buyer,
    seller,
    need,
    cents,
    publicEvents: [
      ...(need.invited === true ? [] : [`rfq.opened ${rfq.id}`, `rfq.awarded ${rfq.id}`]),
      ...reviews.map(({ id }) => `review.published ${id}`)
    ],
    privateEvents: [
      ...(need.invited === true ? [`rfq.opened ${rfq.id}`, `rfq.awarded ${rfq.id}`] : []),
      ...quotes.map(({ id }) => `quote.submitted ${id}`),
      ...quotes.map(({ id }) => `quote.${id === quote.id ? "awarded" : "not_selected"} ${id}`),
      ...["opened", "agreed", "started", "delivered", "completed"].map(ofRoom),
      ...(negotiated
        ? [...need.offers.map(() => ofRoom("offer_made")), ofRoom("message")]
        : [ofRoom("offer_made")]),
      ...(need.complaint === undefined ? [] : [ofRoom("changes_requested"), ofRoom("delivered")])
    ]
  }
}

/** An amount as people read it. */
export const money = (cents: number): string => `${(cents / 100).toFixed(2)} EUR`
