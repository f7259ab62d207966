import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { after, matchesRfq, RfqStatus } from "../../src/index.ts"
import type { Rfq, RfqPatch } from "../../src/index.ts"
import { create, mayRead, rfqAsOf, rfqStatesAt, update } from "../../src/rules/Rfqs.ts"
import { buyer, idOf, now, sampleRfq, seller } from "./samples.ts"

const codeAndPath = (result: Result.Result<unknown, { readonly code: string; readonly issues?: unknown }>) =>
  Result.isSuccess(result) ? "done" : result.failure.code

const patch = (rfq: Rfq, patch: RfqPatch, seconds = 0) => update(rfq, patch, after(now, seconds))

describe("the status of an RFQ by the clock", () => {
  it("is the same in a list as in a single read, at every moment", () => {
    const moments = fc.integer({ min: 0, max: 20 })
    fc.assert(
      fc.property(
        fc.constantFrom(...RfqStatus.literals),
        moments,
        fc.integer({ min: 1, max: 10 }),
        moments,
        (stored, deadline, span, at) => {
          const rfq = sampleRfq({
            status: stored,
            quoteDeadline: after(now, deadline),
            awardBy: after(now, deadline + span)
          })
          const moment = after(now, at)
          const seen = rfqAsOf(rfq, moment).rfq.status
          for (const status of RfqStatus.literals) {
            const listed = matchesRfq({ states: rfqStatesAt(status, moment), viewer: "market" }, rfq)
            assert.strictEqual(listed, status === seen, `${stored} seen as ${seen}, listed as ${status}`)
          }
        }
      )
    )
  })

  it("brings the version that a later write builds upon, and the events of what time did", () => {
    const { rfq, events } = rfqAsOf(sampleRfq({ version: 4 }), after(now, 7200))
    assert.strictEqual(rfq.version, 6)
    assert.deepStrictEqual(
      events.map((event) => [event.type, event.subject.version]),
      [
        ["rfq.closed", 5],
        ["rfq.unsuccessful", 6]
      ]
    )
    assert.deepStrictEqual(rfq.updatedAt, after(now, 7200))
  })
})

describe("an RFQ's readers", () => {
  it("are everybody, its invitees, or nobody but the buyer", () => {
    const invited = sampleRfq({ visibility: "invited", invitees: [seller] })
    const readers = (rfq: Rfq) => [buyer, seller, idOf("agent", 3), undefined].map((who) => mayRead(rfq, who))
    assert.deepStrictEqual(readers(sampleRfq()), [true, true, true, true])
    assert.deepStrictEqual(readers(invited), [true, true, false, false])
    assert.deepStrictEqual(readers({ ...invited, status: "draft" }), [true, false, false, false])
    assert.deepStrictEqual(readers(sampleRfq({ status: "draft" })), [true, false, false, false])
    assert.deepStrictEqual(readers({ ...invited, status: "awarded" }), [true, true, false, false])
  })
})

describe("an RFQ's deadlines", () => {
  const make = (quoteDeadline: number, awardBy?: number) =>
    create(
      {
        title: "Translate",
        quoteDeadline: after(now, quoteDeadline),
        ...(awardBy === undefined ? {} : { awardBy: after(now, awardBy) })
      },
      idOf("rfq", 1),
      buyer,
      now
    )
  const day = 86_400

  it("are 60 seconds to 90 days ahead, and the award comes seven days later where nothing is said", () => {
    assert.strictEqual(codeAndPath(make(59.999)), "invalid_request")
    assert.strictEqual(codeAndPath(make(60)), "done")
    assert.strictEqual(codeAndPath(make(90 * day)), "done")
    assert.strictEqual(codeAndPath(make(90 * day + 0.001)), "invalid_request")
    assert.strictEqual(codeAndPath(make(-60)), "invalid_request")
    const { result } = Result.getOrThrow(make(60))
    assert.deepStrictEqual(result.awardBy, after(now, 60 + 7 * day))
  })

  it("put the award behind the deadline", () => {
    assert.strictEqual(codeAndPath(make(60, 60)), "invalid_request")
    assert.strictEqual(codeAndPath(make(60, 30)), "invalid_request")
    assert.strictEqual(codeAndPath(make(60, 61)), "done")
  })

  it("do not stand in the way of another change when they are near", () => {
    const near = Result.getOrThrow(patch(sampleRfq(), { title: "Translate all" }, 3590))
    assert.strictEqual(near.result.title, "Translate all")
    assert.strictEqual(
      codeAndPath(patch(sampleRfq(), { quoteDeadline: after(now, 3600) }, 3590)),
      "invalid_request"
    )
  })
})

describe("a change of an RFQ", () => {
  it("clears with null what can be cleared, and leaves alone what is not named", () => {
    const rfq = sampleRfq({ category: "legal", budget: { amount: "5", currency: "EUR" }, tags: ["a"] })
    const { result } = Result.getOrThrow(patch(rfq, { category: null, budget: null }))
    assert.isFalse("category" in result || "budget" in result)
    assert.deepStrictEqual(result.tags, ["a"])
    assert.strictEqual(result.version, rfq.version + 1)
  })

  it("comes before the first quote", () => {
    assert.strictEqual(codeAndPath(patch(sampleRfq({ quoteCount: 1 }), { title: "Other" })), "invalid_state")
    assert.strictEqual(
      codeAndPath(patch(sampleRfq({ status: "evaluating" }), { title: "Other" })),
      "invalid_state"
    )
    assert.strictEqual(codeAndPath(patch(sampleRfq(), { title: "Other" }, 3600)), "invalid_state")
    assert.strictEqual(codeAndPath(patch(sampleRfq({ status: "draft" }), { title: "Other" }, 3600)), "done")
  })

  it("tells those who could see the RFQ before and those who can after", () => {
    const third = idOf("agent", 3)
    const invited = sampleRfq({ visibility: "invited", invitees: [seller] })
    const audienceOf = (rfq: Rfq, change: RfqPatch) =>
      Result.getOrThrow(patch(rfq, change)).events.map((event) => event.audience)
    assert.deepStrictEqual(audienceOf(invited, { invitees: [third] }), [[buyer, seller, third]])
    assert.deepStrictEqual(audienceOf(sampleRfq(), { visibility: "invited", invitees: [third] }), ["public"])
    assert.deepStrictEqual(audienceOf({ ...invited, status: "draft" }, { invitees: [third] }), [[buyer]])
  })

  it("never breaks a seal", () => {
    const sealed = sampleRfq({ quoteMode: "sealed" })
    assert.strictEqual(codeAndPath(patch(sealed, { quoteMode: "open" })), "invalid_request")
    assert.strictEqual(codeAndPath(patch(sealed, { quoteDeadline: after(now, 1800) })), "invalid_request")
    assert.strictEqual(codeAndPath(patch(sealed, { quoteDeadline: after(now, 5400) })), "done")
    assert.strictEqual(codeAndPath(patch({ ...sealed, status: "draft" }, { quoteMode: "open" })), "done")
    assert.strictEqual(codeAndPath(patch(sampleRfq(), { quoteMode: "sealed" })), "done")
  })

  it("keeps invitees to invited RFQs, and the buyer out of them", () => {
    assert.strictEqual(codeAndPath(patch(sampleRfq(), { invitees: [seller] })), "invalid_request")
    const invitedBuyer: RfqPatch = { visibility: "invited", invitees: [buyer] }
    assert.strictEqual(codeAndPath(patch(sampleRfq(), invitedBuyer)), "invalid_request")
  })
})
