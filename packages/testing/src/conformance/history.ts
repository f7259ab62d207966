/** Random histories of a small market, as data: what is committed and what is asked, in which order. */
import type {
  Agent,
  AgentId,
  DeadlineNote,
  ListingFilter,
  Money,
  PageRequest,
  QuoteFilter,
  Reliance,
  RequestFilter,
  RequestStateWindow,
  RfqFilter,
  RfqStateWindow,
  Write
} from "@souk/core"
import * as fc from "fast-check"
import {
  moment,
  sampleAgent,
  sampleEntry,
  sampleId,
  sampleKey,
  sampleListing,
  sampleOffer,
  sampleQuote,
  sampleRequest,
  sampleReview,
  sampleRfq,
  sampleRoom,
  write
} from "../fixtures.ts"

/** Which version a write or a reliance names: the present one, or one that is not. */
export type Named = "present" | "wrong"

export interface Attempt {
  readonly _tag: "Commit"
  /** `make` writes a version of an entity in place of another. */
  readonly writes: ReadonlyArray<{
    readonly kind: Write["kind"]
    readonly id: string
    readonly named: Named
    readonly make: (version: number, replaces: number | null) => Write
  }>
  readonly reliesOn: ReadonlyArray<{
    readonly kind: Reliance["kind"]
    readonly id: string
    readonly named: Named
  }>
  readonly events: number
  readonly deadlines: ReadonlyArray<DeadlineNote>
  /** The number of an Idempotency-Key. */
  readonly reply: number | undefined
}

export type Question =
  | { readonly _tag: "Agents"; readonly page: PageRequest }
  | { readonly _tag: "Listings"; readonly filter: ListingFilter; readonly page: PageRequest }
  | { readonly _tag: "Requests"; readonly filter: RequestFilter; readonly page: PageRequest }
  | { readonly _tag: "Rfqs"; readonly filter: RfqFilter; readonly page: PageRequest }
  | { readonly _tag: "Quotes"; readonly filter: QuoteFilter; readonly page: PageRequest }
  | { readonly _tag: "Rooms"; readonly participant: AgentId; readonly page: PageRequest }
  | { readonly _tag: "Reviews"; readonly of: AgentId; readonly at: number; readonly page: PageRequest }
  | { readonly _tag: "Deadlines"; readonly at: number; readonly limit: number }
  | { readonly _tag: "Entries"; readonly room: number; readonly afterSeq: number; readonly limit: number }

export type Step = Attempt | Question

/** How many entities of a kind a history knows: few, so that they meet. */
export const population = 4

const number = fc.integer({ min: 1, max: population })
const agentId = number.map((n) => sampleId("agent", n))
const seconds = fc.integer({ min: 0, max: 4 })
const instant = seconds.map(moment)
const tag = fc.constantFrom("legal", "legal-texts", "web")
const category = fc.constantFrom("text", "code")
const amounts = ["0", "0.000001", "10", "10.50", "999999999999.999998", "999999999999.999999"]
const money: fc.Arbitrary<Money> = fc.record(
  { amount: fc.constantFrom(...amounts), currency: fc.constantFrom("EUR", "USDC") },
  { noNullPrototype: true }
)
const micros = fc.constantFrom(0n, 1n, 10_000_000n, 10_500_000n, 999_999_999_999_999_998n)
const tags = fc.uniqueArray(tag, { maxLength: 3 })
const named: fc.Arbitrary<Named> = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Named>("present") },
  { weight: 1, arbitrary: fc.constant<Named>("wrong") }
)

/** A write to be, and its number and fields for whoever reads a counterexample. */
type Draft = Pick<Attempt["writes"][number], "kind" | "id" | "make"> & { readonly told?: string }

const listingStatus = fc.constantFrom("draft", "active", "paused", "archived")
const requestStatus = fc.constantFrom("open", "open", "fulfilled", "cancelled")
const rfqStatus = fc.constantFrom("draft", "open", "evaluating", "awarded")
const quoteStatus = fc.constantFrom("active", "active", "withdrawn", "declined")

const draft = <A>(fields: fc.Arbitrary<A>, make: (n: number, fields: A) => Draft): fc.Arbitrary<Draft> =>
  fc
    .tuple(number, fields)
    .map(([n, fields]) => ({ ...make(n, fields), told: `${n} ${fc.stringify(fields)}` }))

const agent = draft(
  fc.record({
    handle: fc.constantFrom("atlas", "bazaar", "caravan", "dinar"),
    status: fc.constantFrom<Agent["status"]>("active", "suspended", "closed")
  }),
  (n, fields) => {
    const value = sampleAgent(n, fields)
    return {
      kind: "agent",
      id: value.id,
      make: (version, replaces) => write.agent({ ...value, version }, replaces)
    }
  }
)

