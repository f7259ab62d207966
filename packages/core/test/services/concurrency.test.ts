import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Exit, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import {
  Agents,
  DealRooms,
  Listings,
  MemoryStore,
  Quotes,
  Rfqs,
  Store,
  verifyTranscript
} from "../../src/index.ts"
import type { PageRequest, QuoteFilter } from "../../src/index.ts"
import {
  agreeDeal,
  callForQuotes,
  codeOf,
  deliverDeal,
  distantMarket,
  distantStore,
  history,
  join,
  listingInput,
  negotiate,
  nodeOn,
  offerIn,
  submitQuote,
  terms,
  transcriptOf
} from "../fixtures.ts"

const crowd = (size: number) => Effect.forEach(Array.from({ length: size }), (_, n) => join(`agent-${n}`))

const atOnce = { concurrency: "unbounded" } as const

const count = (codes: ReadonlyArray<string>, code: string): number =>
  codes.filter((each) => each === code).length

describe("at the same time", () => {
  it.effect("twenty sellers quote for one RFQ, and each is counted", () =>
    Effect.gen(function* () {
      const buyer = yield* join("buyer")
      const sellers = yield* crowd(20)
      const rfq = yield* callForQuotes(buyer)
      yield* Effect.forEach(sellers, (seller) => submitQuote(seller, rfq.id), atOnce)
      assert.strictEqual((yield* (yield* Rfqs).get(buyer, rfq.id)).quoteCount, 20)
      assert.strictEqual((yield* (yield* Quotes).ofRfq(buyer, rfq.id, { limit: 100 })).items.length, 20)
    }).pipe(Effect.provide(distantMarket))
  )

  it.effect("no more than maxQuotes quotes are taken", () =>
    Effect.gen(function* () {
      const buyer = yield* join("buyer")
      const sellers = yield* crowd(8)
      const rfq = yield* callForQuotes(buyer, { maxQuotes: 3 })
      const codes = yield* Effect.forEach(sellers, (seller) => codeOf(submitQuote(seller, rfq.id)), atOnce)
      assert.deepStrictEqual([count(codes, "done"), count(codes, "limit_reached")], [3, 5])
    }).pipe(Effect.provide(distantMarket))
  )

  it.effect(
    "who gives up the last place is not told that there is none, when he quotes again meanwhile",
    () => {
      const meanwhile: { does: Effect.Effect<unknown> } = { does: Effect.void }
      /** Between reading the RFQ and reading one's quotes, something happens. */
      const slowStore = Layer.effect(
        Store,
        Effect.map(Store, (store) => ({
          ...store,
          quotes: {
            ...store.quotes,
            list: (filter: QuoteFilter, page: PageRequest) =>
              Effect.andThen(
                Effect.suspend(() => {
                  const { does } = meanwhile
                  meanwhile.does = Effect.void
                  return does
                }),
                store.quotes.list(filter, page)
              )
          }
        }))
      ).pipe(Layer.provide(MemoryStore.layer))
      return Effect.gen(function* () {
        const [one, two] = [yield* nodeOn(1), yield* nodeOn(2)]
        const [buyer, seller] = yield* Effect.provide(Effect.all([join("buyer"), join("seller")]), one)
        const rfq = yield* Effect.provide(callForQuotes(buyer, { maxQuotes: 1 }), one)
        const quote = yield* Effect.provide(submitQuote(seller, rfq.id), one)
        meanwhile.does = Quotes.use((quotes) => quotes.withdraw(seller, quote.id, undefined)).pipe(
          Effect.provide(two),
          Effect.exit
        )
        assert.strictEqual(yield* codeOf(Effect.provide(submitQuote(seller, rfq.id), one)), "done")
      }).pipe(Effect.provide(slowStore))
    }
  )

  it.effect("an agent that quotes twice has one quote", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* Effect.all([join("buyer"), join("seller")])
      const rfq = yield* callForQuotes(buyer)
      const codes = yield* Effect.forEach([1, 2, 3], () => codeOf(submitQuote(seller, rfq.id)), atOnce)
      assert.deepStrictEqual([count(codes, "done"), count(codes, "already_quoted")], [1, 2])
    }).pipe(Effect.provide(distantMarket))
  )

  it.effect("ten awards and an acceptance of the same RFQ come to one deal", () =>
    Effect.gen(function* () {
      const buyer = yield* join("buyer")
      const sellers = yield* crowd(5)
      const rooms = yield* DealRooms
      const rfq = yield* callForQuotes(buyer)
      const quotes = yield* Effect.forEach(sellers, (seller) => submitQuote(seller, rfq.id))
      const [first] = quotes
      const [rival] = sellers
      assert(first !== undefined && rival !== undefined)
      const opened = yield* rooms.open(buyer, { quoteId: first.id, offer: { terms: terms("1") } })
      const offer = offerIn(opened.value)
      const award = (quoteId: typeof first.id) =>
        Effect.flatMap(Rfqs, (rfqs) => rfqs.award(buyer, rfq.id, { quoteId }))
      const codes = yield* Effect.all(
        [
          ...[...quotes, ...quotes].map((quote) => codeOf(award(quote.id))),
          codeOf(rooms.accept(rival, opened.value.id, offer.id, { termsDigest: offer.termsDigest }))
        ],
        atOnce
      )
      assert.deepStrictEqual([count(codes, "done"), count(codes, "invalid_state")], [1, 10])
      const events = (yield* history).map(({ event }) => event.type)
      assert.strictEqual(count(events, "rfq.awarded"), 1)
      assert.strictEqual(count(events, "quote.awarded"), 1)
      assert.strictEqual(count(events, "quote.not_selected"), 4)
      assert.strictEqual(count(events, "deal_room.agreed"), 1)
    }).pipe(Effect.provide(distantMarket))
  )

  it.effect("two acceptances of one offer are one agreement", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* Effect.all([join("buyer"), join("seller")])
      const rooms = yield* DealRooms
      const room = yield* negotiate(buyer, seller)
      const { id, termsDigest } = offerIn(room)
      const accept = codeOf(rooms.accept(seller, room.id, id, { termsDigest }))
      assert.sameMembers([...(yield* Effect.all([accept, accept], atOnce))], ["done", "invalid_state"])
      const transcript = yield* transcriptOf(buyer, room.id)
      assert.isTrue(Result.isSuccess(verifyTranscript(transcript)))
      assert.strictEqual(transcript.filter(({ body }) => body["event"] === "deal_room.agreed").length, 1)
    }).pipe(Effect.provide(distantMarket))
  )

  it.effect("many messages of both sides make one unbroken transcript", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* Effect.all([join("buyer"), join("seller")])
      const rooms = yield* DealRooms
      const room = yield* negotiate(buyer, seller)
      yield* Effect.forEach(
        Array.from({ length: 30 }),
        (_, n) => rooms.say(n % 2 === 0 ? buyer : seller, room.id, { text: `Message ${n}` }),
        atOnce
      )
      const transcript = yield* transcriptOf(buyer, room.id)
      assert.strictEqual(transcript.filter(({ kind }) => kind === "message").length, 30)
      const head = Result.getOrThrow(verifyTranscript(transcript))
      const { entryCount, headHash } = yield* rooms.get(seller, room.id)
      assert.deepStrictEqual(head, { entryCount, headHash })
    }).pipe(Effect.provide(distantMarket))
  )

  it.effect("twenty deals of one seller are completed, and each counts", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* Effect.all([join("buyer"), join("seller")])
      const deals = yield* Effect.forEach(Array.from({ length: 20 }), () => deliverDeal(buyer, seller))
      const rooms = yield* DealRooms
      yield* Effect.forEach(deals, ({ id }) => rooms.complete(buyer, id), atOnce)
      const { reputation } = yield* (yield* Agents).profile("seller")
      assert.strictEqual(reputation.completedDeals, 20)
    }).pipe(Effect.provide(distantMarket))
  )

  it.effect("an account is closed while others deal with it: nothing of it stays on the market", () =>
    Effect.gen(function* () {
      const [buyer, seller, other] = yield* Effect.all([join("buyer"), join("seller"), join("other")])
      const rooms = yield* DealRooms
      const rfq = yield* callForQuotes(buyer)
      yield* Effect.all(
        [
          // Both have read that the account is open, and commit before it is closed: too late to be read by the closing.
          Effect.exit(submitQuote(seller, rfq.id)),
          Effect.exit(negotiate(other, seller)),
          Effect.exit((yield* Agents).close(seller)),
          Effect.exit((yield* Listings).publish(seller, listingInput())),
          Effect.exit(callForQuotes(seller))
        ],
        atOnce
      )
      const store = yield* Store
      assert.strictEqual((yield* (yield* Agents).me(seller)).status, "closed")
      assert.strictEqual((yield* store.quotes.allActive(rfq.id)).length, 0)
      const own = { agentId: seller }
      const listings = yield* store.listings.list({ ...own, status: "active" }, { limit: 9 })
      const rfqs = yield* store.rfqs.list(
        { ...own, viewer: "market", states: [{ status: "open" }] },
        { limit: 9 }
      )
      assert.deepStrictEqual([listings.items, rfqs.items], [[], []])
      const talks = (yield* rooms.list(other, {})).items.map(({ status }) => status)
      assert.deepStrictEqual(talks, ["declined"])
    }).pipe(Effect.provide(distantMarket))
  )
})

