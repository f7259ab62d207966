/**
 * What a random history knows of the market: all that was committed, what was said to whom, who has consented to which
 * terms, and which texts belong to what, so that the invariants can be judged from the contract's words rather than
 * from the code.
 */
import { Context, DateTime, Duration, Effect } from "effect"
import { termsDigest } from "../../src/index.ts"
import type {
  Agent,
  AgentId,
  ApiKey,
  Commit,
  DealRoom,
  Hold,
  Instant,
  Listing,
  Market,
  Match,
  Metrics,
  Money,
  Offer,
  Quote,
  Request,
  Review,
  Rfq,
  SettlementCall,
  SettlementOrder,
  Store,
  StoredEvent,
  Task,
  Terms,
  Webhook,
  WebhookRequest,
  Write
} from "../../src/index.ts"
import type { Deliveries } from "../../src/services/Deliveries.ts"

export type Services = Exclude<Market.MarketServices, Metrics> | Deliveries | Store

/** The latest version of everything, in the order in which it came to be. */
export interface Ledger {
  readonly agents: Map<string, Agent>
  readonly keys: Map<string, ApiKey>
  readonly listings: Map<string, Listing>
  readonly requests: Map<string, Request>
  readonly rfqs: Map<string, Rfq>
  readonly quotes: Map<string, Quote>
  readonly rooms: Map<string, DealRoom>
  readonly offers: Map<string, Offer>
  readonly reviews: Map<string, Review>
  readonly matches: Map<string, Match>
  readonly webhooks: Map<string, Webhook>
  readonly tasks: Map<string, Task>
  readonly holds: Map<string, Hold>
}

export type Entity = Exclude<Write, { readonly kind: "entry" }>["value"]

/** One entity of a commit, with what it was before. */
export interface Written {
  readonly write: Exclude<Write, { readonly kind: "entry" }>
  readonly before: Entity | undefined
}

/** At which node something is done, and which it is of the steps that go on at the same time. */
export const Visit = Context.Reference<{ readonly node: number; readonly step: number }>("souk/test/Visit", {
  defaultValue: () => ({ node: 0, step: 0 })
})

/** One commit, and which of the steps made it that went on at the same time. */
export interface Deed {
  readonly step: number
  readonly written: ReadonlyArray<Written>
  readonly events: ReadonlyArray<StoredEvent>
}

/** A commit as the store was given it. */
interface Noted {
  readonly step: number
  readonly commit: Commit
  readonly position: number
}

/** Something that was said to somebody: a reply or a refusal. */
interface Said {
  readonly to: AgentId
  readonly what: unknown
  /** The reply of `validateOnly`: what it is about never came to be. */
  readonly isDraft: boolean
}

/** An order that the host's settlement was given, and whether it moved money. */
export interface Ordered extends SettlementCall {
  readonly action: SettlementOrder["action"]
  readonly refunded?: Money
  readonly isEffective: boolean
  /** What the room was when the order came. */
  readonly status: DealRoom["status"] | undefined
}

/** What the host's own parts do when they are asked next. */
interface Mood {
  moderation: "allows" | "holds" | "refuses" | "fails"
  settlement: "agrees" | "waits" | "declines" | "fails" | "dies"
  /** How receivers of webhooks answer: a status, or not at all. */
  receiver: number | "refused"
}

/** A write that was made with an Idempotency-Key: made again, it gives the same reply. */
interface Kept {
  readonly until: Instant
  readonly again: () => Effect.Effect<void, { readonly code: string }, Services>
}

export type Hearers = "everybody" | ReadonlySet<AgentId>

export interface World {
  /** The time of the market, which stands still between the steps, and by how much some node is ahead of it. */
  readonly time: { millis: number; aheadMillis: number }
  readonly ledger: Ledger
  /** Commits that build on others which are not heard of yet. */
  readonly noted: Array<Noted>
  /** The commits of the step that is under way. */
  readonly deeds: Array<Deed>
  readonly said: Array<Said>
  readonly mood: Mood
  /** Whether the host settles the deals of this market. */
  readonly settles: boolean
  readonly orders: Array<Ordered>
  /** Rooms whose funding the operator has confirmed. */
  readonly confirmed: Set<string>
  readonly sent: Array<WebhookRequest>
  readonly kept: Array<Kept>
  /** What was shown once: the keys of agents and the secrets of webhooks, by id; the latest secret last. */
  readonly secrets: Map<string, ReadonlyArray<string>>
  /** What the moderation has let through. */
  readonly allowed: Set<string>
  /** `room agent digest` and `quote agent digest`: who has put his name under which terms. */
  readonly consents: Set<string>
  /** Which thing a text, or the digest of some terms, was written for. */
  readonly marks: Map<string, string>
  /** The terms that a quote was first made with. */
  readonly firstTerms: Map<string, string>
  readonly events: Array<StoredEvent>
  /** To whom the contract tells an event, by its id. */
  readonly hearers: Map<string, Hearers>
  readonly counter: { next: number }
}

