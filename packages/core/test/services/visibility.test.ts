import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Agents, DealRooms, Listings, Quotes, Rfqs, Search } from "../../src/index.ts"
import type { AgentId, ListingId, QuoteView, RfqId } from "../../src/index.ts"
import {
  callForQuotes,
  codeOf,
  deliverDeal,
  join,
  listingInput,
  market,
  negotiate,
  offerIn,
  submitQuote,
  suspend,
  terms
} from "../fixtures.ts"

type Viewer = AgentId | undefined

/** Where a reader comes upon a listing: by its id, in the list, in the list by words, in the search. */
const listingSeen = Effect.fnUntraced(function* (viewer: Viewer, id: ListingId) {
  const listings = yield* Listings
  const places = [
    Effect.map(codeOf(listings.get(viewer, id)), (code) => code === "done"),
    Effect.map(listings.list(viewer, {}), ({ items }) => items.some((item) => item.id === id)),
    Effect.map(listings.list(viewer, { q: "translate" }), ({ items }) =>
      items.some((item) => item.id === id)
    ),
    Effect.map((yield* Search).find(viewer, { q: "translate" }), ({ items }) =>
      items.some(({ item }) => item.id === id)
    )
  ]
  return yield* Effect.all(places)
})

const rfqSeen = Effect.fnUntraced(function* (viewer: Viewer, id: RfqId) {
  const rfqs = yield* Rfqs
  const places = [
    Effect.map(codeOf(rfqs.get(viewer, id)), (code) => code === "done"),
    Effect.map(rfqs.list(viewer, {}), ({ items }) => items.some((item) => item.id === id)),
    Effect.map(rfqs.list(viewer, { q: "translate" }), ({ items }) => items.some((item) => item.id === id)),
    Effect.map((yield* Search).find(viewer, { q: "translate" }), ({ items }) =>
      items.some(({ item }) => item.id === id)
    )
  ]
  return yield* Effect.all(places)
})

const everywhere = [true, true, true, true]
const nowhere = [false, false, false, false]
const byIdAlone = [true, false, false, false]

describe("a listing", () => {
  it.effect("is everybody's while it is active, and its owner's before and after", () =>
    Effect.gen(function* () {
      const [seller, other] = yield* Effect.all([join("seller"), join("other")])
      const listings = yield* Listings
      const { value } = yield* listings.publish(seller, listingInput({ status: "draft" }))
      const seen = () => Effect.forEach([seller, other, undefined], (viewer) => listingSeen(viewer, value.id))
      assert.deepStrictEqual(yield* seen(), [byIdAlone, nowhere, nowhere])
      yield* listings.move(seller, value.id, "activate")
      assert.deepStrictEqual(yield* seen(), [everywhere, everywhere, everywhere])
      yield* listings.move(seller, value.id, "pause")
      assert.deepStrictEqual(yield* seen(), [byIdAlone, nowhere, nowhere])
      yield* listings.move(seller, value.id, "archive")
      assert.deepStrictEqual(yield* seen(), [byIdAlone, nowhere, nowhere])
    }).pipe(Effect.provide(market()))
  )

  it.effect("that is another's is not found while it is hidden, and forbidden while it is seen", () =>
    Effect.gen(function* () {
      const [seller, other] = yield* Effect.all([join("seller"), join("other")])
      const listings = yield* Listings
      const { value } = yield* listings.publish(seller, listingInput({ status: "draft" }))
      const attempts = () =>
        Effect.all([
          codeOf(listings.update(other, value.id, { title: "Mine" })),
          codeOf(listings.move(other, value.id, "archive"))
        ])
      assert.deepStrictEqual(yield* attempts(), ["not_found", "not_found"])
      const opening = (yield* DealRooms).open(other, { listingId: value.id })
      assert.strictEqual(yield* codeOf(opening), "not_found")
      yield* listings.move(seller, value.id, "activate")
      assert.deepStrictEqual(yield* attempts(), ["forbidden", "forbidden"])
      assert.strictEqual(yield* codeOf(opening), "done")
    }).pipe(Effect.provide(market()))
  )

  it.effect("of one's own is listed in whatever status, and another's is not", () =>
    Effect.gen(function* () {
      const [seller, other] = yield* Effect.all([join("seller"), join("other")])
      const listings = yield* Listings
      yield* listings.publish(seller, listingInput({ status: "draft" }))
      yield* listings.publish(seller, listingInput())
      const titles = (viewer: Viewer, query: Parameters<typeof listings.list>[1]) =>
        Effect.map(listings.list(viewer, query), ({ items }) => items.map(({ status }) => status))
      assert.deepStrictEqual(yield* titles(seller, { agent: "me" }), ["active", "draft"])
      assert.deepStrictEqual(yield* titles(seller, { agent: "me", q: "legal" }), ["active", "draft"])
      assert.deepStrictEqual(yield* titles(seller, { agent: seller, status: "draft" }), ["draft"])
      assert.deepStrictEqual(yield* titles(seller, { agent: seller }), ["active"])
      assert.deepStrictEqual(yield* titles(other, { agent: seller }), ["active"])
      assert.deepStrictEqual(yield* titles(undefined, { agent: seller }), ["active"])
      for (const viewer of [other, undefined]) {
        const hidden = listings.list(viewer, { agent: seller, status: "draft" })
        assert.strictEqual(yield* codeOf(hidden), "invalid_request")
      }
      assert.strictEqual(yield* codeOf(listings.list(undefined, { agent: "me" })), "key_missing")
    }).pipe(Effect.provide(market()))
  )
})

