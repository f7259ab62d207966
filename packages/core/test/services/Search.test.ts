import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Agents, Listings, Rfqs, Search } from "../../src/index.ts"
import type { AgentId, SearchRequest } from "../../src/index.ts"
import { callForQuotes, distantStore, join, listingInput, market, nodeOn } from "../fixtures.ts"

const find = Effect.fnUntraced(function* (viewer: AgentId | undefined, request: SearchRequest) {
  return yield* (yield* Search).find(viewer, request)
})

const found = (viewer: AgentId | undefined, request: SearchRequest) =>
  Effect.map(find(viewer, request), ({ items }) => items.map(({ item, type }) => `${type} ${item.id}`))

describe("a search", () => {
  it.effect("finds listings, RFQs and agents by their words, at once when they are written", () =>
    Effect.gen(function* () {
      const [seller, buyer] = yield* Effect.all([join("seller"), join("buyer")])
      const { value: listing } = yield* (yield* Listings).publish(
        seller,
        listingInput({ title: "Umbrella repair", tags: ["rain"] })
      )
      const rfq = yield* callForQuotes(buyer, {
        title: "Wanted: help",
        requirements: [{ id: "x", text: "knows every umbrella", hard: true }]
      })
      yield* (yield* Agents).update(seller, { skills: [{ id: "umbrella", name: "Repair", tags: [] }] })
      assert.sameMembers(yield* found(undefined, { q: "umbrella" }), [
        `listing ${listing.id}`,
        `rfq ${rfq.id}`,
        `agent ${seller}`
      ])
      assert.deepStrictEqual(yield* found(undefined, { q: "umbrella", types: ["rfq"] }), [`rfq ${rfq.id}`])
      yield* (yield* Listings).update(seller, listing.id, { title: "Parasol repair", tags: [] })
      assert.deepStrictEqual(yield* found(undefined, { q: "umbrella", types: ["listing"] }), [])
      assert.deepStrictEqual(yield* found(undefined, { q: "parasol" }), [`listing ${listing.id}`])
    }).pipe(Effect.provide(market()))
  )

  it.effect("pages through everything it finds, each once, best first", () =>
    Effect.gen(function* () {
      const seller = yield* join("seller")
      const listings = yield* Listings
      for (let n = 0; n < 23; n++)
        yield* listings.publish(seller, listingInput({ title: `Sail ${"boat ".repeat(n % 5)}` }))
      const ids: Array<string> = []
      const scores: Array<number> = []
      let cursor: string | null | undefined
      do {
        const page = yield* find(undefined, { q: "sail boat", limit: 5, ...(cursor ? { cursor } : {}) })
        ids.push(...page.items.map(({ item }) => item.id))
        scores.push(...page.items.map(({ score }) => score))
        cursor = page.nextCursor
      } while (cursor !== null)
      assert.deepStrictEqual([ids.length, new Set(ids).size], [23, 23])
      assert.deepStrictEqual(
        scores,
        scores.toSorted((a, b) => b - a)
      )
      for (const score of scores) assert.isTrue(score > 0 && score <= 1)
    }).pipe(Effect.provide(market()))
  )

  it.effect("repeats and skips nothing although others publish while it is paged through", () =>
    Effect.gen(function* () {
      const seller = yield* join("seller")
      const listings = yield* Listings
      const publish = (title: string) =>
        Effect.map(listings.publish(seller, listingInput({ title })), ({ value }) => value.id)
      const before = yield* Effect.forEach(
        Array.from({ length: 12 }, (_, n) => `Sail ${"boat ".repeat(n % 4)}number ${n}`),
        publish
      )
      const ids: Array<string> = []
      let cursor: string | null | undefined
      do {
        const page = yield* find(undefined, { q: "sail boat", limit: 3, ...(cursor ? { cursor } : {}) })
        ids.push(...page.items.map(({ item }) => item.id))
        cursor = page.nextCursor
        yield* publish("Sail boat boat boat boat")
      } while (cursor !== null)
      assert.deepStrictEqual(ids.toSorted(), before.toSorted())
    }).pipe(Effect.provide(market()))
  )

  it.effect("leaves no page short for what the reader may not see", () =>
    Effect.gen(function* () {
      const [buyer, other] = yield* Effect.all([join("buyer"), join("other")])
      for (let n = 0; n < 12; n++)
        yield* callForQuotes(buyer, {
          title: "Sail boat",
          ...(n % 2 === 0 ? { visibility: "invited", invitees: [other] } : {})
        })
      const first = yield* find(undefined, { q: "sail", limit: 4 })
      assert.strictEqual(first.items.length, 4)
      const second = yield* find(undefined, { q: "sail", limit: 4, cursor: first.nextCursor ?? "" })
      assert.deepStrictEqual([second.items.length, second.nextCursor], [2, null])
      assert.strictEqual((yield* find(other, { q: "sail", limit: 100 })).items.length, 12)
    }).pipe(Effect.provide(market()))
  )

  it.effect("forgets what has ended, by time as well", () =>
    Effect.gen(function* () {
      const buyer = yield* join("buyer")
      const rfq = yield* callForQuotes(buyer, { title: "Sail boat" })
      const cancelled = yield* callForQuotes(buyer, { title: "Sail boat" })
      yield* (yield* Rfqs).move(buyer, cancelled.id, "cancel")
      assert.deepStrictEqual(yield* found(buyer, { q: "sail" }), [`rfq ${rfq.id}`])
      yield* TestClock.adjust("1 day")
      assert.deepStrictEqual(yield* found(buyer, { q: "sail" }), [])
    }).pipe(Effect.provide(market()))
  )

  it.effect("is narrowed by tag, category, price and currency", () =>
    Effect.gen(function* () {
      const seller = yield* join("seller")
      const { value } = yield* (yield* Listings).publish(
        seller,
        listingInput({ title: "Sail boat", tags: ["sea"], category: "boats" })
      )
      yield* (yield* Listings).publish(
        seller,
        listingInput({ title: "Sail boat", pricing: { model: "quote" } })
      )
      const boat = [`listing ${value.id}`]
      assert.deepStrictEqual(yield* found(undefined, { q: "sail", tag: "sea" }), boat)
      assert.deepStrictEqual(yield* found(undefined, { q: "sail", category: "boats" }), boat)
      assert.deepStrictEqual(yield* found(undefined, { q: "sail", maxPrice: "12.50" }), boat)
      assert.deepStrictEqual(yield* found(undefined, { q: "sail", maxPrice: "12.499999" }), [])
      assert.deepStrictEqual(yield* found(undefined, { q: "sail", currency: "EUR" }), boat)
      assert.deepStrictEqual(yield* found(undefined, { q: "sail", currency: "USD" }), [])
    }).pipe(Effect.provide(market()))
  )

  it.effect("answers from what the store holds when a market is started on it", () =>
    Effect.gen(function* () {
      const first = yield* nodeOn(1)
      const story = Effect.gen(function* () {
        const [seller, other] = yield* Effect.all([join("seller"), join("other")])
        const listings = yield* Listings
        const { value } = yield* listings.publish(seller, listingInput({ title: "Sail boat" }))
        yield* listings.publish(seller, listingInput({ title: "Sail boat", status: "draft" }))
        yield* callForQuotes(seller, { title: "Sail boat", visibility: "invited", invitees: [other] })
        return value.id
      })
      const id = yield* Effect.provide(story, first)
      const second = yield* nodeOn(2)
      assert.deepStrictEqual(yield* Effect.provide(found(undefined, { q: "sail" }), second), [
        `listing ${id}`
      ])
    }).pipe(Effect.provide(distantStore))
  )

  it.effect("shows nothing that the store forbids, whatever the index still holds", () =>
    Effect.gen(function* () {
      const first = yield* nodeOn(1)
      const story = Effect.gen(function* () {
        const [buyer, other] = yield* Effect.all([join("buyer"), join("other")])
        const rfq = yield* callForQuotes(buyer, { title: "Sail boat" })
        const { value } = yield* (yield* Listings).publish(buyer, listingInput({ title: "Sail boat" }))
        return { buyer, other, rfqId: rfq.id, listingId: value.id }
      })
      const { buyer, other, rfqId, listingId } = yield* Effect.provide(story, first)
      const second = yield* nodeOn(2)
      const hide = Effect.gen(function* () {
        yield* (yield* Rfqs).update(buyer, rfqId, { visibility: "invited", invitees: [other] })
        yield* (yield* Listings).move(buyer, listingId, "pause")
      })
      yield* Effect.provide(hide, first)
      assert.deepStrictEqual(yield* Effect.provide(found(undefined, { q: "sail" }), second), [])
      assert.deepStrictEqual(yield* Effect.provide(found(other, { q: "sail" }), second), [`rfq ${rfqId}`])
    }).pipe(Effect.provide(distantStore))
  )
})
