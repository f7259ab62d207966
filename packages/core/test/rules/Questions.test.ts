import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { after } from "../../src/index.ts"
import type { Question, Rfq } from "../../src/index.ts"
import { answer, ask } from "../../src/rules/Questions.ts"
import { rfqActions } from "../../src/rules/Rfqs.ts"
import { buyer, idOf, now, sampleQuestion, sampleRfq, seller } from "./samples.ts"

const third = idOf("agent", 3)

const asked = (rfq: Rfq, by = seller, n = 500, at = now) =>
  ask(rfq, { text: "In which format?" }, idOf("question", n), by, at)

const codeOf = (result: Result.Result<unknown, { readonly code: string }>) =>
  Result.isSuccess(result) ? "done" : result.failure.code

const questions = (count: number, of: Partial<Question> = {}) =>
  Array.from({ length: count }, (_, n) => sampleQuestion({ id: idOf("question", n), ...of }))

const answered = { answer: { text: "PDF", answeredAt: now } }

describe("a question about an RFQ", () => {
  it("is added at the end, told to who sees the RFQ, and not repeated in the event", () => {
    const rfq = sampleRfq({ questions: questions(1), visibility: "invited", invitees: [seller] })
    const { result, writes, events } = Result.getOrThrow(asked(rfq))
    assert.deepStrictEqual(
      result.rfq.questions.map(({ id }) => id),
      [idOf("question", 0), idOf("question", 500)]
    )
    assert.strictEqual(result.rfq.version, rfq.version + 1)
    assert.deepStrictEqual(writes, [{ kind: "rfq", value: result.rfq, replaces: rfq.version }])
    assert.deepStrictEqual(
      events.map(({ type, audience, actorId, data }) => ({ type, audience, actorId, data })),
      [
        {
          type: "rfq.question_asked",
          audience: [buyer, seller],
          actorId: seller,
          data: { agentId: buyer, questionId: result.question.id, askedBy: seller }
        }
      ]
    )
  })

  it("is asked while quotes are taken, and not by the buyer", () => {
    assert.strictEqual(codeOf(asked(sampleRfq())), "done")
    assert.strictEqual(codeOf(asked(sampleRfq({ quoteMode: "sealed", quoteCount: 3 }))), "done")
    assert.strictEqual(codeOf(asked(sampleRfq(), buyer)), "forbidden")
    assert.strictEqual(codeOf(asked(sampleRfq(), seller, 1, after(now, 3599.999))), "done")
    assert.strictEqual(codeOf(asked(sampleRfq(), seller, 1, after(now, 3600))), "invalid_state")
    assert.strictEqual(codeOf(asked(sampleRfq({ status: "cancelled" }))), "invalid_state")
  })

  it("finds a place among a hundred, ten of which an agent can keep waiting", () => {
    assert.strictEqual(codeOf(asked(sampleRfq({ questions: questions(99, answered) }))), "done")
    assert.strictEqual(codeOf(asked(sampleRfq({ questions: questions(100, answered) }))), "limit_reached")
    assert.strictEqual(codeOf(asked(sampleRfq({ questions: questions(9) }))), "done")
    assert.strictEqual(codeOf(asked(sampleRfq({ questions: questions(10) }))), "limit_reached")
    assert.strictEqual(codeOf(asked(sampleRfq({ questions: questions(10) }), third)), "done")
    assert.strictEqual(codeOf(asked(sampleRfq({ questions: questions(50, answered) }))), "done")
  })

  it("never takes more places than there are, whoever asks and answers in whatever order", () => {
    const step = fc.record({ by: fc.constantFrom(seller, third), answers: fc.boolean() })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 150 }), (steps) => {
        let rfq = sampleRfq()
        for (const [n, { by, answers }] of steps.entries()) {
          const waiting = rfq.questions.find((question) => question.answer === undefined)
          const change =
            answers && waiting !== undefined ? answer(rfq, waiting, { text: "Yes" }, now) : asked(rfq, by, n)
          rfq = Result.isSuccess(change) ? change.success.result.rfq : rfq
          assert.isAtMost(rfq.questions.length, 100)
          for (const who of [seller, third]) {
            const open = rfq.questions.filter((one) => one.askedBy === who && one.answer === undefined)
            assert.isAtMost(open.length, 10)
          }
        }
      }),
      { numRuns: 30 }
    )
  })
})

describe("an answer", () => {
  it("stands with its question, leaves the others alone and is told with the question's author", () => {
    const [first, second] = [sampleQuestion(), sampleQuestion({ id: idOf("question", 2), askedBy: third })]
    const rfq = sampleRfq({ questions: [first, second] })
    const { result, events } = Result.getOrThrow(answer(rfq, first, { text: "PDF" }, after(now, 5)))
    assert.deepStrictEqual(result.question, {
      ...first,
      answer: { text: "PDF", answeredAt: after(now, 5) }
    })
    assert.deepStrictEqual(result.rfq.questions, [result.question, second])
    const facts = { agentId: buyer, questionId: first.id, askedBy: seller }
    assert.deepStrictEqual(
      events.map(({ type, actorId, data }) => ({ type, actorId, data })),
      [{ type: "rfq.question_answered", actorId: buyer, data: facts }]
    )
  })

  it("comes once, and not when the RFQ is decided", () => {
    const rfq = sampleRfq({ questions: questions(1) })
    const give = (rfq: Rfq, at = now) => {
      const [first] = rfq.questions
      assert(first !== undefined)
      return answer(rfq, first, { text: "PDF" }, at)
    }
    const once = Result.getOrThrow(give(rfq)).result.rfq
    const twice = give({ ...once, questions: [...once.questions, sampleQuestion()] })
    assert(Result.isFailure(twice) && twice.failure.code === "invalid_state")
    assert.strictEqual(twice.failure.status, "open")
    assert.include(
      twice.failure.nextActions.map(({ action }) => action),
      "answer"
    )
    assert.strictEqual(codeOf(give(rfq, after(now, 3600))), "done")
    assert.strictEqual(codeOf(give(rfq, after(now, 7200))), "invalid_state")
    assert.strictEqual(codeOf(give({ ...rfq, status: "awarded" })), "invalid_state")
  })

  it("is among the next actions while a question waits for it, as asking is while there are places", () => {
    const names = (rfq: Rfq) => rfqActions(rfq).map(({ action, by }) => `${action} ${by}`)
    assert.includeMembers(names(sampleRfq({ questions: questions(1) })), ["ask seller", "answer buyer"])
    assert.notInclude(names(sampleRfq({ questions: questions(1, answered) })), "answer buyer")
    assert.notInclude(names(sampleRfq({ questions: questions(100) })), "ask seller")
    const [open, late] = ["open", "evaluating"].map((status) => {
      const rfq = sampleRfq({ questions: questions(1), status: status === "open" ? "open" : "evaluating" })
      return rfqActions(rfq).find(({ action }) => action === "answer")?.deadline
    })
    assert.deepStrictEqual([open, late], [after(now, 3600), after(now, 7200)])
  })
})
