/**
 * Matching supply with demand: what a match must fulfil, and how well the two fit, with reasons. Contract §3 Match.
 *
 * The search index proposes candidates; these rules judge one pair at a time, by what stands in it. A fit is how near
 * the listing is to what is wanted (words, tags, category), less up to 30 % for its price and the supplier's record.
 */
import type { Agent, Reputation } from "../model/Agent.ts"
import type { AgentId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import type { Listing } from "../model/Listing.ts"
import type { MatchReason } from "../model/Match.ts"
import { compareAmounts, toMicros } from "../model/Money.ts"
import type { Money } from "../model/Money.ts"
import type { Request } from "../model/Request.ts"
import type { Rfq } from "../model/Rfq.ts"
import { requestAsOf } from "./Requests.ts"
import { rfqAsOf } from "./Rfqs.ts"

/** What is wanted, whichever way it is asked for; `isOpen` by the clock. */
export type Demand =
  | { readonly kind: "rfq"; readonly item: Rfq; readonly isOpen: boolean }
  | { readonly kind: "request"; readonly item: Request; readonly isOpen: boolean }

/** A demand with a supply, and the agents on the two sides. */
export interface Pair {
  readonly demand: Demand
  readonly supply: Listing
  readonly buyer: Agent
  readonly seller: Agent
}

/** How well two fit, from 0 to 1, and why. */
export interface Fit {
  readonly score: number
  readonly reasons: ReadonlyArray<MatchReason>
}

/** Pairs that fit worse are not worth telling anybody. */
export const leastScore = 0.25

/** A score that moves by less is not worth writing down. */
const noticeable = 0.05

/** How a pair counts as near: of the parts that the demand says something of. */
const nearness = { text: 0.6, tags: 0.25, category: 0.15 } as const

/** What is left of the score where the price is the whole budget and the supplier's record the worst. */
const floor = 0.7
const extras = { price: 0.2, record: 0.1 } as const

/** An RFQ as a demand. */
export const demandOfRfq = (item: Rfq, now: Instant): Demand => ({
  kind: "rfq",
  item,
  isOpen: rfqAsOf(item, now).rfq.status === "open"
})

/** A request as a demand. */
export const demandOfRequest = (item: Request, now: Instant): Demand => ({
  kind: "request",
  item,
  isOpen: requestAsOf(item, now).request.status === "open"
})

/** The hard conditions: whether the two sides may meet over this at all. */
export const stands = ({ buyer, demand, seller, supply }: Pair): boolean =>
  demand.isOpen &&
  supply.status === "active" &&
  buyer.status === "active" &&
  seller.status === "active" &&
  buyer.id !== seller.id &&
  isToldTo(demand, seller.id) &&
  isWithin(demand.item.budget, supply.pricing.price)

/** Who is not invited does not know of the RFQ. */
const isToldTo = (demand: Demand, agentId: AgentId): boolean =>
  demand.kind === "request" || demand.item.visibility === "public" || demand.item.invitees.includes(agentId)

/** A price for each unit says nothing of the sum, but one unit beyond the budget is too much already. */
const isWithin = (budget: Money | undefined, price: Money | undefined): boolean =>
  budget === undefined ||
  price === undefined ||
  (budget.currency === price.currency && compareAmounts(price.amount, budget.amount) <= 0)

/** Judges a pair that stands; `likeness` is that of their words, from 0 to 1. */
export const fitOf = ({ demand, seller, supply }: Pair, likeness: number): Fit => {
  const { budget, category, tags } = demand.item
  const parts = [
    { weight: nearness.text, ...textPart(demand, likeness) },
    ...(tags.length === 0 ? [] : [{ weight: nearness.tags, ...tagsPart(tags, supply.tags) }]),
    ...(category === undefined
      ? []
      : [{ weight: nearness.category, ...categoryPart(category, supply.category) }])
  ]
  const near = sum(parts.map(({ value, weight }) => value * weight)) / sum(parts.map(({ weight }) => weight))
  const price = pricePart(budget, supply)
  const record = recordPart(seller.reputation)
  const score = near * (floor + extras.price * price.value + extras.record * record.value)
  return {
    score: Math.round(Math.min(1, score) * 1e4) / 1e4,
    reasons: [...parts, price, record].flatMap(({ reason }) => (reason === undefined ? [] : [reason]))
  }
}

/** Whether a match that was found is to be written anew, as it fits now. */
export const differs = (before: Fit, now: Fit): boolean =>
  Math.abs(before.score - now.score) >= noticeable - 1e-9 ||
  before.score >= leastScore !== now.score >= leastScore ||
  before.reasons.length !== now.reasons.length ||
  before.reasons.some(({ text }, index) => text !== now.reasons[index]?.text)

const sum = (values: ReadonlyArray<number>): number => values.reduce((total, value) => total + value, 0)

// -----------------------------------------------------------------------------
// The parts of a fit: each from 0 to 1, with a reason where there is something to say for the pair
// -----------------------------------------------------------------------------

interface Part {
  readonly value: number
  readonly reason?: MatchReason
}

const textPart = ({ kind }: Demand, value: number): Part => {
  const share = value >= 0.7 ? "most" : "some"
  const asked = kind === "rfq" ? "RFQ" : "request"
  return value > 0
    ? {
        value,
        reason: { code: "text", text: `The listing speaks of ${share} of what the ${asked} asks for.` }
      }
    : { value: 0 }
}

const tagsPart = (wanted: ReadonlyArray<string>, offered: ReadonlyArray<string>): Part => {
  const shared = wanted.filter((tag) => offered.includes(tag))
  return shared.length === 0
    ? { value: 0 }
    : {
        value: shared.length / wanted.length,
        reason: { code: "tags", text: `Both are tagged ${shared.join(", ")}.` }
      }
}

const categoryPart = (wanted: string, offered: string | undefined): Part =>
  wanted === offered
    ? { value: 1, reason: { code: "category", text: `Both are in the category ${wanted}.` } }
    : { value: 0 }

/** Cheaper is never worse: from one half at the whole budget to 1 for nothing. What the sum will be is unknown: one half. */
const pricePart = (budget: Money | undefined, { pricing: { model, price } }: Listing): Part => {
  if (budget === undefined) return { value: 1 }
  if (price === undefined || model !== "fixed") return { value: 0.5 }
  const ceiling = Number(toMicros(budget.amount))
  const share = ceiling === 0 ? 0 : Math.min(1, Number(toMicros(price.amount)) / ceiling)
  return {
    value: 1 - share / 2,
    reason: {
      code: "price",
      text: `${price.amount} ${price.currency} is within the budget of ${budget.amount} ${budget.currency}.`
    }
  }
}

/** How many deals, or reviews, it takes until a record counts as much as what is assumed of somebody without one. */
const benefitOfDoubt = 2

/** A supplier without a past stands in the middle; each deal that was kept, and each good review, moves it up. */
const recordPart = ({ completedDeals, disputedDeals, rating, reviewCount }: Reputation): Part => {
  const kept = (completedDeals + benefitOfDoubt / 2) / (completedDeals + disputedDeals + benefitOfDoubt)
  const stars = rating === null ? 0 : ((rating - 1) / 4) * reviewCount
  const rated = (stars + benefitOfDoubt / 2) / ((rating === null ? 0 : reviewCount) + benefitOfDoubt)
  const value = (kept + rated) / 2
  if (completedDeals === 0) return { value }
  const deals = completedDeals === 1 ? "1 deal" : `${completedDeals} deals`
  const stands = rating === null ? "" : ` and is rated ${rating.toFixed(1)} of 5`
  return { value, reason: { code: "record", text: `The supplier has completed ${deals}${stands}.` } }
}
