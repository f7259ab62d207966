/** What must hold of the market after each step, whoever did what: recounted from all that was committed. */
import { assert } from "@effect/vitest"
import { DateTime, Effect, Result } from "effect"
import {
  noReputation,
  Quotes,
  Rfqs,
  sealCommitment,
  sealedOrder,
  Store,
  termsDigest,
  verifyTranscript
} from "../../src/index.ts"
import type { DealRoom, Reputation, Rfq } from "../../src/index.ts"
import type { World } from "./world.ts"

/** Money: an agreement stands on the consent of both sides to its very terms, and stays as it is. */
export const expectConsent = (world: World): void => {
  for (const { before, write } of world.deeds.flatMap(({ written }) => written)) {
    if (write.kind !== "deal_room" || write.value.agreement === undefined) continue
    const { agreement, buyerId, id, origin, sellerId } = write.value
    assert.strictEqual(agreement.termsDigest, termsDigest(agreement.terms), `the digest of ${id}`)
    const subjects = [id, ...(origin.kind === "rfq" ? [origin.quoteId] : [])]
    for (const side of [buyerId, sellerId])
      assert(
        subjects.some((subject) => world.consents.has(`${subject} ${side} ${agreement.termsDigest}`)),
        `${side} has consented to the terms of ${id}`
      )
    if (before !== undefined && "agreement" in before)
      assert.deepStrictEqual(agreement, before.agreement, `the agreement of ${id} stays`)
  }
}

/** One award for each RFQ, and one room that holds it. */
export const expectOneAward = ({ ledger }: World): void => {
  for (const rfq of ledger.rfqs.values()) {
    const won = [...ledger.quotes.values()].filter(
      (quote) => quote.rfqId === rfq.id && quote.status === "awarded"
    )
    const agreed = [...ledger.rooms.values()].filter(
      ({ agreement, origin }) => origin.kind === "rfq" && origin.id === rfq.id && agreement !== undefined
    )
    const expected = rfq.status === "awarded" ? 1 : 0
    assert.strictEqual(won.length, expected, `quotes of ${rfq.id} that won`)
    assert.strictEqual(agreed.length, expected, `agreements for ${rfq.id}`)
    assert.strictEqual(rfq.awardedQuoteId, won[0]?.id)
  }
}

/** Transcripts have no gap, and their chain leads to the head of the room. */
export const expectTranscripts = Effect.fnUntraced(function* (world: World) {
  const store = yield* Store
  const changed = new Set(
    world.deeds.flatMap(({ written }) =>
      written.flatMap(({ write }) => (write.kind === "deal_room" ? [write.value.id] : []))
    )
  )
  for (const id of changed) {
    const room = world.ledger.rooms.get(id)
    const entries = yield* store.rooms.entries(id, 0, 10_000)
    const head = { entryCount: room?.entryCount, headHash: room?.headHash }
    assert.deepStrictEqual(Result.getOrThrow(verifyTranscript(entries)), head, id)
  }
})

/** `quoteCount` is the number of sellers who hold a place: all that quoted and did not take it back. */
export const expectQuoteCounts = ({ ledger }: World): void => {
  for (const rfq of ledger.rfqs.values()) {
    // In the order in which they were committed: ids follow the clock of the node that makes them.
    const latest = new Map<string, string>()
    for (const quote of ledger.quotes.values())
      if (quote.rfqId === rfq.id) latest.set(quote.agentId, quote.status)
    const places = [...latest.values()].filter((status) => status !== "withdrawn").length
    // Once it is decided, or given up, places are no longer given back.
    if (rfq.status === "open" || rfq.status === "evaluating")
      assert.strictEqual(rfq.quoteCount, places, rfq.id)
    assert.isAtMost(rfq.quoteCount, rfq.maxQuotes)
  }
}

