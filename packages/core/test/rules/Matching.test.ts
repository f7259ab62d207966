import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { after, noReputation } from "../../src/index.ts"
import type { Agent, Listing, Money, Reputation, Request, Rfq } from "../../src/index.ts"
import { found, isThere, matchIdOf } from "../../src/rules/Matches.ts"
import { demandOfRequest, demandOfRfq, fitOf, stands } from "../../src/rules/Matching.ts"
import type { Pair } from "../../src/rules/Matching.ts"
import {
  buyer,
  idOf,
  now,
  sampleAgent,
  sampleListing,
  sampleMatch,
  sampleRequest,
  sampleRfq,
  seller
} from "./samples.ts"

const euros = (amount: number): Money => ({ amount: (amount / 100).toFixed(2), currency: "EUR" })
const fixed = (price: Money) => ({ pricing: { model: "fixed" as const, price } })

interface Parts {
  readonly request?: Partial<Request>
  readonly listing?: Partial<Listing>
  readonly buyer?: Partial<Agent>
  readonly seller?: Partial<Agent>
}

const pairOf = (parts: Parts = {}, seconds = 0): Pair => ({
  demand: demandOfRequest(sampleRequest(parts.request), after(now, seconds)),
  supply: sampleListing(parts.listing),
  buyer: sampleAgent({ id: buyer, ...parts.buyer }),
  seller: sampleAgent(parts.seller)
})

const callOf = (rfq: Partial<Rfq>, seconds = 0): Pair => ({
  ...pairOf(),
  demand: demandOfRfq(sampleRfq(rfq), after(now, seconds))
})

const tags = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d", "e"))
const cents = fc.integer({ min: 0, max: 100_000 })
const part = fc.double({ min: 0, max: 1, noNaN: true })
const count = fc.integer({ min: 0, max: 30 })
const reputation: fc.Arbitrary<Reputation> = fc
  .record({ completedDeals: count, cancelledDeals: count, disputedDeals: count, reviewCount: count })
  .chain((counts) =>
    fc
      .double({ min: 1, max: 5, noNaN: true })
      .map((rating) => ({ ...counts, rating: counts.reviewCount === 0 ? null : rating }))
  )
const optional = <A>(value: fc.Arbitrary<A>) => fc.option(value, { nil: undefined })

const pairs = fc
  .record({
    wanted: tags,
    offered: tags,
    budget: optional(cents),
    price: optional(cents),
    category: optional(fc.constantFrom("x", "y")),
    reputation
  })
  .map(({ budget, category, offered, price, reputation, wanted }) =>
    pairOf({
      request: {
        tags: wanted,
        ...(category === undefined ? {} : { category }),
        ...(budget === undefined ? {} : { budget: euros(budget) })
      },
      listing: { tags: offered, category: "x", ...(price === undefined ? {} : fixed(euros(price))) },
      seller: { reputation }
    })
  )

const withListing = (pair: Pair, listing: Partial<Listing>): Pair => ({
  ...pair,
  supply: { ...pair.supply, ...listing }
})

