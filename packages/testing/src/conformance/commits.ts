/** What a commit must do: all or nothing, on the versions that it names, with what is unique kept unique. */
import { assert } from "@effect/vitest"
import { revised, Store, type Commit, type Constraint, type Write } from "@souk/core"
import { Effect } from "effect"
import {
  epoch,
  moment,
  sampleAgent,
  sampleBookmark,
  sampleEntry,
  sampleEvent,
  sampleHold,
  sampleId,
  sampleKey,
  sampleListing,
  sampleMatch,
  sampleOffer,
  sampleQuote,
  sampleReply,
  sampleRequest,
  sampleReview,
  sampleRfq,
  sampleRoom,
  sampleTask,
  sampleWebhook,
  write
} from "../fixtures.ts"
import {
  commit,
  eventsBehind,
  expectSame,
  expectStale,
  expectTaken,
  obligation,
  put,
  type Obligation
} from "./Obligation.ts"
import { specimens } from "./specimens.ts"

/** What each refused commit carries beside the write that spoils it, before and behind it. */
const companions: ReadonlyArray<Write> = [
  write.agent(sampleAgent(90)),
  write.key(sampleKey(90)),
  write.listing(sampleListing(90)),
  write.request(sampleRequest(90)),
  write.rfq(sampleRfq(90)),
  write.quote(sampleQuote(90)),
  write.room(sampleRoom(90)),
  write.offer(sampleOffer(90)),
  write.review(sampleReview(90)),
  write.match(sampleMatch(90)),
  write.webhook(sampleWebhook(90)),
  write.task(sampleTask(90)),
  write.hold(sampleHold(90)),
  write.bookmark(sampleBookmark(90)),
  write.entry(sampleEntry(90))
]

const kept = sampleAgent(1)
const keptNext = revised(kept, { name: "Renamed" }, moment(1))

/** Expects that nothing of the companions, their events and their reply can be seen. */
const expectNothing = Effect.gen(function* () {
  const store = yield* Store
  assert.isUndefined(yield* store.agents.byId(sampleId("agent", 90)))
  assert.isUndefined(yield* store.agents.byHandle(sampleAgent(90).handle))
  assert.isUndefined(yield* store.keys.byDigest(sampleKey(90).digest))
  assert.isUndefined(yield* store.listings.byId(sampleId("listing", 90)))
  assert.isUndefined(yield* store.requests.byId(sampleId("request", 90)))
  assert.isUndefined(yield* store.rfqs.byId(sampleId("rfq", 90)))
  assert.isUndefined(yield* store.quotes.byId(sampleId("quote", 90)))
  assert.isUndefined(yield* store.quotes.activeOf(sampleId("rfq", 1), sampleId("agent", 90)))
  assert.isUndefined(yield* store.rooms.byId(sampleId("deal_room", 90)))
  assert.isUndefined(yield* store.rooms.offer(sampleId("offer", 90)))
  assert.isUndefined(yield* store.matches.byId(sampleId("match", 90)))
  assert.isUndefined(yield* store.webhooks.byId(sampleId("webhook", 90)))
  assert.isUndefined(yield* store.tasks.byId(sampleId("task", 90)))
  assert.isUndefined(yield* store.tasks.next("delivery"))
  assert.isUndefined(yield* store.holds.byId(sampleId("hold", 90)))
  assert.isUndefined(yield* store.bookmarks.byId(sampleBookmark(90).id))
  assert.isUndefined(yield* store.idempotency.byId(sampleReply(90).id))
  expectSame(yield* store.rooms.entries(sampleId("deal_room", 1), 0, 100), [])
  expectSame(yield* store.reviews.ofRoom(sampleId("deal_room", 90)), [])
  expectSame(yield* store.agents.list({ limit: 100 }), { items: [kept], hasMore: false })
  expectSame(yield* store.listings.list({}, { limit: 100 }), { items: [], hasMore: false })
  expectSame(yield* store.rooms.list({ participant: kept.id }, { limit: 100 }), { items: [], hasMore: false })
  expectSame(yield* eventsBehind(0, 0), [])
})

const loaded = (part: Partial<Commit>): Partial<Commit> => ({
  writes: [
    ...companions.slice(0, 4),
    ...(part.writes ?? []),
    ...companions.slice(4),
    write.agent(keptNext, 1)
  ],
  reliesOn: part.reliesOn ?? [],
  events: [sampleEvent(90), sampleEvent(91)],
  idempotency: part.idempotency ?? sampleReply(90)
})

