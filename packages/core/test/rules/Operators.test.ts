import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { maxMicros, toMicros } from "../../src/index.ts"
import type { Resolution } from "../../src/index.ts"
import { standing } from "../../src/rules/DealRoomProgress.ts"
import { resolve } from "../../src/rules/Operators.ts"
import { now, sampleOffer, sampleRoom, sampleTerms, buyer } from "./samples.ts"

const disputed = (amount: string) => {
  const { id, termsDigest } = sampleOffer(buyer)
  const terms = { ...sampleTerms, total: { amount, currency: "EUR" } }
  return sampleRoom({ status: "disputed", agreement: { offerId: id, terms, termsDigest, agreedAt: now } })
}

const written = (micros: bigint) => `${micros / 1_000_000n}.${String(micros % 1_000_000n).padStart(6, "0")}`

const micros = fc.bigInt({ min: 0n, max: maxMicros })

const split = (amount: string, currency = "EUR"): Resolution => ({
  outcome: "split",
  refunded: { amount, currency }
})

describe("splitting a disputed deal", () => {
  it("takes every part of the total and nothing else, to the last digit", () => {
    fc.assert(
      fc.property(micros, micros, (total, part) => {
        const room = disputed(written(total))
        const resolved = resolve(standing(room), split(written(part)), now)
        assert.strictEqual(Result.isSuccess(resolved), part > 0n && part < total)
        if (Result.isFailure(resolved)) {
          assert.strictEqual(resolved.failure.code, "invalid_request")
          return
        }
        const { refunded, status } = resolved.success.room
        assert.strictEqual(status, "split")
        assert.strictEqual(toMicros(refunded?.amount ?? ""), part)
      })
    )
  })

  it("is in the currency of the deal", () => {
    const resolved = resolve(standing(disputed("100")), split("50", "USD"), now)
    assert(Result.isFailure(resolved) && resolved.failure._tag === "InvalidRequest")
    assert.strictEqual(resolved.failure.issues[0]?.path, "refunded.currency")
  })
})

describe("resolving", () => {
  const outcomes: ReadonlyArray<Resolution> = [
    { outcome: "completed" },
    { outcome: "refunded", note: "Not delivered" },
    split("40")
  ]

  it("is for disputes alone", () => {
    for (const status of ["negotiating", "agreed", "in_progress", "delivered", "completed"] as const)
      for (const resolution of outcomes)
        assert.isTrue(Result.isFailure(resolve(standing({ ...disputed("100"), status }), resolution, now)))
  })

  it("says in the transcript what it tells both sides", () => {
    for (const resolution of outcomes) {
      const { entries, events, room } = Result.getOrThrow(resolve(standing(disputed("100")), resolution, now))
      assert.strictEqual(room.status, resolution.outcome)
      assert.deepStrictEqual(entries[0]?.body, {
        event: "deal_room.resolved",
        by: "operator",
        ...resolution
      })
      assert.deepStrictEqual(events[0]?.audience, [room.buyerId, room.sellerId])
      assert.strictEqual(events[0]?.type, "deal_room.resolved")
      assert.isUndefined(events[0]?.actorId)
    }
  })

  it("lets a deal that it completes be reviewed, and no other", () => {
    const reviewable = outcomes.map(
      (resolution) =>
        Result.getOrThrow(resolve(standing(disputed("100")), resolution, now)).room.deadlines.reviewsDueBy !==
        undefined
    )
    assert.deepStrictEqual(reviewable, [true, false, false])
  })
})
