/** How a market has fared, counted from all that happened on it. */
import type { DealRoom, EventType, Instant } from "@souk/core"
import { DateTime } from "effect"
import type { Buyer, Seller, Stage } from "./Stage.ts"
import { needOf } from "./Stage.ts"

/** The middle and the end of some figures; null where there are none. */
export interface Spread {
  readonly count: number
  readonly median: number | null
  readonly p90: number | null
}

/** What became of deals. */
export interface DealCounts {
  readonly agreed: number
  readonly completed: number
  readonly disputed: number
  /** Ended by both sides. */
  readonly cancelled: number
  /** Delivered never, or a day too late: the money goes back. */
  readonly expired: number
}

/** What agents of one manner have come to. */
export interface MannerReport extends DealCounts {
  readonly side: "buyer" | "seller"
  readonly manner: string
  readonly agents: number
  /** RFQs and requests of buyers, quotes of sellers. */
  readonly asked: number
  /** Of the agents that have one. */
  readonly meanRating: number | null
}

export interface SimulationReport {
  readonly seed: string | number
  readonly days: number
  readonly agents: number
  readonly startsAt: string
  readonly endsAt: string
  readonly events: number
  /** `open` wait still: for quotes, or for a decision. */
  readonly rfqs: {
    readonly opened: number
    readonly awarded: number
    readonly unsuccessful: number
    readonly withoutQuotes: number
    readonly open: number
  }
  readonly requests: { readonly opened: number; readonly fulfilled: number; readonly expired: number }
  readonly quotes: { readonly submitted: number; readonly perRfq: Spread }
  /** `rooms` were opened; `declined` and `lapsed` ended without an agreement; `underWay` are agreed and not yet over. */
  readonly deals: DealCounts & {
    readonly rooms: number
    readonly declined: number
    readonly lapsed: number
    readonly underWay: number
  }
  /** From the need to the agreement. */
  readonly secondsToDeal: Spread
  /** Euros that were agreed upon, and which part of the budget that is. */
  readonly prices: { readonly agreed: Spread; readonly ofBudget: Spread; readonly volume: string }
  /** What time ended. */
  readonly expiries: {
    readonly requests: number
    readonly quotes: number
    readonly offers: number
    readonly rooms: number
    readonly rfqs: number
  }
  /** Pairs that both sides were told of, and those that a room was opened from. */
  readonly matches: { readonly told: number; readonly engaged: number }
  readonly manners: ReadonlyArray<MannerReport>
  /** How often an agent came too late, or asked for what was not to be had, by the code of the refusal. */
  readonly refusals: { readonly [code: string]: number }
  /** How often the invariants were checked; a simulation in which one does not hold gives no report. */
  readonly checks: number
}

/** What the report cannot count by itself. */
export interface Run {
  readonly seed: string | number
  readonly days: number
  readonly startsAt: Instant
  readonly endsAt: Instant
  readonly refusals: ReadonlyMap<string, number>
  readonly checks: number
}

/** Counts. */
export const reportOf = (stage: Stage, run: Run): SimulationReport => {
  const { buyers, ledger, sellers } = stage
  const { events, matches, quotes, requests, rfqs, rooms } = ledger
  const told = (type: EventType) => events.filter(({ event }) => event.type === type)
  const agreed = [...rooms.values()].filter(({ agreement }) => agreement !== undefined)
  const opened = new Set(told("rfq.opened").map(({ event }) => event.subject.id))
  const asked = [...rfqs.values()].filter(({ id }) => opened.has(id))
  const inState = (
    items: ReadonlyMap<string, { readonly status: string }>,
    ...states: ReadonlyArray<string>
  ) => [...items.values()].filter(({ status }) => states.includes(status)).length
  const totals = agreed.map(({ agreement }) => Number(agreement?.terms.total.amount))
  return {
    seed: run.seed,
    days: run.days,
    agents: buyers.size + sellers.size,
    startsAt: DateTime.formatIso(run.startsAt),
    endsAt: DateTime.formatIso(run.endsAt),
    events: events.length,
    rfqs: {
      opened: asked.length,
      awarded: inState(rfqs, "awarded"),
      unsuccessful: inState(rfqs, "unsuccessful"),
      withoutQuotes: asked.filter(({ quoteCount, status }) => quoteCount === 0 && status !== "open").length,
      open: inState(rfqs, "open", "evaluating")
    },
    requests: {
      opened: requests.size,
      fulfilled: inState(requests, "fulfilled"),
      expired: inState(requests, "expired")
    },
    quotes: { submitted: quotes.size, perRfq: spreadOf(asked.map(({ quoteCount }) => quoteCount)) },
    deals: {
      rooms: rooms.size,
      ...dealsOf(stage, agreed),
      declined: inState(rooms, "declined"),
      lapsed: [...rooms.values()].filter(isLapsed).length,
      underWay: inState(rooms, "agreed", "in_progress", "delivered", "changes_requested", "disputed")
    },
    secondsToDeal: spreadOf(agreed.flatMap((room) => secondsToDeal(stage, room))),
    prices: {
      agreed: spreadOf(totals),
      ofBudget: spreadOf(agreed.flatMap((room) => shareOfBudget(stage, room))),
      volume: totals.reduce((sum, total) => sum + total, 0).toFixed(2)
    },
    expiries: {
      requests: told("request.expired").length,
      quotes: told("quote.expired").length,
      offers: told("deal_room.offer_expired").length,
      rooms: told("deal_room.expired").length,
      rfqs: told("rfq.unsuccessful").filter(({ event }) => event.actorId === undefined).length
    },
    matches: { told: matches.size, engaged: inState(matches, "engaged") },
    manners: [...mannersOf(stage, buyers, agreed), ...mannersOf(stage, sellers, agreed)],
    refusals: Object.fromEntries([...run.refusals].toSorted()),
    checks: run.checks
  }
}

