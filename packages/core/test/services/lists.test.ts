import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { Base64Url } from "effect/encoding"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { Agents, DealRooms, Listings, Quotes, Rfqs, Search } from "../../src/index.ts"
import type { CursorPage, PageQuery } from "../../src/index.ts"
import { readCursor, writeCursor } from "../../src/services/Cursors.ts"
import {
  callForQuotes,
  codeOf,
  inSeconds,
  join,
  listingInput,
  market,
  negotiate,
  submitQuote,
  terms
} from "../fixtures.ts"

/** Reads a list to its end; `between` happens between its pages. */
const readThrough = Effect.fnUntraced(function* <A, E, R, E2, R2>(
  read: (query: PageQuery) => Effect.Effect<CursorPage<A>, E, R>,
  limit: number,
  between: Effect.Effect<unknown, E2, R2>
) {
  const pages: Array<ReadonlyArray<A>> = []
  let cursor: string | null | undefined
  do {
    const page: CursorPage<A> = yield* read({ limit, ...(cursor ? { cursor } : {}) })
    pages.push(page.items)
    cursor = page.nextCursor
    yield* between
  } while (cursor !== null)
  return pages
})

const listings = (times: number, overrides = {}) =>
  Effect.gen(function* () {
    const seller = yield* join("seller")
    const service = yield* Listings
    const published = yield* Effect.forEach(Array.from({ length: times }), () =>
      service.publish(seller, listingInput(overrides))
    )
    return { seller, service, ids: published.map(({ value }) => value.id) }
  })

