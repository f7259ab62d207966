import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Agents, DealRooms, Events, EventType, Listings, Quotes, Rfqs } from "../../src/index.ts"
import type { AgentId, EventQuery, FeedItem } from "../../src/index.ts"
import {
  agreeDeal,
  callForQuotes,
  codeOf,
  deliverDeal,
  distantMarket,
  faultyFeedMarket,
  history,
  join,
  listingInput,
  market,
  negotiate,
  offerIn,
  storyOf,
  submitQuote,
  terms,
  typesOf
} from "../fixtures.ts"

const open = Effect.fnUntraced(function* (viewer: AgentId | undefined, query: EventQuery) {
  return yield* (yield* Events).open(viewer, query)
})

const take = (items: Stream.Stream<FeedItem, unknown>, n: number) => Stream.runCollect(Stream.take(items, n))

const typesIn = (items: ReadonlyArray<FeedItem>) => items.map(({ event }) => event.type)

const publish = Effect.fnUntraced(function* (by: AgentId, times: number) {
  const listings = yield* Listings
  return yield* Effect.forEach(Array.from({ length: times }), () => listings.publish(by, listingInput()))
})

describe("a stream", () => {
  it.effect("begins in the present where nothing is said", () =>
    Effect.gen(function* () {
      const seller = yield* join("seller")
      yield* publish(seller, 2)
      const feed = yield* open(undefined, {})
      const [published] = yield* publish(seller, 1)
      const [item] = yield* take(feed.items, 1)
      assert.strictEqual(item?.event.subject.id, published?.value.id)
    }).pipe(Effect.scoped, Effect.provide(market()))
  )

  it.effect("goes on by itself when the store could not be read for a while", () => {
    const failures = { left: 0 }
    return Effect.gen(function* () {
      const seller = yield* join("seller")
      const feed = yield* open(seller, { types: ["listing.*"] })
      const reader = yield* Effect.forkChild(take(feed.items, 1), { startImmediately: true })
      failures.left = 3
      yield* publish(seller, 1)
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(typesIn(yield* Fiber.join(reader)), ["listing.published"])
    }).pipe(Effect.scoped, Effect.provide(faultyFeedMarket(failures)))
  })

  it.effect("replays from the oldest event on, then goes on live: each once, in one order", () =>
    Effect.gen(function* () {
      const seller = yield* join("seller")
      yield* publish(seller, 450)
      const feed = yield* open(seller, { after: "earliest" })
      const reader = yield* Effect.forkChild(take(feed.items, 902), { startImmediately: true })
      yield* publish(seller, 450)
      const heard = yield* Fiber.join(reader)
      const all = (yield* history).map(({ event }) => event.id)
      assert.deepStrictEqual(
        heard.map(({ event }) => event.id),
        all
      )
    }).pipe(Effect.scoped, Effect.provide(market()))
  )

  it.effect("loses and repeats nothing while others write at the same time, from whatever cursor", () =>
    Effect.gen(function* () {
      const sellers = yield* Effect.forEach(Array.from({ length: 8 }), (_, n) => join(`seller-${n}`))
      const writing = yield* Effect.forkChild(
        Effect.forEach(sellers, (seller) => publish(seller, 25), { concurrency: "unbounded" })
      )
      const readers = yield* Effect.forEach(Array.from({ length: 12 }), (_, n) =>
        Effect.gen(function* () {
          yield* Effect.yieldNow
          const { cursor } = yield* (yield* Events).page(undefined, {})
          const feed = yield* open(undefined, { after: n % 2 === 0 ? cursor : undefined })
          const reader = yield* Effect.forkChild(take(feed.items, 20), { startImmediately: true })
          return { begin: Number.parseInt(feed.cursor.slice(1), 36), reader }
        })
      )
      yield* Fiber.join(writing)
      yield* Effect.forEach(sellers, (seller) => publish(seller, 3))
      const all = (yield* history).filter(({ audience }) => audience === "public")
      assert.isAbove(new Set(readers.map(({ begin }) => begin)).size, 3)
      for (const { begin, reader } of readers)
        assert.deepStrictEqual(
          (yield* Fiber.join(reader)).map(({ event }) => event.id),
          all
            .filter(({ position }) => position > begin)
            .slice(0, 20)
            .map(({ event }) => event.id)
        )
    }).pipe(Effect.scoped, Effect.provide(distantMarket))
  )

  it.effect("resumes behind the last event that was heard", () =>
    Effect.gen(function* () {
      const seller = yield* join("seller")
      yield* publish(seller, 10)
      const first = yield* Effect.scoped(
        Effect.flatMap(open(undefined, { after: "earliest" }), ({ items }) => take(items, 4))
      )
      yield* publish(seller, 3)
      const again = yield* open(undefined, { after: first.at(-1)?.cursor })
      const rest = yield* take(again.items, 10)
      const all = (yield* history)
        .filter(({ audience }) => audience === "public")
        .map(({ event }) => event.id)
      assert.deepStrictEqual(
        [...first, ...rest].map(({ event }) => event.id),
        all
      )
    }).pipe(Effect.scoped, Effect.provide(market()))
  )

  it.effect("goes on from the cursor that a page gave a moment before", () =>
    Effect.gen(function* () {
      const seller = yield* join("seller")
      yield* publish(seller, 3)
      const page = yield* (yield* Events).page(undefined, { after: "earliest" })
      const feed = yield* open(undefined, { after: page.cursor })
      assert.strictEqual(feed.cursor, page.cursor)
      const [published] = yield* publish(seller, 1)
      const [item] = yield* take(feed.items, 1)
      assert.strictEqual(item?.event.subject.id, published?.value.id)
    }).pipe(Effect.scoped, Effect.provide(distantMarket))
  )

  it.effect("ends for a reader whose buffer is full, who resumes by cursor and has missed nothing", () =>
    Effect.gen(function* () {
      const seller = yield* join("seller")
      const feed = yield* open(undefined, {})
      const other = yield* open(undefined, { types: ["agent.*"] })
      yield* publish(seller, 20)
      const heard = yield* Stream.runCollect(feed.items)
      assert.isAtMost(heard.length, 4)
      const again = yield* open(undefined, { after: heard.at(-1)?.cursor ?? feed.cursor })
      const rest = yield* take(again.items, 20 - heard.length)
      const all = (yield* history)
        .map(({ event }) => event)
        .filter(({ type }) => type === "listing.published")
      assert.deepStrictEqual(
        [...heard, ...rest].map(({ event }) => event),
        all
      )
      // Whoever wants none of it is not cut off by it.
      yield* join("late")
      assert.deepStrictEqual(typesIn(yield* take(other.items, 1)), ["agent.registered"])
    }).pipe(Effect.scoped, Effect.provide(market({ feed: { bufferSize: 4 } })))
  )

  it.effect("inside the process, waits for a reader that is slow", () =>
    Effect.gen(function* () {
      const seller = yield* join("seller")
      const { follow } = yield* Events
      const reader = yield* Effect.forkChild(
        Stream.runCollect(
          follow(undefined, { types: ["listing.published"] }).pipe(
            Stream.tap(() => Effect.sleep("1 second")),
            Stream.take(20)
          )
        ),
        { startImmediately: true }
      )
      const published = yield* publish(seller, 20)
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual(
        (yield* Fiber.join(reader)).map(({ event }) => event.subject.id),
        published.map(({ value }) => value.id)
      )
      const strange = follow(undefined, { after: "c999" })
      assert.strictEqual(yield* codeOf(Stream.runDrain(strange)), "invalid_cursor")
    }).pipe(Effect.provide(market({ feed: { bufferSize: 4 } })))
  )

  it.effect("takes no cursor that the feed did not give", () =>
    Effect.gen(function* () {
      yield* join("seller")
      const events = yield* Events
      for (const after of ["", "c", "c00", "x1", "c-1", "c1.5", "c999", "C1", "latest", "czzzzzzzzzzzz"]) {
        assert.strictEqual(yield* codeOf(events.open(undefined, { after })), "invalid_cursor", after)
        assert.strictEqual(yield* codeOf(events.page(undefined, { after })), "invalid_cursor", after)
      }
    }).pipe(Effect.scoped, Effect.provide(market()))
  )
})