describe("what may be matched", () => {
  it("is an open demand with an active listing of another agent, while both agents are active", () => {
    assert.isTrue(stands(pairOf()))
    assert.isTrue(stands(callOf({})))
    for (const status of ["draft", "paused", "archived"] as const)
      assert.isFalse(stands(pairOf({ listing: { status } })), status)
    for (const status of ["suspended", "closed"] as const) {
      assert.isFalse(stands(pairOf({ buyer: { status } })), status)
      assert.isFalse(stands(pairOf({ seller: { status } })), status)
    }
    assert.isFalse(stands(pairOf({ seller: { id: buyer }, listing: { agentId: buyer } })))
    for (const status of ["draft", "evaluating", "awarded", "cancelled"] as const)
      assert.isFalse(stands(callOf({ status })), status)
  })

  it("is judged by the clock", () => {
    assert.isTrue(stands(pairOf({}, 3599)))
    assert.isFalse(stands(pairOf({}, 3600)))
    assert.isTrue(stands(callOf({}, 3599)))
    assert.isFalse(stands(callOf({}, 3600)))
  })

  it("is not told to those who are not invited", () => {
    const invited = (invitees: Rfq["invitees"]) => stands(callOf({ visibility: "invited", invitees }))
    assert.isTrue(invited([idOf("agent", 9), seller]))
    assert.isFalse(invited([idOf("agent", 9)]))
    assert.isFalse(invited([]))
  })

  it("costs no more than the budget, in its currency; what has no price may be asked for one", () => {
    fc.assert(
      fc.property(cents, cents, (budget, price) => {
        const pair = pairOf({ request: { budget: euros(budget) }, listing: fixed(euros(price)) })
        assert.strictEqual(stands(pair), price <= budget)
      })
    )
    const budget = euros(100)
    const other = { amount: "0.50", currency: "USD" }
    assert.isFalse(stands(pairOf({ request: { budget }, listing: fixed(other) })))
    assert.isTrue(stands(pairOf({ listing: fixed(other) })))
    assert.isTrue(stands(pairOf({ request: { budget }, listing: { pricing: { model: "quote" } } })))
    const perWord = (price: Money) =>
      stands(
        pairOf({ request: { budget }, listing: { pricing: { model: "per_unit", price, unit: "word" } } })
      )
    assert.isTrue(perWord(euros(100)))
    assert.isFalse(perWord(euros(101)))
  })
})

describe("the score of a match", () => {
  it("is from 0 to 1, and 0 where nothing is shared, however cheap and trusted", () => {
    fc.assert(
      fc.property(pairs, part, (pair, likeness) => {
        const { score } = fitOf(pair, likeness)
        assert.isAtLeast(score, 0)
        assert.isAtMost(score, 1)
        const alien = withListing(pair, { tags: [], category: "z" })
        assert.strictEqual(fitOf(alien, 0).score, 0)
      })
    )
  })

  it("is never worse for the cheaper of two", () => {
    fc.assert(
      fc.property(pairs, part, cents, cents, (pair, likeness, a, b) => {
        const score = (price: number) => fitOf(withListing(pair, fixed(euros(price))), likeness).score
        const cheap = withListing(pair, fixed(euros(Math.min(a, b))))
        const dear = withListing(pair, fixed(euros(Math.max(a, b))))
        if (stands(dear)) {
          assert.isTrue(stands(cheap))
          assert.isAtLeast(score(Math.min(a, b)), score(Math.max(a, b)))
        }
      })
    )
  })

  it("is never worse for more of the words, for another shared tag, or for the same category", () => {
    fc.assert(
      fc.property(pairs, part, part, fc.constantFrom("a", "b", "f"), (pair, one, two, tag) => {
        assert.isAtLeast(fitOf(pair, Math.max(one, two)).score, fitOf(pair, Math.min(one, two)).score)
        const offers = withListing(pair, { tags: [...new Set([...pair.supply.tags, tag])] })
        assert.isAtLeast(fitOf(offers, one).score, fitOf(pair, one).score)
        const { category = "x" } = pair.demand.item
        assert.isAtLeast(fitOf(withListing(pair, { category }), one).score, fitOf(pair, one).score)
      })
    )
  })

  it("is never worse for another kept deal or a better rating, nor better for a dispute", () => {
    fc.assert(
      fc.property(pairs, part, (pair, likeness) => {
        const { reputation } = pair.seller
        const score = (changes: Partial<Reputation>) =>
          fitOf({ ...pair, seller: { ...pair.seller, reputation: { ...reputation, ...changes } } }, likeness)
            .score
        const same = score({})
        assert.isAtLeast(score({ completedDeals: reputation.completedDeals + 1 }), same)
        assert.isAtMost(score({ disputedDeals: reputation.disputedDeals + 1 }), same)
        if (reputation.rating !== null) assert.isAtLeast(score({ rating: 5 }), same)
      })
    )
  })

  it("has its reasons in words, of what speaks for the pair alone", () => {
    const pair = pairOf({
      request: { tags: ["legal", "german"], category: "translation", budget: euros(2000) },
      listing: { tags: ["legal"], category: "translation", ...fixed(euros(1250)) },
      seller: { reputation: { ...noReputation, completedDeals: 3, reviewCount: 2, rating: 4.5 } }
    })
    assert.deepStrictEqual(fitOf(pair, 0.8).reasons, [
      { code: "text", text: "The listing speaks of most of what the request asks for." },
      { code: "tags", text: "Both are tagged legal." },
      { code: "category", text: "Both are in the category translation." },
      { code: "price", text: "12.50 EUR is within the budget of 20.00 EUR." },
      { code: "record", text: "The supplier has completed 3 deals and is rated 4.5 of 5." }
    ])
    assert.deepStrictEqual(fitOf(pairOf(), 0).reasons, [])
  })
})

