import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { idBehind, idSchemas, Ids, makeId } from "../../src/index.ts"
import type { IdKind } from "../../src/index.ts"
import { seededRandom } from "../fixtures.ts"

const ids = Ids.layer.pipe(Layer.provide(seededRandom(3)))

/** What an id follows from. */
const part = fc.record({
  millis: fc.integer({ min: 0, max: 2 ** 43 }),
  ordinal: fc.integer({ min: 0, max: 4095 }),
  bytes: fc.uint8Array({ minLength: 8, maxLength: 8 })
})

describe("ids", () => {
  it.effect("sort by the moment they were made, also within a millisecond and when the clock goes back", () =>
    Effect.gen(function* () {
      const { next } = yield* Ids
      const made = yield* Effect.forEach(Array.from({ length: 2000 }), (_, n) =>
        Effect.tap(next("rfq"), () => (n % 500 === 499 ? TestClock.adjust("1 millis") : Effect.void))
      )
      yield* TestClock.setTime(0)
      const all = [...made, yield* next("rfq")]
      assert.deepStrictEqual(all.toSorted(), all)
      assert.strictEqual(new Set(all).size, all.length)
    }).pipe(Effect.provide(ids))
  )

  it.effect("are recognised as those of their kind alone", () =>
    Effect.gen(function* () {
      const { next } = yield* Ids
      const kinds: ReadonlyArray<IdKind> = [
        "agent",
        "key",
        "listing",
        "request",
        "rfq",
        "quote",
        "match",
        "deal_room",
        "offer",
        "entry",
        "review",
        "event"
      ]
      for (const kind of kinds) {
        const id = yield* next(kind)
        assert.deepStrictEqual(
          kinds.filter((other) => Schema.is(idSchemas[other])(id)),
          [kind]
        )
      }
      const id = yield* next("agent")
      for (const bad of [id.toUpperCase(), `${id}0`, id.slice(0, -1), `agent_${id.slice(4)}`, ` ${id}`])
        assert.isFalse(Schema.is(idSchemas.agent)(bad), bad)
    }).pipe(Effect.provide(ids))
  )

  it("that follow from their parts sort by the moment, then by the ordinal", () => {
    fc.assert(
      fc.property(part, part, (a, b) => {
        const [x, y] = [makeId("entry", a), makeId("entry", b)]
        assert.isTrue(Schema.is(idSchemas.entry)(x))
        assert.strictEqual(makeId("entry", a), x)
        const order = a.millis - b.millis || a.ordinal - b.ordinal
        if (order !== 0) assert.strictEqual(x < y, order < 0)
      })
    )
  })

  it("that follow upon another sort behind it, and are themselves where they do already", () => {
    fc.assert(
      fc.property(part, part, (a, b) => {
        const [other, id] = [makeId("quote", a), makeId("quote", b)]
        const behind = idBehind("quote", other, id)
        assert.isTrue(Schema.is(idSchemas.quote)(behind))
        assert.isTrue(behind > other)
        assert.strictEqual(behind === id, id > other)
        // Still nobody's to guess.
        assert.strictEqual(behind.slice(-16), id.slice(-16))
      })
    )
  })
})
