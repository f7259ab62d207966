/** The rules of questions about an RFQ: asked by agents, answered by the buyer, read by all who see it. Contract §3 RFQ. */
import { Result } from "effect"
import type { Change } from "../model/Change.ts"
import { revised } from "../model/Entity.ts"
import { InvalidState, LimitReached } from "../model/Errors.ts"
import type { AgentId, QuestionId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import type { AnswerInput, Question, QuestionInput, Rfq } from "../model/Rfq.ts"
import { permitRfq, rfqActions, rfqAsOf, tell } from "./Rfqs.ts"
import type { MoveRefused } from "./StateTable.ts"

/** The most questions of one agent that wait for their answers: nobody uses up the others' places. */
const mostWaiting = 10

/** An RFQ with the question that was asked or answered. */
interface Asked {
  readonly rfq: Rfq
  readonly question: Question
}

/** Asks the buyer something while quotes are taken. */
export const ask = (
  stored: Rfq,
  input: QuestionInput,
  id: QuestionId,
  askedBy: AgentId,
  now: Instant
): Result.Result<Change<Asked>, MoveRefused> =>
  Result.gen(function* () {
    const { rfq, events } = rfqAsOf(stored, now)
    yield* permitRfq(rfq, "ask", askedBy === rfq.agentId ? "buyer" : "seller")
    const waiting = rfq.questions.filter((asked) => asked.askedBy === askedBy && asked.answer === undefined)
    if (waiting.length >= mostWaiting)
      return yield* Result.fail(
        new LimitReached({ message: `${mostWaiting} questions of this agent wait for an answer already.` })
      )
    const question: Question = { id, askedBy, text: input.text, askedAt: now }
    const next = revised(rfq, { questions: [...rfq.questions, question] }, now)
    return {
      result: { rfq: next, question },
      writes: [{ kind: "rfq", value: next, replaces: stored.version }],
      events: [...events, tell(next, "rfq.question_asked", askedBy, { questionId: id, askedBy })]
    }
  })

/** Answers one of an RFQ's questions, by its buyer and once. */
export const answer = (
  stored: Rfq,
  asked: Question,
  input: AnswerInput,
  now: Instant
): Result.Result<Change<Asked>, MoveRefused> =>
  Result.gen(function* () {
    const { rfq, events } = rfqAsOf(stored, now)
    if (asked.answer !== undefined)
      return yield* Result.fail(
        new InvalidState({
          message: "The question was answered already.",
          status: rfq.status,
          nextActions: rfqActions(rfq)
        })
      )
    yield* permitRfq(rfq, "answer", "buyer")
    const question: Question = { ...asked, answer: { text: input.text, answeredAt: now } }
    const questions = rfq.questions.map((known) => (known.id === asked.id ? question : known))
    const next = revised(rfq, { questions }, now)
    const facts = { questionId: asked.id, askedBy: asked.askedBy }
    return {
      result: { rfq: next, question },
      writes: [{ kind: "rfq", value: next, replaces: stored.version }],
      events: [...events, tell(next, "rfq.question_answered", rfq.agentId, facts)]
    }
  })