describe("on two nodes with one store", () => {
  const nodes = Effect.all([nodeOn(1), nodeOn(2)])

  it.effect("quotes, awards and acceptances are settled as on one", () =>
    Effect.gen(function* () {
      const [a, b] = yield* nodes
      const buyer = yield* Effect.provide(join("buyer"), a)
      const sellers = yield* Effect.provide(crowd(6), b)
      const rfq = yield* Effect.provide(callForQuotes(buyer), a)
      const quotes = yield* Effect.forEach(
        sellers,
        (seller, n) => Effect.provide(submitQuote(seller, rfq.id), n % 2 === 0 ? a : b),
        atOnce
      )
      const codes = yield* Effect.forEach(
        quotes,
        ({ id }, n) =>
          codeOf(
            Effect.flatMap(Rfqs, (rfqs) => rfqs.award(buyer, rfq.id, { quoteId: id })).pipe(
              Effect.provide(n % 2 === 0 ? a : b)
            )
          ),
        atOnce
      )
      assert.deepStrictEqual([count(codes, "done"), count(codes, "invalid_state")], [1, 5])
    }).pipe(Effect.provide(distantStore))
  )

  it.effect("a seller's latest quote is the one that was made last, whatever the nodes' clocks say", () =>
    Effect.gen(function* () {
      const [ahead, behind] = yield* nodes
      const [buyer, seller, rival] = yield* Effect.all([join("buyer"), join("seller"), join("rival")])
      const rfq = yield* callForQuotes(buyer, { maxQuotes: 2 })
      const now = yield* Clock.currentTimeMillis
      yield* TestClock.setTime(now + 4000)
      const first = yield* Effect.provide(submitQuote(seller, rfq.id), ahead)
      yield* (yield* Quotes).withdraw(seller, first.id, undefined)
      yield* TestClock.setTime(now)
      const second = yield* Effect.provide(submitQuote(seller, rfq.id), behind)
      yield* (yield* Quotes).decline(buyer, second.id, undefined)
      // What was declined keeps its place: whoever quotes again takes no other.
      const third = yield* Effect.provide(submitQuote(seller, rfq.id), behind)
      assert.strictEqual((yield* (yield* Rfqs).get(buyer, rfq.id)).quoteCount, 1)
      const { items } = yield* (yield* Quotes).mine(seller, {})
      assert.deepStrictEqual(
        items.map(({ id }) => id),
        [third.id, second.id, first.id]
      )
      assert.strictEqual(yield* codeOf(submitQuote(rival, rfq.id)), "done")
    }).pipe(Effect.provide(distantMarket))
  )

  it.effect("a handle is taken once", () =>
    Effect.gen(function* () {
      const [a, b] = yield* nodes
      const codes = yield* Effect.all(
        [codeOf(Effect.provide(join("Atlas"), a)), codeOf(Effect.provide(join("atlas"), b))],
        atOnce
      )
      assert.sameMembers([...codes], ["done", "handle_taken"])
    }).pipe(Effect.provide(distantStore))
  )

  it.effect("the reviews of both sides are published together, and counted once", () =>
    Effect.gen(function* () {
      const [a, b] = yield* nodes
      const story = Effect.gen(function* () {
        const [buyer, seller] = yield* Effect.all([join("buyer"), join("seller")])
        const { id } = yield* deliverDeal(buyer, seller)
        yield* (yield* DealRooms).complete(buyer, id)
        return { buyer, seller, id }
      })
      const { buyer, seller, id } = yield* Effect.provide(story, a)
      const review = (by: typeof buyer, rating: number) =>
        Effect.flatMap(DealRooms, (rooms) => rooms.review(by, id, { rating }))
      yield* Effect.all([Effect.provide(review(buyer, 5), a), Effect.provide(review(seller, 3), b)], atOnce)
      const agents = yield* Effect.provide(Agents, b)
      assert.strictEqual((yield* agents.reviews("seller", {})).items.length, 1)
      assert.strictEqual((yield* agents.reviews("buyer", {})).items.length, 1)
      const reputations = [yield* agents.profile("seller"), yield* agents.profile("buyer")].map(
        ({ reputation: { completedDeals, rating, reviewCount } }) => [completedDeals, reviewCount, rating]
      )
      assert.deepStrictEqual(reputations, [
        [1, 1, 5],
        [1, 1, 3]
      ])
    }).pipe(Effect.provide(distantStore))
  )

  it.effect("a request with one Idempotency-Key is done once", () =>
    Effect.gen(function* () {
      const [a, b] = yield* nodes
      const buyer = yield* Effect.provide(join("buyer"), a)
      const options = { idempotency: { scope: `${buyer} POST /api/listings`, key: "k", bodyDigest: "d" } }
      const publish = Effect.flatMap(Listings, (listings) => listings.publish(buyer, listingInput(), options))
      const [first, second] = yield* Effect.all(
        [Effect.provide(publish, a), Effect.provide(publish, b)],
        atOnce
      )
      assert.deepStrictEqual(first.value, second.value)
      assert.sameMembers([first.replayed, second.replayed], [true, false])
      const listed = yield* Effect.provide(
        Effect.flatMap(Listings, (listings) => listings.list(undefined, {})),
        a
      )
      assert.strictEqual(listed.items.length, 1)
    }).pipe(Effect.provide(distantStore))
  )

  it.effect("what time ended is written down once", () =>
    Effect.gen(function* () {
      const [a, b] = yield* nodes
      const buyer = yield* Effect.provide(join("buyer"), a)
      const rfq = yield* Effect.provide(callForQuotes(buyer), a)
      yield* TestClock.adjust("2 days")
      const cancel = Effect.flatMap(Rfqs, (rfqs) => rfqs.move(buyer, rfq.id, "cancel"))
      const exits = yield* Effect.all(
        [Effect.exit(Effect.provide(cancel, a)), Effect.exit(Effect.provide(cancel, b))],
        atOnce
      )
      assert.strictEqual(exits.filter(Exit.isSuccess).length, 1)
      const types = (yield* history).map(({ event }) => event.type)
      assert.deepStrictEqual([count(types, "rfq.closed"), count(types, "rfq.cancelled")], [1, 1])
    }).pipe(Effect.provide(distantStore))
  )

  it.effect("an agreement outlives the account that is closed meanwhile, a negotiation does not", () =>
    Effect.gen(function* () {
      const [a, b] = yield* nodes
      const story = Effect.gen(function* () {
        const [buyer, seller] = yield* Effect.all([join("buyer"), join("seller")])
        return { buyer, seller, deal: yield* agreeDeal(buyer, seller), talk: yield* negotiate(buyer, seller) }
      })
      const { buyer, seller, deal, talk } = yield* Effect.provide(story, a)
      const close = Effect.flatMap(Agents, (agents) => agents.close(buyer))
      const { id, termsDigest } = offerIn(talk)
      const accept = Effect.flatMap(DealRooms, (rooms) => rooms.accept(seller, talk.id, id, { termsDigest }))
      const [, accepted] = yield* Effect.all(
        [Effect.provide(close, a), Effect.exit(Effect.provide(accept, b))],
        atOnce
      )
      const rooms = yield* Effect.provide(DealRooms, b)
      assert.strictEqual((yield* rooms.get(seller, deal.id)).status, "in_progress")
      const status = (yield* rooms.get(seller, talk.id)).status
      assert.strictEqual(status, Exit.isSuccess(accepted) ? "in_progress" : "declined")
    }).pipe(Effect.provide(distantStore))
  )
})
