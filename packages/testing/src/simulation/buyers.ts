/** What buyers do: they need something, choose, look at what is delivered, and say what they think of it. */
import { DealRooms, Listings, Quotes, Requests, Rfqs } from "@souk/core"
import type { DealRoom, DealRoomId, Listing, QuoteView, RfqId } from "@souk/core"
import { DateTime, Effect } from "effect"
import { noteOffer } from "./negotiating.ts"
import { isFaulty } from "./sellers.ts"
import { euros, hoursAfter, termsOf } from "./Stage.ts"
import type { Act, Buyer, Need, Skill, Stage } from "./Stage.ts"

/** Comes to need something, looks for it, and plans its next need. */
export const needSomething = (stage: Stage, buyer: Buyer, skills: ReadonlyArray<Skill>): Act =>
  Effect.gen(function* () {
    const { chance } = stage
    const { manner } = buyer
    const skill = chance.oneOf(skills)
    if (skill === undefined) return
    const worth = 40 * Math.exp(chance.between(0, 3.5))
    const since = yield* DateTime.now
    const need: Need = { buyer, skill, worth, budget: worth * manner.paysUpTo, since, isMet: false }
    const ways = { rfq: callForQuotes, request: ask, listing: buy }
    const way = chance.weighted(manner.looksBy)
    if (way !== undefined) yield* ways[way](stage, need)
  })

/** Chooses between the quotes for an RFQ. */
export const decide = (stage: Stage, { id, manner }: Buyer, rfqId: RfqId): Act =>
  Effect.gen(function* () {
    const need = stage.needs.get(rfqId)
    const rfqs = yield* Rfqs
    const rfq = yield* rfqs.get(id, rfqId)
    if (need === undefined || need.isMet || (rfq.status !== "open" && rfq.status !== "evaluating")) return
    const { items } = yield* (yield* Quotes).ofRfq(id, rfqId, { limit: 100, cursor: undefined })
    const best = bestOf(items, need.budget)
    if (best === undefined) {
      if (rfq.status === "evaluating") yield* rfqs.move(id, rfqId, "unsuccessful")
      return
    }
    const { amount, quote } = best
    if (manner.haggles.rounds > 0) {
      const offered = amount * manner.haggles.opensAt
      const terms = termsOf(offered, { promisesHours: quote.deliverWithinSeconds / 3600 })
      const { value } = yield* (yield* DealRooms).open(id, { quoteId: quote.id, offer: { terms } })
      return noteOffer(stage, need.buyer, value, offered)
    }
    stage.ledger.consent(quote.id, id, quote.termsDigest)
    yield* rfqs.award(id, rfqId, { quoteId: quote.id, termsDigest: quote.termsDigest })
    need.isMet = true
  })

/** Looks at a delivery: takes it, sends it back, or goes to dispute. */
export const lookAtDelivery = (stage: Stage, { id, manner }: Buyer, roomId: DealRoomId): Act =>
  Effect.gen(function* () {
    const rooms = yield* DealRooms
    const room = yield* rooms.get(id, roomId)
    if (room.status !== "delivered") return
    const complains =
      (isFaulty(stage, roomId) || isLate(stage, room)) && stage.chance.happens(manner.complains)
    if (!complains) return yield* rooms.complete(id, roomId)
    return room.changesRequested < (room.agreement?.terms.revisions ?? 0)
      ? yield* rooms.requestChanges(id, roomId, "Not as agreed")
      : yield* rooms.dispute(id, roomId, "Still not as agreed")
  })

/** Says what it thinks of a deal that is done. */
export const review = (stage: Stage, { id }: Pick<Buyer, "id">, room: DealRoom): Act =>
  Effect.flatMap(DealRooms, (rooms) => {
    const faults = Number(isFaulty(stage, room.id)) + Number(isLate(stage, room)) + room.changesRequested
    return rooms.review(id, room.id, { rating: Math.max(1, 5 - 2 * faults) })
  })

// -----------------------------------------------------------------------------

const callForQuotes = (stage: Stage, need: Need): Act =>
  Effect.gen(function* () {
    const { buyer, skill, since } = need
    const { manner } = buyer
    const { value } = yield* (yield* Rfqs).create(buyer.id, {
      title: `Wanted: ${skill.title}`,
      description: skill.words,
      tags: [skill.tag],
      budget: euros(need.budget),
      quoteMode: stage.chance.happens(manner.seals) ? "sealed" : "open",
      quoteDeadline: hoursAfter(since, manner.quotesForHours)
    })
    stage.needs.set(value.id, need)
  })

const ask = (stage: Stage, need: Need): Act =>
  Effect.gen(function* () {
    const { buyer, skill, since } = need
    const { value } = yield* (yield* Requests).open(buyer.id, {
      title: `Wanted: ${skill.title}`,
      description: skill.words,
      tags: [skill.tag],
      budget: euros(need.budget),
      expiresAt: hoursAfter(since, 7 * 24)
    })
    stage.needs.set(value.id, need)
  })

/** Buys from one of the listings that it finds; where none names a price, it makes an offer of its own. */
const buy = (stage: Stage, need: Need): Act =>
  Effect.gen(function* () {
    const { buyer, skill } = need
    const { items } = yield* (yield* Listings).list(buyer.id, {
      tag: skill.tag,
      limit: 20,
      cursor: undefined
    })
    const listing = stage.chance.oneOf(items)
    if (listing === undefined) return
    const offered = Math.min(need.budget, priceOf(listing) ?? need.worth) * buyer.manner.haggles.opensAt
    const { value } = yield* (yield* DealRooms).open(buyer.id, {
      listingId: listing.id,
      offer: { terms: termsOf(offered, { promisesHours: 72 }) }
    })
    stage.needs.set(value.id, need)
    noteOffer(stage, buyer, value, offered)
  })

const priceOf = ({ pricing: { price } }: Listing): number | undefined =>
  price === undefined ? undefined : Number(price.amount)

/** The cheapest that stands and is within the budget. */
const bestOf = (quotes: ReadonlyArray<QuoteView>, budget: number) =>
  quotes
    .flatMap(({ id, status, terms, termsDigest }) =>
      status === "active" && terms !== undefined && termsDigest !== undefined
        ? [
            {
              amount: Number(terms.total.amount),
              quote: { id, termsDigest, deliverWithinSeconds: terms.deliverWithinSeconds }
            }
          ]
        : []
    )
    .filter(({ amount }) => amount <= budget)
    .toSorted((a, b) => a.amount - b.amount)[0]

/** Whether the first delivery came after the day that was agreed. */
const isLate = ({ ledger }: Stage, { id }: Pick<DealRoom, "id">): boolean => {
  const first = ledger.moves.find(({ after }) => after.id === id && after.status === "delivered")
  const due = first?.before?.deadlines.deliverBy
  return due !== undefined && first !== undefined && DateTime.isGreaterThan(first.after.updatedAt, due)
}
