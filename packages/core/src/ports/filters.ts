/**
 * The filters of the lists as pure predicates: what the in-memory store does with them, and what a service does with
 * entities that a search found. A store in SQL says the same in its own language.
 *
 * Bounds are inclusive but for the `After` of a state window: `updatedSince` keeps what changed at that very
 * moment, `closesBefore` what closes then, `maxPriceMicros` what costs as much. An amount is compared in whatever
 * currency it is; who wants one currency says so with `currency`.
 */
import { DateTime } from "effect"
import type { DealRoom } from "../model/DealRoom.ts"
import type { AgentId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import type { Listing } from "../model/Listing.ts"
import type { Match } from "../model/Match.ts"
import { toMicros } from "../model/Money.ts"
import type { Money } from "../model/Money.ts"
import type { Request, RequestStateWindow } from "../model/Request.ts"
import type { Rfq, RfqStateWindow } from "../model/Rfq.ts"
import type { DealRoomFilter, ListingFilter, MatchFilter, RequestFilter, RfqFilter } from "./Store.ts"

/** Tells whether a listing belongs into a list. */
export const matchesListing = (filter: ListingFilter, listing: Listing): boolean =>
  (filter.status === undefined || listing.status === filter.status) &&
  (filter.pricingModel === undefined || listing.pricing.model === filter.pricingModel) &&
  matchesCommon(filter, listing, listing.pricing.price)

/** Tells whether a request belongs into a list. */
export const matchesRequest = (filter: RequestFilter, request: Request): boolean =>
  filter.states.some((window) => matchesRequestWindow(window, request)) &&
  matchesCommon(filter, request, request.budget)

/** Tells whether an RFQ belongs into a list, its visibility to the viewer included. */
export const matchesRfq = (filter: RfqFilter, rfq: Rfq): boolean =>
  filter.states.some((window) => matchesWindow(window, rfq)) &&
  isVisibleTo(filter.viewer, rfq) &&
  isUpTo(rfq.quoteDeadline, filter.closesBefore) &&
  (filter.invitee === undefined || rfq.invitees.includes(filter.invitee)) &&
  matchesCommon(filter, rfq, rfq.budget)

/** Tells whether a room belongs into a list. */
export const matchesRoom = (filter: DealRoomFilter, room: DealRoom): boolean =>
  (room.buyerId === filter.participant || room.sellerId === filter.participant) &&
  (filter.statuses === undefined || filter.statuses.includes(room.status)) &&
  isSince(room.updatedAt, filter.updatedSince)

/** Tells whether a match belongs into a list. */
export const matchesMatch = (filter: MatchFilter, match: Match): boolean =>
  (filter.party === undefined || match.buyerId === filter.party || match.sellerId === filter.party) &&
  (filter.demandId === undefined || match.demand.id === filter.demandId) &&
  (filter.supplyId === undefined || match.supply.id === filter.supplyId) &&
  (filter.statuses === undefined || filter.statuses.includes(match.status))

/** What listings, requests and RFQs are all filtered by. */
interface CommonFilter {
  readonly agentId?: AgentId | undefined
  readonly tag?: string | undefined
  readonly category?: string | undefined
  readonly maxPriceMicros?: bigint | undefined
  readonly currency?: string | undefined
  readonly updatedSince?: Instant | undefined
}

const matchesCommon = (
  filter: CommonFilter,
  item: Listing | Request | Rfq,
  money: Money | undefined
): boolean =>
  (filter.agentId === undefined || item.agentId === filter.agentId) &&
  (filter.tag === undefined || item.tags.includes(filter.tag)) &&
  (filter.category === undefined || item.category === filter.category) &&
  (filter.maxPriceMicros === undefined ||
    (money !== undefined && toMicros(money.amount) <= filter.maxPriceMicros)) &&
  (filter.currency === undefined || money?.currency === filter.currency) &&
  isSince(item.updatedAt, filter.updatedSince)

/** What has no deadline never comes to it. */
const matchesRequestWindow = (window: RequestStateWindow, { expiresAt, status }: Request): boolean =>
  status === window.status &&
  (expiresAt === undefined
    ? window.expiresUpTo === undefined
    : isAfter(expiresAt, window.expiresAfter) && isUpTo(expiresAt, window.expiresUpTo))

const matchesWindow = (window: RfqStateWindow, rfq: Rfq): boolean =>
  rfq.status === window.status &&
  isAfter(rfq.quoteDeadline, window.quoteDeadlineAfter) &&
  isUpTo(rfq.quoteDeadline, window.quoteDeadlineUpTo) &&
  isAfter(rfq.awardBy, window.awardByAfter) &&
  isUpTo(rfq.awardBy, window.awardByUpTo)

const isVisibleTo = (viewer: RfqFilter["viewer"], rfq: Rfq): boolean =>
  viewer === "market" ||
  rfq.visibility === "public" ||
  (viewer !== undefined && (rfq.agentId === viewer || rfq.invitees.includes(viewer)))

const isSince = (moment: Instant, bound: Instant | undefined): boolean =>
  bound === undefined || !DateTime.isLessThan(moment, bound)

const isAfter = (moment: Instant, bound: Instant | undefined): boolean =>
  bound === undefined || DateTime.isGreaterThan(moment, bound)

const isUpTo = (moment: Instant, bound: Instant | undefined): boolean =>
  bound === undefined || !DateTime.isGreaterThan(moment, bound)