describe("a list", () => {
  it.effect("is paged newest first, and inserts between the pages neither repeat nor skip an item", () =>
    Effect.gen(function* () {
      const { ids, seller, service } = yield* listings(11)
      for (const q of [undefined, "legal translate"]) {
        const insert = service.publish(seller, listingInput())
        const pages = yield* readThrough((page) => service.list(undefined, { ...page, q }), 4, insert)
        const read = pages.flat().map(({ id }) => id)
        assert.deepStrictEqual(
          read.filter((id) => ids.includes(id)),
          ids.toReversed()
        )
        assert.strictEqual(new Set(read).size, read.length)
      }
    }).pipe(Effect.provide(market()))
  )

  it.effect("ends with a page whose cursor is null, also when its last page is full", () =>
    Effect.gen(function* () {
      const { service } = yield* listings(6)
      for (const limit of [1, 2, 3, 5, 6, 7]) {
        const pages = yield* readThrough((page) => service.list(undefined, page), limit, Effect.void)
        assert.deepStrictEqual([pages.length, pages.flat().length], [Math.ceil(6 / limit), 6])
      }
      assert.strictEqual((yield* service.list(undefined, { tag: "none" })).nextCursor, null)
    }).pipe(Effect.provide(market()))
  )

  it.effect("holds twenty items where nothing is said", () =>
    Effect.gen(function* () {
      const { service } = yield* listings(25)
      assert.strictEqual((yield* service.list(undefined, {})).items.length, 20)
    }).pipe(Effect.provide(market()))
  )

  it.effect("of one's own is searched to its end", () =>
    Effect.gen(function* () {
      const { seller, service, ids } = yield* listings(7, { status: "draft", title: "Sail boat" })
      yield* Effect.forEach(Array.from({ length: 230 }), () => service.publish(seller, listingInput()))
      const query = { agent: "me", q: "sail" } as const
      const pages = yield* readThrough((page) => service.list(seller, { ...page, ...query }), 4, Effect.void)
      assert.deepStrictEqual(
        pages.map((page) => page.map(({ id }) => id)),
        [ids.toReversed().slice(0, 4), ids.toReversed().slice(4)]
      )
    }).pipe(Effect.provide(market()))
  )

  it.effect("takes its own cursors, with the same filters and from the same reader, and no others", () =>
    Effect.gen(function* () {
      const { seller, service } = yield* listings(6, { tags: ["a"] })
      const cursor = (yield* service.list(undefined, { limit: 2, tag: "a" })).nextCursor ?? ""
      const accepted = (query: Parameters<typeof service.list>[1]) => codeOf(service.list(undefined, query))
      assert.strictEqual(yield* accepted({ cursor, tag: "a" }), "done")
      assert.strictEqual(yield* accepted({ cursor, tag: "a", limit: 3 }), "done")
      for (const query of [{}, { tag: "b" }, { tag: "a", q: "x" }, { tag: "a", maxPrice: "1" }])
        assert.strictEqual(yield* accepted({ ...query, cursor }), "invalid_cursor")
      assert.strictEqual(yield* codeOf(service.list(seller, { cursor, tag: "a" })), "invalid_cursor")
      for (const forged of ["", "x", "!!!", `${cursor}x`, cursor.slice(2), cursor.toUpperCase()])
        assert.strictEqual(yield* accepted({ cursor: forged, tag: "a" }), "invalid_cursor", forged)
      assert.strictEqual(yield* codeOf((yield* Rfqs).list(undefined, { cursor, tag: "a" })), "invalid_cursor")
      assert.strictEqual(yield* codeOf((yield* Agents).list({ cursor })), "invalid_cursor")
      assert.strictEqual(yield* codeOf((yield* Search).find(undefined, { q: "x", cursor })), "invalid_cursor")
    }).pipe(Effect.provide(market()))
  )

  it.effect("hands no cursor that somebody wrote himself down to the store", () =>
    Effect.gen(function* () {
      const { service } = yield* listings(3)
      const cursor = (yield* service.list(undefined, { limit: 1 })).nextCursor ?? ""
      const bound = Result.getOrThrow(Base64Url.decode(cursor))
      const prefix = new TextDecoder().decode(bound).split(".")[0]
      for (const key of ["\u0000", "lst_\u0000", "", "' OR 1=1", "lst_short", "NaN", "x".repeat(300)]) {
        const forged = Base64Url.encode(`${prefix}.${key}`)
        assert.strictEqual(yield* codeOf(service.list(undefined, { cursor: forged })), "invalid_cursor", key)
      }
      const [buyer, seller] = yield* Effect.all([join("b-1"), join("s-1")])
      const rooms = yield* DealRooms
      const room = yield* negotiate(buyer, seller)
      const page = yield* rooms.entries(buyer, room.id, { limit: 1 })
      const entries = new TextDecoder().decode(Result.getOrThrow(Base64Url.decode(page.nextCursor ?? "")))
      for (const key of ["NaN", "-1", "1.5", "1e9", "Infinity", "", "99999999999999999999"]) {
        const forged = Base64Url.encode(`${entries.split(".")[0]}.${key}`)
        assert.strictEqual(
          yield* codeOf(rooms.entries(buyer, room.id, { cursor: forged })),
          "invalid_cursor",
          key
        )
      }
    }).pipe(Effect.provide(market()))
  )

  it("gives back the key of a cursor for its own binding alone", () => {
    const anything = /^[^]+$/u
    const binding = fc.record({ list: fc.string(), tag: fc.option(fc.string()) })
    fc.assert(
      fc.property(binding, binding, fc.uuid(), (a, b, key) => {
        const cursor = writeCursor(a, key)
        assert.deepStrictEqual(readCursor(a, cursor, anything), Result.succeed(key))
        const same = JSON.stringify(a) === JSON.stringify(b)
        assert.strictEqual(Result.isSuccess(readCursor(b, cursor, anything)), same)
      })
    )
  })

  it("takes no text for a cursor that it did not write", () => {
    fc.assert(
      fc.property(fc.string(), (text) => assert.isTrue(Result.isFailure(readCursor({}, text, /^[^]*$/u))))
    )
  })
})

