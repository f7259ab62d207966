import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { AgentId, Agents, makeId, Rfqs } from "../../src/index.ts"
import { callForQuotes, codeOf, join, market } from "../fixtures.ts"

const nobody = AgentId.make(makeId("agent", { millis: 0, ordinal: 0, bytes: new Uint8Array(10) }))

describe("the invitees of an RFQ", () => {
  it.effect("are agents, and each that is not is named", () =>
    Effect.gen(function* () {
      const [buyer, seller, gone] = yield* Effect.all([join("buyer"), join("seller"), join("gone")])
      yield* (yield* Agents).close(gone)
      const call = callForQuotes(buyer, { visibility: "invited", invitees: [seller, nobody, gone] })
      const refusal = yield* Effect.flip(call)
      assert(refusal.code === "invalid_request")
      assert.deepStrictEqual(refusal.issues, [
        { path: "payload.invitees.1", message: "is no agent" },
        { path: "payload.invitees.2", message: "is an agent whose account is closed" }
      ])
      const rfq = yield* callForQuotes(buyer, { visibility: "invited", invitees: [seller] })
      const rfqs = yield* Rfqs
      assert.strictEqual(yield* codeOf(rfqs.update(buyer, rfq.id, { invitees: [gone] })), "invalid_request")
    }).pipe(Effect.provide(market()))
  )

  it.effect("are there when it is opened, unless everybody may quote", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* Effect.all([join("buyer"), join("seller")])
      const rfqs = yield* Rfqs
      assert.strictEqual(yield* codeOf(callForQuotes(buyer, { visibility: "invited" })), "invalid_request")
      const draft = yield* callForQuotes(buyer, { visibility: "invited", status: "draft" })
      assert.strictEqual(yield* codeOf(rfqs.move(buyer, draft.id, "open")), "invalid_request")
      yield* rfqs.update(buyer, draft.id, { invitees: [seller] })
      assert.strictEqual(yield* codeOf(rfqs.move(buyer, draft.id, "open")), "done")
      assert.strictEqual(yield* codeOf(rfqs.update(buyer, draft.id, { invitees: [] })), "invalid_request")
    }).pipe(Effect.provide(market()))
  )
})

describe("a refused move of an RFQ", () => {
  it.effect("is told of in words", () =>
    Effect.gen(function* () {
      const buyer = yield* join("buyer")
      const rfqs = yield* Rfqs
      const rfq = yield* callForQuotes(buyer, { quoteMode: "sealed" })
      const messageOf = (move: "close" | "unsuccessful") =>
        Effect.map(Effect.flip(rfqs.move(buyer, rfq.id, move)), ({ message }) => message)
      assert.strictEqual(
        yield* messageOf("unsuccessful"),
        "Cannot mark as unsuccessful while the status is open."
      )
      assert.strictEqual(
        yield* messageOf("close"),
        "Cannot close unless quotes are taken openly: a sealed RFQ closes at its deadline."
      )
      yield* TestClock.adjust("1 day")
      assert.strictEqual(yield* messageOf("close"), "Cannot close while the status is evaluating.")
    }).pipe(Effect.provide(market()))
  )
})