// -----------------------------------------------------------------------------

const dealsOf = ({ ledger: { events } }: Stage, agreed: ReadonlyArray<DealRoom>): DealCounts => {
  const ids = new Set<string>(agreed.map(({ id }) => id))
  const ended = (type: EventType) =>
    events.filter(({ event }) => event.type === type && ids.has(event.subject.id)).length
  return {
    agreed: agreed.length,
    completed: ended("deal_room.completed"),
    disputed: ended("deal_room.disputed"),
    cancelled: ended("deal_room.cancelled"),
    expired: ended("deal_room.expired")
  }
}

const isLapsed = ({ agreement, status }: DealRoom): boolean => status === "expired" && agreement === undefined

const secondsToDeal = (stage: Stage, room: DealRoom): ReadonlyArray<number> => {
  const need = needOf(stage, room)
  if (need === undefined || room.agreement === undefined) return []
  return [(room.agreement.agreedAt.epochMilliseconds - need.since.epochMilliseconds) / 1000]
}

const shareOfBudget = (stage: Stage, room: DealRoom): ReadonlyArray<number> => {
  const need = needOf(stage, room)
  if (need === undefined || room.agreement === undefined) return []
  return [Number(room.agreement.terms.total.amount) / need.budget]
}

/** Rounded to four digits behind the point: what is behind them is noise. */
const rounded = (figure: number): number => Math.round(figure * 1e4) / 1e4

const spreadOf = (figures: ReadonlyArray<number>): Spread => {
  const sorted = figures.toSorted((a, b) => a - b)
  const at = (share: number) => {
    const figure = sorted[Math.floor(share * (sorted.length - 1))]
    return figure === undefined ? null : rounded(figure)
  }
  return { count: figures.length, median: at(0.5), p90: at(0.9) }
}

const mannersOf = (
  stage: Stage,
  agents: ReadonlyMap<string, Buyer | Seller>,
  agreed: ReadonlyArray<DealRoom>
): ReadonlyArray<MannerReport> => {
  const { ledger } = stage
  const names = new Set([...agents.values()].map(({ manner }) => manner.name))
  return [...names].map((manner) => {
    const members = [...agents.values()].filter((agent) => agent.manner.name === manner)
    const ids = new Set<string>(members.map(({ id }) => id))
    const [first] = members
    const side = first?.side ?? "buyer"
    const isTheirs = ({ buyerId, sellerId }: DealRoom) => ids.has(side === "buyer" ? buyerId : sellerId)
    const asked =
      side === "buyer" ? [...ledger.rfqs.values(), ...ledger.requests.values()] : ledger.quotes.values()
    const ratings = members.flatMap(({ id }) => ledger.agents.get(id)?.reputation.rating ?? [])
    return {
      side,
      manner,
      agents: members.length,
      asked: [...asked].filter(({ agentId }) => ids.has(agentId)).length,
      ...dealsOf(stage, agreed.filter(isTheirs)),
      meanRating:
        ratings.length === 0
          ? null
          : rounded(ratings.reduce((sum, rating) => sum + rating, 0) / ratings.length)
    }
  })
}
