/** What time has done to an entity, as a change: judged by the rules by which its readers see it. Contract §4. */
import { Effect } from "effect"
import type { Change, Deadline, DeadlineNote, EventDraft, Write } from "../model/Change.ts"
import type { Unavailable } from "../model/Errors.ts"
import { DealRoomId, QuoteId, RequestId, ReviewId, RfqId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import type { Store } from "../ports/Store.ts"
import { creditReputation, withRating } from "../rules/Agents.ts"
import { deadlinesOf } from "../rules/Deadlines.ts"
import { quoteAsOf, tellExpired } from "../rules/Quotes.ts"
import { requestAsOf } from "../rules/Requests.ts"
import { reviewAsOf, tellPublished } from "../rules/Reviews.ts"
import { rfqAsOf } from "../rules/Rfqs.ts"
import { notes, withHoldEnded } from "./holds.ts"
import { endedTalks, progressChange, roomNow } from "./rooms.ts"

/** Whether there was something to write. */
type Settlement = Change<boolean>

const nothing: Settlement = { result: false, writes: [], events: [] }

/**
 * Time has done nothing that is not written: its deadline is noted anew, for the case that whoever wrote the entity,
 * an older version of the market for instance, did not note it.
 */
const unmoved = (stored: Exclude<Write, { readonly kind: "entry" }>): Settlement => ({
  ...nothing,
  deadlines: deadlinesOf([stored]),
  reliesOn: [{ kind: stored.kind, id: stored.value.id, version: stored.value.version }]
})

const settled = (
  writes: ReadonlyArray<Write>,
  events: ReadonlyArray<EventDraft>,
  deadlines: ReadonlyArray<DeadlineNote> = []
): Settlement => ({ result: true, writes, events, deadlines })

/** Decides what is to be written of an entity whose time has come; nothing where somebody has written it already. */
export const settlementOf = (
  store: Store["Service"],
  { id, kind }: Deadline,
  now: Instant
): Effect.Effect<Settlement, Unavailable> => {
  switch (kind) {
    case "request":
      return ofRequest(store, RequestId.make(id), now)
    case "rfq":
      return ofRfq(store, RfqId.make(id), now)
    case "quote":
      return ofQuote(store, QuoteId.make(id), now)
    case "deal_room":
      return ofRoom(store, DealRoomId.make(id), now)
    case "review":
      return ofReview(store, ReviewId.make(id), now)
  }
}

const ofRequest = (store: Store["Service"], id: RequestId, now: Instant) =>
  Effect.map(store.requests.byId(id), (stored) => {
    if (stored === undefined) return nothing
    const { events, request } = requestAsOf(stored, now)
    return events.length === 0
      ? nothing
      : settled([{ kind: "request", value: request, replaces: stored.version }], events)
  })

const ofRfq = Effect.fnUntraced(function* (store: Store["Service"], id: RfqId, now: Instant) {
  const stored = yield* store.rfqs.byId(id)
  if (stored === undefined) return nothing
  const { events, rfq } = rfqAsOf(stored, now)
  if (events.length === 0) return unmoved({ kind: "rfq", value: stored, replaces: null })
  const talks = rfq.status === "unsuccessful" ? yield* endedTalks(store, rfq, now) : []
  const moved = settled([{ kind: "rfq", value: rfq, replaces: stored.version }], events, talks)
  return yield* withHoldEnded(store, moved, stored, rfq, notes.tooLate, now)
})

const ofQuote = Effect.fnUntraced(function* (store: Store["Service"], id: QuoteId, now: Instant) {
  const stored = yield* store.quotes.byId(id)
  if (stored === undefined) return nothing
  const { lapsed, quote } = quoteAsOf(stored, now)
  const rfq = lapsed ? yield* store.rfqs.byId(quote.rfqId) : undefined
  if (rfq === undefined) return unmoved({ kind: "quote", value: stored, replaces: null })
  const talks = yield* endedTalks(store, rfq, now, { quoteId: id })
  return settled(
    [{ kind: "quote", value: quote, replaces: stored.version }],
    [tellExpired(quote, rfq)],
    talks
  )
})

const ofRoom = Effect.fnUntraced(function* (store: Store["Service"], id: DealRoomId, now: Instant) {
  const stored = yield* store.rooms.byId(id)
  if (stored === undefined) return nothing
  const progress = yield* roomNow(store, stored, now)
  if (progress.room.version === stored.version)
    return unmoved({ kind: "deal_room", value: stored, replaces: null })
  return yield* progressChange(store, stored, progress, now, () => true)
})

const ofReview = Effect.fnUntraced(function* (store: Store["Service"], id: ReviewId, now: Instant) {
  const stored = yield* store.reviews.byId(id)
  if (stored === undefined) return nothing
  const { opened, review } = reviewAsOf(stored, now)
  if (!opened) return unmoved({ kind: "review", value: stored, replaces: null })
  const reviewed = yield* store.agents.byIds([review.ofId])
  const credits = reviewed.map((agent) =>
    creditReputation(agent, (reputation) => withRating(reputation, review.rating), now)
  )
  return settled(
    [{ kind: "review", value: review, replaces: stored.version }, ...credits],
    [tellPublished(review)]
  )
})
