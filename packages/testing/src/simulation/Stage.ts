/** Where the agents of a simulation act: who they are, what they need, and when they do what. */
import type { AgentId, DealRoom, Instant, Market, Money, Terms } from "@souk/core"
import { DateTime, Duration } from "effect"
import type { Effect } from "effect"
import type { Chance } from "./Chance.ts"
import type { Ledger } from "./Ledger.ts"
import type { BuyerManner, SellerManner } from "./manners.ts"

/** What can be needed, and done. */
export interface Skill {
  readonly tag: string
  readonly title: string
  readonly words: string
}

export interface Buyer {
  readonly side: "buyer"
  readonly id: AgentId
  readonly manner: BuyerManner
}

export interface Seller {
  readonly side: "seller"
  readonly id: AgentId
  readonly manner: SellerManner
  readonly skills: ReadonlyArray<Skill>
}

/** Something that a buyer needs, until a deal is made for it. `worth` and `budget` are euros. */
export interface Need {
  readonly buyer: Buyer
  readonly skill: Skill
  readonly worth: number
  readonly budget: number
  readonly since: Instant
  isMet: boolean
}

/** What an agent does. It may be refused: by then others have been faster. */
export type Act = Effect.Effect<unknown, { readonly code: string }, Market.MarketServices>

export interface Stage {
  readonly chance: Chance
  readonly ledger: Ledger
  readonly buyers: ReadonlyMap<string, Buyer>
  readonly sellers: ReadonlyMap<string, Seller>
  /** By the RFQ or the request that asks for it, or the room in which it is bought from a listing. */
  readonly needs: Map<string, Need>
  /** What each side has offered last in a room, by `room side`. */
  readonly offered: Map<string, number>
  /** Plans an act, some hours after a moment. */
  readonly plan: (from: Instant, afterHours: number, act: Act) => void
}

/** What a room is about. */
export const needOf = ({ ledger, needs }: Stage, { id, origin }: DealRoom): Need | undefined => {
  if (origin.kind === "rfq" || origin.kind === "request") return needs.get(origin.id)
  if (origin.kind === "match") return needs.get(ledger.matches.get(origin.id)?.demand.id ?? "")
  return needs.get(id)
}

/** A sum in cents, as the market writes it. */
export const euros = (amount: number): Money => ({
  amount: Math.max(1, amount).toFixed(2),
  currency: "EUR"
})

/** Terms over a sum. */
export const termsOf = (amount: number, { promisesHours }: Pick<SellerManner, "promisesHours">): Terms => ({
  total: euros(amount),
  deliverWithinSeconds: Math.round(promisesHours * 3600),
  revisions: 1,
  acceptance: ["As described"]
})

/** The moment some hours after another, to the millisecond. */
export const hoursAfter = (moment: Instant, hours: number): Instant =>
  DateTime.addDuration(moment, Duration.millis(Math.round(hours * 3_600_000)))
