import { assert, describe, it } from "@effect/vitest"
import { MemoryStore, Store } from "@souk/core"
import { sharedObligations, storeConformance, storeObligations } from "@souk/testing/conformance"
import { Context, Effect, Layer } from "effect"

const open = Effect.map(Layer.build(Layer.fresh(MemoryStore.layer)), (context) => Context.get(context, Store))

describe("what a store owes as one of two processes", () => {
  for (const { check, id } of sharedObligations) {
    it.live(`${id} is not met by two that share nothing`, () =>
      Effect.gen(function* () {
        const [one, two] = [yield* open, yield* open]
        assert.strictEqual((yield* Effect.exit(check(one, two)))._tag, "Failure")
      })
    )
  }
})

describe("an obligation", () => {
  it("has a name of its own", () => {
    const ids = [...storeObligations, ...sharedObligations].map(({ id }) => id)
    assert.strictEqual(new Set(ids).size, ids.length)
  })

  it("cannot be lacked where there is none of that name", () => {
    assert.throws(
      () => storeConformance("A store", MemoryStore.layer, { lacks: { "events.never": "It has no feed." } }),
      "There is no obligation events.never to lack."
    )
  })
})
