import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { DealRooms, Inbox, Quotes, Rfqs, Settling } from "../../src/index.ts"
import {
  acceptOffer,
  callForQuotes,
  codeOf,
  inSeconds,
  join,
  market,
  submitQuote,
  terms,
  transcriptOf,
  typesOf
} from "../fixtures.ts"

describe("a room in which a quote is negotiated", () => {
  const talk = Effect.gen(function* () {
    const [buyer, seller, rival] = yield* Effect.all([join("buyer"), join("seller"), join("rival")])
    const rfq = yield* callForQuotes(buyer)
    const [quote, other] = [yield* submitQuote(seller, rfq.id), yield* submitQuote(rival, rfq.id)]
    const { value: room } = yield* (yield* DealRooms).open(seller, {
      quoteId: quote.id,
      offer: { terms: terms("390") }
    })
    return { buyer, seller, rfq, quote, other, room }
  })
  type Talk = Effect.Success<typeof talk>
  const ends: ReadonlyArray<
    readonly [string, (talk: Talk) => Effect.Effect<unknown, unknown, Rfqs | Quotes>]
  > = [
    [
      "is awarded elsewhere",
      ({ buyer, other, rfq }) => Rfqs.use((rfqs) => rfqs.award(buyer, rfq.id, { quoteId: other.id }))
    ],
    ["is cancelled", ({ buyer, rfq }) => Rfqs.use((rfqs) => rfqs.move(buyer, rfq.id, "cancel"))],
    [
      "loses the quote",
      ({ quote, seller }) => Quotes.use((quotes) => quotes.withdraw(seller, quote.id, undefined))
    ],
    [
      "has turned it down",
      ({ buyer, quote }) => Quotes.use((quotes) => quotes.decline(buyer, quote.id, undefined))
    ]
  ]
  for (const [how, end] of ends)
    it.effect(`ends when its RFQ ${how}, and both sides hear of it`, () =>
      Effect.gen(function* () {
        const made = yield* talk
        const { buyer, room, seller } = made
        const rooms = yield* DealRooms
        yield* TestClock.adjust("1 minute")
        yield* end(made)
        const ended = yield* rooms.get(buyer, room.id)
        assert.deepStrictEqual([ended.status, ended.nextActions, ended.turn], ["expired", [], null])
        assert.deepStrictEqual(
          (yield* rooms.list(seller, {})).items.find(({ id }) => id === room.id),
          ended
        )
        const waiting = (yield* (yield* Inbox).list(buyer, {})).items
        assert.notInclude(
          waiting.map(({ subject }): string => subject.id),
          room.id
        )
        assert.strictEqual(yield* codeOf(acceptOffer(buyer, room)), "invalid_state")
        assert.strictEqual(yield* codeOf(rooms.decline(buyer, room.id, undefined)), "invalid_state")
        const transcript = yield* transcriptOf(seller, room.id)
        assert.strictEqual(transcript.at(-1)?.body["reason"], "The quote can no longer be awarded.")
        yield* (yield* Settling).sweep(100)
        assert.deepStrictEqual(yield* rooms.get(buyer, room.id), ended)
        assert.deepStrictEqual(yield* transcriptOf(seller, room.id), transcript)
        assert.deepStrictEqual((yield* typesOf(room.id)).slice(-2), [
          "deal_room.offer_expired",
          "deal_room.expired"
        ])
      }).pipe(Effect.provide(market()))
    )

  it.effect("ends with the quote's validity and with the buyer's time to decide", () =>
    Effect.gen(function* () {
      const { buyer, quote, room } = yield* talk
      const rooms = yield* DealRooms
      const { value: long } = yield* rooms.open(buyer, {
        quoteId: quote.id,
        offer: { terms: terms("380"), validUntil: yield* inSeconds(30 * 86_400) }
      })
      yield* TestClock.adjust("7 days")
      assert.strictEqual((yield* rooms.get(buyer, room.id)).status, "expired")
      assert.strictEqual((yield* rooms.get(buyer, long.id)).status, "negotiating")
      yield* TestClock.adjust("1 day")
      const ended = yield* rooms.get(buyer, long.id)
      assert.deepStrictEqual([ended.status, ended.updatedAt], ["expired", quote.validUntil])
    }).pipe(Effect.provide(market()))
  )
})
