/** What must hold of the market after each step, whoever did what: recounted from what the store holds. */
import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import { noReputation, Store, termsDigest, verifyTranscript } from "../../src/index.ts"
import type { DealRoom, Reputation, StoredEvent } from "../../src/index.ts"
import type { Snapshot, World } from "./world.ts"

/** Money: an agreement stands on the consent of both sides to its very terms. */
export const expectConsent = (world: World, now: Snapshot): void => {
  for (const { agreement, buyerId, id, origin, sellerId } of now.rooms.values()) {
    if (agreement === undefined) continue
    assert.strictEqual(agreement.termsDigest, termsDigest(agreement.terms), `the digest of ${id}`)
    const subjects = [id, ...(origin.kind === "rfq" ? [origin.quoteId] : [])]
    for (const side of [buyerId, sellerId])
      assert(
        subjects.some((subject) => world.consents.has(`${subject} ${side} ${agreement.termsDigest}`)),
        `${side} has consented to the terms of ${id}`
      )
    const before = world.before.rooms.get(id)?.agreement
    if (before !== undefined) assert.deepStrictEqual(agreement, before, `the agreement of ${id} stays`)
  }
}

/** One award for each RFQ, and one room that holds it. */
export const expectOneAward = (now: Snapshot): void => {
  for (const rfq of now.rfqs.values()) {
    const won = [...now.quotes.values()].filter(
      (quote) => quote.rfqId === rfq.id && quote.status === "awarded"
    )
    const agreed = [...now.rooms.values()].filter(
      ({ agreement, origin }) => origin.kind === "rfq" && origin.id === rfq.id && agreement !== undefined
    )
    const expected = rfq.status === "awarded" ? 1 : 0
    assert.strictEqual(won.length, expected, `quotes of ${rfq.id} that won`)
    assert.strictEqual(agreed.length, expected, `agreements for ${rfq.id}`)
    assert.strictEqual(rfq.awardedQuoteId, won[0]?.id)
  }
}

/** Transcripts have no gap, and their chain leads to the head of the room. */
export const expectTranscripts = Effect.fnUntraced(function* (now: Snapshot) {
  const store = yield* Store
  for (const { entryCount, headHash, id } of now.rooms.values()) {
    const entries = yield* store.rooms.entries(id, 0, 10_000)
    assert.deepStrictEqual(verifyTranscript(entries), Result.succeed({ entryCount, headHash }), id)
  }
})

/** `quoteCount` is the number of sellers who hold a place: all that quoted and did not take it back. */
export const expectQuoteCounts = (now: Snapshot): void => {
  for (const rfq of now.rfqs.values()) {
    const latest = new Map<string, string>()
    for (const quote of [...now.quotes.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1)))
      if (quote.rfqId === rfq.id) latest.set(quote.agentId, quote.status)
    const places = [...latest.values()].filter((status) => status !== "withdrawn").length
    // Once it is decided, or given up, places are no longer given back.
    if (rfq.status === "open" || rfq.status === "evaluating")
      assert.strictEqual(rfq.quoteCount, places, rfq.id)
    assert.isAtMost(rfq.quoteCount, rfq.maxQuotes)
  }
}

/** Reputation is what a recount of the deals and the published reviews gives. */
export const expectReputation = (now: Snapshot): void => {
  for (const agent of now.agents.values()) {
    const rooms = [...now.rooms.values()].filter(
      ({ buyerId, sellerId }) => agent.id === buyerId || agent.id === sellerId
    )
    const ratings = [...now.reviews.values()]
      .filter((review) => review.ofId === agent.id && isWrittenAsPublished(review))
      .map(({ rating }) => rating)
    const expected: Reputation = {
      ...noReputation,
      completedDeals: rooms.filter((room) => ended(room, "deal_room.completed", now)).length,
      cancelledDeals: rooms.filter((room) => ended(room, "deal_room.cancelled", now)).length,
      disputedDeals: rooms.filter((room) => ended(room, "deal_room.disputed", now)).length,
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

const isWrittenAsPublished = (review: {
  readonly publishedAt: { epochMilliseconds: number }
  readonly updatedAt: { epochMilliseconds: number }
}): boolean => review.publishedAt.epochMilliseconds <= review.updatedAt.epochMilliseconds

const ended = ({ id }: DealRoom, type: string, { events }: Snapshot): boolean =>
  events.some(({ event }) => event.subject.id === id && event.type === type)

/** Each change has its events, and each event its change; what was refused has neither. */
export const expectEvents = (world: World, now: Snapshot, refused: boolean): void => {
  const { before } = world
  const told = now.events.slice(before.events.length)
  if (refused) assert.deepStrictEqual(told, [], "what is refused is not told of")
  const kinds = ["agents", "listings", "requests", "rfqs", "quotes", "rooms", "reviews"] as const
  for (const kind of kinds)
    for (const [id, entity] of now[kind]) {
      const former = before[kind].get(id)
      if (former?.version === entity.version) {
        assert.deepStrictEqual(entity, former, `${id} changes with its version`)
        continue
      }
      assert(!refused, `what is refused does not change ${id}`)
      if (isUntold(former, entity)) continue
      const versions = told
        .filter(({ event }) => event.subject.id === id)
        .map(({ event }) => event.subject.version)
      assert(
        versions.some((version) => version > (former?.version ?? 0) && version <= entity.version),
        `the change of ${id} to version ${entity.version} is told of`
      )
    }
  for (const event of told) expectChange(before, now, event)
}

const quietFields: ReadonlySet<string> = new Set([
  "reputation",
  "quoteCount",
  "reviewedBy",
  "updatedAt",
  "version"
])

/** Counts follow from changes that are told of elsewhere; a review is told of when it is published, a draft never. */
const isUntold = (former: object | undefined, entity: object): boolean => {
  const status: unknown = "status" in entity ? entity.status : undefined
  if (former === undefined) return status === "draft" || "rating" in entity
  return Object.entries(entity).every(
    ([field, value]) =>
      quietFields.has(field) || JSON.stringify(value) === JSON.stringify(Reflect.get(former, field))
  )
}

const expectChange = (before: Snapshot, now: Snapshot, { event }: StoredEvent): void => {
  const { id, kind, version } = event.subject
  const tables = {
    agent: "agents",
    listing: "listings",
    request: "requests",
    rfq: "rfqs",
    quote: "quotes",
    deal_room: "rooms",
    review: "reviews",
    key: undefined,
    match: undefined
  } as const
  const table = tables[kind]
  if (table === undefined) return
  const entity = now[table].get(id)
  assert(entity !== undefined, `${event.type} tells of ${id}, which exists`)
  assert.isAtMost(version, entity.version, `${event.type} of ${id}`)
  assert.isAbove(
    version,
    before[table].get(id)?.version ?? 0,
    `${event.type} tells of a new version of ${id}`
  )
}
