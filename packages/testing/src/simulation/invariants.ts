/**
 * What must hold of a market whoever did what, recounted from what was committed. Each function gives a sentence for
 * each thing that does not hold.
 */
import { after, day, Settling, Store, termsDigest, verifyTranscript } from "@souk/core"
import type { Agent, DealRoom, Instant, Review } from "@souk/core"
import { DateTime, Effect, Result } from "effect"
import type { Ledger } from "./Ledger.ts"

type Broken = ReadonlyArray<string>

/** Looks at everything; `movesSeen` is how many moves of rooms were looked at before. */
export const brokenInvariants = Effect.fnUntraced(function* (ledger: Ledger, movesSeen: number) {
  const now = yield* DateTime.now
  return [
    ...(yield* overdue),
    ...(yield* brokenTranscripts(ledger, movesSeen)),
    ...unconsented(ledger),
    ...awardedTwice(ledger),
    ...lateMoves(ledger),
    ...wrongReputations(ledger, now)
  ]
})

// -----------------------------------------------------------------------------

/** Nothing waits for the sweeper once it has swept. */
const overdue = Effect.gen(function* () {
  const settling = yield* Settling
  yield* Effect.repeat(settling.sweep(100), { while: (count) => count > 0 })
  const { overdue } = yield* settling.backlog
  return overdue === 0 ? [] : [`${overdue} deadlines have passed and were not written down`]
})

/** Transcripts have no gap, and their chain leads to the head of the room: of those that have changed. */
const brokenTranscripts = Effect.fnUntraced(function* ({ moves, rooms }: Ledger, movesSeen: number) {
  const store = yield* Store
  const changed = new Set(moves.slice(movesSeen).map(({ after }) => after.id))
  const broken: Array<string> = []
  for (const id of changed) {
    const verified = verifyTranscript(yield* store.rooms.entries(id, 0, 100_000))
    const room = rooms.get(id)
    if (
      Result.isFailure(verified) ||
      verified.success.headHash !== room?.headHash ||
      verified.success.entryCount !== room.entryCount
    )
      broken.push(`the transcript of ${id} does not verify`)
  }
  return broken
})

/** An agreement stands on the consent of both sides to its very terms. */
const unconsented = ({ hasConsented, rooms }: Ledger): Broken =>
  [...rooms.values()].flatMap(({ agreement, buyerId, id, origin, sellerId }) => {
    if (agreement === undefined) return []
    const subjects = [id, ...(origin.kind === "rfq" ? [origin.quoteId] : [])]
    const digest = termsDigest(agreement.terms)
    return [
      ...(digest === agreement.termsDigest ? [] : [`the agreement of ${id} is not that of its digest`]),
      ...[buyerId, sellerId]
        .filter((side) => !subjects.some((subject) => hasConsented(subject, side, digest)))
        .map((side) => `${side} has not consented to the agreement of ${id}`)
    ]
  })

/** One award for each RFQ, and one room that holds it. */
const awardedTwice = ({ quotes, rfqs, rooms }: Ledger): Broken => {
  const won = countBy(
    [...quotes.values()].filter(({ status }) => status === "awarded"),
    ({ rfqId }) => rfqId
  )
  const agreed = countBy(
    [...rooms.values()].filter(({ agreement, origin }) => origin.kind === "rfq" && agreement !== undefined),
    ({ origin }) => (origin.kind === "rfq" ? origin.id : "")
  )
  return [...rfqs.values()].flatMap(({ id, status }) => {
    const expected = status === "awarded" ? 1 : 0
    return won(id) === expected && agreed(id) === expected
      ? []
      : [`${id} is ${status}, with ${won(id)} quotes that won and ${agreed(id)} agreements`]
  })
}

/** Nobody quotes, agrees or delivers when it is too late. */
const lateMoves = ({ moves, quotes, rfqs }: Ledger): Broken => [
  ...[...quotes.values()]
    .filter(({ createdAt, rfqId }) => {
      const deadline = rfqs.get(rfqId)?.quoteDeadline
      return deadline === undefined || !DateTime.isLessThan(createdAt, deadline)
    })
    .map(({ id }) => `${id} came after the deadline`),
  ...moves.flatMap(({ after: room, before }) => {
    const isNew = before?.status !== room.status
    if (isNew && room.status === "delivered" && isBehind(room, graceOf(before)))
      return [`${room.id} was delivered after the grace`]
    const offer = before?.currentOffer
    return before?.status === "negotiating" &&
      room.agreement !== undefined &&
      isBehind(room, offer?.validUntil)
      ? [`${room.id} was agreed upon after the offer had lapsed`]
      : []
  })
]

const graceOf = (before: DealRoom | undefined): Instant | undefined => {
  const due = before?.deadlines.deliverBy
  return due === undefined ? undefined : after(due, day)
}

const isBehind = ({ updatedAt }: DealRoom, end: Instant | undefined): boolean =>
  end !== undefined && !DateTime.isLessThan(updatedAt, end)

/** Reputation is what a recount of the deals and of the published reviews gives. */
const wrongReputations = ({ agents, events, reviews, rooms }: Ledger, now: Instant): Broken => {
  const told = new Set(events.map(({ event }) => `${event.type} ${event.subject.id}`))
  const ofAgent = new Map<string, Array<DealRoom>>()
  for (const room of rooms.values())
    for (const side of [room.buyerId, room.sellerId]) ofAgent.set(side, [...(ofAgent.get(side) ?? []), room])
  return [...agents.values()].flatMap((agent) => {
    const count = (end: string) =>
      (ofAgent.get(agent.id) ?? []).filter(({ id }) => told.has(`deal_room.${end} ${id}`)).length
    const ratings = [...reviews.values()].filter((review) => isPublishedOf(agent, review, now))
    const mean = ratings.reduce((sum, { rating }) => sum + rating, 0) / ratings.length
    const { cancelledDeals, completedDeals, disputedDeals, rating, reviewCount } = agent.reputation
    const isRight =
      completedDeals === count("completed") &&
      cancelledDeals === count("cancelled") &&
      disputedDeals === count("disputed") &&
      reviewCount === ratings.length &&
      (rating === null ? ratings.length === 0 : Math.abs(rating - mean) < 1e-9)
    return isRight ? [] : [`the reputation of ${agent.handle} is not what its deals and reviews give`]
  })
}

const isPublishedOf = ({ id }: Agent, { ofId, publishedAt }: Review, now: Instant): boolean =>
  ofId === id && !DateTime.isGreaterThan(publishedAt, now)

const countBy = <A>(items: ReadonlyArray<A>, keyOf: (item: A) => string): ((key: string) => number) => {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1)
  return (key) => counts.get(key) ?? 0
}