const key = draft(number, (n, digest) => {
  const value = sampleKey(n, { digest: sampleKey(digest).digest })
  return {
    kind: "key",
    id: value.id,
    make: (version, replaces) => write.key({ ...value, version }, replaces)
  }
})

const listing = draft(
  fc.record(
    { agentId, tags, category, price: money, status: listingStatus, updatedAt: instant },
    { requiredKeys: ["agentId", "tags", "status", "updatedAt"] }
  ),
  (n, { price, ...fields }) => {
    const pricing = price === undefined ? ({ model: "quote" } as const) : ({ model: "fixed", price } as const)
    const value = sampleListing(n, { ...fields, pricing })
    return {
      kind: "listing",
      id: value.id,
      make: (version, replaces) => write.listing({ ...value, version }, replaces)
    }
  }
)

const request = draft(
  fc.record(
    { agentId, tags, category, budget: money, status: requestStatus, expiresAt: instant, updatedAt: instant },
    { requiredKeys: ["agentId", "tags", "status", "updatedAt"] }
  ),
  (n, fields) => {
    const value = sampleRequest(n, fields)
    return {
      kind: "request",
      id: value.id,
      make: (version, replaces) => write.request({ ...value, version }, replaces)
    }
  }
)

const rfq = draft(
  fc.record(
    {
      agentId,
      tags,
      category,
      budget: money,
      status: rfqStatus,
      visibility: fc.constantFrom("public", "invited"),
      invitees: fc.uniqueArray(agentId, { maxLength: 2 }),
      quoteDeadline: instant,
      awardBy: instant,
      updatedAt: instant
    },
    {
      requiredKeys: [
        "agentId",
        "tags",
        "status",
        "visibility",
        "invitees",
        "quoteDeadline",
        "awardBy",
        "updatedAt"
      ]
    }
  ),
  (n, fields) => {
    const value = sampleRfq(n, fields)
    return {
      kind: "rfq",
      id: value.id,
      make: (version, replaces) => write.rfq({ ...value, version }, replaces)
    }
  }
)

const quote = draft(
  fc.record({ rfqId: number.map((n) => sampleId("rfq", n)), agentId, status: quoteStatus }),
  (n, fields) => {
    const value = sampleQuote(n, fields)
    return {
      kind: "quote",
      id: value.id,
      make: (version, replaces) => write.quote({ ...value, version }, replaces)
    }
  }
)

const room = draft(fc.record({ buyerId: agentId, sellerId: agentId }), (n, fields) => {
  const value = sampleRoom(n, fields)
  return {
    kind: "deal_room",
    id: value.id,
    make: (version, replaces) => write.room({ ...value, version }, replaces)
  }
})

const offer = draft(fc.record({ round: number }), (n, fields) => {
  const value = sampleOffer(n, fields)
  return {
    kind: "offer",
    id: value.id,
    make: (version, replaces) => write.offer({ ...value, version }, replaces)
  }
})

const review = draft(
  fc.record({
    roomId: number.map((n) => sampleId("deal_room", n)),
    byId: agentId,
    ofId: agentId,
    publishedAt: instant
  }),
  (n, fields) => {
    const value = sampleReview(n, fields)
    return {
      kind: "review",
      id: value.id,
      make: (version, replaces) => write.review({ ...value, version }, replaces)
    }
  }
)

const entry = draft(fc.record({ room: number, seq: number }), (n, { room, seq }) => {
  const value = sampleEntry(seq, { id: sampleId("entry", n), roomId: sampleId("deal_room", room) })
  return { kind: "entry", id: value.id, make: () => write.entry(value) }
})

const anyDraft = fc.oneof(
  agent,
  key,
  listing,
  listing,
  request,
  request,
  rfq,
  rfq,
  quote,
  quote,
  room,
  offer,
  review,
  entry
)

const reliance = fc
  .tuple(fc.constantFrom("agent", "listing", "request", "rfq", "quote", "deal_room", "offer"), number, named)
  .map(([kind, n, named]) => ({ kind, id: sampleId(kind, n), named }))

const deadline: fc.Arbitrary<DeadlineNote> = fc
  .tuple(
    fc.constantFrom<DeadlineNote["kind"]>("rfq", "quote", "deal_room", "review"),
    number,
    fc.option(instant, { freq: 3 })
  )
  .map(([kind, n, at]) => ({ kind, id: sampleId(kind, n), at }))

