/** Random entities of a small market, as writes to be, and the values that they are made of. */
import type { Agent, Money, Reliance, Task, Work, Write } from "@souk/core"
import * as fc from "fast-check"
import {
  moment,
  sampleAgent,
  sampleBookmark,
  sampleEntry,
  sampleHold,
  sampleId,
  sampleKey,
  sampleListing,
  sampleMatch,
  sampleOffer,
  sampleQuote,
  sampleRequest,
  sampleReview,
  sampleRfq,
  sampleRoom,
  sampleTask,
  sampleWebhook,
  write
} from "../fixtures.ts"

/** How many entities of a kind a history knows: few, so that they meet. */
export const population = 4

export const number = fc.integer({ min: 1, max: population })
export const agentId = number.map((n) => sampleId("agent", n))
export const rfqId = number.map((n) => sampleId("rfq", n))
export const listingId = number.map((n) => sampleId("listing", n))
/** Some seconds after the samples were made. */
export const seconds = fc.integer({ min: 0, max: 4 })
export const instant = seconds.map(moment)
export const tag = fc.constantFrom("legal", "legal-texts", "web")
export const category = fc.constantFrom("text", "code")
export const currency = fc.constantFrom("EUR", "USDC")
export const listingStatus = fc.constantFrom("draft", "active", "paused", "archived")
export const requestStatus = fc.constantFrom("open", "open", "fulfilled", "cancelled")
export const rfqStatus = fc.constantFrom("draft", "open", "evaluating", "awarded")
export const roomStatus = fc.constantFrom("negotiating", "agreed", "completed")
export const matchStatus = fc.constantFrom("suggested", "dismissed", "engaged")
export const holdStatus = fc.constantFrom("held", "released", "refused")
export const workKind = fc.constantFrom<Work["kind"]>("delivery", "settlement")
/** The names of the queues, which tasks of both kinds share. */
export const queues = ["blue", "green", "red"]
export const queue = fc.constantFrom(...queues)

const amounts = ["0", "0.000001", "10", "10.50", "999999999999.999998", "999999999999.999999"]
const money: fc.Arbitrary<Money> = fc.record(
  { amount: fc.constantFrom(...amounts), currency },
  { noNullPrototype: true }
)
const tags = fc.uniqueArray(tag, { maxLength: 3 })

/** A write to be: `make` writes a version of an entity in place of another. */
export interface Draft {
  readonly kind: Write["kind"]
  readonly id: string
  readonly make: (version: number, replaces: number | null) => Write
  /** The number and the fields, for whoever reads a counterexample. */
  readonly told: string
}

/** Drafts an entity: `value` makes it of its number and its fields. */
const draft = <A, V extends { readonly id: string }>(
  kind: Reliance["kind"],
  fields: fc.Arbitrary<A>,
  value: (n: number, fields: A) => V,
  write: (value: V, replaces: number | null) => Write
): fc.Arbitrary<Draft> =>
  fc.tuple(number, fields).map(([n, fields]) => {
    const first = value(n, fields)
    return {
      kind,
      id: first.id,
      make: (version, replaces) => write({ ...first, version }, replaces),
      told: `${n} ${fc.stringify(fields)}`
    }
  })

const agent = draft(
  "agent",
  fc.record({
    handle: fc.constantFrom("atlas", "bazaar", "caravan", "dinar"),
    status: fc.constantFrom<Agent["status"]>("active", "suspended", "closed")
  }),
  sampleAgent,
  write.agent
)

const key = draft("key", number, (n, digest) => sampleKey(n, { digest: sampleKey(digest).digest }), write.key)

const listing = draft(
  "listing",
  fc.record(
    { agentId, tags, category, price: money, status: listingStatus, updatedAt: instant },
    { requiredKeys: ["agentId", "tags", "status", "updatedAt"] }
  ),
  (n, { price, ...fields }) =>
    sampleListing(n, {
      ...fields,
      pricing: price === undefined ? { model: "quote" } : { model: "fixed", price }
    }),
  write.listing
)