describe("the filters of the feed", () => {
  it.effect("are types, with all of a kind, the subject, and what concerns the caller", () =>
    Effect.gen(function* () {
      const [buyer, seller, other] = yield* Effect.all([join("buyer"), join("seller"), join("other")])
      const rfq = yield* callForQuotes(buyer)
      yield* submitQuote(seller, rfq.id)
      yield* callForQuotes(other)
      const events = yield* Events
      const all = { after: "earliest", limit: 100 }
      const types = (viewer: AgentId, query: EventQuery) =>
        Effect.map(events.page(viewer, { ...all, ...query }), ({ items }) => typesIn(items))
      assert.deepStrictEqual(yield* types(buyer, { types: ["rfq.*"] }), ["rfq.opened", "rfq.opened"])
      assert.deepStrictEqual(yield* types(buyer, { types: ["rfq.opened", "key.created"] }), [
        "key.created",
        "rfq.opened",
        "rfq.opened"
      ])
      assert.deepStrictEqual(yield* types(buyer, { subject: rfq.id }), ["rfq.opened"])
      const own = ["agent.registered", "key.created"]
      assert.deepStrictEqual(yield* types(buyer, { mine: true }), [...own, "rfq.opened", "quote.submitted"])
      assert.deepStrictEqual(yield* types(seller, { mine: true }), [...own, "quote.submitted"])
      assert.deepStrictEqual(yield* types(other, { mine: true }), [...own, "rfq.opened"])
      assert.strictEqual(yield* codeOf(events.page(undefined, { mine: true })), "key_missing")
      for (const unknown of ["rfq", "rfq.opned", "*", "nope.*", ""])
        assert.strictEqual(
          yield* codeOf(events.page(buyer, { types: [unknown] })),
          "invalid_request",
          unknown
        )
    }).pipe(Effect.provide(market()))
  )

  it.effect("count a review that names the caller as his", () =>
    Effect.gen(function* () {
      const [buyer, seller, other] = yield* Effect.all([join("buyer"), join("seller"), join("other")])
      const { id } = yield* deliverDeal(buyer, seller)
      const rooms = yield* DealRooms
      yield* rooms.complete(buyer, id)
      yield* rooms.review(buyer, id, { rating: 5 })
      yield* rooms.review(seller, id, { rating: 5 })
      const reviews = { types: ["review.*"], mine: true, after: "earliest" }
      const events = yield* Events
      assert.strictEqual((yield* events.page(seller, reviews)).items.length, 2)
      assert.strictEqual((yield* events.page(other, reviews)).items.length, 0)
    }).pipe(Effect.provide(market()))
  )

  it.effect("page through everything that the stream would have told", () =>
    Effect.gen(function* () {
      const seller = yield* join("seller")
      yield* publish(seller, 25)
      const events = yield* Events
      const heard: Array<FeedItem> = []
      let cursor = "earliest"
      for (let n = 0; n < 5; n++) {
        const page = yield* events.page(seller, { after: cursor, limit: 7, types: ["listing.*"] })
        heard.push(...page.items)
        cursor = page.cursor
      }
      assert.strictEqual(new Set(heard.map(({ event }) => event.id)).size, 25)
      assert.strictEqual(heard.length, 25)
      yield* publish(seller, 1)
      assert.strictEqual((yield* events.page(seller, { after: cursor })).items.length, 1)
    }).pipe(Effect.provide(market()))
  )
})

