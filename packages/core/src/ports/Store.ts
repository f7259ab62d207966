/**
 * The store: where the market keeps what it knows.
 *
 * An adapter implements a handful of reads and one `commit`. Reads see every commit that has returned. A commit is
 * atomic: all of its writes, its events and its idempotency record, or nothing; it names the version of each entity
 * that it replaces or relied upon, and is refused when one of them is stale. So no transaction is held open while the
 * market decides, and races are settled in one place.
 *
 * @see `docs/storage.md` for how to write an adapter, and `@souk/testing` for the suite that it must pass.
 */
import { Context, Data } from "effect"
import type { Effect, Stream } from "effect"
import type { Agent } from "../model/Agent.ts"
import type { ApiKey } from "../model/ApiKey.ts"
import type { Bookmark } from "../model/Bookmark.ts"
import type { Deadline, DeadlineNote, Reliance, Write } from "../model/Change.ts"
import type { DealRoom, DealRoomStatus, Entry, Offer } from "../model/DealRoom.ts"
import type { SchemaOutOfDate, Unavailable } from "../model/Errors.ts"
import type { NewEvent, StoredEvent } from "../model/Event.ts"
import type { Hold, HoldStatus } from "../model/Hold.ts"
import type {
  AgentId,
  ApiKeyId,
  DealRoomId,
  HoldId,
  ListingId,
  MatchId,
  OfferId,
  QuoteId,
  RequestId,
  ReviewId,
  RfqId,
  TaskId,
  WebhookId
} from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import type { Listing, ListingStatus, PricingModel } from "../model/Listing.ts"
import type { Match, MatchStatus } from "../model/Match.ts"
import type { Page, PageRequest } from "../model/Page.ts"
import type { Quote } from "../model/Quote.ts"
import type { Request, RequestStateWindow } from "../model/Request.ts"
import type { Review } from "../model/Review.ts"
import type { Rfq, RfqStateWindow } from "../model/Rfq.ts"
import type { Task, WorkKind } from "../model/Task.ts"
import type { Webhook } from "../model/Webhook.ts"

type Read<A> = Effect.Effect<A, Unavailable>

export class Store extends Context.Service<
  Store,
  {
    readonly agents: AgentReader
    readonly keys: ApiKeyReader
    readonly listings: ListingReader
    readonly requests: RequestReader
    readonly rfqs: RfqReader
    readonly quotes: QuoteReader
    readonly rooms: DealRoomReader
    readonly reviews: ReviewReader
    readonly matches: MatchReader
    readonly webhooks: WebhookReader
    readonly tasks: TaskReader
    readonly holds: HoldReader
    readonly bookmarks: BookmarkReader
    readonly deadlines: DeadlineReader
    readonly events: EventReader
    readonly idempotency: IdempotencyReader
    /** Writes all of a commit or nothing, durably before it returns. */
    readonly commit: (commit: Commit) => Effect.Effect<CommitReceipt, CommitFailure>
    /**
     * Drops up to `limit` of what need not be kept any longer, and tells how many that were. Other processes may do so
     * at the same time.
     */
    readonly forget: (expired: Expired, limit: number) => Read<number>
    /** Succeeds when the store can serve: reachable and of the schema that this version needs. */
    readonly ready: Effect.Effect<void, Unavailable | SchemaOutOfDate>
    /**
     * Brings the schema up to date and tells which migrations that took, by name: all of them or none. Absent where there
     * is no schema.
     */
    readonly migrate?: Effect.Effect<ReadonlyArray<string>, Unavailable> | undefined
  }
>()("@souk/core/Store") {}

// -----------------------------------------------------------------------------
// Readers. Lists are newest first: by id, descending, below `page.before`.
// -----------------------------------------------------------------------------

