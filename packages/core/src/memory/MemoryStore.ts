/**
 * The store in memory: the reference that every other store is compared with, and all that a test needs.
 *
 * Values are immutable and held in maps, beside the orders that the lists are read in. A commit runs in one
 * synchronous step, so nobody sees half of it; what it wrote is taken back when one of its writes is refused. Nothing
 * survives the process. Events are kept for ever, idempotency records until they expire.
 */
import { DateTime, Effect, Layer, Result } from "effect"
import type { Agent } from "../model/Agent.ts"
import type { ApiKey } from "../model/ApiKey.ts"
import type { Reliance, Write } from "../model/Change.ts"
import type { DealRoom, Offer } from "../model/DealRoom.ts"
import type { StoredEvent } from "../model/Event.ts"
import type { AgentId, RfqId } from "../model/Id.ts"
import type { Listing } from "../model/Listing.ts"
import type { Quote } from "../model/Quote.ts"
import type { Request } from "../model/Request.ts"
import type { Review } from "../model/Review.ts"
import type { Rfq } from "../model/Rfq.ts"
import { matchesListing, matchesRequest, matchesRfq } from "../ports/filters.ts"
import { StaleVersion, Store, UniqueViolation } from "../ports/Store.ts"
import type {
  Commit,
  CommitReceipt,
  IdempotencyRecord,
  ListingFilter,
  QuoteFilter,
  RequestFilter,
  RfqFilter
} from "../ports/Store.ts"
import { Deadlines } from "./Deadlines.ts"
import { Table } from "./Table.ts"
import type { Written } from "./Table.ts"
import { Transcripts } from "./Transcripts.ts"

/** An empty store. Building it twice makes two markets: share it through one memo map. */
export const layer: Layer.Layer<Store> = Layer.sync(Store, () => make())

