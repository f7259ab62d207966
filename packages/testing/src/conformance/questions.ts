/** Random questions to a store: its lists by every filter, and what has come due. */
import type {
  AgentId,
  DealRoomFilter,
  HoldStatus,
  IdKind,
  ListingFilter,
  MatchFilter,
  PageRequest,
  QuoteFilter,
  RequestFilter,
  RequestStateWindow,
  RfqFilter,
  RfqStateWindow,
  WorkKind
} from "@souk/core"
import * as fc from "fast-check"
import { sampleId } from "../fixtures.ts"
import {
  agentId,
  category,
  currency,
  holdStatus,
  instant,
  listingId,
  listingStatus,
  matchStatus,
  number,
  population,
  queue,
  queues,
  requestStatus,
  rfqId,
  rfqStatus,
  roomStatus,
  seconds,
  tag,
  workKind
} from "./drafts.ts"

export type Question =
  | { readonly _tag: "Agents"; readonly page: PageRequest }
  | { readonly _tag: "Listings"; readonly filter: ListingFilter; readonly page: PageRequest }
  | { readonly _tag: "Requests"; readonly filter: RequestFilter; readonly page: PageRequest }
  | { readonly _tag: "Rfqs"; readonly filter: RfqFilter; readonly page: PageRequest }
  | { readonly _tag: "Quotes"; readonly filter: QuoteFilter; readonly page: PageRequest }
  | { readonly _tag: "Rooms"; readonly filter: DealRoomFilter; readonly page: PageRequest }
  | { readonly _tag: "Reviews"; readonly of: AgentId; readonly at: number; readonly page: PageRequest }
  | { readonly _tag: "Matches"; readonly filter: MatchFilter; readonly page: PageRequest }
  | { readonly _tag: "Webhooks"; readonly page: PageRequest }
  | { readonly _tag: "Tasks"; readonly queue: string; readonly page: PageRequest }
  | { readonly _tag: "TasksDue"; readonly queue: string; readonly at: number; readonly limit: number }
  | {
      readonly _tag: "QueuesDue"
      readonly kind: WorkKind
      readonly at: number
      readonly except: ReadonlyArray<string>
      readonly limit: number
    }
  | { readonly _tag: "Holds"; readonly status: HoldStatus; readonly page: PageRequest }
  | { readonly _tag: "Deadlines"; readonly at: number; readonly limit: number }
  | { readonly _tag: "Entries"; readonly room: number; readonly afterSeq: number; readonly limit: number }

const limit = fc.integer({ min: 1, max: 3 })

/** A page from the newest, or from below the `n`th id of a kind. */
const pageOf = (kind: IdKind): fc.Arbitrary<PageRequest> =>
  fc
    .tuple(limit, fc.option(number))
    .map(([limit, n]) => ({ limit, ...(n === null ? {} : { before: sampleId(kind, n) }) }))

/** What listings, requests and RFQs are all filtered by. */
const common = {
  agentId,
  tag,
  category,
  maxPriceMicros: fc.constantFrom(0n, 1n, 10_000_000n, 10_500_000n, 999_999_999_999_999_998n),
  currency,
  updatedSince: instant
}

const listingFilter: fc.Arbitrary<ListingFilter> = fc.record(
  { ...common, status: listingStatus, pricingModel: fc.constantFrom("fixed", "quote") },
  { requiredKeys: [] }
)

const requestWindow: fc.Arbitrary<RequestStateWindow> = fc.record(
  { status: requestStatus, expiresAfter: instant, expiresUpTo: instant },
  { requiredKeys: ["status"] }
)

const requestFilter: fc.Arbitrary<RequestFilter> = fc.record(
  { ...common, states: fc.array(requestWindow, { maxLength: 3, size: "max" }) },
  { requiredKeys: ["states"] }
)

const rfqWindow: fc.Arbitrary<RfqStateWindow> = fc.record(
  {
    status: rfqStatus,
    quoteDeadlineAfter: instant,
    quoteDeadlineUpTo: instant,
    awardByAfter: instant,
    awardByUpTo: instant
  },
  { requiredKeys: ["status"] }
)

const rfqFilter: fc.Arbitrary<RfqFilter> = fc.record(
  {
    ...common,
    states: fc.array(rfqWindow, { maxLength: 3, size: "max" }),
    viewer: fc.oneof(
      { weight: 3, arbitrary: agentId },
      { weight: 1, arbitrary: fc.constant("market" as const) }
    ),
    closesBefore: instant,
    invitee: agentId
  },
  { requiredKeys: ["states"] }
)

const quoteFilter: fc.Arbitrary<QuoteFilter> = fc.oneof(
  fc.record({ rfqId }),
  fc.record({ agentId }),
  fc.record({ rfqId, agentId })
)

const roomFilter: fc.Arbitrary<DealRoomFilter> = fc.record(
  { participant: agentId, statuses: fc.array(roomStatus, { maxLength: 3 }), updatedSince: instant },
  { requiredKeys: ["participant"] }
)

const matchFilter: fc.Arbitrary<MatchFilter> = fc.record(
  {
    party: agentId,
    demandId: rfqId,
    supplyId: listingId,
    statuses: fc.array(matchStatus, { maxLength: 3 })
  },
  { requiredKeys: [] }
)

const paged = fc.oneof(
  fc.record({ _tag: fc.constant("Agents"), page: pageOf("agent") }),
  fc.record({ _tag: fc.constant("Listings"), filter: listingFilter, page: pageOf("listing") }),
  fc.record({ _tag: fc.constant("Listings"), filter: listingFilter, page: pageOf("listing") }),
  fc.record({ _tag: fc.constant("Requests"), filter: requestFilter, page: pageOf("request") }),
  fc.record({ _tag: fc.constant("Rfqs"), filter: rfqFilter, page: pageOf("rfq") }),
  fc.record({ _tag: fc.constant("Rfqs"), filter: rfqFilter, page: pageOf("rfq") }),
  fc.record({ _tag: fc.constant("Quotes"), filter: quoteFilter, page: pageOf("quote") }),
  fc.record({ _tag: fc.constant("Rooms"), filter: roomFilter, page: pageOf("deal_room") }),
  fc.record({ _tag: fc.constant("Rooms"), filter: roomFilter, page: pageOf("deal_room") }),
  fc.record({ _tag: fc.constant("Reviews"), of: agentId, at: seconds, page: pageOf("review") }),
  fc.record({ _tag: fc.constant("Matches"), filter: matchFilter, page: pageOf("match") }),
  fc.record({ _tag: fc.constant("Webhooks"), page: pageOf("webhook") }),
  fc.record({ _tag: fc.constant("Tasks"), queue, page: pageOf("task") }),
  fc.record({ _tag: fc.constant("Holds"), status: holdStatus, page: pageOf("hold") })
)

const timed = fc.oneof(
  fc.record({ _tag: fc.constant("TasksDue"), queue, at: seconds, limit }),
  fc.record({
    _tag: fc.constant("QueuesDue"),
    kind: workKind,
    at: seconds,
    except: fc.subarray(queues),
    limit
  }),
  fc.record({ _tag: fc.constant("Deadlines"), at: seconds, limit }),
  fc.record({
    _tag: fc.constant("Entries"),
    room: number,
    afterSeq: fc.integer({ min: 0, max: population }),
    limit
  })
)

export const question: fc.Arbitrary<Question> = fc.oneof<[fc.Arbitrary<Question>, fc.Arbitrary<Question>]>(
  paged,
  timed
)
