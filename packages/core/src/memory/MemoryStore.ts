/**
 * The store in memory: the reference that every other store is compared with, and all that a test needs.
 *
 * Values are immutable and held in maps, beside the orders that the lists are read in. A commit runs in one
 * synchronous step, so nobody sees half of it; what it wrote is taken back when one of its writes is refused. Nothing
 * survives the process.
 */
import { DateTime, Effect, Layer, Result } from "effect"
import type { Reliance, Write } from "../model/Change.ts"
import { matchesListing, matchesMatch, matchesRequest, matchesRfq, matchesRoom } from "../ports/filters.ts"
import { StaleVersion, Store, UniqueViolation } from "../ports/Store.ts"
import type { Commit, CommitReceipt } from "../ports/Store.ts"
import { Deadlines } from "./Deadlines.ts"
import { Feed } from "./Feed.ts"
import { Replies } from "./Replies.ts"
import type { Written } from "./Table.ts"
import {
  demandOrders,
  listingOrders,
  makeTables,
  matchesQuote,
  matchOrders,
  place,
  quoteOrders,
  rfqOrders,
  roomOrders
} from "./Tables.ts"
import type { Tables } from "./Tables.ts"
import { Timetable } from "./Timetable.ts"
import { Transcripts } from "./Transcripts.ts"

/** An empty store. Building it twice makes two markets: share it through one memo map. */
export const layer: Layer.Layer<Store> = Layer.sync(Store, () => make())

const make = (): Store["Service"] => {
  const timetable = new Timetable()
  const tables = makeTables(timetable)
  const transcripts = new Transcripts()
  const deadlines = new Deadlines()
  const feed = new Feed()
  const replies = new Replies()
  const { agents, bookmarks, holds, keys, listings, matches, offers, quotes } = tables
  const { requests, reviews, rfqs, rooms, tasks, webhooks } = tables

  const commit = (commit: Commit): Result.Result<CommitReceipt, StaleVersion | UniqueViolation> => {
    const stale = commit.reliesOn.find((reliance) => versionIn(tables, reliance) !== reliance.version)
    if (stale !== undefined) return Result.fail(new StaleVersion({ kind: stale.kind, id: stale.id }))
    if (commit.idempotency !== undefined && replies.isTaken(commit.idempotency)) {
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
    if (commit.idempotency !== undefined) replies.keep(commit.idempotency)
    feed.append(commit.events)
    return Result.succeed({ position: feed.latest })
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
        Effect.sync(() => rfqs.page(rfqOrders(filter), page, (rfq) => matchesRfq(filter, rfq)))
    },
    quotes: {
      byId: (id) => Effect.sync(() => quotes.get(id)),
      byIds: (ids) => Effect.sync(() => quotes.getAll(ids)),
      activeOf: (rfqId, agentId) => Effect.sync(() => quotes.holderOf(place(rfqId, agentId))),
      allActive: (rfqId) => Effect.sync(() => quotes.all(`active/${rfqId}`)),
      list: (filter, page) =>
        Effect.sync(() => quotes.page(quoteOrders(filter), page, (quote) => matchesQuote(filter, quote)))
    },
    rooms: {
      byId: (id) => Effect.sync(() => rooms.get(id)),
      list: (filter, page) =>
        Effect.sync(() => rooms.page(roomOrders(filter), page, (room) => matchesRoom(filter, room))),
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
    matches: {
      byId: (id) => Effect.sync(() => matches.get(id)),
      byIds: (ids) => Effect.sync(() => matches.getAll(ids)),
      list: (filter, page) =>
        Effect.sync(() => matches.page(matchOrders(filter), page, (match) => matchesMatch(filter, match)))
    },
    webhooks: {
      byId: (id) => Effect.sync(() => webhooks.get(id)),
      ofAgent: (agentId) => Effect.sync(() => webhooks.all(`agent/${agentId}`)),
      active: (page) => Effect.sync(() => webhooks.page([["status/active"]], page))
    },
    tasks: {
      byId: (id) => Effect.sync(() => tasks.get(id)),
      list: (queue, page) => Effect.sync(() => tasks.page([[`queue/${queue}`]], page)),
      queuesDue: (kind, until, except, limit) =>
        Effect.sync(() => timetable.queuesDue(kind, until, except, limit)),
      due: (queue, until, limit) => Effect.sync(() => tasks.getAll(timetable.due(queue, until, limit))),
      next: (kind) => Effect.sync(() => timetable.next(kind)),
      overdue: (kind, now) => Effect.sync(() => timetable.overdue(kind, now))
    },
    holds: {
      byId: (id) => Effect.sync(() => holds.get(id)),
      list: (status, page) => Effect.sync(() => holds.page([[`status/${status}`]], page))
    },
    bookmarks: {
      byId: (id) => Effect.sync(() => bookmarks.get(id))
    },
    deadlines: {
      due: (until, limit) => Effect.sync(() => deadlines.due(until, limit)),
      next: Effect.sync(() => deadlines.next()),
      overdue: (now) => Effect.sync(() => deadlines.overdue(now))
    },
    events: {
      after: (position, limit) => Effect.sync(() => feed.after(position, limit)),
      latest: Effect.sync(() => feed.latest),
      forgotten: Effect.sync(() => feed.forgotten),
      signals: undefined
    },
    idempotency: {
      byId: (id) => Effect.sync(() => replies.get(id))
    },
    commit: (change) => Effect.suspend(() => Effect.fromResult(commit(change))),
    forget: (expired, limit) =>
      Effect.sync(() => {
        const forgotten = replies.forget(expired.repliesUntil, limit)
        const ended = timetable.endedUpTo(expired.tasksUntil, limit - forgotten)
        for (const id of ended) tasks.remove(id)
        const gone = forgotten + ended.length
        return gone + feed.forget(expired.eventsUntil, limit - gone)
      }),
    ready: Effect.void
  }
}

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
    case "match":
      return tables.matches.write(write.value, write.replaces)
    case "webhook":
      return tables.webhooks.write(write.value, write.replaces)
    case "task":
      return tables.tasks.write(write.value, write.replaces)
    case "hold":
      return tables.holds.write(write.value, write.replaces)
    case "bookmark":
      return tables.bookmarks.write(write.value, write.replaces)
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
    review: tables.reviews,
    match: tables.matches,
    webhook: tables.webhooks,
    task: tables.tasks,
    hold: tables.holds,
    bookmark: tables.bookmarks
  }[kind]
  return table.get(id)?.version
}