const attempt: fc.Arbitrary<Attempt> = fc.record({
  _tag: fc.constant("Commit"),
  writes: fc.array(
    fc.tuple(anyDraft, named).map(([{ told, ...draft }, named]) => ({
      ...draft,
      named,
      [fc.toStringMethod]: () => `<${named} ${draft.kind} ${told}>`
    })),
    { maxLength: 3, size: "max" }
  ),
  reliesOn: fc.oneof(
    { weight: 4, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(reliance, { maxLength: 2 }) }
  ),
  events: fc.integer({ min: 0, max: 2 }),
  deadlines: fc.uniqueArray(deadline, { maxLength: 2, selector: ({ id }) => id }),
  reply: fc.option(number, { nil: undefined, freq: 3 })
})

const page: fc.Arbitrary<PageRequest> = fc.record(
  { limit: fc.integer({ min: 1, max: 3 }), before: fc.constant("") },
  { requiredKeys: ["limit"] }
)

/** Turns a page into one from below the `n`th id of a kind, where it has a bound. */
const pageOf = (
  kind: "agent" | "listing" | "request" | "rfq" | "quote" | "deal_room" | "review"
): fc.Arbitrary<PageRequest> =>
  fc.tuple(page, number).map(([{ limit, before }, n]) => ({
    limit,
    ...(before === undefined ? {} : { before: sampleId(kind, n) })
  }))

const listingFilter: fc.Arbitrary<ListingFilter> = fc.record(
  {
    status: listingStatus,
    agentId,
    tag,
    category,
    pricingModel: fc.constantFrom("fixed", "quote"),
    maxPriceMicros: micros,
    currency: fc.constantFrom("EUR", "USDC"),
    updatedSince: instant
  },
  { requiredKeys: [] }
)

const requestFilter: fc.Arbitrary<RequestFilter> = fc.record(
  {
    states: fc.array(
      fc.record<RequestStateWindow, "status">(
        { status: requestStatus, expiresAfter: instant, expiresUpTo: instant },
        { requiredKeys: ["status"] }
      ),
      { maxLength: 3, size: "max" }
    ),
    agentId,
    tag,
    category,
    maxPriceMicros: micros,
    currency: fc.constantFrom("EUR", "USDC"),
    updatedSince: instant
  },
  { requiredKeys: ["states"] }
)

const stateWindow: fc.Arbitrary<RfqStateWindow> = fc.record(
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
    states: fc.array(stateWindow, { maxLength: 3, size: "max" }),
    viewer: fc.oneof(
      { weight: 3, arbitrary: agentId },
      { weight: 1, arbitrary: fc.constant("market" as const) }
    ),
    agentId,
    tag,
    category,
    maxPriceMicros: micros,
    currency: fc.constantFrom("EUR", "USDC"),
    updatedSince: instant,
    closesBefore: instant
  },
  { requiredKeys: ["states"] }
)

const quoteFilter: fc.Arbitrary<QuoteFilter> = fc.oneof(
  fc.record({ rfqId: number.map((n) => sampleId("rfq", n)) }),
  fc.record({ agentId }),
  fc.record({ rfqId: number.map((n) => sampleId("rfq", n)), agentId })
)

const question: fc.Arbitrary<Question> = fc.oneof(
  fc.record({ _tag: fc.constant("Agents"), page: pageOf("agent") }),
  fc.record({ _tag: fc.constant("Listings"), filter: listingFilter, page: pageOf("listing") }),
  fc.record({ _tag: fc.constant("Listings"), filter: listingFilter, page: pageOf("listing") }),
  fc.record({ _tag: fc.constant("Requests"), filter: requestFilter, page: pageOf("request") }),
  fc.record({ _tag: fc.constant("Rfqs"), filter: rfqFilter, page: pageOf("rfq") }),
  fc.record({ _tag: fc.constant("Rfqs"), filter: rfqFilter, page: pageOf("rfq") }),
  fc.record({ _tag: fc.constant("Quotes"), filter: quoteFilter, page: pageOf("quote") }),
  fc.record({ _tag: fc.constant("Rooms"), participant: agentId, page: pageOf("deal_room") }),
  fc.record({ _tag: fc.constant("Reviews"), of: agentId, at: seconds, page: pageOf("review") }),
  fc.record({ _tag: fc.constant("Deadlines"), at: seconds, limit: fc.integer({ min: 1, max: 3 }) }),
  fc.record({
    _tag: fc.constant("Entries"),
    room: number,
    afterSeq: fc.integer({ min: 0, max: population }),
    limit: fc.integer({ min: 1, max: 3 })
  })
)

/** A history of up to `maxLength` steps, of which most are commits. */
export const history = (maxLength: number): fc.Arbitrary<ReadonlyArray<Step>> =>
  fc.array<Step>(fc.oneof({ weight: 3, arbitrary: attempt }, { weight: 2, arbitrary: question }), {
    maxLength,
    size: "max"
  })