describe("a match", () => {
  const pair = pairOf()
  const told = (known: Parameters<typeof found>[1], score: number, reasons = sampleMatch().reasons) => {
    const { events, writes } = found(pair, known, { score, reasons }, now)
    return [writes.length, events.map(({ type }) => type)]
  }
  const silence = [0, []]

  it("has an id that follows from its two sides, as old as the younger of them", () => {
    const younger = withListing(pair, { createdAt: after(now, 60) })
    assert.strictEqual(matchIdOf(pair), matchIdOf(pairOf({ listing: { title: "Other", version: 9 } })))
    assert.isTrue(matchIdOf(younger) > matchIdOf(pair))
    assert.notStrictEqual(matchIdOf(withListing(pair, { id: idOf("listing", 2) })), matchIdOf(pair))
  })

  it("is written when it fits noticeably better or worse, and told of again when much better, a day later", () => {
    const fresh = sampleMatch()
    const known = sampleMatch({ updatedAt: after(now, -86_400) })
    assert.deepStrictEqual(told(undefined, 0.5), [1, ["match.found"]])
    assert.deepStrictEqual(told(undefined, 0.24), silence)
    assert.deepStrictEqual(told(known, 0.54), silence)
    assert.deepStrictEqual(told(known, 0.55), [1, []])
    assert.deepStrictEqual(told(known, 0.45), [1, []])
    assert.deepStrictEqual(told(known, 0.6), [1, ["match.found"]])
    assert.deepStrictEqual(told(fresh, 0.9), [1, []])
    assert.deepStrictEqual(told(known, 0.5, [{ code: "tags", text: "Both" }]), [1, []])
  })

  it("that has become too bad is told to nobody, until it is good enough again", () => {
    const bad = sampleMatch({ score: 0.24, updatedAt: after(now, -86_400) })
    assert.deepStrictEqual(told(sampleMatch(), 0.1), [1, []])
    assert.deepStrictEqual(told(bad, 0.35), [1, ["match.found"]])
    assert.isFalse(isThere(bad, pair))
  })

  it("that was dismissed or led to a room is left alone, however well it fits", () => {
    for (const status of ["dismissed", "engaged"] as const)
      assert.deepStrictEqual(told(sampleMatch({ status }), 1), silence)
  })

  it("is there while its two sides may meet, and for good when it has led to a room", () => {
    const paused = pairOf({ listing: { status: "paused" } })
    for (const [status, before, after] of [
      ["suggested", true, false],
      ["dismissed", true, false],
      ["engaged", true, true]
    ] as const) {
      assert.strictEqual(isThere(sampleMatch({ status }), pair), before, status)
      for (const gone of [paused, undefined])
        assert.strictEqual(isThere(sampleMatch({ status }), gone), after, status)
    }
  })
})