/** Reputation is what a recount of the deals and the published reviews gives. */
export const expectReputation = (world: World): void => {
  const { agents, reviews, rooms } = world.ledger
  const told = new Set(world.events.map(({ event }) => `${event.subject.id} ${event.type}`))
  for (const agent of agents.values()) {
    const own = [...rooms.values()].filter(
      ({ buyerId, sellerId }) => agent.id === buyerId || agent.id === sellerId
    )
    const ratings = [...reviews.values()]
      .filter((review) => review.ofId === agent.id && isWrittenAsPublished(review))
      .map(({ rating }) => rating)
    const completed = own.filter(({ id }) => told.has(`${id} deal_room.completed`))
    const resolved = own.filter((room) => isResolvedForSeller(room, told))
    const cancelled = own.filter((room) => told.has(`${room.id} deal_room.cancelled`) && hasBegun(room, told))
    const expected: Reputation = {
      ...noReputation,
      completedDeals: completed.length + resolved.length,
      cancelledDeals: cancelled.length,
      disputedDeals: own.filter(({ id }) => told.has(`${id} deal_room.disputed`)).length,
      reviewCount: ratings.length,
      rating: ratings.length === 0 ? null : ratings.reduce((sum, rating) => sum + rating, 0) / ratings.length
    }
    const { rating, ...counts } = agent.reputation
    const { rating: expectedRating, ...expectedCounts } = expected
    assert.deepStrictEqual(counts, expectedCounts, agent.handle)
    if (rating === null || expectedRating === null) assert.strictEqual(rating, expectedRating)
    else assert.approximately(rating, expectedRating, 1e-9)
  }
}

const isResolvedForSeller = ({ id, status }: DealRoom, told: ReadonlySet<string>): boolean =>
  status === "completed" && told.has(`${id} deal_room.resolved`)

/** Work that never began, for want of its money, says nothing about either side. */
const hasBegun = ({ id }: DealRoom, told: ReadonlySet<string>): boolean => told.has(`${id} deal_room.started`)

const isWrittenAsPublished = (review: {
  readonly publishedAt: { epochMilliseconds: number }
  readonly updatedAt: { epochMilliseconds: number }
}): boolean => review.publishedAt.epochMilliseconds <= review.updatedAt.epochMilliseconds

/**
 * What was promised of the order of sealed quotes is kept: the commitment stands from the opening on, the seed that is
 * shown is the one that was committed to, and the quotes come in its order.
 */
export const expectSeals = Effect.fnUntraced(function* (world: World) {
  for (const { before, write } of world.deeds.flatMap(({ written }) => written)) {
    if (write.kind !== "rfq") continue
    const { id, quoteMode, seal, status } = write.value
    // A draft that was cancelled was never opened, and so never sealed.
    if (status !== "draft" && status !== "cancelled" && quoteMode === "sealed")
      assert(seal !== undefined, `${id} is sealed`)
    if (before !== undefined && "seal" in before)
      assert.deepStrictEqual(seal, before.seal, `the seal of ${id}`)
    yield* expectPromise(world, write.value)
  }
})

const expectPromise = Effect.fnUntraced(function* (world: World, rfq: Rfq) {
  const { agentId, id, quoteDeadline, quoteMode, seal } = rfq
  if (seal === undefined || quoteMode !== "sealed") return
  const view = yield* (yield* Rfqs).get(agentId, id)
  assert.strictEqual(view.seal?.commitment, sealCommitment(seal.seed), `the commitment of ${id}`)
  const isOver = !DateTime.isGreaterThan(quoteDeadline, yield* DateTime.now)
  assert.strictEqual(view.seal?.seed, isOver ? seal.seed : undefined, `the seed of ${id}`)
  if (!isOver) return
  const { items } = yield* (yield* Quotes).ofRfq(agentId, id, { limit: 100 })
  const ids = [...world.ledger.quotes.values()].flatMap((quote) => (quote.rfqId === id ? [quote.id] : []))
  assert.deepStrictEqual(
    items.map((quote) => quote.id),
    [...sealedOrder(seal.seed, ids)],
    `the order of the quotes of ${id}`
  )
})