const make = (): Store["Service"] => {
  const tables = makeTables()
  const transcripts = new Transcripts()
  const deadlines = new Deadlines()
  const events: Array<StoredEvent> = []
  const replies = new Map<string, IdempotencyRecord>()
  const { agents, keys, listings, offers, quotes, requests, reviews, rfqs, rooms } = tables

  const commit = (commit: Commit): Result.Result<CommitReceipt, StaleVersion | UniqueViolation> => {
    const stale = commit.reliesOn.find((reliance) => versionIn(tables, reliance) !== reliance.version)
    if (stale !== undefined) return Result.fail(new StaleVersion({ kind: stale.kind, id: stale.id }))
    if (commit.idempotency !== undefined && isTaken(replies, commit.idempotency)) {
      return Result.fail(new UniqueViolation({ constraint: "idempotency" }))
    }
    const undo: Array<() => void> = []
    for (const write of commit.writes) {
      const written = writeTo(tables, transcripts, write)
      if (Result.isFailure(written)) {
        for (const takeBack of undo.toReversed()) takeBack()
        return Result.fail(written.failure)
      }
      undo.push(written.success)
    }
    for (const note of commit.deadlines ?? []) deadlines.write(note)
    if (commit.idempotency !== undefined) keepReply(replies, commit.idempotency)
    for (const event of commit.events) events.push({ ...event, position: events.length + 1 })
    return Result.succeed({ position: events.length })
  }

  return {
    agents: {
      byId: (id) => Effect.sync(() => agents.get(id)),
      byHandle: (handle) => Effect.sync(() => agents.holderOf(handle)),
      byIds: (ids) => Effect.sync(() => agents.getAll(ids)),
      list: (page) => Effect.sync(() => agents.page([["status/active"]], page))
    },
    keys: {
      byId: (id) => Effect.sync(() => keys.get(id)),
      ofAgent: (agentId) => Effect.sync(() => keys.all(`agent/${agentId}`)),
      byDigest: (digest) => Effect.sync(() => keys.holderOf(digest))
    },
    listings: {
      byId: (id) => Effect.sync(() => listings.get(id)),
      byIds: (ids) => Effect.sync(() => listings.getAll(ids)),
      list: (filter, page) =>
        Effect.sync(() =>
          listings.page(listingOrders(filter), page, (listing) => matchesListing(filter, listing))
        )
    },
    requests: {
      byId: (id) => Effect.sync(() => requests.get(id)),
      byIds: (ids) => Effect.sync(() => requests.getAll(ids)),
      list: (filter, page) =>
        Effect.sync(() =>
          requests.page(demandOrders(filter), page, (request) => matchesRequest(filter, request))
        )
    },
    rfqs: {
      byId: (id) => Effect.sync(() => rfqs.get(id)),
      byIds: (ids) => Effect.sync(() => rfqs.getAll(ids)),
      list: (filter, page) =>
        Effect.sync(() => rfqs.page(demandOrders(filter), page, (rfq) => matchesRfq(filter, rfq)))
    },
    quotes: {
      byId: (id) => Effect.sync(() => quotes.get(id)),
      activeOf: (rfqId, agentId) => Effect.sync(() => quotes.holderOf(place(rfqId, agentId))),
      allActive: (rfqId) => Effect.sync(() => quotes.all(`active/${rfqId}`)),
      list: (filter, page) =>
        Effect.sync(() => quotes.page(quoteOrders(filter), page, (quote) => matchesQuote(filter, quote)))
    },
    rooms: {
      byId: (id) => Effect.sync(() => rooms.get(id)),
      list: (participant, page) => Effect.sync(() => rooms.page([[`agent/${participant}`]], page)),
      offer: (id) => Effect.sync(() => offers.get(id)),
      entries: (roomId, afterSeq, limit) => Effect.sync(() => transcripts.read(roomId, afterSeq, limit))
    },
    reviews: {
      byId: (id) => Effect.sync(() => reviews.get(id)),
      ofRoom: (roomId) => Effect.sync(() => reviews.all(`room/${roomId}`)),
      publishedOf: (agentId, at, page) =>
        Effect.sync(() =>
          reviews.page([[`of/${agentId}`]], page, (review) => !DateTime.isGreaterThan(review.publishedAt, at))
        )
    },
    deadlines: {
      due: (until, limit) => Effect.sync(() => deadlines.due(until, limit)),
      next: Effect.sync(() => deadlines.next()),
      overdue: (now) => Effect.sync(() => deadlines.overdue(now))
    },
    events: {
      after: (position, limit) => Effect.sync(() => events.slice(position, position + limit)),
      latest: Effect.sync(() => events.length),
      forgotten: Effect.succeed(0)
    },
    idempotency: {
      byId: (id) => Effect.sync(() => replies.get(id))
    },
    commit: (change) => Effect.suspend(() => Effect.fromResult(commit(change))),
    ready: Effect.void
  }
}

// -----------------------------------------------------------------------------
// Tables, and the orders that their lists are read in
// -----------------------------------------------------------------------------

type Tables = ReturnType<typeof makeTables>

const makeTables = () => ({
  agents: new Table<Agent>({
    kind: "agent",
    orders: (agent) => [`status/${agent.status}`],
    unique: { constraint: "agent_handle", claim: (agent) => agent.handle }
  }),
  keys: new Table<ApiKey>({
    kind: "key",
    orders: (key) => [`agent/${key.agentId}`],
    unique: { constraint: "key_digest", claim: (key) => key.digest }
  }),
  listings: new Table<Listing>({ kind: "listing", orders: ordersOf }),
  requests: new Table<Request>({ kind: "request", orders: ordersOf }),
  rfqs: new Table<Rfq>({ kind: "rfq", orders: ordersOf }),
  quotes: new Table<Quote>({
    kind: "quote",
    orders: (quote) => [
      everything,
      `rfq/${quote.rfqId}`,
      `agent/${quote.agentId}`,
      ...(quote.status === "active" ? [`active/${quote.rfqId}`] : [])
    ],
    unique: {
      constraint: "active_quote",
      claim: (quote) => (quote.status === "active" ? place(quote.rfqId, quote.agentId) : undefined)
    }
  }),
  rooms: new Table<DealRoom>({
    kind: "deal_room",
    orders: (room) => [`agent/${room.buyerId}`, `agent/${room.sellerId}`]
  }),
  offers: new Table<Offer>({ kind: "offer", orders: () => [] }),
  reviews: new Table<Review>({
    kind: "review",
    orders: (review) => [`room/${review.roomId}`, `of/${review.ofId}`],
    unique: { constraint: "room_review", claim: (review) => `${review.roomId}/${review.byId}` }
  })
})