describe("the readers of an event", () => {
  it.effect("are those who may see what it is about, and nobody else", () =>
    Effect.gen(function* () {
      const [buyer, seller, invited, other] = yield* Effect.all([
        join("buyer"),
        join("seller"),
        join("invited"),
        join("other")
      ])
      const rfqs = yield* Rfqs
      const secret = yield* callForQuotes(buyer, {
        title: "Confidential",
        visibility: "invited",
        invitees: [seller, invited]
      })
      const draft = yield* callForQuotes(buyer, { title: "Confidential", status: "draft" })
      yield* rfqs.update(buyer, draft.id, { title: "Confidential too" })
      const { value: idea } = yield* (yield* Listings).publish(seller, listingInput({ status: "draft" }))
      yield* (yield* Listings).update(seller, idea.id, { title: "Other" })
      yield* (yield* Listings).move(seller, idea.id, "archive")
      const quote = yield* submitQuote(seller, secret.id)
      const { value: revised } = yield* (yield* Quotes).revise(seller, quote.id, { terms: terms("5") })
      const room = yield* negotiate(buyer, seller)
      yield* rfqs.award(buyer, secret.id, { quoteId: quote.id, termsDigest: revised.termsDigest })
      yield* (yield* Agents).update(seller, { email: "new@seller.example" })
      const events = yield* Events
      const heard = (viewer: AgentId | undefined) =>
        Effect.map(events.page(viewer, { after: "earliest", limit: 100 }), ({ items }) =>
          items.map(({ event }) => event)
        )
      const about = Effect.fnUntraced(function* (viewer: AgentId | undefined) {
        const subjects = new Set((yield* heard(viewer)).map(({ subject }) => subject.id))
        return [secret.id, draft.id, idea.id, quote.id, room.id].map((id) => subjects.has(id))
      })
      assert.deepStrictEqual(yield* about(undefined), [false, false, false, false, false])
      assert.deepStrictEqual(yield* about(other), [false, false, false, false, false])
      assert.deepStrictEqual(yield* about(invited), [true, false, false, false, false])
      assert.deepStrictEqual(yield* about(seller), [true, false, true, true, true])
      assert.deepStrictEqual(yield* about(buyer), [true, true, false, true, true])
      const keys = (yield* heard(other)).filter(({ type }) => type === "key.created")
      assert.deepStrictEqual(
        keys.map(({ actorId }) => actorId),
        [other]
      )
      assert.isFalse((yield* heard(other)).some(({ type }) => type === "agent.updated"))
      assert.isFalse(JSON.stringify(yield* heard(other)).includes("Confidential"))
    }).pipe(Effect.provide(market()))
  )

  it.effect("never learn from it what a sealed quote offers, or what is said in a room", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* Effect.all([join("buyer"), join("seller")])
      const rfq = yield* callForQuotes(buyer, { quoteMode: "sealed" })
      const quote = yield* submitQuote(seller, rfq.id, { terms: terms("12345.67"), message: "whisper" })
      yield* (yield* Quotes).revise(seller, quote.id, { terms: terms("7654.32"), message: "whisper" })
      const room = yield* negotiate(buyer, seller, { notes: "whisper" })
      yield* (yield* DealRooms).say(seller, room.id, { text: "whisper" })
      const told = JSON.stringify(yield* history)
      for (const secret of ["12345.67", "7654.32", "whisper", quote.termsDigest])
        assert.isFalse(told.includes(secret), secret)
    }).pipe(Effect.provide(market()))
  )
})