describe("an RFQ", () => {
  it.effect("is seen by whom it is for, and browsed while it is open", () =>
    Effect.gen(function* () {
      const [buyer, invitee, other] = yield* Effect.all([join("buyer"), join("invitee"), join("other")])
      const rfqs = yield* Rfqs
      const invited = yield* callForQuotes(buyer, {
        visibility: "invited",
        invitees: [invitee],
        status: "draft"
      })
      const open = yield* callForQuotes(buyer)
      const seen = (id: RfqId) =>
        Effect.forEach([buyer, invitee, other, undefined], (viewer) => rfqSeen(viewer, id))
      assert.deepStrictEqual(yield* seen(open.id), [everywhere, everywhere, everywhere, everywhere])
      assert.deepStrictEqual(yield* seen(invited.id), [byIdAlone, nowhere, nowhere, nowhere])
      yield* rfqs.move(buyer, invited.id, "open")
      assert.deepStrictEqual(yield* seen(invited.id), [everywhere, everywhere, nowhere, nowhere])
      yield* rfqs.update(buyer, invited.id, { invitees: [other] })
      assert.deepStrictEqual(yield* seen(invited.id), [everywhere, nowhere, everywhere, nowhere])
      yield* rfqs.update(buyer, open.id, { visibility: "invited", invitees: [other] })
      assert.deepStrictEqual(yield* seen(open.id), [everywhere, nowhere, everywhere, nowhere])
      yield* TestClock.adjust("2 days")
      assert.deepStrictEqual(yield* seen(invited.id), [byIdAlone, nowhere, byIdAlone, nowhere])
    }).pipe(Effect.provide(market()))
  )

  it.effect("that one may not see cannot be quoted for, nor its quotes be asked for", () =>
    Effect.gen(function* () {
      const [buyer, invitee, other] = yield* Effect.all([join("buyer"), join("invitee"), join("other")])
      const quotes = yield* Quotes
      const rfq = yield* callForQuotes(buyer, { visibility: "invited", invitees: [invitee] })
      const draft = yield* callForQuotes(buyer, { status: "draft" })
      const quote = yield* submitQuote(invitee, rfq.id)
      assert.deepStrictEqual(
        yield* Effect.all([
          codeOf(submitQuote(other, rfq.id)),
          codeOf(submitQuote(invitee, draft.id)),
          codeOf(quotes.ofRfq(other, rfq.id, {})),
          codeOf(quotes.get(other, quote.id)),
          codeOf(quotes.withdraw(other, quote.id, undefined)),
          codeOf((yield* Rfqs).move(other, rfq.id, "cancel")),
          codeOf((yield* DealRooms).open(other, { quoteId: quote.id }))
        ]),
        Array.from({ length: 7 }, () => "not_found")
      )
    }).pipe(Effect.provide(market()))
  )

  it.effect("of one's own is listed in whatever status, and another's draft in none", () =>
    Effect.gen(function* () {
      const [buyer, other] = yield* Effect.all([join("buyer"), join("other")])
      const rfqs = yield* Rfqs
      yield* callForQuotes(buyer, { status: "draft" })
      const cancelled = yield* callForQuotes(buyer)
      yield* rfqs.move(buyer, cancelled.id, "cancel")
      yield* callForQuotes(buyer)
      const statuses = (viewer: Viewer, query: Parameters<typeof rfqs.list>[1]) =>
        Effect.map(rfqs.list(viewer, query), ({ items }) => items.map(({ status }) => status))
      assert.deepStrictEqual(yield* statuses(buyer, { agent: "me" }), ["open", "cancelled", "draft"])
      assert.deepStrictEqual(yield* statuses(buyer, { agent: buyer, status: "draft" }), ["draft"])
      assert.deepStrictEqual(yield* statuses(buyer, { agent: "me", q: "contract" }), [
        "open",
        "cancelled",
        "draft"
      ])
      assert.deepStrictEqual(yield* statuses(other, { agent: buyer }), ["open"])
      assert.deepStrictEqual(yield* statuses(other, { status: "cancelled" }), ["cancelled"])
      assert.strictEqual(
        yield* codeOf(rfqs.list(other, { agent: buyer, status: "draft" })),
        "invalid_request"
      )
      assert.strictEqual(yield* codeOf(rfqs.list(undefined, { status: "draft" })), "invalid_request")
      yield* TestClock.adjust("30 days")
      assert.deepStrictEqual(yield* statuses(undefined, { status: "unsuccessful" }), ["unsuccessful"])
      assert.deepStrictEqual(yield* statuses(undefined, {}), [])
    }).pipe(Effect.provide(market()))
  )
})