export interface AgentReader {
  readonly byId: (id: AgentId) => Read<Agent | undefined>
  /** `handle` in its normal form. */
  readonly byHandle: (handle: string) => Read<Agent | undefined>
  readonly byIds: (ids: ReadonlyArray<AgentId>) => Read<ReadonlyArray<Agent>>
  /** Active agents. */
  readonly list: (page: PageRequest) => Read<Page<Agent>>
}

export interface ApiKeyReader {
  readonly byId: (id: ApiKeyId) => Read<ApiKey | undefined>
  /** Every key that an agent ever had, newest first. */
  readonly ofAgent: (agentId: AgentId) => Read<ReadonlyArray<ApiKey>>
  readonly byDigest: (digest: string) => Read<ApiKey | undefined>
}

/** Which listings a list holds; every field that is given must hold. */
export interface ListingFilter {
  readonly status?: ListingStatus | undefined
  readonly agentId?: AgentId | undefined
  readonly tag?: string | undefined
  readonly category?: string | undefined
  readonly pricingModel?: PricingModel | undefined
  /** In millionths; listings without a price do not match. */
  readonly maxPriceMicros?: bigint | undefined
  readonly currency?: string | undefined
  readonly updatedSince?: Instant | undefined
}

export interface ListingReader {
  readonly byId: (id: ListingId) => Read<Listing | undefined>
  /** Those that exist, in any order. */
  readonly byIds: (ids: ReadonlyArray<ListingId>) => Read<ReadonlyArray<Listing>>
  readonly list: (filter: ListingFilter, page: PageRequest) => Read<Page<Listing>>
}

/** Which requests a list holds; every field that is given must hold. */
export interface RequestFilter {
  /** As with RFQs: the statuses that are kept, each with the window of the deadline that goes with it. */
  readonly states: ReadonlyArray<RequestStateWindow>
  readonly agentId?: AgentId | undefined
  readonly tag?: string | undefined
  readonly category?: string | undefined
  /** In millionths; requests without a budget do not match. */
  readonly maxPriceMicros?: bigint | undefined
  readonly currency?: string | undefined
  readonly updatedSince?: Instant | undefined
}

export interface RequestReader {
  readonly byId: (id: RequestId) => Read<Request | undefined>
  readonly byIds: (ids: ReadonlyArray<RequestId>) => Read<ReadonlyArray<Request>>
  readonly list: (filter: RequestFilter, page: PageRequest) => Read<Page<Request>>
}

/** Which RFQs a list holds; every field that is given must hold. */
export interface RfqFilter {
  /**
   * The statuses that are kept and the window of the deadlines that go with them, one of which must match. This is
   * how a list is judged by the clock although a sweeper writes the status down later.
   */
  readonly states: ReadonlyArray<RfqStateWindow>
  /**
   * An RFQ is listed when it is public, the viewer's own, or the viewer is invited; `undefined` is a viewer without a
   * key. `"market"` sees every RFQ: for projections, never for a caller.
   */
  readonly viewer?: AgentId | "market" | undefined
  readonly agentId?: AgentId | undefined
  readonly tag?: string | undefined
  readonly category?: string | undefined
  /** In millionths; RFQs without a budget do not match. */
  readonly maxPriceMicros?: bigint | undefined
  readonly currency?: string | undefined
  readonly updatedSince?: Instant | undefined
  /** `quoteDeadline` at or before. */
  readonly closesBefore?: Instant | undefined
  /** Those to which an agent is invited by name. */
  readonly invitee?: AgentId | undefined
}

export interface RfqReader {
  readonly byId: (id: RfqId) => Read<Rfq | undefined>
  readonly byIds: (ids: ReadonlyArray<RfqId>) => Read<ReadonlyArray<Rfq>>
  readonly list: (filter: RfqFilter, page: PageRequest) => Read<Page<Rfq>>
}

