/** What the readers of agents, keys, quotes, rooms and reviews must answer. */
import { assert } from "@effect/vitest"
import { revised, Store } from "@souk/core"
import {
  moment,
  sampleAgent,
  sampleEntry,
  sampleId,
  sampleKey,
  sampleListing,
  sampleMatch,
  sampleOffer,
  sampleQuote,
  sampleRequest,
  sampleReview,
  sampleRfq,
  sampleRoom,
  write
} from "../fixtures.ts"
import { expectSame, idsOf, obligation, put, putEach, type Obligation } from "./Obligation.ts"
import { specimens } from "./specimens.ts"

const page = { limit: 100 }

export const readerObligations: ReadonlyArray<Obligation> = [
  obligation("ready", "an empty store is ready", function* () {
    const store = yield* Store
    yield* store.ready
  }),

  obligation(
    "read.absent",
    "what was never written is undefined, and an empty list says that nothing follows",
    function* () {
      const store = yield* Store
      for (const specimen of specimens) assert.isUndefined(yield* specimen.read, specimen.kind)
      assert.isUndefined(yield* store.agents.byHandle("nobody"))
      assert.isUndefined(yield* store.quotes.activeOf(sampleId("rfq", 1), sampleId("agent", 1)))
      assert.isUndefined(yield* store.idempotency.byId("none"))
      expectSame(yield* store.agents.list(page), { items: [], hasMore: false })
      expectSame(yield* store.listings.list({}, page), { items: [], hasMore: false })
      expectSame(yield* store.requests.list({ states: [{ status: "open" }] }, page), {
        items: [],
        hasMore: false
      })
      expectSame(yield* store.rfqs.list({ states: [{ status: "open" }] }, page), {
        items: [],
        hasMore: false
      })
      expectSame(yield* store.quotes.list({ rfqId: sampleId("rfq", 1) }, page), { items: [], hasMore: false })
      expectSame(yield* store.rooms.list({ participant: sampleId("agent", 1) }, page), {
        items: [],
        hasMore: false
      })
      expectSame(yield* store.matches.list({ party: sampleId("agent", 1) }, page), {
        items: [],
        hasMore: false
      })
      expectSame(yield* store.webhooks.ofAgent(sampleId("agent", 1)), [])
      expectSame(yield* store.webhooks.active(page), { items: [], hasMore: false })
      expectSame(yield* store.tasks.queuesDue("delivery", moment(0), [], 9), [])
      expectSame(yield* store.holds.list("held", page), { items: [], hasMore: false })
      expectSame(yield* store.quotes.allActive(sampleId("rfq", 1)), [])
      expectSame(yield* store.rooms.entries(sampleId("deal_room", 1), 0, 100), [])
      expectSame(yield* store.reviews.ofRoom(sampleId("deal_room", 1)), [])
    }
  ),

  obligation("read.latest-version", "a read gives the newest version that was committed", function* () {
    for (const specimen of specimens) {
      yield* put(specimen.write(1, null))
      assert.strictEqual((yield* specimen.read)?.version, 1, specimen.kind)
      yield* put(specimen.write(2, 1))
      assert.strictEqual((yield* specimen.read)?.version, 2, specimen.kind)
    }
  }),

  obligation(
    "read.by-ids",
    "reads by several ids give those that exist and leave out the rest",
    function* () {
      const store = yield* Store
      yield* put(...[1, 2, 3].map((n) => write.agent(sampleAgent(n))))
      for (const n of [1, 2, 3]) {
        yield* put(write.listing(sampleListing(n)), write.rfq(sampleRfq(n)))
        yield* put(write.request(sampleRequest(n)), write.match(sampleMatch(n)))
        yield* put(write.quote(sampleQuote(n)))
      }
      const sorted = (items: ReadonlyArray<{ readonly id: string }>) => items.map(({ id }) => id).toSorted()
      const agents = [3, 9, 1].map((n) => sampleId("agent", n))
      const listings = [3, 9, 1].map((n) => sampleId("listing", n))
      const requests = [3, 9, 1].map((n) => sampleId("request", n))
      const rfqs = [3, 9, 1].map((n) => sampleId("rfq", n))
      const quotes = [3, 9, 1].map((n) => sampleId("quote", n))
      const matches = [3, 9, 1].map((n) => sampleId("match", n))
      expectSame(sorted(yield* store.agents.byIds(agents)), [agents[2], agents[0]])
      expectSame(sorted(yield* store.listings.byIds(listings)), [listings[2], listings[0]])
      expectSame(sorted(yield* store.requests.byIds(requests)), [requests[2], requests[0]])
      expectSame(sorted(yield* store.rfqs.byIds(rfqs)), [rfqs[2], rfqs[0]])
      expectSame(sorted(yield* store.quotes.byIds(quotes)), [quotes[2], quotes[0]])
      expectSame(sorted(yield* store.matches.byIds(matches)), [matches[2], matches[0]])
      expectSame(yield* store.agents.byIds([]), [])
      expectSame(yield* store.listings.byIds([]), [])
      expectSame(yield* store.requests.byIds([]), [])
      expectSame(yield* store.rfqs.byIds([]), [])
      expectSame(yield* store.matches.byIds([]), [])
    }
  ),

  obligation("agents.by-handle", "an agent is found by its handle, whatever its status", function* () {
    const store = yield* Store
    const closed = sampleAgent(2, { handle: "bazaar_2", status: "closed" })
    yield* put(write.agent(sampleAgent(1, { handle: "bazaar" })), write.agent(closed))
    assert.strictEqual((yield* store.agents.byHandle("bazaar"))?.id, sampleId("agent", 1))
    expectSame(yield* store.agents.byHandle("bazaar_2"), closed)
    assert.isUndefined(yield* store.agents.byHandle("bazaarx2"))
  }),

  obligation(
    "agents.list-active",
    "the list of agents holds the active ones, and follows their status",
    function* () {
      const store = yield* Store
      const agent = sampleAgent(2)
      yield* put(
        write.agent(sampleAgent(1)),
        write.agent(agent),
        write.agent(sampleAgent(3, { status: "closed" }))
      )
      expectSame(idsOf(yield* store.agents.list(page)), [sampleId("agent", 2), sampleId("agent", 1)])
      const suspended = revised(agent, { status: "suspended" }, moment(1))
      yield* put(write.agent(suspended, 1))
      expectSame(idsOf(yield* store.agents.list(page)), [sampleId("agent", 1)])
      yield* put(write.agent(revised(suspended, { status: "active" }, moment(2)), 2))
      expectSame(idsOf(yield* store.agents.list(page)), [sampleId("agent", 2), sampleId("agent", 1)])
    }
  ),

  obligation("keys.by-digest", "a key is found by its digest, revoked or not", function* () {
    const store = yield* Store
    const key = sampleKey(1)
    yield* put(write.key(key), write.key(sampleKey(2)))
    expectSame(yield* store.keys.byDigest(key.digest), key)
    const revoked = revised(key, { revokedAt: moment(5) }, moment(5))
    yield* put(write.key(revoked, 1))
    expectSame(yield* store.keys.byDigest(key.digest), revoked)
  }),

  obligation(
    "quotes.active",
    "the active quotes of an RFQ are those whose stored status is active",
    function* () {
      const store = yield* Store
      const rfqId = sampleId("rfq", 1)
      const quotes = [1, 2, 3].map((n) => sampleQuote(n))
      yield* putEach(quotes.map((quote) => write.quote(quote)))
      yield* put(write.quote(sampleQuote(4, { rfqId: sampleId("rfq", 2) })))
      const ids = (items: ReadonlyArray<{ readonly id: string }>) => items.map(({ id }) => id).toSorted()
      expectSame(ids(yield* store.quotes.allActive(rfqId)), ids(quotes))
      assert.strictEqual(
        (yield* store.quotes.activeOf(rfqId, sampleId("agent", 2)))?.id,
        sampleId("quote", 2)
      )
      assert.isUndefined(yield* store.quotes.activeOf(rfqId, sampleId("agent", 4)))
      for (const [n, status] of [
        [1, "withdrawn"],
        [2, "declined"]
      ] as const) {
        yield* put(write.quote(revised(sampleQuote(n), { status }, moment(1)), 1))
        assert.isUndefined(yield* store.quotes.activeOf(rfqId, sampleId("agent", n)))
      }
      expectSame(ids(yield* store.quotes.allActive(rfqId)), [sampleId("quote", 3)])
    }
  ),

  obligation(
    "quotes.list",
    "quotes are listed by RFQ, by agent, or by both, whatever their status",
    function* () {
      const store = yield* Store
      const [rfq1, rfq2] = [sampleId("rfq", 1), sampleId("rfq", 2)]
      const [agent1, agent2] = [sampleId("agent", 1), sampleId("agent", 2)]
      yield* putEach([
        write.quote(sampleQuote(1, { rfqId: rfq1, agentId: agent1, status: "withdrawn" })),
        write.quote(sampleQuote(2, { rfqId: rfq1, agentId: agent2 })),
        write.quote(sampleQuote(3, { rfqId: rfq2, agentId: agent1 })),
        write.quote(sampleQuote(4, { rfqId: rfq1, agentId: agent1 }))
      ])
      const quotes = (...numbers: ReadonlyArray<number>) => numbers.map((n) => sampleId("quote", n))
      expectSame(idsOf(yield* store.quotes.list({ rfqId: rfq1 }, page)), quotes(4, 2, 1))
      expectSame(idsOf(yield* store.quotes.list({ agentId: agent1 }, page)), quotes(4, 3, 1))
      expectSame(idsOf(yield* store.quotes.list({ rfqId: rfq1, agentId: agent1 }, page)), quotes(4, 1))
      expectSame(idsOf(yield* store.quotes.list({ rfqId: rfq2, agentId: agent2 }, page)), [])
    }
  ),

  obligation("rooms.list", "the rooms of an agent are those in which it buys or sells", function* () {
    const store = yield* Store
    const [a, b, c] = [sampleId("agent", 1), sampleId("agent", 2), sampleId("agent", 3)]
    yield* putEach([
      write.room(sampleRoom(1, { buyerId: a, sellerId: b })),
      write.room(sampleRoom(2, { buyerId: b, sellerId: a, status: "declined", turn: null })),
      write.room(sampleRoom(3, { buyerId: b, sellerId: c }))
    ])
    const rooms = (...numbers: ReadonlyArray<number>) => numbers.map((n) => sampleId("deal_room", n))
    expectSame(idsOf(yield* store.rooms.list({ participant: a }, page)), rooms(2, 1))
    expectSame(idsOf(yield* store.rooms.list({ participant: b }, page)), rooms(3, 2, 1))
    expectSame(idsOf(yield* store.rooms.list({ participant: c }, page)), rooms(3))
    expectSame(idsOf(yield* store.rooms.list({ participant: sampleId("agent", 4) }, page)), [])
  }),

  obligation("rooms.offer", "an offer is found by its id in its present state", function* () {
    const store = yield* Store
    const offer = sampleOffer(1)
    yield* put(write.offer(offer), write.offer(sampleOffer(2)))
    const rejected = revised(offer, { status: "rejected" }, moment(1))
    yield* put(write.offer(rejected, 1))
    expectSame(yield* store.rooms.offer(offer.id), rejected)
    expectSame(yield* store.rooms.offer(sampleId("offer", 2)), sampleOffer(2))
  }),

  obligation(
    "rooms.entries",
    "a transcript is read by seq, from behind a place, at most so many entries",
    function* () {
      const store = yield* Store
      const roomId = sampleId("deal_room", 1)
      const entries = Array.from({ length: 12 }, (_, i) => sampleEntry(i + 1))
      yield* put(...entries.slice(0, 4).map(write.entry))
      yield* put(...entries.slice(4).map(write.entry))
      yield* put(write.entry(sampleEntry(1, { id: sampleId("entry", 99), roomId: sampleId("deal_room", 2) })))
      expectSame(yield* store.rooms.entries(roomId, 0, 100), entries)
      expectSame(yield* store.rooms.entries(roomId, 0, 5), entries.slice(0, 5))
      expectSame(yield* store.rooms.entries(roomId, 8, 3), entries.slice(8, 11))
      expectSame(yield* store.rooms.entries(roomId, 12, 10), [])
    }
  ),

  obligation(
    "reviews.of-room",
    "the reviews of a room are those of its sides, published or not",
    function* () {
      const store = yield* Store
      const [a, b] = [sampleId("agent", 1), sampleId("agent", 2)]
      const mine = sampleReview(1, { byId: a, ofId: b, publishedAt: moment(600) })
      const theirs = sampleReview(2, { roomId: mine.roomId, byId: b, ofId: a })
      yield* putEach([mine, theirs, sampleReview(3)].map((review) => write.review(review)))
      const reviews = yield* store.reviews.ofRoom(mine.roomId)
      expectSame(
        reviews.toSorted((x, y) => x.rating - y.rating || (x.id < y.id ? -1 : 1)),
        [mine, theirs]
      )
    }
  ),

  obligation(
    "reviews.published",
    "an agent's reviews are read once they are published, from that moment on",
    function* () {
      const store = yield* Store
      const [a, b] = [sampleId("agent", 1), sampleId("agent", 2)]
      yield* putEach([
        write.review(sampleReview(1, { publishedAt: moment(10) })),
        write.review(sampleReview(2, { publishedAt: moment(20) })),
        write.review(sampleReview(3, { byId: b, ofId: a, publishedAt: moment(0) })),
        write.review(sampleReview(4, { publishedAt: moment(5) }))
      ])
      const reviews = (...numbers: ReadonlyArray<number>) => numbers.map((n) => sampleId("review", n))
      expectSame(idsOf(yield* store.reviews.publishedOf(b, moment(4.999), page)), [])
      expectSame(idsOf(yield* store.reviews.publishedOf(b, moment(10), page)), reviews(4, 1))
      expectSame(idsOf(yield* store.reviews.publishedOf(b, moment(20), page)), reviews(4, 2, 1))
      expectSame(idsOf(yield* store.reviews.publishedOf(a, moment(20), page)), reviews(3))
    }
  )
]
