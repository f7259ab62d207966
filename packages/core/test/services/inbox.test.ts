import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Agents, DealRooms, Inbox, Quotes, Rfqs, Store } from "../../src/index.ts"
import type { AgentId, InboxItem } from "../../src/index.ts"
import {
  acceptOffer,
  agreeDeal,
  callForQuotes,
  codeOf,
  deliverDeal,
  inSeconds,
  join,
  market,
  negotiate,
  submitQuote,
  suspend
} from "../fixtures.ts"

/** What waits for an agent, as ids. */
const waiting = Effect.fnUntraced(function* (viewer: AgentId) {
  const { items } = yield* (yield* Inbox).list(viewer, { limit: 100 })
  return items.map(({ subject }): string => subject.id)
})

const sorted = (items: ReadonlyArray<InboxItem>) =>
  items.map(({ deadline }) => (deadline === null ? Infinity : deadline.epochMilliseconds))

describe("the inbox", () => {
  it.effect("holds a room for the side whose move it is, from the first offer to the review", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* Effect.all([join("buyer"), join("seller")])
      const rooms = yield* DealRooms
      const seats = () => Effect.all([waiting(buyer), waiting(seller)])
      const room = yield* negotiate(buyer, seller)
      const { id } = room
      assert.deepStrictEqual(yield* seats(), [[], [id]])
      yield* acceptOffer(seller, room)
      assert.deepStrictEqual(yield* seats(), [[], [id]])
      yield* rooms.cancel(seller, id, undefined)
      assert.deepStrictEqual(yield* seats(), [[id], [id]])
      yield* rooms.deliver(seller, id, { note: "done" })
      assert.deepStrictEqual(yield* seats(), [[id], []])
      yield* rooms.requestChanges(buyer, id, "page 12")
      assert.deepStrictEqual(yield* seats(), [[], [id]])
      yield* rooms.deliver(seller, id, { note: "done" })
      yield* rooms.complete(buyer, id)
      assert.deepStrictEqual(yield* seats(), [[id], [id]])
      yield* rooms.review(buyer, id, { rating: 5 })
      assert.deepStrictEqual(yield* seats(), [[], [id]])
      yield* TestClock.adjust("7 days")
      assert.deepStrictEqual(yield* seats(), [[], []])
    }).pipe(Effect.provide(market()))
  )

  it.effect("tells by the clock what time has done, also where nothing has written it down", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* Effect.all([join("buyer"), join("seller")])
      const talk = yield* negotiate(buyer, seller)
      const delivered = yield* deliverDeal(buyer, seller)
      assert.deepStrictEqual([yield* waiting(buyer), yield* waiting(seller)], [[delivered.id], [talk.id]])
      yield* TestClock.adjust("3 days")
      const [item] = (yield* (yield* Inbox).list(seller, {})).items
      assert.deepStrictEqual(item?.subject, {
        kind: "deal_room",
        id: delivered.id,
        title: delivered.title,
        status: "completed"
      })
      assert.deepStrictEqual(item?.actions, [
        { action: "review", by: "seller", deadline: yield* inSeconds(7 * 86_400) }
      ])
      yield* TestClock.adjust("7 days")
      assert.deepStrictEqual([yield* waiting(buyer), yield* waiting(seller)], [[], []])
    }).pipe(Effect.provide(market()))
  )

  it.effect("holds an invitation until it is answered, and nobody else's", () =>
    Effect.gen(function* () {
      const [buyer, one, two, other] = yield* Effect.all([
        join("buyer"),
        join("one"),
        join("two"),
        join("other")
      ])
      const quotes = yield* Quotes
      const draft = yield* callForQuotes(buyer, {
        visibility: "invited",
        invitees: [one],
        status: "draft"
      })
      const rfq = yield* callForQuotes(buyer, { visibility: "invited", invitees: [one, two] })
      yield* callForQuotes(buyer)
      assert.deepStrictEqual(yield* waiting(one), [rfq.id])
      assert.deepStrictEqual(yield* waiting(other), [])
      assert.deepStrictEqual(yield* waiting(buyer), [draft.id])
      const quote = yield* submitQuote(one, rfq.id)
      assert.deepStrictEqual(yield* waiting(one), [])
      assert.deepStrictEqual(yield* waiting(two), [rfq.id])
      yield* quotes.withdraw(one, quote.id, undefined)
      assert.deepStrictEqual(yield* waiting(one), [])
      yield* TestClock.adjust("1 day")
      assert.deepStrictEqual(yield* waiting(two), [])
    }).pipe(Effect.provide(market()))
  )

  it.effect("holds the buyer's questions, quotes and decisions, and no quote before its seal is broken", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* Effect.all([join("buyer"), join("seller")])
      const [rfqs, quotes] = [yield* Rfqs, yield* Quotes]
      const [open, sealed] = [
        yield* callForQuotes(buyer),
        yield* callForQuotes(buyer, { quoteMode: "sealed" })
      ]
      assert.deepStrictEqual(yield* waiting(buyer), [])
      const { value } = yield* rfqs.ask(seller, open.id, { text: "When?" })
      assert.deepStrictEqual(yield* waiting(buyer), [open.id])
      yield* rfqs.answer(buyer, open.id, value.question.id, { text: "Now" })
      assert.deepStrictEqual(yield* waiting(buyer), [])
      const [shown, hidden] = [yield* submitQuote(seller, open.id), yield* submitQuote(seller, sealed.id)]
      assert.deepStrictEqual(yield* waiting(buyer), [shown.id])
      yield* TestClock.adjust("1 day")
      const due = [open.id, sealed.id, shown.id, hidden.id]
      assert.sameMembers(yield* waiting(buyer), due)
      assert.deepStrictEqual(yield* waiting(seller), [])
      yield* quotes.decline(buyer, shown.id, undefined)
      yield* rfqs.award(buyer, sealed.id, { quoteId: hidden.id })
      assert.deepStrictEqual(yield* waiting(buyer), [open.id])
      yield* TestClock.adjust("7 days")
      assert.notInclude(yield* waiting(buyer), open.id)
    }).pipe(Effect.provide(market()))
  )

  it.effect("is sorted by deadline, and paged without repeating or skipping what goes on waiting", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* Effect.all([join("buyer"), join("seller")])
      const inbox = yield* Inbox
      for (let n = 0; n < 7; n++) {
        const rfq = yield* callForQuotes(buyer, { quoteDeadline: yield* inSeconds(3600 * (9 - n)) })
        yield* submitQuote(seller, rfq.id, { validUntil: yield* inSeconds(3600 * (n + 1)) })
        const { id } = yield* agreeDeal(buyer, seller)
        if (n % 2 === 0) yield* (yield* DealRooms).cancel(seller, id, undefined)
      }
      const { items } = yield* inbox.list(buyer, { limit: 100 })
      const deadlines = sorted(items)
      assert.deepStrictEqual(
        deadlines,
        deadlines.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
      )
      assert.deepStrictEqual([deadlines.length, deadlines.at(-1)], [11, Infinity])
      for (const limit of [1, 3, 11]) {
        const read: Array<InboxItem> = []
        let cursor: string | null | undefined
        do {
          const page = yield* inbox.list(buyer, { limit, ...(cursor ? { cursor } : {}) })
          read.push(...page.items)
          cursor = page.nextCursor
        } while (cursor !== null)
        assert.deepStrictEqual(read, items)
      }
      const cursor = (yield* inbox.list(buyer, { limit: 1 })).nextCursor ?? ""
      assert.strictEqual(yield* codeOf(inbox.list(buyer, { cursor })), "done")
      for (const stray of [inbox.list(seller, { cursor }), inbox.list(buyer, { cursor: "x" })])
        assert.strictEqual(yield* codeOf(stray), "invalid_cursor")
    }).pipe(Effect.provide(market()))
  )

  it.effect("loses nothing behind what strangers open with an agent", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* Effect.all([join("buyer"), join("seller")])
      const rooms = yield* DealRooms
      const deal = yield* agreeDeal(buyer, seller)
      const strangers = yield* Effect.forEach(Array.from({ length: 26 }), (_, n) => join(`stranger${n}`))
      for (const stranger of strangers)
        for (let n = 0; n < 20; n++) yield* rooms.open(stranger, { counterparty: seller, role: "buyer" })
      assert.strictEqual((yield* waiting(seller))[0], deal.id)
    }).pipe(Effect.provide(market()))
  )

  it.effect("costs a read for each hundred and for each invitation on the page, not for all of them", () => {
    let reads = 0
    const counted = Layer.effect(
      Store,
      Effect.map(Store, (store) => ({
        ...store,
        quotes: {
          ...store.quotes,
          list: (...args: Parameters<typeof store.quotes.list>) =>
            Effect.tap(store.quotes.list(...args), () => Effect.sync(() => reads++))
        }
      }))
    )
    return Effect.gen(function* () {
      const [buyer, seller] = yield* Effect.all([join("buyer"), join("seller")])
      const invitation = { visibility: "invited", invitees: [seller] } as const
      yield* Effect.forEach(Array.from({ length: 120 }), () => callForQuotes(buyer, invitation))
      const store = yield* Layer.build(counted)
      const inbox = yield* Layer.build(Layer.provide(Layer.fresh(Inbox.layer), Layer.succeedContext(store)))
      const { items } = yield* Context.get(inbox, Inbox).list(seller, { limit: 5 })
      assert.deepStrictEqual([items.length, reads], [5, 6])
    }).pipe(Effect.scoped, Effect.provide(market()))
  })

  it.effect(
    "of a closed account holds its agreements alone, and nothing waits for one that is suspended",
    () =>
      Effect.gen(function* () {
        const [buyer, seller] = yield* Effect.all([join("buyer"), join("seller")])
        const deal = yield* agreeDeal(buyer, seller)
        const rfq = yield* callForQuotes(buyer, { visibility: "invited", invitees: [seller] })
        yield* callForQuotes(seller, { status: "draft" })
        yield* (yield* Agents).close(seller)
        assert.deepStrictEqual(yield* waiting(seller), [deal.id])
        const other = yield* join("other")
        yield* (yield* Rfqs).update(buyer, rfq.id, { invitees: [other] })
        assert.deepStrictEqual(yield* waiting(other), [rfq.id])
        yield* suspend(other)
        assert.deepStrictEqual(yield* waiting(other), [])
      }).pipe(Effect.provide(market()))
  )
})