describe("the filters of the listings", () => {
  it.effect("hold together", () =>
    Effect.gen(function* () {
      const [one, two] = yield* Effect.all([join("one"), join("two")])
      const service = yield* Listings
      const publish = (by: typeof one, overrides: Parameters<typeof listingInput>[0]) =>
        Effect.map(service.publish(by, listingInput(overrides)), ({ value }) => value.title)
      const euros = (amount: string) => ({ amount, currency: "EUR" })
      yield* publish(one, { title: "cheap", tags: ["a"], pricing: { model: "fixed", price: euros("1.00") } })
      yield* publish(one, {
        title: "dear",
        tags: ["a", "b"],
        category: "legal",
        pricing: { model: "per_unit", price: euros("10.000001"), unit: "page" }
      })
      yield* publish(two, {
        title: "dollars",
        tags: ["b"],
        pricing: { model: "fixed", price: { amount: "5", currency: "USD" } }
      })
      yield* publish(two, { title: "on demand", pricing: { model: "quote" } })
      const titles = (query: Parameters<typeof service.list>[1]) =>
        Effect.map(service.list(undefined, query), ({ items }) => items.map(({ title }) => title).toSorted())
      assert.deepStrictEqual(yield* titles({ tag: "a" }), ["cheap", "dear"])
      assert.deepStrictEqual(yield* titles({ tag: "b", agent: one }), ["dear"])
      assert.deepStrictEqual(yield* titles({ category: "legal" }), ["dear"])
      assert.deepStrictEqual(yield* titles({ pricingModel: "fixed" }), ["cheap", "dollars"])
      assert.deepStrictEqual(yield* titles({ maxPrice: "10" }), ["cheap", "dollars"])
      assert.deepStrictEqual(yield* titles({ maxPrice: "10.000001", currency: "EUR" }), ["cheap", "dear"])
      assert.deepStrictEqual(yield* titles({ currency: "USD" }), ["dollars"])
      assert.deepStrictEqual(yield* titles({ q: "dear", tag: "b" }), ["dear"])
      assert.deepStrictEqual(yield* titles({ q: "dear", tag: "c" }), [])
      yield* TestClock.adjust("1 minute")
      yield* publish(two, { title: "late" })
      assert.deepStrictEqual(yield* titles({ updatedSince: yield* inSeconds(0) }), ["late"])
    }).pipe(Effect.provide(market()))
  )
})

describe("the list of RFQs", () => {
  it.effect("tells by the clock which are open, and which close soon", () =>
    Effect.gen(function* () {
      const buyer = yield* join("buyer")
      const rfqs = yield* Rfqs
      const [soon, later] = [
        yield* callForQuotes(buyer, { quoteDeadline: yield* inSeconds(60) }),
        yield* callForQuotes(buyer, { quoteDeadline: yield* inSeconds(3600) })
      ]
      const ids = (query: Parameters<typeof rfqs.list>[1]) =>
        Effect.map(rfqs.list(undefined, query), ({ items }) => items.map(({ id, status }) => [id, status]))
      assert.deepStrictEqual(yield* ids({ closesBefore: yield* inSeconds(60) }), [[soon.id, "open"]])
      assert.deepStrictEqual(yield* ids({}), [
        [later.id, "open"],
        [soon.id, "open"]
      ])
      yield* TestClock.adjust("60 seconds")
      assert.deepStrictEqual(yield* ids({}), [[later.id, "open"]])
      assert.deepStrictEqual(yield* ids({ q: "contract" }), [[later.id, "open"]])
      assert.deepStrictEqual(yield* ids({ status: "evaluating" }), [[soon.id, "evaluating"]])
    }).pipe(Effect.provide(market()))
  )
})

describe("the places of an RFQ", () => {
  it.effect("are not used up by one seller who quotes again and again", () =>
    Effect.gen(function* () {
      const [buyer, seller, other] = yield* Effect.all([join("buyer"), join("seller"), join("other")])
      const [quotes, rfqs] = [yield* Quotes, yield* Rfqs]
      const rfq = yield* callForQuotes(buyer, { maxQuotes: 2 })
      const count = Effect.map(rfqs.get(buyer, rfq.id), ({ quoteCount }) => quoteCount)
      for (let n = 0; n < 4; n++) {
        yield* submitQuote(seller, rfq.id, { validUntil: yield* inSeconds(1) })
        yield* TestClock.adjust("1 second")
      }
      assert.strictEqual(yield* count, 1)
      const quote = yield* submitQuote(seller, rfq.id)
      yield* quotes.decline(buyer, quote.id, "too dear")
      const again = yield* submitQuote(seller, rfq.id, { terms: terms("1") })
      assert.strictEqual(yield* count, 1)
      yield* quotes.withdraw(seller, again.id, undefined)
      assert.strictEqual(yield* count, 0)
      yield* submitQuote(seller, rfq.id)
      yield* submitQuote(other, rfq.id)
      assert.strictEqual(yield* count, 2)
      assert.strictEqual(yield* codeOf(submitQuote(yield* join("third"), rfq.id)), "limit_reached")
      const statuses = (yield* quotes.mine(seller, {})).items.map(({ status }) => status)
      assert.deepStrictEqual(statuses, [
        "active",
        "withdrawn",
        "declined",
        ...Array.from({ length: 4 }, () => "expired")
      ])
    }).pipe(Effect.provide(market()))
  )
})
