import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Quotes, Rfqs, Search, sealCommitment, sealedOrder, Store } from "../../src/index.ts"
import type { AgentId, QuoteId, RfqId } from "../../src/index.ts"
import { callForQuotes, codeOf, history, inSeconds, join, market, submitQuote } from "../fixtures.ts"

/** The seed as the store keeps it, which nobody is shown. */
const seedOf = Effect.fnUntraced(function* (id: RfqId) {
  const rfq = yield* (yield* Store).rfqs.byId(id)
  return rfq?.seal?.seed
})

/** Everything that a reader can read of RFQs and their quotes, as one text. */
const browse = Effect.fnUntraced(function* (viewer: AgentId, id: RfqId) {
  const [rfqs, quotes] = [yield* Rfqs, yield* Quotes]
  const seen = [
    yield* rfqs.get(viewer, id),
    yield* rfqs.list(viewer, { agent: "me" }),
    yield* rfqs.list(viewer, {}),
    yield* rfqs.list(viewer, { q: "translate" }),
    yield* (yield* Search).find(viewer, { q: "translate" }),
    yield* quotes.ofRfq(viewer, id, { limit: 1 }),
    yield* history
  ]
  return JSON.stringify(seen)
})

const answerAll = Effect.fnUntraced(function* (id: RfqId, count: number) {
  return yield* Effect.forEach(Array.from({ length: count }), (_, n) =>
    Effect.flatMap(join(`seller-${n}`), (seller) => submitQuote(seller, id))
  )
})

/** The quotes of an RFQ as its buyer reads them, page by page. */
const read = Effect.fnUntraced(function* (buyer: AgentId, id: RfqId, limit: number) {
  const quotes = yield* Quotes
  const got: Array<QuoteId> = []
  let cursor: string | null | undefined
  do {
    const page = yield* quotes.ofRfq(buyer, id, { limit, ...(cursor ? { cursor } : {}) })
    got.push(...page.items.map((quote) => quote.id))
    cursor = page.nextCursor
  } while (cursor !== null)
  return got
})

