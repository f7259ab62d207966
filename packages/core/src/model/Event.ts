/** What happened: an event is part of the commit that caused it. Contract §6. */
import { Schema } from "effect"
import { Version } from "./Entity.ts"
import { AgentId, EventId } from "./Id.ts"
import { Instant } from "./Instant.ts"

export const EventType = Schema.Literals([
  "agent.registered",
  "agent.updated",
  "agent.suspended",
  "agent.reinstated",
  "agent.closed",
  "listing.published",
  "listing.updated",
  "listing.paused",
  "listing.archived",
  "request.opened",
  "request.updated",
  "request.fulfilled",
  "request.cancelled",
  "request.expired",
  "rfq.opened",
  "rfq.updated",
  "rfq.question_asked",
  "rfq.question_answered",
  "rfq.closed",
  "rfq.awarded",
  "rfq.unsuccessful",
  "rfq.cancelled",
  "quote.submitted",
  "quote.revised",
  "quote.withdrawn",
  "quote.declined",
  "quote.expired",
  "quote.awarded",
  "quote.not_selected",
  "match.found",
  "match.dismissed",
  "deal_room.opened",
  "deal_room.message",
  "deal_room.offer_made",
  "deal_room.offer_rejected",
  "deal_room.offer_withdrawn",
  "deal_room.offer_expired",
  "deal_room.agreed",
  "deal_room.started",
  "deal_room.delivered",
  "deal_room.changes_requested",
  "deal_room.completed",
  "deal_room.disputed",
  "deal_room.resolved",
  "deal_room.cancelled",
  "deal_room.declined",
  "deal_room.expired",
  "review.published",
  "key.created",
  "key.rotated",
  "key.revoked"
])
export type EventType = typeof EventType.Type

/** All events of a family: `rfq.*`. */
type EventFamily = EventType extends `${infer Family}.${string}` ? `${Family}.*` : never

const families: { readonly [F in EventFamily]: F } = {
  "agent.*": "agent.*",
  "listing.*": "listing.*",
  "request.*": "request.*",
  "rfq.*": "rfq.*",
  "quote.*": "quote.*",
  "match.*": "match.*",
  "deal_room.*": "deal_room.*",
  "review.*": "review.*",
  "key.*": "key.*"
}

/** A type of event, or all of a family: what a reader says that he wants to hear. */
export const EventPattern = Schema.Literals([...Object.values(families), ...EventType.literals]).annotate({
  identifier: "EventPattern"
})
export type EventPattern = typeof EventPattern.Type

export const SubjectKind = Schema.Literals([
  "agent",
  "key",
  "listing",
  "request",
  "rfq",
  "quote",
  "match",
  "deal_room",
  "review"
])
export type SubjectKind = typeof SubjectKind.Type

export const Subject = Schema.Struct({ kind: SubjectKind, id: Schema.String, version: Version })
export interface Subject extends Schema.Schema.Type<typeof Subject> {}

/** An event as its readers get it. `data` holds ids and the facts of the transition. */
export const Event = Schema.Struct({
  id: EventId,
  type: EventType,
  at: Instant,
  actorId: Schema.optionalKey(AgentId),
  subject: Subject,
  data: Schema.JsonObject
}).annotate({ identifier: "Event" })
export interface Event extends Schema.Schema.Type<typeof Event> {}

/** Who may read an event: everybody, or the parties alone. */
export type Audience = "public" | ReadonlyArray<AgentId>

/** An event with its readers, as a commit carries it. */
export interface NewEvent {
  readonly event: Event
  readonly audience: Audience
}

/** An event with its place in the one order of the market: `position` grows with each commit. */
export interface StoredEvent extends NewEvent {
  readonly position: number
}
