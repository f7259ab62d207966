/** How a market that cannot start goes on trying, on a clock that the test turns. */
import { assert, describe, it } from "@effect/vitest"
import { Unavailable } from "@souk/core"
import { Effect, Exit } from "effect"
import { TestClock } from "effect/testing"
import * as Starting from "../src/Starting.ts"

/** Starts on a store that cannot be opened until it is mended, and counts the tries. */
const start = Effect.gen(function* () {
  const store = { tries: 0, isThere: false }
  const open = Effect.suspend(() => {
    store.tries++
    return store.isThere ? Effect.succeed("store") : new Unavailable({ message: "The disk is away." })
  })
  const starting = Starting.make(open, () => Effect.succeed("market"), yield* Effect.context<never>())
  assert.isTrue(Exit.isFailure(yield* starting.outcome))
  return { store, starting }
})

describe("a market that could not start", () => {
  it.effect("tries again after a quarter of a second, then ever later, at last every half minute", () =>
    Effect.gen(function* () {
      const { starting, store } = yield* start
      const triesAfter = (millis: number) => Effect.map(TestClock.adjust(millis), () => store.tries)
      assert.strictEqual(yield* triesAfter(249), 1)
      assert.strictEqual(yield* triesAfter(1), 2)
      assert.strictEqual(yield* triesAfter(499), 2)
      assert.strictEqual(yield* triesAfter(1), 3)
      yield* TestClock.adjust("5 minutes")
      const { tries } = store
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual(store.tries - tries, 10)
      yield* starting.stop
    })
  )

  it.effect("stops trying once it has started", () =>
    Effect.gen(function* () {
      const { starting, store } = yield* start
      store.isThere = true
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* starting.outcome, Exit.succeed("market"))
      assert.strictEqual(store.tries, 2)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(store.tries, 2)
    })
  )

  it.effect("stops trying once it is closed", () =>
    Effect.gen(function* () {
      const { starting, store } = yield* start
      yield* starting.stop
      store.isThere = true
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(store.tries, 1)
      assert.isTrue(Exit.isFailure(yield* starting.outcome))
    })
  )
})