const atomic = (
  id: string,
  what: string,
  part: Partial<Commit>,
  expected: Constraint | "stale"
): Obligation =>
  obligation(
    `commit.atomic.${id}`,
    `a commit with ${what} leaves nothing behind, and spoils no later one`,
    function* () {
      yield* commit({ writes: [write.agent(kept)], idempotency: sampleReply(1) })
      if (expected === "stale") yield* expectStale(loaded(part), { kind: "agent", id: kept.id })
      else yield* expectTaken(loaded(part), expected)
      yield* expectNothing
      yield* commit(loaded({}))
      const store = yield* Store
      expectSame(yield* store.agents.byId(kept.id), keptNext)
      const events = yield* eventsBehind(0, 2)
      expectSame(
        events.map(({ event }) => event.id),
        [sampleId("event", 90), sampleId("event", 91)]
      )
    }
  )

const atomicity: ReadonlyArray<Obligation> = [
  atomic("stale", "a stale write", { writes: [write.agent(keptNext, 2)] }, "stale"),
  atomic("insert", "an entity that exists already", { writes: [write.agent(kept)] }, "stale"),
  atomic("reliance", "a stale reliance", { reliesOn: [{ kind: "agent", id: kept.id, version: 2 }] }, "stale"),
  atomic(
    "unique",
    "something that is taken",
    { writes: [write.agent(sampleAgent(2, { handle: kept.handle }))] },
    "agent_handle"
  ),
  atomic("idempotency", "a used idempotency record", { idempotency: sampleReply(1) }, "idempotency")
]

