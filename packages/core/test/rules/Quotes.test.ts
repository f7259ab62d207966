import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { after } from "../../src/index.ts"
import type { Quote, QuoteInput, Rfq } from "../../src/index.ts"
import { award } from "../../src/rules/Award.ts"
import { end, revise, submit, viewQuote } from "../../src/rules/Quotes.ts"
import { buyer, idOf, now, sampleQuote, sampleRfq, sampleTerms, seller } from "./samples.ts"

const input: QuoteInput = { terms: sampleTerms }

const answer = (rfq: Rfq, latest?: Quote, at = now, by = seller, given = input) =>
  submit(rfq, latest, given, idOf("quote", 2), by, at)

const codeOf = (result: Result.Result<unknown, { readonly code: string }>) =>
  Result.isSuccess(result) ? "done" : result.failure.code

/** The RFQ that a change writes. */
const rfqIn = (result: ReturnType<typeof answer> | ReturnType<typeof end>): Rfq | undefined =>
  Result.getOrThrow(result)
    .writes.flatMap((write) => (write.kind === "rfq" ? [write.value] : []))
    .at(0)

describe("quoting", () => {
  it("is for others than the buyer, in an open RFQ, once for each seller", () => {
    assert.strictEqual(codeOf(answer(sampleRfq(), undefined, now, buyer)), "self_deal")
    assert.strictEqual(codeOf(answer(sampleRfq(), sampleQuote())), "already_quoted")
    assert.strictEqual(codeOf(answer(sampleRfq({ status: "cancelled" }))), "invalid_state")
    const deadline = sampleRfq().quoteDeadline
    assert.strictEqual(codeOf(answer(sampleRfq(), undefined, after(deadline, -0.001))), "done")
    assert.strictEqual(codeOf(answer(sampleRfq(), undefined, deadline)), "invalid_state")
    // Past the deadline a standing quote cannot be revised: it would be no help to be told so.
    assert.strictEqual(codeOf(answer(sampleRfq(), sampleQuote(), deadline)), "invalid_state")
  })

  it("ends when maxQuotes sellers have quoted", () => {
    assert.strictEqual(codeOf(answer(sampleRfq({ maxQuotes: 3, quoteCount: 3 }))), "limit_reached")
    assert.strictEqual(rfqIn(answer(sampleRfq({ maxQuotes: 3, quoteCount: 2 })))?.quoteCount, 3)
  })

  it("again after an expiry or a decline takes no second place, also in a full RFQ", () => {
    const full = sampleRfq({ maxQuotes: 3, quoteCount: 3 })
    const lapsed = sampleQuote({ validUntil: after(now, 60) })
    const at = after(now, 60)
    for (const former of [lapsed, sampleQuote({ status: "expired" }), sampleQuote({ status: "declined" })])
      assert.strictEqual(rfqIn(answer(full, former, at))?.quoteCount, 3)
  })

  it("again after a withdrawal takes the place that was given back", () => {
    const withdrawal = end(sampleRfq({ quoteCount: 3 }), sampleQuote(), "withdraw", undefined, now)
    const rfq = rfqIn(withdrawal)
    assert(rfq !== undefined)
    assert.strictEqual(rfq.quoteCount, 2)
    assert.strictEqual(rfqIn(answer(rfq, sampleQuote({ status: "withdrawn" })))?.quoteCount, 3)
  })

  it("writes down an expiry that nobody had written down", () => {
    const lapsed = sampleQuote({ validUntil: after(now, 60), version: 3 })
    const change = Result.getOrThrow(answer(sampleRfq({ quoteCount: 1 }), lapsed, after(now, 90)))
    const [first] = change.writes
    assert(first?.kind === "quote")
    assert.deepStrictEqual([first.value.status, first.value.version, first.replaces], ["expired", 4, 3])
    assert.deepStrictEqual(
      change.events.map((event) => event.type),
      ["quote.expired", "quote.submitted"]
    )
    assert.deepStrictEqual(change.events[0]?.at, after(now, 60))
  })

  it("leaves a decided RFQ as it is when a quote is withdrawn from it", () => {
    for (const status of ["cancelled", "unsuccessful"] as const)
      assert.isUndefined(rfqIn(end(sampleRfq({ status }), sampleQuote(), "withdraw", undefined, now)))
  })

  it("names as deviations the hard requirements that are not met, those that it says nothing of included", () => {
    const requirements = ["a", "b", "c", "d"].map((id) => ({ id, text: id, hard: id !== "d" }))
    const rfq = sampleRfq({ requirements })
    const responses = [
      { requirementId: "a", met: true },
      { requirementId: "b", met: false }
    ]
    const quote = Result.getOrThrow(answer(rfq, undefined, now, seller, { ...input, responses })).result
    assert.deepStrictEqual(quote.deviations, ["b", "c"])
    const stray = { ...input, responses: [{ requirementId: "x", met: true }] }
    assert.strictEqual(codeOf(answer(rfq, undefined, now, seller, stray)), "invalid_request")
  })

  it("stands until the award where it names no end, and never in the past", () => {
    assert.deepStrictEqual(Result.getOrThrow(answer(sampleRfq())).result.validUntil, sampleRfq().awardBy)
    const ending = (seconds: number) =>
      codeOf(answer(sampleRfq(), undefined, now, seller, { ...input, validUntil: after(now, seconds) }))
    assert.strictEqual(ending(0), "invalid_request")
    assert.strictEqual(ending(1), "done")
    assert.strictEqual(ending(181 * 86_400), "invalid_request")
  })
})