describe("the seed of a sealed RFQ", () => {
  it.effect("is told in no reply, list, search or event before the deadline", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* Effect.all([join("buyer"), join("seller")])
      const rfqs = yield* Rfqs
      const idempotency = { scope: "s", key: "k", bodyDigest: "d" }
      const input = {
        title: "Translate a contract",
        quoteMode: "sealed" as const,
        quoteDeadline: yield* inSeconds(86_400)
      }
      const replies: Array<unknown> = []
      replies.push(yield* rfqs.create(buyer, input, { validateOnly: true }))
      const { value: rfq } = yield* rfqs.create(buyer, input, { idempotency })
      const { id } = rfq
      const seed = (yield* seedOf(id)) ?? ""
      assert.match(seed, /^[0-9a-f]{64}$/u)
      assert.deepStrictEqual(rfq.seal, { commitment: sealCommitment(seed) })
      replies.push(rfq, yield* rfqs.create(buyer, input, { idempotency }))
      replies.push(yield* rfqs.update(buyer, id, { title: "Translate contracts" }))
      const asked = yield* rfqs.ask(seller, id, { text: "When?" })
      replies.push(asked, yield* rfqs.answer(buyer, id, asked.value.question.id, { text: "Now" }))
      replies.push(yield* submitQuote(seller, id), yield* browse(buyer, id), yield* browse(seller, id))
      yield* TestClock.adjust("86399 seconds")
      replies.push(yield* browse(buyer, id), yield* rfqs.move(buyer, id, "cancel"))
      assert.notInclude(JSON.stringify(replies), seed)
      yield* TestClock.adjust("1 second")
      for (const viewer of [buyer, seller, undefined])
        assert.deepStrictEqual((yield* rfqs.get(viewer, id)).seal, {
          commitment: sealCommitment(seed),
          seed
        })
    }).pipe(Effect.provide(market()))
  )

  it.effect("gives the order in which the buyer gets the quotes, so that anybody can check it", () =>
    Effect.gen(function* () {
      const buyer = yield* join("buyer")
      const { id, seal } = yield* callForQuotes(buyer, { quoteMode: "sealed" })
      const made = yield* answerAll(id, 12)
      const seed = (yield* seedOf(id)) ?? ""
      const order = sealedOrder(
        seed,
        made.map((quote) => quote.id)
      )
      const before = yield* read(buyer, id, 5)
      assert.sameMembers(before, [...order])
      assert.notDeepEqual(before, order, "nothing tells the order to come")
      const { nextCursor } = yield* (yield* Quotes).ofRfq(buyer, id, { limit: 5 })
      yield* TestClock.adjust("1 day")
      const shown = yield* (yield* Rfqs).get(buyer, id)
      assert.strictEqual(sealCommitment(shown.seal?.seed ?? ""), seal?.commitment)
      for (const limit of [1, 5, 12]) assert.deepStrictEqual(yield* read(buyer, id, limit), order)
      const stale = (yield* Quotes).ofRfq(buyer, id, { cursor: nextCursor ?? "" })
      assert.strictEqual(yield* codeOf(stale), "invalid_cursor")
      const [winner] = made
      assert(winner !== undefined)
      const award = yield* (yield* Rfqs).award(buyer, id, { quoteId: winner.id })
      assert.deepStrictEqual(award.value.rfq.seal, shown.seal)
      assert.deepStrictEqual(yield* read(buyer, id, 5), order)
    }).pipe(Effect.provide(market()))
  )

  it.effect("is drawn when the RFQ is opened, and stays the same from then on", () =>
    Effect.gen(function* () {
      const buyer = yield* join("buyer")
      const rfqs = yield* Rfqs
      const draft = yield* callForQuotes(buyer, { quoteMode: "sealed", status: "draft" })
      const open = yield* callForQuotes(buyer)
      assert.deepStrictEqual([draft.seal, open.seal], [undefined, undefined])
      // A draft whose deadline has passed tells nothing of what will be once it has another one.
      yield* TestClock.adjust("12 hours")
      const turned = yield* rfqs.update(buyer, open.id, { quoteMode: "sealed" })
      const seed = yield* seedOf(open.id)
      assert.strictEqual(turned.value.seal?.commitment, sealCommitment(seed ?? ""))
      yield* rfqs.update(buyer, open.id, { quoteDeadline: yield* inSeconds(90_000) })
      assert.strictEqual(yield* seedOf(open.id), seed)
      yield* TestClock.adjust("13 hours")
      assert.isUndefined((yield* rfqs.get(buyer, draft.id)).seal)
      yield* rfqs.update(buyer, draft.id, {
        quoteDeadline: yield* inSeconds(3600),
        awardBy: yield* inSeconds(7200)
      })
      const opened = yield* rfqs.move(buyer, draft.id, "open")
      assert.hasAllKeys(opened.value.seal, ["commitment"])
      assert.notStrictEqual(opened.value.seal?.commitment, turned.value.seal?.commitment)
    }).pipe(Effect.provide(market()))
  )

  it.effect("is missing from RFQs of old, whose quotes come in the order of their digests", () =>
    Effect.gen(function* () {
      const buyer = yield* join("buyer")
      const store = yield* Store
      const { id } = yield* callForQuotes(buyer, { quoteMode: "sealed" })
      const stored = yield* store.rfqs.byId(id)
      assert(stored !== undefined)
      const { seal: _, ...old } = stored
      yield* store.commit({
        writes: [{ kind: "rfq", value: { ...old, version: 2 }, replaces: 1 }],
        reliesOn: [],
        events: []
      })
      yield* answerAll(id, 8)
      const before = yield* read(buyer, id, 3)
      yield* TestClock.adjust("1 day")
      assert.isUndefined((yield* (yield* Rfqs).get(buyer, id)).seal)
      assert.deepStrictEqual(yield* read(buyer, id, 3), before)
      assert.notDeepEqual(before, before.toSorted())
    }).pipe(Effect.provide(market()))
  )
})

describe("a sealed quote that ended before the deadline", () => {
  it.effect("stays sealed for ever, and opens to its author alone", () =>
    Effect.gen(function* () {
      const [rfqs, quotes] = [yield* Rfqs, yield* Quotes]
      const [buyer, a, b, c, d] = yield* Effect.all([
        join("buyer"),
        join("a"),
        join("b"),
        join("c"),
        join("d")
      ])
      const { id } = yield* callForQuotes(buyer, { quoteMode: "sealed" })
      const { id: dropped } = yield* callForQuotes(buyer, { quoteMode: "sealed" })
      const withdrawn = yield* submitQuote(a, id)
      const declined = yield* submitQuote(b, id)
      const expired = yield* submitQuote(c, id, { validUntil: yield* inSeconds(60) })
      const live = yield* submitQuote(d, id)
      const cancelled = yield* submitQuote(d, dropped)
      yield* quotes.withdraw(a, withdrawn.id, undefined)
      yield* quotes.decline(buyer, declined.id, undefined)
      yield* rfqs.move(buyer, dropped, "cancel")
      yield* TestClock.adjust("2 days")
      for (const quote of [withdrawn, declined, expired, cancelled]) {
        assert.isUndefined((yield* quotes.get(buyer, quote.id)).terms)
        assert.deepStrictEqual((yield* quotes.get(quote.agentId, quote.id)).terms, quote.terms)
      }
      const opened = [
        ...(yield* quotes.ofRfq(buyer, id, {})).items,
        ...(yield* quotes.ofRfq(buyer, dropped, {})).items
      ].filter(({ terms }) => terms !== undefined)
      assert.deepStrictEqual(
        opened.map((quote) => quote.id),
        [live.id]
      )
      // What is decided after the deadline stays open.
      yield* quotes.decline(buyer, live.id, undefined)
      assert.isDefined((yield* quotes.get(buyer, live.id)).terms)
    }).pipe(Effect.provide(market()))
  )
})