const versions: ReadonlyArray<Obligation> = [
  obligation(
    "commit.replaces",
    "a write is refused unless it replaces the present version, for every kind",
    function* () {
      for (const { kind, id, write, read } of specimens) {
        yield* expectStale({ writes: [write(2, 1)] }, { kind, id })
        assert.isUndefined(yield* read, kind)
        yield* put(write(1, null))
        yield* expectStale({ writes: [write(3, 2)] }, { kind, id })
        yield* put(write(2, 1))
        yield* expectStale({ writes: [write(2, 1)] }, { kind, id })
        assert.strictEqual((yield* read)?.version, 2, kind)
      }
    }
  ),

  obligation("commit.inserts", "an entity that exists cannot come to be again, for every kind", function* () {
    for (const { kind, id, write, read } of specimens) {
      yield* put(write(1, null))
      yield* put(write(2, 1))
      yield* expectStale({ writes: [write(1, null)] }, { kind, id })
      assert.strictEqual((yield* read)?.version, 2, kind)
    }
  }),

  obligation("commit.entries", "an entry whose place in the transcript is taken is stale", function* () {
    const store = yield* Store
    const entry = sampleEntry(1)
    yield* put(write.entry(entry))
    const rival = sampleEntry(1, { id: sampleId("entry", 2), body: { text: "No, me" } })
    yield* expectStale({ writes: [write.entry(rival)] }, { kind: "entry", id: rival.id })
    yield* expectStale({ writes: [write.entry({ ...entry, seq: 2 })] }, { kind: "entry", id: entry.id })
    expectSame(yield* store.rooms.entries(entry.roomId, 0, 100), [entry])
  }),

  obligation(
    "commit.relies-on",
    "a commit is refused when what it relied upon has another version, for every kind",
    function* () {
      const store = yield* Store
      const agent = sampleAgent(50)
      for (const { kind, id, write: writeVersion, read } of specimens) {
        const change = (version: number): Partial<Commit> => ({
          writes: [write.agent(agent)],
          reliesOn: [{ kind, id, version }]
        })
        yield* expectStale(change(1), { kind, id })
        yield* put(writeVersion(1, null))
        yield* put(writeVersion(2, 1))
        yield* expectStale(change(1), { kind, id })
        yield* expectStale(change(3), { kind, id })
        assert.isUndefined(yield* store.agents.byId(agent.id), kind)
        yield* commit({ reliesOn: [{ kind, id, version: 2 }] })
        assert.strictEqual((yield* read)?.version, 2, kind)
      }
    }
  ),

  obligation(
    "commit.relies-and-writes",
    "a commit whose reliances hold is written, what it relies upon unchanged",
    function* () {
      const store = yield* Store
      const [agent, rfq, quote] = [sampleAgent(1), sampleRfq(1), sampleQuote(1)]
      yield* put(write.agent(agent), write.rfq(rfq))
      yield* commit({
        writes: [write.quote(quote), write.rfq(revised(rfq, { quoteCount: 1 }, moment(1)), 1)],
        reliesOn: [
          { kind: "agent", id: agent.id, version: 1 },
          { kind: "rfq", id: rfq.id, version: 1 }
        ]
      })
      expectSame(yield* store.quotes.byId(quote.id), quote)
      expectSame(yield* store.agents.byId(agent.id), agent)
      assert.strictEqual((yield* store.rfqs.byId(rfq.id))?.version, 2)
    }
  ),

  obligation(
    "commit.all-kinds",
    "one commit can write every kind of entity, and all of it is seen",
    function* () {
      const store = yield* Store
      yield* put(...companions)
      expectSame(yield* store.agents.byId(sampleId("agent", 90)), sampleAgent(90))
      expectSame(yield* store.keys.byDigest(sampleKey(90).digest), sampleKey(90))
      expectSame(yield* store.listings.byId(sampleId("listing", 90)), sampleListing(90))
      expectSame(yield* store.requests.byId(sampleId("request", 90)), sampleRequest(90))
      expectSame(yield* store.rfqs.byId(sampleId("rfq", 90)), sampleRfq(90))
      expectSame(yield* store.quotes.byId(sampleId("quote", 90)), sampleQuote(90))
      expectSame(yield* store.rooms.byId(sampleId("deal_room", 90)), sampleRoom(90))
      expectSame(yield* store.rooms.offer(sampleId("offer", 90)), sampleOffer(90))
      expectSame(yield* store.reviews.ofRoom(sampleId("deal_room", 90)), [sampleReview(90)])
      expectSame(yield* store.matches.byId(sampleId("match", 90)), sampleMatch(90))
      expectSame(yield* store.webhooks.byId(sampleId("webhook", 90)), sampleWebhook(90))
      expectSame(yield* store.tasks.byId(sampleId("task", 90)), sampleTask(90))
      expectSame(yield* store.holds.byId(sampleId("hold", 90)), sampleHold(90))
      expectSame(yield* store.bookmarks.byId(sampleBookmark(90).id), sampleBookmark(90))
      expectSame(yield* store.rooms.entries(sampleId("deal_room", 1), 0, 100), [sampleEntry(90)])
    }
  ),

  obligation("commit.any-order", "a commit may write an entity before those that it names", function* () {
    const store = yield* Store
    const [one, other] = [sampleAgent(91), sampleAgent(92)]
    const [buyerId, sellerId, roomId] = [one.id, other.id, sampleId("deal_room", 91)]
    const rfq = sampleRfq(91, { agentId: buyerId, visibility: "invited", invitees: [sellerId] })
    const quote = sampleQuote(91, { rfqId: rfq.id, agentId: sellerId })
    const named = { agentId: sellerId }
    yield* put(
      write.match(sampleMatch(91, { buyerId, sellerId })),
      write.review(sampleReview(91, { byId: buyerId, ofId: sellerId })),
      write.entry(sampleEntry(91, { roomId })),
      write.offer(sampleOffer(91, { roomId, fromId: buyerId })),
      write.quote(quote),
      write.room(sampleRoom(91, { buyerId, sellerId })),
      write.rfq(rfq),
      write.listing(sampleListing(91, named)),
      write.webhook(sampleWebhook(91, named)),
      write.key(sampleKey(91, named)),
      write.agent(one),
      write.agent(other)
    )
    expectSame(yield* store.quotes.byId(quote.id), quote)
    expectSame(yield* store.rfqs.byId(rfq.id), rfq)
  })
]

const taken = (
  constraint: Constraint,
  sentence: string,
  check: Parameters<typeof obligation>[2]
): Obligation => obligation(`unique.${constraint}`, sentence, check)