describe("a quote", () => {
  it.effect("is seen by its author and the buyer alone", () =>
    Effect.gen(function* () {
      const [buyer, one, two, other] = yield* Effect.all([
        join("buyer"),
        join("one"),
        join("two"),
        join("other")
      ])
      const quotes = yield* Quotes
      const rfq = yield* callForQuotes(buyer)
      const [first, second] = [yield* submitQuote(one, rfq.id), yield* submitQuote(two, rfq.id)]
      const listed = (viewer: AgentId) =>
        Effect.map(quotes.ofRfq(viewer, rfq.id, {}), ({ items }) => items.map(({ id }) => id))
      assert.deepStrictEqual(yield* listed(buyer), [second.id, first.id])
      assert.deepStrictEqual(yield* listed(one), [first.id])
      assert.deepStrictEqual(yield* listed(other), [])
      const codes = yield* Effect.forEach([buyer, one, two, other], (viewer) =>
        codeOf(quotes.get(viewer, first.id))
      )
      assert.deepStrictEqual(codes, ["done", "done", "not_found", "not_found"])
      assert.deepStrictEqual((yield* quotes.mine(two, {})).items, [second])
      assert.strictEqual(yield* codeOf(quotes.decline(one, first.id, undefined)), "forbidden")
      assert.strictEqual(yield* codeOf(quotes.withdraw(buyer, first.id, undefined)), "forbidden")
    }).pipe(Effect.provide(market()))
  )

  const secrets = ["terms", "termsDigest", "responses", "deviations", "message"]
  const isSealed = (quote: QuoteView) => secrets.every((field) => !(field in quote))

  it.effect("under seal shows nobody what it offers before the deadline, by no way", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* Effect.all([join("buyer"), join("seller")])
      const [quotes, rfqs, rooms] = [yield* Quotes, yield* Rfqs, yield* DealRooms]
      const rfq = yield* callForQuotes(buyer, { quoteMode: "sealed" })
      const quote = yield* submitQuote(seller, rfq.id, { message: "cheap" })
      assert.strictEqual(quote.message, "cheap")
      assert.isTrue(isSealed(yield* quotes.get(buyer, quote.id)))
      assert.isTrue((yield* quotes.ofRfq(buyer, rfq.id, {})).items.every(isSealed))
      assert.deepStrictEqual(yield* quotes.get(seller, quote.id), quote)
      assert.deepStrictEqual(
        yield* Effect.all([
          codeOf(rooms.open(buyer, { quoteId: quote.id })),
          codeOf(rooms.open(seller, { quoteId: quote.id })),
          codeOf(rfqs.award(buyer, rfq.id, { quoteId: quote.id })),
          codeOf(rfqs.move(buyer, rfq.id, "close"))
        ]),
        Array.from({ length: 4 }, () => "invalid_state")
      )
      yield* rfqs.move(buyer, rfq.id, "cancel")
      assert.isTrue(isSealed(yield* quotes.get(buyer, quote.id)))
      yield* TestClock.adjust("1 day")
      assert.isTrue(isSealed(yield* quotes.get(buyer, quote.id)), "nobody was ever to decide upon it")
    }).pipe(Effect.provide(market()))
  )

  it.effect("that was declined or withdrawn under seal stays sealed, whatever the buyer does", () =>
    Effect.gen(function* () {
      const [buyer, one, two] = yield* Effect.all([join("buyer"), join("one"), join("two")])
      const quotes = yield* Quotes
      const rfqs = yield* Rfqs
      const rfq = yield* callForQuotes(buyer, { quoteMode: "sealed" })
      const [declined, withdrawn] = [yield* submitQuote(one, rfq.id), yield* submitQuote(two, rfq.id)]
      const answer = yield* quotes.decline(buyer, declined.id, "no")
      assert.isTrue(isSealed(answer.value))
      yield* quotes.withdraw(two, withdrawn.id, undefined)
      yield* Effect.exit(rfqs.update(buyer, rfq.id, { quoteMode: "open" }))
      assert.isTrue((yield* quotes.ofRfq(buyer, rfq.id, {})).items.every(isSealed))
    }).pipe(Effect.provide(market()))
  )

  it.effect("that was the only one, and was withdrawn, is not unsealed by changing the RFQ", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* Effect.all([join("buyer"), join("seller")])
      const [quotes, rfqs] = [yield* Quotes, yield* Rfqs]
      const rfq = yield* callForQuotes(buyer, { quoteMode: "sealed" })
      const quote = yield* submitQuote(seller, rfq.id)
      yield* quotes.withdraw(seller, quote.id, undefined)
      assert.strictEqual(yield* codeOf(rfqs.update(buyer, rfq.id, { quoteMode: "open" })), "invalid_request")
      assert.strictEqual(yield* codeOf(rfqs.update(buyer, rfq.id, { title: "Translate all" })), "done")
      assert.isTrue(isSealed(yield* quotes.get(buyer, quote.id)))
    }).pipe(Effect.provide(market()))
  )

  it.effect("under seal comes to the buyer in an order that hides who came first, each once", () =>
    Effect.gen(function* () {
      const buyer = yield* join("buyer")
      const rfq = yield* callForQuotes(buyer, { quoteMode: "sealed" })
      const made = yield* Effect.forEach(Array.from({ length: 30 }), (_, n) =>
        Effect.flatMap(join(`seller-${n}`), (seller) => submitQuote(seller, rfq.id))
      )
      yield* TestClock.adjust("1 day")
      const quotes = yield* Quotes
      const got: Array<string> = []
      let cursor: string | null | undefined
      do {
        const page = yield* quotes.ofRfq(buyer, rfq.id, { limit: 7, ...(cursor ? { cursor } : {}) })
        got.push(...page.items.map(({ id }) => id))
        cursor = page.nextCursor
      } while (cursor !== null)
      const inTime: ReadonlyArray<string> = made.map(({ id }) => id)
      assert.deepStrictEqual(got.toSorted(), inTime)
      const neighbours = got.filter(
        (id, place) => Math.abs(inTime.indexOf(id) - inTime.indexOf(got[place + 1] ?? id)) === 1
      )
      assert.isBelow(neighbours.length, 15)
    }).pipe(Effect.provide(market()))
  )
})

