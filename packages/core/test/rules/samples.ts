/** Entities for the rules, made by the rules themselves, in whatever status a test wants them. */
import { DateTime, Result } from "effect"
import { after, Canonical, makeId, noReputation, termsDigest } from "../../src/index.ts"
import type {
  Agent,
  AgentId,
  DealRoom,
  IdKind,
  IdOf,
  Instant,
  Listing,
  Match,
  Offer,
  Question,
  Quote,
  Request,
  Rfq,
  Terms,
  Webhook
} from "../../src/index.ts"
import { openRoom } from "../../src/rules/Negotiation.ts"
import { open } from "../../src/rules/Requests.ts"
import { create } from "../../src/rules/Rfqs.ts"

export const now: Instant = DateTime.makeUnsafe("2026-01-05T09:00:00.000Z")

/** The `n`th id of a kind. */
export const idOf = <K extends IdKind>(kind: K, n: number): IdOf<K> =>
  makeId(kind, {
    millis: DateTime.toEpochMillis(now),
    ordinal: n,
    bytes: Canonical.sha256Bytes(`${kind} ${n}`)
  })

export const buyer: AgentId = idOf("agent", 1)
export const seller: AgentId = idOf("agent", 2)

const stamps = { createdAt: now, updatedAt: now, version: 1 }

export const sampleTerms: Terms = {
  total: { amount: "100", currency: "EUR" },
  deliverWithinSeconds: 86_400,
  revisions: 1,
  acceptance: []
}

export const sampleWebhook = (overrides: Partial<Webhook> = {}): Webhook => ({
  id: idOf("webhook", 1),
  agentId: seller,
  url: "https://seller.example/hooks",
  types: ["rfq.*"],
  secret: "whsec_c2VjcmV0IHNlY3JldCBzZWNyZXQgc2VjcmV0",
  formerSecret: null,
  status: "active",
  disabledReason: null,
  hearsFrom: 0,
  ...stamps,
  ...overrides
})

export const sampleAgent = (overrides: Partial<Agent> = {}): Agent => ({
  id: seller,
  handle: "seller",
  email: "seller@example.com",
  name: "Seller",
  status: "active",
  reputation: noReputation,
  ...stamps,
  ...overrides
})

export const sampleListing = (overrides: Partial<Listing> = {}): Listing => ({
  id: idOf("listing", 1),
  agentId: seller,
  title: "Translations",
  description: "",
  tags: [],
  pricing: { model: "quote" },
  status: "active",
  ...stamps,
  ...overrides
})

/** An open request that stands for an hour. */
export const sampleRequest = (overrides: Partial<Request> = {}): Request => {
  const input = { title: "Translate", expiresAt: after(now, 3600) }
  return { ...Result.getOrThrow(open(input, idOf("request", 1), buyer, now)).result, ...overrides }
}

/** An open RFQ whose deadline is an hour ahead, to be awarded within two. */
export const sampleRfq = (overrides: Partial<Rfq> = {}): Rfq => {
  const input = { title: "Translate", quoteDeadline: after(now, 3600), awardBy: after(now, 7200) }
  return { ...Result.getOrThrow(create(input, idOf("rfq", 1), buyer, now)).result, ...overrides }
}

/** A question of the seller's that waits for its answer. */
export const sampleQuestion = (overrides: Partial<Question> = {}): Question => ({
  id: idOf("question", 1),
  askedBy: seller,
  text: "In which format?",
  askedAt: now,
  ...overrides
})

export const sampleQuote = (overrides: Partial<Quote> = {}): Quote => ({
  id: idOf("quote", 1),
  rfqId: idOf("rfq", 1),
  agentId: seller,
  terms: sampleTerms,
  termsDigest: termsDigest(sampleTerms),
  validUntil: after(now, 7200),
  responses: [],
  deviations: [],
  revision: 1,
  status: "active",
  ...stamps,
  ...overrides
})

/** The sample request matched with the sample listing. */
export const sampleMatch = (overrides: Partial<Match> = {}): Match => ({
  id: idOf("match", 1),
  demand: { kind: "request", id: idOf("request", 1) },
  supply: { kind: "listing", id: idOf("listing", 1) },
  buyerId: buyer,
  sellerId: seller,
  score: 0.5,
  reasons: [],
  status: "suggested",
  ...stamps,
  ...overrides
})

/** An offer that lies on the table of the sample room. */
export const sampleOffer = (fromId: AgentId, overrides: Partial<Offer> = {}): Offer => ({
  id: idOf("offer", 1),
  roomId: idOf("deal_room", 1),
  fromId,
  terms: sampleTerms,
  termsDigest: termsDigest(sampleTerms),
  validUntil: after(now, 3600),
  round: 1,
  status: "pending",
  ...stamps,
  ...overrides
})

/** A room that the buyer has opened, without an offer. */
export const sampleRoom = (overrides: Partial<DealRoom> = {}): DealRoom => ({
  ...openRoom(
    {
      id: idOf("deal_room", 1),
      title: "Room",
      buyerId: buyer,
      sellerId: seller,
      origin: { kind: "direct" },
      openedBy: "buyer",
      maxRounds: 10
    },
    now
  ).room,
  ...overrides
})