const everything = "all"

/** The place that an agent's one active quote takes. */
const place = (rfqId: RfqId, agentId: AgentId): string => `${rfqId}/${agentId}`

const ordersOf = (item: Listing | Request | Rfq): ReadonlyArray<string> => [
  everything,
  `status/${item.status}`,
  `agent/${item.agentId}`,
  ...item.tags.map((tag) => `tag/${tag}`),
  ...(item.category === undefined ? [] : [`category/${item.category}`])
]

/** The orders that hold all that a filter lets through, each beside the value that it is named by. */
const ordersFor = (
  named: Readonly<Record<string, string | undefined>>
): ReadonlyArray<ReadonlyArray<string>> => [
  [everything],
  ...Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [[`${name}/${value}`]]))
]

const listingOrders = ({
  status,
  agentId,
  tag,
  category
}: ListingFilter): ReadonlyArray<ReadonlyArray<string>> =>
  ordersFor({ status, agent: agentId, tag, category })

const demandOrders = ({
  states,
  agentId,
  tag,
  category
}: RequestFilter | RfqFilter): ReadonlyArray<ReadonlyArray<string>> => [
  Array.from(new Set(states.map((window) => `status/${window.status}`))),
  ...ordersFor({ agent: agentId, tag, category })
]

const quoteOrders = ({ rfqId, agentId }: QuoteFilter): ReadonlyArray<ReadonlyArray<string>> =>
  ordersFor({ rfq: rfqId, agent: agentId })

const matchesQuote = (filter: QuoteFilter, quote: Quote): boolean =>
  (filter.rfqId === undefined || quote.rfqId === filter.rfqId) &&
  (filter.agentId === undefined || quote.agentId === filter.agentId)

// -----------------------------------------------------------------------------
// The parts of a commit
// -----------------------------------------------------------------------------

const writeTo = (tables: Tables, transcripts: Transcripts, write: Write): Written => {
  switch (write.kind) {
    case "agent":
      return tables.agents.write(write.value, write.replaces)
    case "key":
      return tables.keys.write(write.value, write.replaces)
    case "listing":
      return tables.listings.write(write.value, write.replaces)
    case "request":
      return tables.requests.write(write.value, write.replaces)
    case "rfq":
      return tables.rfqs.write(write.value, write.replaces)
    case "quote":
      return tables.quotes.write(write.value, write.replaces)
    case "deal_room":
      return tables.rooms.write(write.value, write.replaces)
    case "offer":
      return tables.offers.write(write.value, write.replaces)
    case "review":
      return tables.reviews.write(write.value, write.replaces)
    case "entry":
      return transcripts.add(write.value)
  }
}

const versionIn = (tables: Tables, { kind, id }: Reliance): number | undefined => {
  const table = {
    agent: tables.agents,
    key: tables.keys,
    listing: tables.listings,
    request: tables.requests,
    rfq: tables.rfqs,
    quote: tables.quotes,
    deal_room: tables.rooms,
    offer: tables.offers,
    review: tables.reviews
  }[kind]
  return table.get(id)?.version
}

const hasExpired = (record: IdempotencyRecord, now: DateTime.Utc): boolean =>
  !DateTime.isGreaterThan(record.expiresAt, now)

/** A record that has expired when the new one is made gives way to it. */
const isTaken = (replies: ReadonlyMap<string, IdempotencyRecord>, record: IdempotencyRecord): boolean => {
  const kept = replies.get(record.id)
  return kept !== undefined && !hasExpired(kept, record.createdAt)
}

/** Keeps a reply and forgets the expired ones at the front of the map, which keeps the order of their making. */
const keepReply = (replies: Map<string, IdempotencyRecord>, record: IdempotencyRecord): void => {
  for (const [id, kept] of replies) {
    if (!hasExpired(kept, record.createdAt)) break
    replies.delete(id)
  }
  replies.delete(record.id)
  replies.set(record.id, record)
}