const uniqueness: ReadonlyArray<Obligation> = [
  taken("agent_handle", "a handle has one agent, until that agent lets go of it", function* () {
    const store = yield* Store
    const [first, second] = [sampleAgent(1, { handle: "atlas" }), sampleAgent(2, { handle: "atlas" })]
    yield* put(write.agent(first))
    yield* expectTaken({ writes: [write.agent(second)] }, "agent_handle")
    const other = sampleAgent(3, { handle: "other" })
    yield* put(write.agent(other))
    yield* expectTaken(
      { writes: [write.agent(revised(other, { handle: "atlas" }, epoch), 1)] },
      "agent_handle"
    )
    const closed = revised(first, { status: "closed" }, epoch)
    yield* put(write.agent(closed, 1))
    yield* expectTaken({ writes: [write.agent(second)] }, "agent_handle")
    const renamed = revised(closed, { handle: "atlas-closed" }, epoch)
    yield* put(write.agent(renamed, 2), write.agent(second))
    expectSame(yield* store.agents.byHandle("atlas"), second)
    expectSame(yield* store.agents.byHandle("atlas-closed"), renamed)
  }),

  taken("key_digest", "a digest has one key", function* () {
    const store = yield* Store
    const key = sampleKey(1)
    yield* put(write.key(key))
    yield* expectTaken({ writes: [write.key(sampleKey(2, { digest: key.digest }))] }, "key_digest")
    yield* put(write.key(revised(key, { lastUsedAt: moment(1) }, moment(1)), 1))
    assert.strictEqual((yield* store.keys.byDigest(key.digest))?.id, key.id)
  }),

  taken(
    "active_quote",
    "an agent has one active quote for an RFQ, and may quote again after withdrawing",
    function* () {
      const store = yield* Store
      const first = sampleQuote(1)
      const again = sampleQuote(2, { agentId: first.agentId })
      yield* put(write.quote(first))
      yield* expectTaken({ writes: [write.quote(again)] }, "active_quote")
      const inactive = sampleQuote(3, { agentId: first.agentId, status: "withdrawn" })
      yield* put(write.quote(inactive))
      yield* put(write.quote(sampleQuote(4, { agentId: first.agentId, rfqId: sampleId("rfq", 2) })))
      const higher = revised(first, { revision: 2 }, moment(1))
      yield* put(write.quote(higher, 1))
      const withdrawn = revised(higher, { status: "withdrawn" }, moment(2))
      yield* put(write.quote(withdrawn, 2))
      yield* put(write.quote(again))
      expectSame(yield* store.quotes.activeOf(first.rfqId, first.agentId), again)
      yield* expectTaken(
        { writes: [write.quote(revised(withdrawn, { status: "active" }, epoch), 3)] },
        "active_quote"
      )
    }
  ),

  obligation(
    "unique.within-a-commit",
    "a commit may let go of what its next write takes, and not take a thing twice",
    function* () {
      const store = yield* Store
      const first = sampleQuote(1)
      const again = sampleQuote(2, { agentId: first.agentId })
      yield* put(write.quote(first))
      const twins = [3, 4].map((n) => write.agent(sampleAgent(n, { handle: "twin" })))
      const requote = [write.quote(revised(first, { status: "withdrawn" }, epoch), 1), write.quote(again)]
      yield* expectTaken({ writes: [...requote, ...twins] }, "agent_handle")
      expectSame(yield* store.quotes.activeOf(first.rfqId, first.agentId), first)
      assert.isUndefined(yield* store.agents.byHandle("twin"))
      yield* put(...requote)
      expectSame(yield* store.quotes.activeOf(first.rfqId, first.agentId), again)
    }
  ),

  taken("room_review", "each side reviews a room once", function* () {
    const store = yield* Store
    const review = sampleReview(1)
    yield* put(write.review(review))
    yield* expectTaken({ writes: [write.review(sampleReview(2, { roomId: review.roomId }))] }, "room_review")
    const answer = sampleReview(3, { roomId: review.roomId, byId: review.ofId, ofId: review.byId })
    yield* put(write.review(answer), write.review(sampleReview(4)))
    const published = revised(review, { publishedAt: moment(60) }, moment(60))
    yield* put(write.review(published, 1))
    const reviews = yield* store.reviews.ofRoom(review.roomId)
    expectSame(
      reviews.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      [published, answer]
    )
  }),

  taken("idempotency", "an Idempotency-Key has one record, kept as it was written", function* () {
    const store = yield* Store
    const record = sampleReply(1)
    yield* commit({ idempotency: record })
    expectSame(yield* store.idempotency.byId(record.id), record)
    const rival = sampleReply(1, { reply: "another", createdAt: moment(1), expiresAt: moment(99_999) })
    yield* expectTaken({ idempotency: rival }, "idempotency")
    expectSame(yield* store.idempotency.byId(record.id), record)
    yield* commit({ idempotency: sampleReply(2) })
  }),

  obligation(
    "idempotency.expiry",
    "a record that has expired gives way to one that is made then",
    function* () {
      const store = yield* Store
      const record = sampleReply(1, { expiresAt: moment(100) })
      yield* commit({ idempotency: record })
      const early = sampleReply(1, { createdAt: moment(99.999), expiresAt: moment(200), reply: "early" })
      yield* expectTaken({ idempotency: early }, "idempotency")
      const next = sampleReply(1, { createdAt: moment(100), expiresAt: moment(200), reply: "next" })
      yield* commit({ idempotency: next })
      expectSame(yield* store.idempotency.byId(record.id), next)
    }
  )
]

export const commitObligations: ReadonlyArray<Obligation> = [...atomicity, ...versions, ...uniqueness]