export const emptyWorld = (settles: boolean): World => ({
  time: { millis: Date.UTC(2026, 0, 5, 9), aheadMillis: 0 },
  ledger: {
    agents: new Map(),
    keys: new Map(),
    listings: new Map(),
    requests: new Map(),
    rfqs: new Map(),
    quotes: new Map(),
    rooms: new Map(),
    offers: new Map(),
    reviews: new Map(),
    matches: new Map(),
    webhooks: new Map(),
    tasks: new Map(),
    holds: new Map()
  },
  noted: [],
  deeds: [],
  said: [],
  mood: { moderation: "allows", settlement: "agrees", receiver: 204 },
  settles,
  orders: [],
  confirmed: new Set(),
  sent: [],
  kept: [],
  secrets: new Map(),
  allowed: new Set(),
  consents: new Set(),
  marks: new Map(),
  firstTerms: new Map(),
  events: [],
  hearers: new Map(),
  counter: { next: 0 }
})

/** Lets time pass. */
export const pass = (world: World, time: Duration.Input) =>
  Effect.sync(() => {
    world.time.millis += Duration.toMillis(Duration.fromInputUnsafe(time))
  })

/** Whether it is as late as that at one of the nodes at least. */
export const isReached = ({ time }: World, moment: Instant): boolean =>
  DateTime.toEpochMillis(moment) <= time.millis + time.aheadMillis

/** Notes a commit of a step. */
export const record = (world: World, step: number, commit: Commit, position: number): void => {
  world.noted.push({ step, commit, position })
  for (;;) {
    const next = world.noted.findIndex(({ commit }) => isNext(world.ledger, commit))
    const [noted] = next < 0 ? [] : world.noted.splice(next, 1)
    if (noted === undefined) return
    enter(world, noted)
  }
}

/** Whether what a commit replaces is what the ledger has: one that builds on another may be heard of before it. */
const isNext = (ledger: Ledger, { writes }: Commit): boolean => {
  const known = new Set<string>()
  return writes.every((write) => {
    if (write.kind === "entry" || write.kind === "bookmark" || known.has(write.value.id)) return true
    known.add(write.value.id)
    return write.replaces === (ledger[tables[write.kind]].get(write.value.id)?.version ?? null)
  })
}

const enter = (world: World, { commit, position, step }: Noted): void => {
  const written = commit.writes.flatMap((write): ReadonlyArray<Written> =>
    write.kind === "entry" ? [] : [{ write, before: put(world.ledger, write) }]
  )
  const first = position - commit.events.length + 1
  const events = commit.events.map((event, n) => ({ ...event, position: first + n }))
  world.deeds.push({ step, written, events })
  world.events.push(...events)
}

const tables = {
  agent: "agents",
  key: "keys",
  listing: "listings",
  request: "requests",
  rfq: "rfqs",
  quote: "quotes",
  deal_room: "rooms",
  offer: "offers",
  review: "reviews",
  match: "matches",
  webhook: "webhooks",
  task: "tasks",
  hold: "holds"
} as const

const replace = <A extends { readonly id: string }>(table: Map<string, A>, value: A): A | undefined => {
  const before = table.get(value.id)
  table.set(value.id, value)
  return before
}

const put = (ledger: Ledger, write: Write): Entity | undefined => {
  switch (write.kind) {
    case "agent":
      return replace(ledger.agents, write.value)
    case "key":
      return replace(ledger.keys, write.value)
    case "listing":
      return replace(ledger.listings, write.value)
    case "request":
      return replace(ledger.requests, write.value)
    case "rfq":
      return replace(ledger.rfqs, write.value)
    case "quote":
      return replace(ledger.quotes, write.value)
    case "deal_room":
      return replace(ledger.rooms, write.value)
    case "offer":
      return replace(ledger.offers, write.value)
    case "review":
      return replace(ledger.reviews, write.value)
    case "match":
      return replace(ledger.matches, write.value)
    case "webhook":
      return replace(ledger.webhooks, write.value)
    case "task":
      return replace(ledger.tasks, write.value)
    case "hold":
      return replace(ledger.holds, write.value)
    default:
      return undefined
  }
}

/** The ids of some things, oldest first. */
export const idsOf = <A extends { readonly id: string }>(table: ReadonlyMap<string, A>): Array<A["id"]> =>
  [...table.values()].map(({ id }) => id)

/** Writes a text that is found again wherever it turns up: `mark17x`. */
export const mark = (world: World): string => `mark${world.counter.next++}x`

/** Says for what a text was written. */
export const owns = (world: World, text: string, id: string): void => void world.marks.set(text, id)

/** Says for what terms were written: their text and their digest. */
export const ownsTerms = (world: World, terms: Terms, id: string): void => {
  owns(world, terms.notes ?? "", id)
  owns(world, termsDigest(terms), id)
}

/** One of some, by any number. */
export const pick = <A>(from: ReadonlyArray<A>, number: number): A | undefined => from[number % from.length]

/** One of some that are not none. */
export const oneOf = <const A>(choices: ReadonlyArray<A>, number: number): A => {
  const choice = pick(choices, number)
  if (choice === undefined) throw new Error("there is nothing to choose from")
  return choice
}

/** Terms that hold a text, with an amount of their own; now and then for nothing. */
export const markedTerms = (amount: number, text: string): Terms => ({
  total: { amount: amount % 40 === 0 ? "0" : `${amount}.50`, currency: "EUR" },
  deliverWithinSeconds: 86_400,
  revisions: 1,
  acceptance: ["all of it"],
  notes: text
})
