import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { DealRooms, Listings, Rfqs } from "../../src/index.ts"
import type { ModerationVerdict } from "../../src/index.ts"
import { agreeDeal, callForQuotes, codeOf, join, sides, transcriptOf } from "../fixtures.ts"
import { holdsOf, moderation, publish } from "./moderators.ts"

describe("a moderation", () => {
  it.effect("refuses with a reason, and nothing of it is kept", () => {
    const { market } = moderation()
    return Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const { id } = yield* agreeDeal(buyer, seller)
      const entries = yield* transcriptOf(buyer, id)
      const writes: ReadonlyArray<
        Effect.Effect<void, { readonly code: string }, Listings | Rfqs | DealRooms>
      > = [
        Effect.asVoid(publish(seller, "A bad offer")),
        Effect.asVoid(callForQuotes(buyer, { title: "A bad need" })),
        Effect.asVoid(DealRooms.use((rooms) => rooms.say(buyer, id, { text: "A bad word" })))
      ]
      for (const write of writes) {
        const refusal = yield* Effect.flip(write)
        assert.strictEqual(refusal.code, "policy_refused")
        assert.include(String(refusal), "Not here.")
      }
      assert.isEmpty((yield* (yield* Listings).list(seller, { agent: "me" })).items)
      assert.isEmpty((yield* (yield* Rfqs).list(buyer, { agent: "me" })).items)
      assert.deepStrictEqual(yield* transcriptOf(buyer, id), entries)
      assert.isEmpty(yield* holdsOf())
    }).pipe(Effect.provide(market))
  })

  it.effect("refuses a question or an answer that it would hold: neither can wait", () => {
    const { market, shown } = moderation()
    return Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const rfqs = yield* Rfqs
      const { id } = yield* callForQuotes(buyer)
      const asked = (yield* rfqs.ask(seller, id, { text: "A fine question" })).value.question
      for (const word of ["bad", "dubious"]) {
        const text = `A ${word} word`
        assert.strictEqual(yield* codeOf(rfqs.ask(seller, id, { text })), "policy_refused")
        assert.strictEqual(yield* codeOf(rfqs.answer(buyer, id, asked.id, { text })), "policy_refused")
      }
      yield* rfqs.answer(buyer, id, asked.id, { text: "A fine answer" })
      const { questions } = yield* rfqs.get(undefined, id)
      assert.deepStrictEqual(
        questions.map(({ answer, text }) => [text, answer?.text]),
        [["A fine question", "A fine answer"]]
      )
      assert.isEmpty(yield* holdsOf())
      assert.includeMembers(shown, ["question: A bad word", "answer: A dubious word"])
    }).pipe(Effect.provide(market))
  })

  it.effect("that cannot answer lets nothing through", () => {
    const { market, mood } = moderation()
    return Effect.gen(function* () {
      const seller = yield* join("seller")
      const nonsense: ModerationVerdict = JSON.parse("{}")
      for (const answer of [Effect.fail("down"), Effect.die("a bug"), Effect.succeed(nonsense)]) {
        mood.review = () => answer
        assert.strictEqual(yield* codeOf(publish(seller, "A fine offer")), "unavailable")
      }
      mood.review = () => Effect.never
      const waiting = yield* Effect.forkChild(codeOf(publish(seller, "A fine offer")))
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* Fiber.join(waiting), "unavailable")
      assert.isEmpty((yield* (yield* Listings).list(seller, { agent: "me" })).items)
    }).pipe(Effect.provide(market))
  })

  it.effect("is asked about nothing that nobody else will see", () => {
    const { market, shown } = moderation()
    return Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const [listings, rfqs] = yield* Effect.all([Listings, Rfqs])
      const draft = yield* publish(seller, "A bad offer", "draft")
      yield* listings.update(seller, draft.id, { title: "A dubious offer" })
      yield* listings.move(seller, draft.id, "archive")
      yield* callForQuotes(buyer, { title: "A bad need", status: "draft" })
      const open = yield* callForQuotes(buyer)
      shown.length = 0
      yield* rfqs.move(buyer, open.id, "close")
      yield* rfqs.move(buyer, open.id, "cancel")
      assert.isEmpty(shown)
    }).pipe(Effect.provide(market))
  })
})

describe("a moderation that takes its time", () => {
  it.effect("keeps only the author waiting, and looks at the same thing once", () => {
    const { market, mood, shown } = moderation()
    return Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const rooms = yield* DealRooms
      const room = yield* agreeDeal(buyer, seller)
      shown.length = 0
      mood.review = () => Effect.delay(Effect.succeed({ outcome: "allowed" }), "9 seconds")
      const writing = yield* Effect.forkChild(
        Effect.all([publish(seller, "Long texts"), rooms.say(buyer, room.id, { text: "Hello" })], {
          concurrency: 2
        })
      )
      yield* TestClock.adjust("1 second")
      const others = yield* Effect.forkChild(
        Effect.all([rooms.deliver(seller, room.id, { note: "done" }), publish(seller, "A", "draft")])
      )
      yield* TestClock.adjust(1)
      assert.isDefined(others.pollUnsafe(), "nobody waits for what another wrote")
      yield* TestClock.adjust("8 seconds")
      const [listing] = yield* Fiber.join(writing)
      assert.strictEqual(listing.status, "active")
      assert.deepStrictEqual(shown.toSorted(), ["listing: Long texts", "message: Hello"])
    }).pipe(Effect.provide(market))
  })
})
