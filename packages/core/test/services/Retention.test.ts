import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Events, Listings, Store } from "../../src/index.ts"
import type { AgentId } from "../../src/index.ts"
import { join, listingInput, market } from "../fixtures.ts"

const day = 86_400
const kept = () => market({ retainEventsSeconds: day })

const publish = Effect.fnUntraced(function* (by: AgentId, times: number) {
  const listings = yield* Listings
  return yield* Effect.forEach(Array.from({ length: times }), () => listings.publish(by, listingInput()))
})

const pageBehind = Effect.fnUntraced(function* (after: string) {
  return yield* (yield* Events).page(undefined, { after, limit: 100 })
})

const bookmark = Effect.fnUntraced(function* (id: string, position: number, version: number) {
  const store = yield* Store
  const now = yield* DateTime.now
  const value = { id, position, createdAt: now, updatedAt: now, version }
  const replaces = version === 1 ? null : version - 1
  yield* store.commit({ writes: [{ kind: "bookmark", value, replaces }], reliesOn: [], events: [] })
})

describe("events that are older than they are kept", () => {
  it.effect("are forgotten: a cursor before them is reset, and the earliest is the oldest that is kept", () =>
    Effect.gen(function* () {
      const seller = yield* join("seller")
      yield* publish(seller, 3)
      const { cursor: old } = yield* pageBehind("c1")
      const { cursor: oldest } = yield* pageBehind("c0")
      yield* TestClock.adjust("23 hours")
      yield* publish(seller, 2)
      assert.isFalse((yield* pageBehind("c1")).reset)
      yield* TestClock.adjust("2 hours")
      // What stands before the first event that is kept is read to its end.
      assert.isFalse((yield* pageBehind(old)).reset)
      const reset = yield* pageBehind("c1")
      assert.deepStrictEqual([reset.reset, reset.items], [true, []])
      const earliest = yield* pageBehind("earliest")
      assert.isFalse(earliest.reset)
      assert.strictEqual(earliest.items.length, 2)
      assert.strictEqual(reset.cursor, earliest.cursor)
      const open = yield* (yield* Events).open(undefined, { after: "c1" })
      assert.deepStrictEqual([open.reset, open.cursor], [true, reset.cursor])
      assert.strictEqual(oldest, old)
    }).pipe(Effect.scoped, Effect.provide(kept()))
  )

  it.effect("may be all there are: the feed goes on where it was", () =>
    Effect.gen(function* () {
      const seller = yield* join("seller")
      const { cursor } = yield* pageBehind("earliest")
      yield* TestClock.adjust("25 hours")
      const nothing = yield* pageBehind("earliest")
      assert.deepStrictEqual([nothing.items, nothing.cursor], [[], cursor])
      yield* publish(seller, 1)
      const next = yield* pageBehind(cursor)
      assert.deepStrictEqual([next.items.length, next.reset], [1, false])
    }).pipe(Effect.provide(kept()))
  )

  it.effect("stay while a reader of the market's own has not passed them", () =>
    Effect.gen(function* () {
      const seller = yield* join("seller")
      yield* publish(seller, 5)
      const store = yield* Store
      const latest = yield* store.events.latest
      yield* bookmark("matcher", latest - 3, 1)
      yield* bookmark("webhooks", latest - 1, 1)
      yield* TestClock.adjust("25 hours")
      assert.strictEqual(yield* store.events.forgotten, latest - 3)
      yield* bookmark("matcher", latest, 2)
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(yield* store.events.forgotten, latest - 1)
    }).pipe(Effect.provide(kept()))
  )

  it.effect("end the stream of who is still reading them, which would have a gap otherwise", () =>
    Effect.gen(function* () {
      const seller = yield* join("seller")
      yield* publish(seller, 450)
      const { items } = yield* (yield* Events).open(undefined, { after: "c0" })
      let heard = 0
      yield* Stream.runForEach(items, () =>
        Effect.suspend(() => (++heard === 1 ? TestClock.adjust("25 hours") : Effect.void))
      )
      assert.isAtLeast(heard, 1)
      assert.isBelow(heard, 450)
    }).pipe(Effect.scoped, Effect.provide(kept()))
  )

  it.effect("are kept for ever where nothing is said", () =>
    Effect.gen(function* () {
      yield* join("seller")
      yield* TestClock.adjust("3650 days")
      assert.strictEqual((yield* pageBehind("c0")).items.length, 1)
    }).pipe(Effect.provide(market()))
  )

  it("cannot be forgotten sooner than who lost a connection comes back", () => {
    for (const retainEventsSeconds of [0, -1, 3599, Number.NaN])
      assert.throws(() => market({ retainEventsSeconds }), TypeError, "retainEventsSeconds must be")
  })
})