describe("the events of a change", () => {
  it.effect("name the version that the change made, one after the other", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* Effect.all([join("buyer"), join("seller")])
      const rooms = yield* DealRooms
      const { id } = yield* agreeDeal(buyer, seller)
      yield* rooms.deliver(seller, id, { note: "x" })
      yield* TestClock.adjust("4 days")
      yield* rooms.review(buyer, id, { rating: 5 })
      const story = yield* storyOf(id)
      assert.deepStrictEqual(
        story.map(({ subject }) => subject.version),
        story.map((_, n) => n + 1)
      )
      assert.deepStrictEqual(
        story.map(({ type }) => type),
        [
          "deal_room.opened",
          "deal_room.offer_made",
          "deal_room.agreed",
          "deal_room.started",
          "deal_room.delivered",
          "deal_room.completed"
        ]
      )
      const [delivered, completed] = story.slice(-2)
      assert(delivered !== undefined && completed !== undefined)
      // What time did is told with the moment at which it came due, not with that of the writing.
      assert.strictEqual(completed.at.epochMilliseconds - delivered.at.epochMilliseconds, 72 * 3_600_000)
      assert.isFalse("actorId" in completed)
      assert.strictEqual(delivered.actorId, seller)
    }).pipe(Effect.provide(market()))
  )

  it.effect("are those of the contract for the whole life of a room, a listing and an RFQ", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* Effect.all([join("buyer"), join("seller")])
      const [rooms, listings, rfqs] = [yield* DealRooms, yield* Listings, yield* Rfqs]
      const { id } = yield* negotiate(buyer, seller)
      const { value: countered } = yield* rooms.offer(seller, id, { terms: terms("5") })
      yield* rooms.clearOffer(buyer, id, offerIn(countered).id, "reject", "no")
      const { value: again } = yield* rooms.offer(seller, id, { terms: terms("4") })
      yield* rooms.clearOffer(seller, id, offerIn(again).id, "withdraw", undefined)
      yield* rooms.say(buyer, id, { text: "?" })
      yield* rooms.decline(buyer, id, "no")
      assert.deepStrictEqual(yield* typesOf(id), [
        "deal_room.opened",
        "deal_room.offer_made",
        "deal_room.offer_made",
        "deal_room.offer_rejected",
        "deal_room.offer_made",
        "deal_room.offer_withdrawn",
        "deal_room.message",
        "deal_room.declined"
      ])
      const { value: listing } = yield* listings.publish(seller, listingInput({ status: "draft" }))
      for (const move of ["activate", "pause", "activate", "archive"] as const)
        yield* listings.move(seller, listing.id, move)
      assert.deepStrictEqual(yield* typesOf(listing.id), [
        "listing.published",
        "listing.paused",
        "listing.published",
        "listing.archived"
      ])
      const rfq = yield* callForQuotes(buyer, { status: "draft" })
      yield* rfqs.move(buyer, rfq.id, "open")
      yield* rfqs.move(buyer, rfq.id, "close")
      yield* rfqs.move(buyer, rfq.id, "unsuccessful")
      assert.deepStrictEqual(yield* typesOf(rfq.id), ["rfq.opened", "rfq.closed", "rfq.unsuccessful"])
      const known: ReadonlyArray<string> = EventType.literals
      for (const { event } of yield* history) assert.include(known, event.type)
    }).pipe(Effect.provide(market()))
  )
})
