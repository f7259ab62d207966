import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { linearize } from "./checker.ts"
import type { Model, Operation } from "./checker.ts"

type Input = number | "read"

/** A place that holds a number. */
const register: Model<number, Input> = {
  initial: 0,
  apply: (state, input) =>
    input === "read" ? { state, told: String(state) } : { state: input, told: "written" },
  key: String
}

const op = (called: number, returned: number, input: Input, told: string | number): Operation<Input> => ({
  input,
  told: String(told),
  called,
  returned
})

const holds = (...history: ReadonlyArray<Operation<Input>>) => linearize(register, history).isLinearizable

describe("the checker", () => {
  it("takes what happened one after the other", () => {
    assert.isTrue(holds(op(1, 2, 5, "written"), op(3, 4, "read", 5), op(5, 6, "read", 5)))
    assert.isTrue(holds())
  })

  it("takes either order of what overlaps", () => {
    assert.isTrue(holds(op(1, 4, 5, "written"), op(2, 3, "read", 0)))
    assert.isTrue(holds(op(1, 4, 5, "written"), op(2, 3, "read", 5)))
  })

  it("refuses a read of what was replaced before it began", () => {
    assert.isFalse(holds(op(1, 2, 5, "written"), op(3, 4, "read", 0)))
  })

  it("refuses a read of what was never written", () => {
    assert.isFalse(holds(op(1, 4, 5, "written"), op(2, 3, "read", 7)))
  })

  it("refuses two readers that see two writes in different orders", () => {
    const writes = [op(1, 10, 5, "written"), op(1, 10, 7, "written")]
    const readers = [op(2, 3, "read", 5), op(4, 5, "read", 7), op(2, 3, "read", 7), op(6, 7, "read", 5)]
    assert.isFalse(holds(...writes, ...readers))
    assert.isTrue(holds(...writes, ...readers.slice(0, 2)))
  })

  it("tells how far it came", () => {
    const written = op(1, 2, 5, "written")
    assert.deepStrictEqual(linearize(register, [written, op(3, 4, "read", 0)]).order, [written])
  })

  it("takes every history that was made from an order, and gives one that explains it", () => {
    const step = fc.record({
      input: fc.oneof(fc.constant("read" as const), fc.nat({ max: 3 })),
      before: fc.nat({ max: 40 }),
      after: fc.nat({ max: 40 })
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let state = register.initial
        const history = steps.map(({ after, before, input }, n) => {
          const next = register.apply(state, input)
          state = next.state
          return op(n * 10 - before, n * 10 + after, input, next.told)
        })
        const { isLinearizable, order } = linearize(register, history)
        assert.isTrue(isLinearizable)
        assert.sameMembers([...order], history)
      })
    )
  })
})