export interface QuoteReader {
  readonly byId: (id: QuoteId) => Read<Quote | undefined>
  /** Those that exist, in any order. */
  readonly byIds: (ids: ReadonlyArray<QuoteId>) => Read<ReadonlyArray<Quote>>
  /** The quote of an agent for an RFQ whose stored status is `active`. */
  readonly activeOf: (rfqId: RfqId, agentId: AgentId) => Read<Quote | undefined>
  /** Every quote of an RFQ whose stored status is `active`: at most `maxQuotes`. */
  readonly allActive: (rfqId: RfqId) => Read<ReadonlyArray<Quote>>
  /** Quotes of an RFQ, of an agent, or both. */
  readonly list: (filter: QuoteFilter, page: PageRequest) => Read<Page<Quote>>
}

export interface QuoteFilter {
  readonly rfqId?: RfqId | undefined
  readonly agentId?: AgentId | undefined
}

/** Which rooms a list holds; every field that is given must hold. */
export interface DealRoomFilter {
  /** Buyer or seller. */
  readonly participant: AgentId
  /** Stored statuses. */
  readonly statuses?: ReadonlyArray<DealRoomStatus> | undefined
  readonly updatedSince?: Instant | undefined
}

export interface DealRoomReader {
  readonly byId: (id: DealRoomId) => Read<DealRoom | undefined>
  readonly list: (filter: DealRoomFilter, page: PageRequest) => Read<Page<DealRoom>>
  readonly offer: (id: OfferId) => Read<Offer | undefined>
  /** Entries of a room in the order of `seq`, from behind `afterSeq`. */
  readonly entries: (roomId: DealRoomId, afterSeq: number, limit: number) => Read<ReadonlyArray<Entry>>
}

export interface ReviewReader {
  readonly byId: (id: ReviewId) => Read<Review | undefined>
  /** At most two: one by each side. */
  readonly ofRoom: (roomId: DealRoomId) => Read<ReadonlyArray<Review>>
  /** Reviews of an agent that are published by `at`. */
  readonly publishedOf: (agentId: AgentId, at: Instant, page: PageRequest) => Read<Page<Review>>
}

/** Which matches a list holds; every field that is given must hold. */
export interface MatchFilter {
  /** Whose demand or supply it is. */
  readonly party?: AgentId | undefined
  readonly demandId?: RfqId | RequestId | undefined
  readonly supplyId?: ListingId | undefined
  readonly statuses?: ReadonlyArray<MatchStatus> | undefined
}

export interface MatchReader {
  readonly byId: (id: MatchId) => Read<Match | undefined>
  /** Those that exist, in any order. */
  readonly byIds: (ids: ReadonlyArray<MatchId>) => Read<ReadonlyArray<Match>>
  readonly list: (filter: MatchFilter, page: PageRequest) => Read<Page<Match>>
}

export interface WebhookReader {
  readonly byId: (id: WebhookId) => Read<Webhook | undefined>
  /** Every webhook of an agent but the deleted ones, newest first. */
  readonly ofAgent: (agentId: AgentId) => Read<ReadonlyArray<Webhook>>
  /** Active webhooks of all agents. */
  readonly active: (page: PageRequest) => Read<Page<Webhook>>
}

export interface TaskReader {
  readonly byId: (id: TaskId) => Read<Task | undefined>
  /** All tasks of a queue, ended ones included. */
  readonly list: (queue: string, page: PageRequest) => Read<Page<Task>>
  /**
   * Up to `limit` queues, other than those named, that have a task due at `until`; the longest waiting first, then by
   * name.
   */
  readonly queuesDue: (
    kind: WorkKind,
    until: Instant,
    except: ReadonlyArray<string>,
    limit: number
  ) => Read<ReadonlyArray<string>>
  /** The tasks of a queue that are due at `until`, the longest waiting first, then by id. */
  readonly due: (queue: string, until: Instant, limit: number) => Read<ReadonlyArray<Task>>
  /** The moment of the task of a kind that is due soonest, past or ahead. */
  readonly next: (kind: WorkKind) => Read<Instant | undefined>
  /** How many tasks of a kind are due at `now`, and since when the first of them waits. */
  readonly overdue: (kind: WorkKind, now: Instant) => Read<Overdue>
}

