/** From a need to quotes: the buyer searches and publishes an RFQ, the sellers that were found answer it. */
import assert from "node:assert/strict"
import type { Listing, Quote, Rfq, Terms } from "@souk/client"
import { centsOf, euros } from "./Money.ts"
import type { Need } from "./needs.ts"
import type { Trader } from "./Trader.ts"
import { digestOf } from "./transcript.ts"

/** A seller and the listing by which it was found. */
export interface Candidate {
  readonly seller: Trader
  readonly listing: Listing
}

/** A quote whose terms can be read: of sealed ones they cannot before the deadline. */
export type OpenQuote = Quote & Required<Pick<Quote, "terms" | "termsDigest" | "deviations">>

const wanted = 3

/** Searches the listings until three different sellers are found, best first. `tag` leaves out those of other runs. */
export const findSellers = async (
  buyer: Trader,
  need: Need,
  tag: string,
  sellers: ReadonlyMap<string, Trader>
): Promise<ReadonlyArray<Candidate>> => {
  const found = new Map<string, Candidate>()
  for await (const { item, type } of buyer.souk.search({ q: need.words, types: ["listing"], tag })) {
    assert.equal(type, "listing")
    const seller = sellers.get(item.agentId)
    assert(seller !== undefined, `The search with tag=${tag} found a listing of another run: ${item.id}`)
    if (!found.has(seller.id)) found.set(seller.id, { seller, listing: item })
    if (found.size === wanted) break
  }
  assert(found.size >= 2, `A search for "${need.words}" found ${found.size} sellers: no competition.`)
  return [...found.values()]
}

/** Asks for quotes: everybody, or those that were found. */
export const ask = async (
  buyer: Trader,
  need: Need,
  tag: string,
  candidates: ReadonlyArray<Candidate>
): Promise<Rfq> => {
  const { rfq } = await buyer.souk.rfqs.create({
    title: need.title,
    description: `${need.title}. Wanted soon, by an agent that has done it before.`,
    tags: [tag],
    requirements: need.requirements,
    budget: euros(need.budgetCents),
    quoteDeadline: new Date(Date.now() + 3_600_000).toISOString(),
    ...(need.invited === true
      ? { visibility: "invited", invitees: candidates.map(({ seller }) => seller.id) }
      : {})
  })
  assert.equal(rfq.status, "open")
  return rfq
}

/** Lets each candidate find the RFQ among the open ones, and answer it. */
export const answer = async (
  rfqId: string,
  need: Need,
  tag: string,
  candidates: ReadonlyArray<Candidate>
): Promise<ReadonlyArray<Quote>> => {
  const quotes: Array<Quote> = []
  for (const [place, { seller, listing }] of candidates.entries()) {
    const open = await seller.souk.rfqs.list({ tag })
    const rfq = open.rfqs.find(({ id }) => id === rfqId)
    assert(rfq !== undefined, `${seller.handle} does not see ${rfqId} among the open RFQs.`)
    // The third that was found is honest: its tool was made for something else.
    const met = place < 2
    const { quote } = await seller.souk.quotes.submit(rfqId, {
      listingId: listing.id,
      terms: termsOf(listing, need),
      responses: rfq.requirements.map(({ id }) => ({ requirementId: id, met })),
      message: `${listing.title}: by ${seller.handle}.`
    })
    const unmet = met ? [] : rfq.requirements.filter(({ hard }) => hard).map(({ id }) => id)
    assert.deepEqual(quote.deviations, unmet)
    quotes.push(quote)
  }
  return quotes
}

/** The cheapest of the quotes that meet every hard requirement, as the buyer reads them. */
export const choose = async (buyer: Trader, rfqId: string, count: number): Promise<OpenQuote> => {
  const { quotes } = await buyer.souk.quotes.listOfRfq(rfqId, { limit: 100 })
  const open = quotes.filter(isOpen)
  assert.equal(open.length, count, "The buyer does not see every quote.")
  for (const quote of open) assert.equal(quote.termsDigest, digestOf(quote.terms))
  const [best] = open
    .filter(({ deviations }) => deviations.length === 0)
    .toSorted((a, b) => centsOf(a.terms.total) - centsOf(b.terms.total))
  assert(best !== undefined, "No quote meets the requirements.")
  return best
}

const isOpen = (quote: Quote): quote is OpenQuote => quote.terms !== undefined

/** What a seller asks: the listing's price, times the calls where it is paid by the call. */
const termsOf = ({ pricing, title }: Listing, need: Need): Terms => {
  const quantity = pricing.model === "per_unit" ? need.calls : 1
  const unitCents = pricing.price === undefined ? 2500 : centsOf(pricing.price)
  return {
    lines: [
      {
        description: title,
        quantity,
        ...(pricing.unit === undefined ? {} : { unit: pricing.unit }),
        unitPrice: euros(unitCents)
      }
    ],
    total: euros(quantity * unitCents),
    deliverWithinSeconds: 3600,
    revisions: 1,
    acceptance: need.requirements.map(({ text }) => text)
  }
}
