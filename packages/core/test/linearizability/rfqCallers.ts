/** What callers do to an RFQ, and what they are told of it. */
import { Effect, Random } from "effect"
import { DealRooms, Quotes, Rfqs, termsDigest } from "../../src/index.ts"
import type { AgentId, QuoteId } from "../../src/index.ts"
import { terms } from "../fixtures.ts"
import { tellQuote, tellRfq, tellRoom } from "./rfqModel.ts"
import type { Input, State } from "./rfqModel.ts"

/** What callers know: how it began, and the quotes that somebody was told of by now. */
export interface Known {
  readonly initial: State
  readonly quotes: Array<{ readonly id: QuoteId; readonly seller: AgentId }>
}

/** Terms of a few amounts, so that a buyer can mean those of a revision that he has not read. */
const someTerms = Effect.map(Random.nextIntBetween(1, 3), (n) => terms(`${n}00`))

/** Draws what a seller does next. */
export const nextOfSeller = Effect.fnUntraced(function* ({ initial, quotes }: Known, seller: AgentId) {
  const own = quotes.filter((quote) => quote.seller === seller).slice(-2)
  const submit: Input = { does: "submit", seller, terms: yield* someTerms }
  const some = yield* someTerms
  const choices: ReadonlyArray<Input> = [
    ...own.flatMap(({ id: quote }): ReadonlyArray<Input> => [
      { does: "revise", seller, quote, terms: some },
      { does: "revise", seller, quote, terms: some },
      { does: "withdraw", seller, quote },
      { does: "read quote", quote, reader: seller }
    ]),
    ...(seller === initial.room.sellerId ? [{ does: "accept" } as const] : []),
    { does: "read" },
    submit
  ]
  return yield* Random.choice([submit, ...choices])
})

/** Draws what the buyer does next: mostly what leaves the others something to do. */
export const nextOfBuyer = Effect.fnUntraced(function* ({ quotes }: Known) {
  const digest = termsDigest(yield* someTerms)
  const read: Input = { does: "read" }
  const choices = quotes.slice(-5).flatMap(({ id: quote, seller: reader }): ReadonlyArray<Input> => [
    { does: "read quote", quote, reader },
    { does: "decline", quote },
    { does: "award", quote, termsDigest: digest }
  ])
  const ends: ReadonlyArray<Input> = [{ does: "close" }, { does: "cancel" }, { does: "unsuccessful" }]
  const isEnd = (yield* Random.nextIntBetween(1, 20)) === 1
  return yield* Random.choice(isEnd ? ends : [read, ...choices])
})

/** Does something, and says in the model's words what came of it. */
export const perform = Effect.fnUntraced(function* ({ initial }: Known, input: Input) {
  const { offer, rfq, room } = initial
  const rfqs = yield* Rfqs
  const quotes = yield* Quotes
  const rooms = yield* DealRooms
  switch (input.does) {
    case "submit": {
      const { value } = yield* quotes.submit(input.seller, rfq.id, { terms: input.terms })
      return { input: { ...input, made: value.id }, told: tellQuote(value) }
    }
    case "revise": {
      const { value } = yield* quotes.revise(input.seller, input.quote, { terms: input.terms })
      return { input, told: tellQuote(value) }
    }
    case "withdraw": {
      const { value } = yield* quotes.withdraw(input.seller, input.quote, undefined)
      return { input, told: tellQuote(value) }
    }
    case "decline": {
      const { value } = yield* quotes.decline(rfq.agentId, input.quote, undefined)
      return { input, told: tellQuote(value) }
    }
    case "award": {
      const { quote: quoteId, termsDigest } = input
      const { value } = yield* rfqs.award(rfq.agentId, rfq.id, { quoteId, termsDigest })
      return {
        input,
        told: `${tellRfq(value.rfq)}, ${tellQuote(value.quote)}, ${tellRoom(value.dealRoom)}`
      }
    }
    case "accept": {
      const digest = { termsDigest: offer.termsDigest }
      const { value } = yield* rooms.accept(room.sellerId, room.id, offer.id, digest)
      return { input, told: tellRoom(value) }
    }
    case "close":
    case "cancel":
    case "unsuccessful": {
      const { value } = yield* rfqs.move(rfq.agentId, rfq.id, input.does)
      return { input, told: tellRfq(value) }
    }
    case "read":
      return { input, told: tellRfq(yield* rfqs.get(rfq.agentId, rfq.id)) }
    case "read quote":
      return { input, told: tellQuote(yield* quotes.get(input.reader, input.quote)) }
  }
})