export interface HoldReader {
  readonly byId: (id: HoldId) => Read<Hold | undefined>
  readonly list: (status: HoldStatus, page: PageRequest) => Read<Page<Hold>>
}

export interface BookmarkReader {
  readonly byId: (id: string) => Read<Bookmark | undefined>
}

/** What a store may forget. */
export interface Expired {
  /** Idempotency records that expire at or before. */
  readonly repliesUntil: Instant
  /** Tasks that ended, and did not change after this moment. */
  readonly tasksUntil: Instant
  /**
   * Events from the oldest on, up to the first that is younger than `at` or stands behind `position`. Where nothing is
   * said all are kept.
   */
  readonly eventsUntil?: { readonly at: Instant; readonly position: number } | undefined
}

/** The deadlines that commits have noted, one for each entity, soonest first; at the same moment by id. */
export interface DeadlineReader {
  /** Those that have come at `until`. */
  readonly due: (until: Instant, limit: number) => Read<ReadonlyArray<Deadline>>
  /** The moment of the soonest, past or ahead. */
  readonly next: Read<Instant | undefined>
  /** How many have come at `now`, and since when the soonest of them waits. */
  readonly overdue: (now: Instant) => Read<Overdue>
}

export interface Overdue {
  readonly count: number
  readonly since: Instant | undefined
}

export interface EventReader {
  /** Events behind `position`, oldest first, in the one order of the market. */
  readonly after: (position: number, limit: number) => Read<ReadonlyArray<StoredEvent>>
  /** The position of the newest event, kept or not; 0 when there was none. */
  readonly latest: Read<number>
  /** The position of the newest event that is no longer kept, 0 where all are. Positions may have gaps. */
  readonly forgotten: Read<number>
  /**
   * Tells whenever another process may have committed; it may tell too often, and while it fails it tells nothing, so
   * the feed is asked now and then all the same. `undefined` where this process alone writes.
   */
  readonly signals: Stream.Stream<void, Unavailable> | undefined
}

export interface IdempotencyReader {
  readonly byId: (id: string) => Read<IdempotencyRecord | undefined>
}

// -----------------------------------------------------------------------------
// Commit
// -----------------------------------------------------------------------------

/** The kept reply of a request with an Idempotency-Key. `reply` is sealed: only the key's owner can open it. */
export interface IdempotencyRecord {
  readonly id: string
  readonly bodyDigest: string
  readonly reply: string
  readonly createdAt: Instant
  readonly expiresAt: Instant
}

export interface Commit {
  /** In any order: one may name an entity that a later one brings. */
  readonly writes: ReadonlyArray<Write>
  readonly reliesOn: ReadonlyArray<Reliance>
  readonly events: ReadonlyArray<NewEvent>
  /** Each takes the place of what was noted of the same entity; no entity is named twice. */
  readonly deadlines?: ReadonlyArray<DeadlineNote> | undefined
  readonly idempotency?: IdempotencyRecord | undefined
}

/** `position`: that of the commit's last event, or of the newest event where it has none. */
export interface CommitReceipt {
  readonly position: number
}

export type CommitFailure = StaleVersion | UniqueViolation | Unavailable

/** An entity that the commit replaces or relies upon has another version by now. Read again and decide again. */
export class StaleVersion extends Data.TaggedError("StaleVersion")<{
  readonly kind: Write["kind"]
  readonly id: string
}> {}

/** What must be unique beside the ids. */
export type Constraint =
  /** One agent for each handle in its normal form. */
  | "agent_handle"
  /** One key for each digest. */
  | "key_digest"
  /** One active quote for each agent and RFQ. */
  | "active_quote"
  /** One review for each side of a room. */
  | "room_review"
  /** One record for each Idempotency-Key in its scope. */
  | "idempotency"

export class UniqueViolation extends Data.TaggedError("UniqueViolation")<{
  readonly constraint: Constraint
}> {}
