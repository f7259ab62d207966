/**
 * What a random history knows of the market: what there is to act on, who has consented to which terms, and which
 * texts belong to what, so that the invariants can be judged from the contract's words rather than from the code.
 */
import { Effect } from "effect"
import type { Scope } from "effect"
import type {
  Agent,
  AgentId,
  DealRoom,
  DealRoomId,
  Listing,
  ListingId,
  Market,
  Quote,
  QuoteId,
  Request,
  RequestId,
  Review,
  Rfq,
  RfqId,
  StoredEvent,
  Terms
} from "../../src/index.ts"
import { Store } from "../../src/index.ts"

export type Services = Market.MarketServices | Store | Scope.Scope

export interface World {
  readonly agents: Array<AgentId>
  readonly listings: Array<ListingId>
  readonly requests: Array<RequestId>
  readonly rfqs: Array<RfqId>
  readonly quotes: Array<QuoteId>
  readonly rooms: Array<DealRoomId>
  /** `room agent digest` and `quote agent digest`: who has put his name under which terms. */
  readonly consents: Set<string>
  /** Which thing a text was written for. */
  readonly marks: Map<string, string>
  /** The terms that a quote was first made with. */
  readonly firstTerms: Map<QuoteId, string>
  before: Snapshot
}

/** All that the store holds of what a history has made. */
export interface Snapshot {
  readonly agents: ReadonlyMap<string, Agent>
  readonly listings: ReadonlyMap<string, Listing>
  readonly requests: ReadonlyMap<string, Request>
  readonly rfqs: ReadonlyMap<string, Rfq>
  readonly quotes: ReadonlyMap<string, Quote>
  readonly rooms: ReadonlyMap<string, DealRoom>
  readonly reviews: ReadonlyMap<string, Review>
  readonly events: ReadonlyArray<StoredEvent>
}

const none: Snapshot = {
  agents: new Map(),
  listings: new Map(),
  requests: new Map(),
  rfqs: new Map(),
  quotes: new Map(),
  rooms: new Map(),
  reviews: new Map(),
  events: []
}

export const emptyWorld = (): World => ({
  agents: [],
  listings: [],
  requests: [],
  rfqs: [],
  quotes: [],
  rooms: [],
  consents: new Set(),
  marks: new Map(),
  firstTerms: new Map(),
  before: none
})

/** Writes a text that is found again wherever it turns up: `mark17x`. */
export const mark = (world: World): string => `mark${world.marks.size}x`

/** Says for what a text was written. */
export const owns = (world: World, text: string, id: string): void => void world.marks.set(text, id)

/** One of some, by any number. */
export const pick = <A>(from: ReadonlyArray<A>, number: number): A | undefined => from[number % from.length]

/** Terms that hold a text, with an amount of their own. */
export const markedTerms = (amount: number, text: string): Terms => ({
  total: { amount: `${amount}.50`, currency: "EUR" },
  deliverWithinSeconds: 86_400,
  revisions: 1,
  acceptance: ["all of it"],
  notes: text
})

const byId = <A extends { readonly id: string }>(
  items: ReadonlyArray<A | undefined>
): ReadonlyMap<string, A> => new Map(items.flatMap((item) => (item === undefined ? [] : [[item.id, item]])))

export const takeSnapshot = Effect.fnUntraced(function* (world: World) {
  const store = yield* Store
  const events = yield* store.events.after(0, 100_000)
  const snapshot: Snapshot = {
    agents: byId(yield* store.agents.byIds(world.agents)),
    listings: byId(yield* store.listings.byIds(world.listings)),
    requests: byId(yield* store.requests.byIds(world.requests)),
    rfqs: byId(yield* store.rfqs.byIds(world.rfqs)),
    quotes: byId(yield* Effect.forEach(world.quotes, (id) => store.quotes.byId(id))),
    rooms: byId(yield* Effect.forEach(world.rooms, (id) => store.rooms.byId(id))),
    reviews: byId((yield* Effect.forEach(world.rooms, (id) => store.reviews.ofRoom(id))).flat()),
    events
  }
  return snapshot
})