describe("revising", () => {
  it("raises the revision, before the deadline and while the quote stands", () => {
    const { result } = Result.getOrThrow(revise(sampleRfq(), sampleQuote({ message: "old" }), input, now))
    assert.deepStrictEqual([result.revision, result.version], [2, 2])
    assert.isFalse("message" in result)
    assert.strictEqual(
      codeOf(revise(sampleRfq(), sampleQuote(), input, sampleRfq().quoteDeadline)),
      "invalid_state"
    )
    assert.strictEqual(
      codeOf(revise(sampleRfq({ status: "evaluating" }), sampleQuote(), input, now)),
      "invalid_state"
    )
    assert.strictEqual(
      codeOf(revise(sampleRfq(), sampleQuote({ status: "withdrawn" }), input, now)),
      "invalid_state"
    )
    const lapsed = sampleQuote({ validUntil: now })
    assert.strictEqual(codeOf(revise(sampleRfq(), lapsed, input, now)), "invalid_state")
  })

  it("is decided upon the RFQ that it answers", () => {
    const change = Result.getOrThrow(revise(sampleRfq({ version: 7 }), sampleQuote(), input, now))
    assert.deepStrictEqual(change.reliesOn, [{ kind: "rfq", id: idOf("rfq", 1), version: 7 }])
  })
})

describe("a sealed quote", () => {
  const sealed = sampleRfq({ quoteMode: "sealed" })
  const quote = sampleQuote({ message: "cheap", deviations: ["a"] })
  const secrets = ["terms", "termsDigest", "responses", "deviations", "message"]

  it("shows nobody but its author what it offers before the deadline", () => {
    const view = viewQuote(quote, sealed, buyer, after(sealed.quoteDeadline, -0.001))
    for (const field of secrets) assert.isFalse(field in view, field)
    assert.deepStrictEqual(viewQuote(quote, sealed, seller, now), quote)
    assert.deepStrictEqual(viewQuote(quote, sealed, buyer, sealed.quoteDeadline), quote)
  })

  it("is not opened by cancelling the RFQ", () => {
    const view = viewQuote(quote, { ...sealed, status: "cancelled" }, buyer, now)
    for (const field of secrets) assert.isFalse(field in view, field)
  })
})

describe("an award", () => {
  const command = {
    roomId: idOf("deal_room", 1),
    offerId: idOf("offer", 1),
    acceptDeviations: false,
    funding: "at_once" as const
  }
  const rival = sampleQuote({ id: idOf("quote", 5), agentId: idOf("agent", 5) })
  const lapsed = sampleQuote({ id: idOf("quote", 6), agentId: idOf("agent", 6), validUntil: now })

  it("takes no terms that the buyer may not have read: a revised quote is named by its digest", () => {
    const quote = sampleQuote({ revision: 2 })
    const decide = (termsDigest?: string) =>
      award({ rfq: sampleRfq(), quote, others: [quote] }, { ...command, termsDigest }, now)
    assert.strictEqual(codeOf(decide()), "terms_mismatch")
    assert.strictEqual(codeOf(decide(`sha256:${"0".repeat(64)}`)), "terms_mismatch")
    const { room } = Result.getOrThrow(decide(quote.termsDigest)).result
    assert.strictEqual(room.agreement?.termsDigest, quote.termsDigest)
  })

  it("decides the RFQ, every quote and the room in one change", () => {
    const quote = sampleQuote()
    const change = Result.getOrThrow(
      award({ rfq: sampleRfq(), quote, others: [rival, quote, lapsed] }, command, now)
    )
    const statuses = change.writes.flatMap((write): ReadonlyArray<ReadonlyArray<string>> => {
      if (write.kind === "rfq" || write.kind === "deal_room") return [[write.kind, write.value.status]]
      return write.kind === "quote" ? [[write.value.id, write.value.status]] : []
    })
    assert.deepStrictEqual(statuses, [
      ["rfq", "awarded"],
      [quote.id, "awarded"],
      [rival.id, "not_selected"],
      [lapsed.id, "expired"],
      ["deal_room", "in_progress"]
    ])
    assert.deepStrictEqual(change.result.room.agreement?.terms, quote.terms)
    assert.strictEqual(change.result.rfq.awardedQuoteId, quote.id)
  })

  it("takes hard requirements that are not met only when it says so", () => {
    const quote = sampleQuote({ deviations: ["a"] })
    const candidates = { rfq: sampleRfq(), quote, others: [quote] }
    const refused = award(candidates, command, now)
    assert(Result.isFailure(refused) && refused.failure.code === "requirement_unmet")
    assert.deepStrictEqual(refused.failure.deviations, ["a"])
    assert.strictEqual(codeOf(award(candidates, { ...command, acceptDeviations: true }, now)), "done")
  })

  it("is refused with the reason nearest to what stands in its way", () => {
    const code = (rfq: Rfq, quote: Quote, at = now) =>
      codeOf(award({ rfq, quote, others: [quote] }, command, at))
    assert.strictEqual(
      code(sampleRfq({ status: "awarded" }), sampleQuote({ status: "awarded" })),
      "invalid_state"
    )
    assert.strictEqual(code(sampleRfq(), sampleQuote({ status: "withdrawn" })), "invalid_state")
    assert.strictEqual(code(sampleRfq(), sampleQuote({ validUntil: now })), "offer_expired")
    assert.strictEqual(code(sampleRfq({ quoteMode: "sealed" }), sampleQuote()), "invalid_state")
    assert.strictEqual(code(sampleRfq(), sampleQuote(), sampleRfq().awardBy), "invalid_state")
  })
})
