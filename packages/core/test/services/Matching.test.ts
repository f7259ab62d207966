import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Agents, Events, Market, MemoryStore, MiniSearchIndex, Store, Unavailable } from "../../src/index.ts"
import { codeOf, distantMarket, market, nodeOn, seededRandom } from "../fixtures.ts"
import { ask, foundCount, matchesOf, matchOf, offer, settle, sides } from "./matching.ts"

describe("a round of matching", () => {
  it.effect("goes on where a former process stopped, and does nothing twice", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      yield* ask(buyer)
      yield* offer(seller)
      yield* settle
      const bookmark = yield* (yield* Store).bookmarks.byId("matcher")
      const later = yield* ask(buyer)
      const there = yield* nodeOn(31)
      yield* Effect.provide(settle, there)
      assert.strictEqual(yield* foundCount, 2)
      assert.strictEqual((yield* matchesOf(seller, { demand: later.id })).length, 1)
      const moved = yield* (yield* Store).bookmarks.byId("matcher")
      assert.isAbove(moved?.position ?? 0, bookmark?.position ?? 0)
      yield* settle
      assert.strictEqual(yield* foundCount, 2)
      assert.deepStrictEqual(yield* (yield* Store).bookmarks.byId("matcher"), moved)
    }).pipe(Effect.scoped, Effect.provide(market()))
  )

  it.effect("finds each pair once when two nodes are at it", () =>
    Effect.gen(function* () {
      const [buyer, seller, other] = yield* sides
      for (const n of [1, 2, 3, 4]) {
        yield* ask(buyer, { title: `Translate contracts ${n}` })
        yield* offer(n % 2 === 0 ? seller : other)
      }
      const there = yield* nodeOn(32)
      yield* Effect.all([settle, Effect.provide(settle, there)], { concurrency: 2 })
      const matches = yield* matchesOf(buyer, { limit: 100 })
      assert.strictEqual(matches.length, 16)
      assert.isTrue(matches.every(({ version }) => version === 1))
      assert.strictEqual(yield* foundCount, 16)
    }).pipe(Effect.scoped, Effect.provide(distantMarket))
  )

  it.effect("writes nothing for what is not new, and remembers it after many events", () =>
    Effect.gen(function* () {
      const [buyer] = yield* sides
      const store = yield* Store
      yield* settle
      assert.isUndefined(yield* store.bookmarks.byId("matcher"))
      const agents = yield* Agents
      for (let n = 0; n < 1000; n++) yield* agents.update(buyer, { name: `Name ${n}` })
      yield* settle
      const bookmark = yield* store.bookmarks.byId("matcher")
      assert.strictEqual(bookmark?.version, 1)
      assert.isAtLeast(bookmark?.position ?? 0, 1000)
    }).pipe(Effect.provide(market()))
  )

  it.effect("does again what was not committed, and nothing else", () => {
    const faults = { at: 2 }
    const faulty = Layer.effect(
      Store,
      Effect.map(Store, (store) => ({
        ...store,
        commit: (commit: Parameters<typeof store.commit>[0]) =>
          Effect.suspend(() =>
            commit.writes.some(({ kind }) => kind === "bookmark") && --faults.at === 0
              ? Effect.fail(Unavailable.because("cut"))
              : store.commit(commit)
          )
      }))
    ).pipe(Layer.provide(MemoryStore.layer))
    return Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      yield* ask(buyer)
      yield* ask(buyer, { title: "Translate patents" })
      for (const n of [1, 2, 3]) yield* offer(seller, { title: `Translate contracts ${n}` })
      assert.strictEqual(yield* codeOf(settle), "unavailable")
      assert.strictEqual(yield* foundCount, 3)
      yield* settle
      assert.strictEqual((yield* matchesOf(buyer)).length, 6)
      assert.strictEqual(yield* foundCount, 6)
    }).pipe(
      Effect.provide(
        Market.layer({ matching: "off", sweepEverySeconds: "off" }).pipe(
          Layer.provideMerge(Layer.mergeAll(faulty, MiniSearchIndex.layer, seededRandom(19)))
        )
      )
    )
  })
})

describe("the matcher", () => {
  it.effect("tells both sides by itself, a moment after something has come or changed", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const { items } = yield* (yield* Events).open(buyer, { types: ["match.*"] })
      const request = yield* ask(buyer)
      yield* offer(seller)
      assert.strictEqual(yield* foundCount, 0)
      yield* TestClock.adjust("2 seconds")
      const [heard] = yield* Stream.runCollect(Stream.take(items, 1))
      const match = yield* matchOf(seller, { demand: request.id })
      assert.deepStrictEqual([heard?.event.type, heard?.event.subject.id], ["match.found", match.id])
      yield* offer(seller, { title: "Translate patents" })
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* matchesOf(buyer)).length, 2)
    }).pipe(Effect.scoped, Effect.provide(market({ matching: {} })))
  )

  it.effect("matches what was there before it", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      yield* ask(buyer)
      yield* offer(seller)
      const store = Layer.succeed(Store, yield* Store)
      const node = Market.layer({ sweepEverySeconds: "off" }).pipe(
        Layer.provideMerge(Layer.mergeAll(store, MiniSearchIndex.layer, seededRandom(23)))
      )
      yield* Layer.buildWithMemoMap(node, yield* Layer.makeMemoMap, yield* Effect.scope)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* matchesOf(buyer)).length, 1)
    }).pipe(Effect.scoped, Effect.provide(market()))
  )

  it.effect("goes on after a fault of the store", () => {
    const faults = { left: 2 }
    const faulty = Layer.effect(
      Store,
      Effect.map(Store, (store) => ({
        ...store,
        bookmarks: {
          byId: (id: string) =>
            Effect.suspend(() =>
              faults.left-- > 0 ? Effect.fail(Unavailable.because("cut")) : store.bookmarks.byId(id)
            )
        }
      }))
    ).pipe(Layer.provide(MemoryStore.layer))
    return Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      yield* ask(buyer)
      yield* offer(seller)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* matchesOf(buyer)).length, 1)
      assert.isAtMost(faults.left, 0)
    }).pipe(
      Effect.provide(
        Market.layer().pipe(
          Layer.provideMerge(Layer.mergeAll(faulty, MiniSearchIndex.layer, seededRandom(29)))
        )
      )
    )
  })
})