const request = draft(
  "request",
  fc.record(
    { agentId, tags, category, budget: money, status: requestStatus, expiresAt: instant, updatedAt: instant },
    { requiredKeys: ["agentId", "tags", "status", "updatedAt"] }
  ),
  sampleRequest,
  write.request
)

const rfq = draft(
  "rfq",
  fc
    .tuple(
      fc.record({
        agentId,
        tags,
        status: rfqStatus,
        visibility: fc.constantFrom("public", "invited"),
        invitees: fc.uniqueArray(agentId, { maxLength: 2 }),
        quoteDeadline: instant,
        awardBy: instant,
        updatedAt: instant
      }),
      fc.record({ category, budget: money }, { requiredKeys: [] })
    )
    .map(([fields, optional]) => ({ ...fields, ...optional })),
  sampleRfq,
  write.rfq
)

const quote = draft(
  "quote",
  fc.record({
    rfqId,
    agentId,
    status: fc.constantFrom("active", "active", "withdrawn", "declined")
  }),
  sampleQuote,
  write.quote
)

/** Two agents, of whom neither is the other. */
const twoAgents = fc.tuple(agentId, agentId).filter(([one, other]) => one !== other)

const room = draft(
  "deal_room",
  fc
    .tuple(twoAgents, fc.record({ status: roomStatus, updatedAt: instant }))
    .map(([[buyerId, sellerId], fields]) => ({ buyerId, sellerId, ...fields })),
  sampleRoom,
  write.room
)

const offer = draft("offer", fc.record({ round: number }), sampleOffer, write.offer)

const review = draft(
  "review",
  fc
    .tuple(
      twoAgents,
      fc.record({ roomId: number.map((n) => sampleId("deal_room", n)), publishedAt: instant })
    )
    .map(([[byId, ofId], fields]) => ({ byId, ofId, ...fields })),
  sampleReview,
  write.review
)

const match = draft(
  "match",
  fc
    .tuple(
      twoAgents,
      fc.record({
        demand: rfqId.map((id) => ({ kind: "rfq" as const, id })),
        supply: listingId.map((id) => ({ kind: "listing" as const, id })),
        status: matchStatus
      })
    )
    .map(([[buyerId, sellerId], fields]) => ({ buyerId, sellerId, ...fields })),
  sampleMatch,
  write.match
)

const webhook = draft(
  "webhook",
  fc.record({ agentId, status: fc.constantFrom("active", "disabled", "deleted") }),
  sampleWebhook,
  write.webhook
)

const workOf = (kind: Work["kind"], n: number): Work =>
  kind === "delivery"
    ? sampleTask(n).work
    : {
        kind,
        roomId: sampleId("deal_room", n),
        action: "capture",
        amount: { amount: "1", currency: "EUR" }
      }

const task = draft(
  "task",
  fc.record({
    kind: workKind,
    queue,
    dueAt: fc.option(instant, { freq: 3 }),
    updatedAt: instant
  }),
  (n, { kind, ...fields }): Task =>
    sampleTask(n, {
      ...fields,
      work: workOf(kind, n),
      status: fields.dueAt === null ? "done" : "pending"
    }),
  write.task
)

const hold = draft("hold", fc.record({ status: holdStatus }), sampleHold, write.hold)

const bookmark = draft("bookmark", fc.record({ position: seconds }), sampleBookmark, write.bookmark)

const entry: fc.Arbitrary<Draft> = fc.tuple(number, number, number).map(([n, room, seq]) => {
  const value = sampleEntry(seq, { id: sampleId("entry", n), roomId: sampleId("deal_room", room) })
  return { kind: "entry", id: value.id, make: () => write.entry(value), told: `${n} in ${room} at ${seq}` }
})

/** A draft of any kind, more often of those that are found in many ways. */
export const anyDraft: fc.Arbitrary<Draft> = fc.oneof(
  ...[listing, request, rfq, quote, room, match, task].flatMap((often) => [often, often]),
  agent,
  key,
  offer,
  review,
  entry,
  webhook,
  hold,
  bookmark
)
