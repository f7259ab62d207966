import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Events, makeId, Rfqs } from "../../src/index.ts"
import type { AgentId, RfqId } from "../../src/index.ts"
import { callForQuotes, codeOf, join, market, storyOf, submitQuote, suspend, typesOf } from "../fixtures.ts"

const question = { text: "In which format?" }
const answer = { text: "As a PDF" }

const ask = Effect.fnUntraced(function* (by: AgentId, id: RfqId) {
  return (yield* (yield* Rfqs).ask(by, id, question)).value.question
})

describe("questions about an RFQ", () => {
  it.effect("are read with their answers by all who see the RFQ", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* Effect.all([join("buyer"), join("seller")])
      const rfqs = yield* Rfqs
      const rfq = yield* callForQuotes(buyer)
      const asked = yield* rfqs.ask(seller, rfq.id, question)
      assert.deepStrictEqual(asked.value.rfq.questions, [asked.value.question])
      const { id } = asked.value.question
      const answered = yield* rfqs.answer(buyer, rfq.id, id, answer)
      assert.strictEqual(answered.value.rfq.version, 3)
      for (const viewer of [buyer, seller, undefined])
        assert.deepStrictEqual(yield* rfqs.get(viewer, rfq.id), answered.value.rfq)
      assert.deepStrictEqual(yield* typesOf(rfq.id), [
        "rfq.opened",
        "rfq.question_asked",
        "rfq.question_answered"
      ])
      const told = JSON.stringify(yield* storyOf(rfq.id))
      assert.notInclude(told, question.text)
      assert.notInclude(told, answer.text)
    }).pipe(Effect.provide(market()))
  )

  it.effect("and the answers to them concern the agent that asked", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* Effect.all([join("buyer"), join("seller")])
      const rfq = yield* callForQuotes(buyer)
      const { id } = yield* ask(seller, rfq.id)
      yield* (yield* Rfqs).answer(buyer, rfq.id, id, answer)
      const query = { after: "earliest", mine: true, types: ["rfq.*"] } as const
      const { items } = yield* (yield* Events).page(seller, query)
      assert.deepStrictEqual(
        items.map(({ event }) => event.type),
        ["rfq.question_asked", "rfq.question_answered"]
      )
    }).pipe(Effect.provide(market()))
  )

  it.effect("are asked by who sees the RFQ and is not its buyer, and answered by the buyer alone", () =>
    Effect.gen(function* () {
      const [buyer, invitee, other] = yield* Effect.all([join("buyer"), join("invitee"), join("other")])
      const rfqs = yield* Rfqs
      const rfq = yield* callForQuotes(buyer, { visibility: "invited", invitees: [invitee] })
      const draft = yield* callForQuotes(buyer, { status: "draft" })
      const { id } = yield* ask(invitee, rfq.id)
      const codes = yield* Effect.all([
        codeOf(ask(other, rfq.id)),
        codeOf(ask(other, draft.id)),
        codeOf(ask(buyer, draft.id)),
        codeOf(ask(buyer, rfq.id)),
        codeOf(rfqs.answer(other, rfq.id, id, answer)),
        codeOf(rfqs.answer(invitee, rfq.id, id, answer)),
        codeOf(
          rfqs.answer(
            buyer,
            rfq.id,
            makeId("question", { millis: 0, ordinal: 0, bytes: new Uint8Array(8) }),
            answer
          )
        ),
        codeOf(rfqs.answer(buyer, draft.id, id, answer)),
        codeOf(rfqs.answer(buyer, rfq.id, id, answer)),
        codeOf(rfqs.answer(buyer, rfq.id, id, answer))
      ])
      assert.deepStrictEqual(codes, [
        "not_found",
        "not_found",
        "forbidden",
        "forbidden",
        "not_found",
        "forbidden",
        "not_found",
        "not_found",
        "done",
        "invalid_state"
      ])
      yield* suspend(invitee)
      assert.strictEqual(yield* codeOf(ask(invitee, rfq.id)), "agent_suspended")
    }).pipe(Effect.provide(market()))
  )

  it.effect("end at the deadline; what was asked before is answered while the quotes are weighed", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* Effect.all([join("buyer"), join("seller")])
      const rfqs = yield* Rfqs
      const rfq = yield* callForQuotes(buyer)
      const { id } = yield* ask(seller, rfq.id)
      yield* TestClock.adjust("1 day")
      assert.strictEqual(yield* codeOf(ask(seller, rfq.id)), "invalid_state")
      const { value } = yield* rfqs.answer(buyer, rfq.id, id, answer)
      assert.strictEqual(value.rfq.status, "evaluating")
      assert.deepStrictEqual(yield* typesOf(rfq.id), [
        "rfq.opened",
        "rfq.question_asked",
        "rfq.closed",
        "rfq.question_answered"
      ])
    }).pipe(Effect.provide(market()))
  )

  it.effect("leave the RFQ open to changes until the first quote", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* Effect.all([join("buyer"), join("seller")])
      const rfqs = yield* Rfqs
      const rfq = yield* callForQuotes(buyer)
      yield* ask(seller, rfq.id)
      const { value } = yield* rfqs.update(buyer, rfq.id, { title: "Translate a contract as PDF" })
      assert.strictEqual(value.questions.length, 1)
      yield* submitQuote(seller, rfq.id)
      assert.strictEqual(yield* codeOf(rfqs.update(buyer, rfq.id, { title: "Other" })), "invalid_state")
      assert.strictEqual((yield* rfqs.get(seller, rfq.id)).questions.length, 1)
    }).pipe(Effect.provide(market()))
  )

  it.effect("name the version that they go on from, are asked once for a key, and can be rehearsed", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* Effect.all([join("buyer"), join("seller")])
      const rfqs = yield* Rfqs
      const rfq = yield* callForQuotes(buyer)
      const idempotency = { scope: "s", key: "k", bodyDigest: "d" }
      yield* rfqs.ask(seller, rfq.id, question, { validateOnly: true })
      const once = yield* rfqs.ask(seller, rfq.id, question, { idempotency })
      const again = yield* rfqs.ask(seller, rfq.id, question, { idempotency })
      assert.deepStrictEqual(again, { ...once, replayed: true })
      const { id } = once.value.question
      const stale = rfqs.answer(buyer, rfq.id, id, answer, { ifMatch: 1 })
      assert.strictEqual(yield* codeOf(stale), "version_conflict")
      assert.strictEqual(
        yield* codeOf(rfqs.ask(seller, rfq.id, question, { ifMatch: 1 })),
        "version_conflict"
      )
      assert.strictEqual((yield* rfqs.get(seller, rfq.id)).questions.length, 1)
    }).pipe(Effect.provide(market()))
  )

  it.effect("of many agents at once are all asked", () =>
    Effect.gen(function* () {
      const buyer = yield* join("buyer")
      const rfq = yield* callForQuotes(buyer)
      const sellers = yield* Effect.forEach(Array.from({ length: 12 }), (_, n) => join(`seller-${n}`))
      yield* Effect.forEach(sellers, (seller) => ask(seller, rfq.id), { concurrency: "unbounded" })
      const { questions, version } = yield* (yield* Rfqs).get(buyer, rfq.id)
      assert.deepStrictEqual(questions.map(({ askedBy }) => askedBy).toSorted(), sellers.toSorted())
      assert.strictEqual(version, 13)
    }).pipe(Effect.provide(market()))
  )
})