describe("a deal room", () => {
  it.effect("does not exist for anybody but its two sides", () =>
    Effect.gen(function* () {
      const [buyer, seller, other] = yield* Effect.all([join("buyer"), join("seller"), join("other")])
      const rooms = yield* DealRooms
      const room = yield* negotiate(buyer, seller)
      const offer = offerIn(room)
      const { id } = room
      assert.deepStrictEqual(
        yield* Effect.all([
          codeOf(rooms.get(other, id)),
          codeOf(rooms.entries(other, id, {})),
          codeOf(rooms.say(other, id, { text: "x" })),
          codeOf(rooms.offer(other, id, { terms: terms("1") })),
          codeOf(rooms.accept(other, id, offer.id, { termsDigest: offer.termsDigest })),
          codeOf(rooms.clearOffer(other, id, offer.id, "reject", undefined)),
          codeOf(rooms.decline(other, id, undefined)),
          codeOf(rooms.deliver(other, id, { note: "x" })),
          codeOf(rooms.complete(other, id)),
          codeOf(rooms.requestChanges(other, id, "x")),
          codeOf(rooms.cancel(other, id, undefined)),
          codeOf(rooms.dispute(other, id, "x")),
          codeOf(rooms.review(other, id, { rating: 1 }))
        ]),
        Array.from({ length: 13 }, () => "not_found")
      )
      assert.deepStrictEqual((yield* rooms.list(other, {})).items, [])
      assert.strictEqual((yield* rooms.list(seller, {})).items.length, 1)
    }).pipe(Effect.provide(market()))
  )

  it.effect("takes no offer of another room", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* Effect.all([join("buyer"), join("seller")])
      const rooms = yield* DealRooms
      const [one, two] = [yield* negotiate(buyer, seller), yield* negotiate(buyer, seller)]
      const { id, termsDigest } = offerIn(two)
      assert.strictEqual(yield* codeOf(rooms.accept(seller, one.id, id, { termsDigest })), "not_found")
      assert.strictEqual((yield* rooms.get(seller, two.id)).status, "negotiating")
    }).pipe(Effect.provide(market()))
  )
})

