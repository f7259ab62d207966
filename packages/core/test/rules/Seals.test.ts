import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import fc from "fast-check"
import { after, RfqStatus, sealCommitment, sealedOrder } from "../../src/index.ts"
import type { Change, Rfq } from "../../src/index.ts"
import { needsSeal, sealWith, viewRfq } from "../../src/rules/Seals.ts"
import { buyer, idOf, now, sampleRfq } from "./samples.ts"

const seed = fc.stringMatching(/^[0-9a-f]{64}$/u)
const ids = fc
  .uniqueArray(fc.nat({ max: 5000 }), { minLength: 2, maxLength: 40 })
  .map((numbers) => numbers.map((n) => idOf("quote", n)))

describe("the order of sealed quotes", () => {
  it("can be told by anybody who can hash", () => {
    const hash = (text: string) => createHash("sha256").update(text).digest("hex")
    fc.assert(
      fc.property(seed, ids, (seed, ids) => {
        assert.strictEqual(sealCommitment(seed), hash(seed))
        const ranks = sealedOrder(seed, ids).map((id) => hash(`${seed}/${id}`))
        assert.deepStrictEqual(ranks, ids.map((id) => hash(`${seed}/${id}`)).toSorted())
      })
    )
  })

  it("has each quote once, whatever order they came in, and stays when others join or leave", () => {
    fc.assert(
      fc.property(seed, ids, fc.nat(), (seed, ids, turn) => {
        const order = sealedOrder(seed, ids)
        assert.sameMembers([...order], ids)
        const at = turn % ids.length
        assert.deepStrictEqual(sealedOrder(seed, [...ids.slice(at), ...ids.slice(0, at)]), order)
        const left = ids.filter((_, place) => place !== at)
        assert.deepStrictEqual(
          sealedOrder(seed, left),
          order.filter((id) => left.includes(id))
        )
      })
    )
  })

  it("is another for another seed, and gives every quote every place", () => {
    const three = [1, 2, 3].map((n) => idOf("quote", n))
    const orders = fc.sample(seed, { numRuns: 200, seed: 7 }).map((seed) =>
      sealedOrder(seed, three)
        .map((id) => three.indexOf(id))
        .join("")
    )
    assert.strictEqual(new Set(orders).size, 6)
  })
})

describe("the seal of an RFQ", () => {
  it("shows what it commits to at any time, and its seed from the deadline's own millisecond on", () => {
    fc.assert(
      fc.property(
        seed,
        fc.constantFrom(...RfqStatus.literals),
        fc.integer({ min: -3_600_000, max: 7_200_000 }),
        (seed, status, millis) => {
          const rfq = sampleRfq({ status, quoteMode: "sealed", seal: { seed } })
          const moment = after(rfq.quoteDeadline, millis / 1000)
          const view = viewRfq(rfq, buyer, moment)
          assert.strictEqual(view.seal?.commitment, sealCommitment(seed))
          assert.strictEqual(JSON.stringify(view).includes(seed), millis >= 0)
        }
      )
    )
  })

  it("is drawn once, when the RFQ is open and sealed", () => {
    const needing = RfqStatus.literals.filter((status) =>
      needsSeal(sampleRfq({ status, quoteMode: "sealed" }))
    )
    assert.deepStrictEqual(needing, ["open"])
    assert.isFalse(needsSeal(sampleRfq()))
    assert.isFalse(needsSeal(sampleRfq({ quoteMode: "sealed", seal: { seed: "" } })))
  })

  it("is kept with the RFQ that the change writes, and with no other", () => {
    const [rfq, other] = [sampleRfq({ quoteMode: "sealed" }), sampleRfq({ id: idOf("rfq", 2) })]
    const change: Change<Rfq> = {
      result: rfq,
      writes: [
        { kind: "rfq", value: other, replaces: 1 },
        { kind: "rfq", value: rfq, replaces: null }
      ],
      events: []
    }
    const sealed = sealWith(change, "ab")
    assert.deepStrictEqual(sealed.result, { ...rfq, seal: { seed: "ab" } })
    assert.deepStrictEqual(
      sealed.writes.map(({ value }) => value),
      [other, sealed.result]
    )
    assert.deepStrictEqual<unknown>(viewRfq(rfq, buyer, now), rfq)
  })
})
