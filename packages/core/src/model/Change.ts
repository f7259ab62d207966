/** What a decision changes: new values of entities, and what happened. The store writes both or neither. */
import type { Agent } from "./Agent.ts"
import type { ApiKey } from "./ApiKey.ts"
import type { Bookmark } from "./Bookmark.ts"
import type { DealRoom, Entry, Offer } from "./DealRoom.ts"
import type { Audience, EventType, Subject } from "./Event.ts"
import type { Hold } from "./Hold.ts"
import type { AgentId } from "./Id.ts"
import type { Instant } from "./Instant.ts"
import type { Listing } from "./Listing.ts"
import type { Match } from "./Match.ts"
import type { Quote } from "./Quote.ts"
import type { Request } from "./Request.ts"
import type { Review } from "./Review.ts"
import type { Rfq } from "./Rfq.ts"
import type { Task } from "./Task.ts"
import type { Webhook } from "./Webhook.ts"
import { Schema } from "effect"

/** The new value of an entity, and the version that it replaces: `null` where it comes to be. */
export type Write =
  | { readonly kind: "agent"; readonly value: Agent; readonly replaces: number | null }
  | { readonly kind: "key"; readonly value: ApiKey; readonly replaces: number | null }
  | { readonly kind: "listing"; readonly value: Listing; readonly replaces: number | null }
  | { readonly kind: "request"; readonly value: Request; readonly replaces: number | null }
  | { readonly kind: "rfq"; readonly value: Rfq; readonly replaces: number | null }
  | { readonly kind: "quote"; readonly value: Quote; readonly replaces: number | null }
  | { readonly kind: "deal_room"; readonly value: DealRoom; readonly replaces: number | null }
  | { readonly kind: "offer"; readonly value: Offer; readonly replaces: number | null }
  | { readonly kind: "review"; readonly value: Review; readonly replaces: number | null }
  | { readonly kind: "match"; readonly value: Match; readonly replaces: number | null }
  | { readonly kind: "webhook"; readonly value: Webhook; readonly replaces: number | null }
  | { readonly kind: "task"; readonly value: Task; readonly replaces: number | null }
  | { readonly kind: "hold"; readonly value: Hold; readonly replaces: number | null }
  | { readonly kind: "bookmark"; readonly value: Bookmark; readonly replaces: number | null }
  /** Entries are only ever added; `(roomId, seq)` is unique. */
  | { readonly kind: "entry"; readonly value: Entry; readonly replaces: null }

/** An entity that a decision relied upon without changing it. */
export interface Reliance {
  readonly kind: Exclude<Write["kind"], "entry">
  readonly id: string
  readonly version: number
}

/** What time can move by itself. */
export const DeadlineKind = Schema.Literals(["request", "rfq", "quote", "deal_room", "review"])
export type DeadlineKind = typeof DeadlineKind.Type

/** When time moves an entity next. */
export interface Deadline {
  readonly kind: DeadlineKind
  readonly id: string
  readonly at: Instant
}

/** What a commit notes of an entity's deadline: another one, or `null` where time no longer moves it. */
export interface DeadlineNote {
  readonly kind: DeadlineKind
  readonly id: string
  readonly at: Instant | null
}

/** An event as a rule tells it; the commit gives it its id, its place, and its moment where none is told. */
export interface EventDraft {
  readonly type: EventType
  readonly subject: Subject
  readonly audience: Audience
  readonly data: Schema.JsonObject
  readonly actorId?: AgentId | undefined
  readonly at?: Instant | undefined
}

/** What a command comes to: its result for the caller, and the change that makes it so. */
export interface Change<out A> {
  readonly result: A
  readonly writes: ReadonlyArray<Write>
  readonly events: ReadonlyArray<EventDraft>
  readonly reliesOn?: ReadonlyArray<Reliance> | undefined
  /** Deadlines beside those that follow from the writes. */
  readonly deadlines?: ReadonlyArray<DeadlineNote> | undefined
}