describe("a review", () => {
  it.effect("is hidden until both sides have reviewed", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* Effect.all([join("buyer"), join("seller")])
      const [agents, rooms] = [yield* Agents, yield* DealRooms]
      const { id } = yield* deliverDeal(buyer, seller)
      yield* rooms.complete(buyer, id)
      yield* rooms.review(buyer, id, { rating: 1, text: "bad" })
      assert.deepStrictEqual((yield* agents.reviews("seller", {})).items, [])
      assert.strictEqual((yield* agents.profile("seller")).reputation.reviewCount, 0)
      yield* rooms.review(seller, id, { rating: 5 })
      assert.deepStrictEqual(
        (yield* agents.reviews(seller, {})).items.map(({ rating, text }) => [rating, text]),
        [[1, "bad"]]
      )
    }).pipe(Effect.provide(market()))
  )

  it.effect("is hidden for seven days where the other side has none to give", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* Effect.all([join("buyer"), join("seller")])
      const [agents, rooms] = [yield* Agents, yield* DealRooms]
      const { id } = yield* deliverDeal(buyer, seller)
      yield* rooms.complete(buyer, id)
      yield* rooms.review(buyer, id, { rating: 2 })
      yield* TestClock.adjust("167 hours")
      assert.strictEqual((yield* agents.reviews("seller", {})).items.length, 0)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual((yield* agents.reviews("seller", {})).items.length, 1)
      // Nobody answers a review that he has read.
      assert.strictEqual(yield* codeOf(rooms.review(seller, id, { rating: 1 })), "invalid_state")
    }).pipe(Effect.provide(market()))
  )
})

describe("an agent", () => {
  it.effect("shows its address to itself alone", () =>
    Effect.gen(function* () {
      const seller = yield* join("seller")
      const agents = yield* Agents
      assert.strictEqual((yield* agents.me(seller)).email, "seller@example.com")
      const shown = [
        yield* agents.profile(seller),
        yield* agents.profile("Seller"),
        yield* agents.list({}),
        yield* (yield* Search).find(undefined, { q: "seller" })
      ]
      assert.isFalse(JSON.stringify(shown).includes("@example.com"))
      assert.strictEqual((yield* (yield* Search).find(undefined, { q: "example" })).items.length, 0)
    }).pipe(Effect.provide(market()))
  )

  it.effect("is listed and found while it is active, and can be looked up for good", () =>
    Effect.gen(function* () {
      const [seller, closed] = yield* Effect.all([join("seller"), join("closed")])
      const agents = yield* Agents
      yield* suspend(seller)
      yield* agents.close(closed)
      assert.deepStrictEqual((yield* agents.list({})).items, [])
      assert.deepStrictEqual(
        (yield* (yield* Search).find(undefined, { q: "agent", types: ["agent"] })).items,
        []
      )
      assert.strictEqual((yield* agents.profile("closed")).status, "closed")
      assert.strictEqual((yield* agents.profile(seller)).status, "suspended")
    }).pipe(Effect.provide(market()))
  )

  it.effect("is not found by what is neither a handle nor an id", () =>
    Effect.gen(function* () {
      yield* join("seller")
      const agents = yield* Agents
      for (const text of [
        "",
        "\u0000",
        "sel\u0000ler",
        "agt_",
        "agt_00000000000000000000000000",
        "x".repeat(500)
      ])
        assert.strictEqual(yield* codeOf(agents.profile(text)), "not_found", JSON.stringify(text))
    }).pipe(Effect.provide(market()))
  )
})
