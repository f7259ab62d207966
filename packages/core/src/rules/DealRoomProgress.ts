/**
 * How a deal room moves on: each step changes the room, adds an entry to its transcript, and tells of it.
 *
 * A command is one or more steps. What time did since the room was last written comes first, so a change is always
 * made to the room as its readers see it.
 */
import { DateTime } from "effect"
import type { Agent, Reputation } from "../model/Agent.ts"
import type { EventDraft, Write } from "../model/Change.ts"
import type { DealRoom, Entry, Offer } from "../model/DealRoom.ts"
import { revised } from "../model/Entity.ts"
import type { EventType } from "../model/Event.ts"
import type { AgentId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import { after, hasPassed } from "../model/Instant.ts"
import { creditReputation } from "./Agents.ts"
import { nextLapse, spans } from "./DealRooms.ts"
import { settlementTasks } from "./Settlements.ts"
import type { EntryText } from "./Transcript.ts"
import { append } from "./Transcript.ts"

/** A room on its way from the version that is stored to the one that will be. */
export interface Progress {
  readonly room: DealRoom
  readonly entries: ReadonlyArray<Entry>
  readonly offers: ReadonlyArray<Offer>
  readonly events: ReadonlyArray<EventDraft>
}

/** One step: what changes, what the transcript says of it, what is told. */
export interface Step {
  readonly changes: Partial<
    Omit<DealRoom, "id" | "createdAt" | "updatedAt" | "version" | "entryCount" | "headHash">
  >
  readonly entry: Omit<EntryText, "at">
  readonly event: EventType
  readonly at: Instant
  readonly data?: EventDraft["data"] | undefined
}

export const standing = (room: DealRoom): Progress => ({ room, entries: [], offers: [], events: [] })

/** Takes a step: a new version of the room, with its entry chained and its event told to both sides. */
export const advance = (progress: Progress, step: Step): Progress =>
  record(progress, step, entryOf(progress, step))

/** The entry that a step adds to the transcript. */
export const entryOf = (progress: Progress, step: Step): Entry =>
  append(progress.room.id, progress.room, { ...step.entry, at: step.at })

/** Takes a step whose entry is known. */
export const record = (progress: Progress, step: Step, entry: Entry): Progress => {
  const room = revised(
    progress.room,
    { ...step.changes, entryCount: entry.seq, headHash: entry.hash },
    step.at
  )
  return {
    room,
    entries: [...progress.entries, entry],
    offers: progress.offers,
    events: [...progress.events, tell(room, step)]
  }
}

/** Tells both sides, and nobody else, of a step. */
const tell = (room: DealRoom, step: Step): EventDraft => ({
  type: step.event,
  actorId: step.entry.authorId,
  at: step.at,
  audience: [room.buyerId, room.sellerId],
  subject: { kind: "deal_room", id: room.id, version: room.version },
  data: { status: room.status, round: room.round, ...step.data }
})

/** The offer on the table with another status; it leaves the table's clock to the caller. */
export const settleOffer = (
  progress: Progress,
  status: Exclude<Offer["status"], "pending">,
  at: Instant
): Progress => {
  const offer = progress.room.currentOffer
  if (offer === undefined || offer.status !== "pending") return progress
  const settled = revised(offer, { status }, at)
  return {
    ...progress,
    room: { ...progress.room, currentOffer: settled },
    offers: [...progress.offers, settled]
  }
}

/**
 * Judges a room by the clock: lapsed offers, deals without their money, missed deliveries and unanswered ones, unresolved disputes. The result
 * is the same whenever it is asked, so a reader sees what a sweeper will write.
 *
 * `quoteEndedAt`: since when the quote that the room negotiates cannot be awarded. Nothing that is agreed could be kept,
 * so the negotiation expires with it.
 */
export const roomAsOf = (room: DealRoom, now: Instant, quoteEndedAt?: Instant): Progress => {
  const lapse = nextLapse(room)
  if (room.status === "negotiating" && quoteEndedAt !== undefined) {
    // What was written before the end was known of stands before it in the transcript.
    const at = DateTime.max(quoteEndedAt, room.updatedAt)
    if (lapse === undefined || DateTime.isLessThan(at, lapse.at))
      return expire(standing(room), at, "The quote can no longer be awarded.")
  }
  if (lapse === undefined || !hasPassed(lapse.at, now)) return standing(room)
  const { at } = lapse
  switch (lapse.move) {
    case "expire":
      return expire(standing(room), at)
    case "cancel":
      return advance(standing(room), {
        changes: { status: "cancelled", turn: null, deadlines: {} },
        entry: {
          kind: "system",
          body: { event: "deal_room.cancelled", by: "time", reason: "Not funded in time." }
        },
        event: "deal_room.cancelled",
        at,
        data: { funding: "missed" }
      })
    case "complete":
      return complete(standing(room), { authorId: undefined, at })
    case "refund":
      return advance(standing(room), {
        changes: { status: "refunded", turn: null, deadlines: {} },
        entry: { kind: "system", body: { event: "deal_room.resolved", outcome: "refunded", by: "time" } },
        event: "deal_room.resolved",
        at,
        data: { outcome: "refunded" }
      })
  }
}

/** Ends a room whose time is up, with the offer that stood. */
export const expire = (progress: Progress, at: Instant, reason?: string): Progress => {
  const lapsed = progress.room.currentOffer?.status === "pending" ? progress.room.currentOffer : undefined
  const told =
    lapsed === undefined
      ? progress
      : advance(settleOffer(progress, "expired", at), {
          changes: {},
          entry: { kind: "system", body: { event: "deal_room.offer_expired", offerId: lapsed.id } },
          event: "deal_room.offer_expired",
          at,
          data: { offerId: lapsed.id }
        })
  return advance(withoutCancelRequest(told), {
    changes: { status: "expired", turn: null, deadlines: {} },
    entry: {
      kind: "system",
      body: { event: "deal_room.expired", ...(reason === undefined ? {} : { reason }) }
    },
    event: "deal_room.expired",
    at
  })
}

/** A request to cancel does not outlive the state in which it was made. */
export const withoutCancelRequest = (progress: Progress): Progress => {
  const { cancelRequestedBy: _, ...room } = progress.room
  return { ...progress, room }
}

/** Completes a deal: by the buyer, or by time when nobody is its author. */
export const complete = (
  progress: Progress,
  options: { readonly authorId: AgentId | undefined; readonly at: Instant }
): Progress =>
  advance(progress, {
    changes: {
      status: "completed",
      turn: null,
      deadlines: { reviewsDueBy: after(options.at, spans.reviews) }
    },
    entry: {
      kind: "system",
      authorId: options.authorId,
      body: { event: "deal_room.completed", by: options.authorId === undefined ? "time" : "buyer" }
    },
    event: "deal_room.completed",
    at: options.at
  })

/**
 * The writes of a progress, given the version of the room that is stored (`null` for a new room): what it orders of the
 * settlement is written with it.
 */
export const writesOf = (
  progress: Progress,
  replaces: number | null,
  stored: Offer | undefined
): ReadonlyArray<Write> => {
  const versions = new Map<string, number>(stored === undefined ? [] : [[stored.id, stored.version]])
  const offers = new Map(progress.offers.map((offer) => [offer.id, offer]))
  return [
    { kind: "deal_room", value: progress.room, replaces },
    ...[...offers.values()].map((value): Write => ({
      kind: "offer",
      value,
      replaces: versions.get(value.id) ?? null
    })),
    ...progress.entries.map((value): Write => ({ kind: "entry", value, replaces: null })),
    ...settlementTasks(progress.room, progress.events).map((value): Write => ({
      kind: "task",
      value,
      replaces: null
    }))
  ]
}

/** How an ended deal counts for both sides; `undefined` while it has not come to an end that counts. */
export const reputationOf = (
  before: DealRoom,
  next: DealRoom
): ((reputation: Reputation) => Reputation) | undefined => {
  if (before.status === next.status) return undefined
  switch (next.status) {
    case "completed":
      return (reputation) => ({ ...reputation, completedDeals: reputation.completedDeals + 1 })
    case "cancelled":
      // Work that never began says nothing about either side.
      if (before.status === "agreed") return undefined
      return (reputation) => ({ ...reputation, cancelledDeals: reputation.cancelledDeals + 1 })
    case "disputed":
      return (reputation) => ({ ...reputation, disputedDeals: reputation.disputedDeals + 1 })
    default:
      return undefined
  }
}

/** The writes that count an ended deal into the reputation of both sides. */
export const reputationWrites = (
  before: DealRoom,
  next: DealRoom,
  agents: ReadonlyArray<Agent>,
  now: Instant
): ReadonlyArray<Write> => {
  const credit = reputationOf(before, next)
  return credit === undefined ? [] : agents.map((agent) => creditReputation(agent, credit, now))
}
