/**
 * Sample values of every entity: small, valid, and the same on every run.
 *
 * Each builder takes a number, from which the id is made, and what shall differ. Ids of greater numbers are newer.
 */
import {
  after,
  Canonical,
  makeId,
  noReputation,
  termsDigest,
  type Agent,
  type ApiKey,
  type Audience,
  type Bookmark,
  type DealRoom,
  type Entry,
  type Event,
  type Hold,
  type IdempotencyRecord,
  type IdKind,
  type IdOf,
  type Instant,
  type Listing,
  type Match,
  type NewEvent,
  type Offer,
  type Quote,
  type Request,
  type Review,
  type Rfq,
  type Task,
  type Terms,
  type Webhook,
  type Write
} from "@souk/core"
import { DateTime } from "effect"

/** The moment at which the samples were made. */
export const epoch: Instant = DateTime.makeUnsafe("2026-01-05T09:00:00.000Z")

/** The moment some seconds after the samples were made; fractions are milliseconds. */
export const moment = (seconds: number): Instant => after(epoch, seconds)

/** The `n`th id of a kind; they sort by `n`. */
export const sampleId = <K extends IdKind>(kind: K, n: number): IdOf<K> =>
  makeId(kind, {
    millis: DateTime.toEpochMillis(epoch) + n,
    ordinal: n % 4096,
    bytes: Canonical.sha256Bytes(`${kind} ${n}`)
  })

const stamps = { createdAt: epoch, updatedAt: epoch, version: 1 }

/** Terms over 250 euros, without lines. */
export const sampleTerms = (overrides: Partial<Terms> = {}): Terms => ({
  total: { amount: "250.00", currency: "EUR" },
  deliverWithinSeconds: 86_400,
  revisions: 1,
  acceptance: ["All pages translated"],
  ...overrides
})

export const sampleAgent = (n: number, overrides: Partial<Agent> = {}): Agent => ({
  id: sampleId("agent", n),
  handle: `agent-${n}`,
  email: `agent-${n}@example.com`,
  name: `Agent ${n}`,
  status: "active",
  reputation: noReputation,
  ...stamps,
  ...overrides
})

/** A key of agent 1. */
export const sampleKey = (n: number, overrides: Partial<ApiKey> = {}): ApiKey => ({
  id: sampleId("key", n),
  agentId: sampleId("agent", 1),
  label: `Key ${n}`,
  hint: "wxyz",
  digest: Canonical.sha256Hex(`key ${n}`),
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
  ...stamps,
  ...overrides
})

/** An active listing of agent 1 at a fixed price. */
export const sampleListing = (n: number, overrides: Partial<Listing> = {}): Listing => ({
  id: sampleId("listing", n),
  agentId: sampleId("agent", 1),
  title: `Listing ${n}`,
  description: "Sworn translations with a glossary.",
  tags: ["translation"],
  pricing: { model: "fixed", price: { amount: "12.50", currency: "EUR" } },
  status: "active",
  ...stamps,
  ...overrides
})

/** An open request of agent 1, without an end. */
export const sampleRequest = (n: number, overrides: Partial<Request> = {}): Request => ({
  id: sampleId("request", n),
  agentId: sampleId("agent", 1),
  title: `Request ${n}`,
  description: "Forty pages a month.",
  tags: ["translation"],
  status: "open",
  ...stamps,
  ...overrides
})

/** An open, public RFQ of agent 1, quotable for an hour. */
export const sampleRfq = (n: number, overrides: Partial<Rfq> = {}): Rfq => ({
  id: sampleId("rfq", n),
  agentId: sampleId("agent", 1),
  title: `RFQ ${n}`,
  description: "Forty pages of contracts.",
  tags: ["translation"],
  requirements: [],
  visibility: "public",
  invitees: [],
  quoteMode: "open",
  quoteDeadline: moment(3600),
  awardBy: moment(7200),
  maxQuotes: 100,
  quoteCount: 0,
  questions: [],
  status: "open",
  ...stamps,
  ...overrides
})

/** An active quote of agent `n` for RFQ 1. */
export const sampleQuote = (n: number, overrides: Partial<Quote> = {}): Quote => {
  const terms = overrides.terms ?? sampleTerms()
  return {
    id: sampleId("quote", n),
    rfqId: sampleId("rfq", 1),
    agentId: sampleId("agent", n),
    terms,
    termsDigest: termsDigest(terms),
    validUntil: moment(7200),
    responses: [],
    deviations: [],
    revision: 1,
    status: "active",
    ...stamps,
    ...overrides
  }
}

/** A room in which agent 1 buys from agent 2 and has the first move. */
export const sampleRoom = (n: number, overrides: Partial<DealRoom> = {}): DealRoom => ({
  id: sampleId("deal_room", n),
  title: `Room ${n}`,
  buyerId: sampleId("agent", 1),
  sellerId: sampleId("agent", 2),
  origin: { kind: "direct" },
  status: "negotiating",
  turn: "buyer",
  round: 0,
  maxRounds: 10,
  changesRequested: 0,
  deadlines: {},
  entryCount: 0,
  headHash: "0".repeat(64),
  ...stamps,
  ...overrides
})

/** A pending offer of agent 1 in room 1. */
export const sampleOffer = (n: number, overrides: Partial<Offer> = {}): Offer => {
  const terms = overrides.terms ?? sampleTerms()
  return {
    id: sampleId("offer", n),
    roomId: sampleId("deal_room", 1),
    fromId: sampleId("agent", 1),
    terms,
    termsDigest: termsDigest(terms),
    validUntil: moment(7200),
    round: 1,
    status: "pending",
    ...stamps,
    ...overrides
  }
}

/** The entry of room 1 with that `seq`. */
export const sampleEntry = (seq: number, overrides: Partial<Entry> = {}): Entry => ({
  id: sampleId("entry", seq),
  roomId: sampleId("deal_room", 1),
  seq,
  kind: "message",
  authorId: sampleId("agent", 1),
  body: { text: `Message ${seq}` },
  at: moment(seq),
  prevHash: seq === 1 ? "0".repeat(64) : Canonical.sha256Hex(`entry ${seq - 1}`),
  hash: Canonical.sha256Hex(`entry ${seq}`),
  ...overrides
})

/** A published review by agent 1 of agent 2, of room `n`. */
export const sampleReview = (n: number, overrides: Partial<Review> = {}): Review => ({
  id: sampleId("review", n),
  roomId: sampleId("deal_room", n),
  byId: sampleId("agent", 1),
  ofId: sampleId("agent", 2),
  rating: 5,
  publishedAt: epoch,
  ...stamps,
  ...overrides
})

/** A match of RFQ `n`, a demand of agent 1, with listing `n`, a supply of agent 2. */
export const sampleMatch = (n: number, overrides: Partial<Match> = {}): Match => ({
  id: sampleId("match", n),
  demand: { kind: "rfq", id: sampleId("rfq", n) },
  supply: { kind: "listing", id: sampleId("listing", n) },
  buyerId: sampleId("agent", 1),
  sellerId: sampleId("agent", 2),
  score: 0.75,
  reasons: [{ code: "tags", text: "Both have the tag translation" }],
  status: "suggested",
  ...stamps,
  ...overrides
})

/** An active webhook of agent 1 for all that it may hear. */
export const sampleWebhook = (n: number, overrides: Partial<Webhook> = {}): Webhook => ({
  id: sampleId("webhook", n),
  agentId: sampleId("agent", 1),
  url: `https://example.com/hooks/${n}`,
  types: ["rfq.*"],
  secret: "whsec_c2FtcGxlIHNlY3JldCBvZiBhIHdlYmhvb2s=",
  formerSecret: null,
  status: "active",
  disabledReason: null,
  hearsFrom: 0,
  ...stamps,
  ...overrides
})

/** The delivery of event `n` to webhook 1, which is due at once. */
export const sampleTask = (n: number, overrides: Partial<Task> = {}): Task => ({
  id: sampleId("task", n),
  queue: sampleId("webhook", 1),
  work: { kind: "delivery", webhookId: sampleId("webhook", 1), event: sampleEvent(n).event },
  status: "pending",
  attempts: [],
  dueAt: epoch,
  ...stamps,
  ...overrides
})

/** What holds listing `n` of agent 1 back. */
export const sampleHold = (n: number, overrides: Partial<Hold> = {}): Hold => ({
  id: sampleId("hold", n),
  agentId: sampleId("agent", 1),
  subject: { kind: "listing", id: sampleId("listing", n) },
  reason: "A person shall look at this",
  status: "held",
  ...stamps,
  ...overrides
})

/** The bookmark of a worker that has seen event `n`. */
export const sampleBookmark = (n: number, overrides: Partial<Bookmark> = {}): Bookmark => ({
  id: `worker-${n}`,
  position: n,
  ...stamps,
  ...overrides
})

/** A public event about agent 1. */
export const sampleEvent = (
  n: number,
  overrides: Partial<Event> = {},
  audience: Audience = "public"
): NewEvent => ({
  event: {
    id: sampleId("event", n),
    type: "agent.updated",
    at: moment(n),
    subject: { kind: "agent", id: sampleId("agent", 1), version: 1 },
    data: {},
    ...overrides
  },
  audience
})

/** The kept reply of a request, good for a day. */
export const sampleReply = (n: number, overrides: Partial<IdempotencyRecord> = {}): IdempotencyRecord => ({
  id: Canonical.sha256Hex(`idempotency ${n}`),
  bodyDigest: Canonical.digest({ body: n }),
  reply: `sealed reply ${n}`,
  createdAt: epoch,
  expiresAt: moment(86_400),
  ...overrides
})

/** Writes of a commit: new entities, or the next value of the version that is named. */
export const write = {
  agent: (value: Agent, replaces: number | null = null): Write => ({ kind: "agent", value, replaces }),
  key: (value: ApiKey, replaces: number | null = null): Write => ({ kind: "key", value, replaces }),
  listing: (value: Listing, replaces: number | null = null): Write => ({ kind: "listing", value, replaces }),
  request: (value: Request, replaces: number | null = null): Write => ({ kind: "request", value, replaces }),
  rfq: (value: Rfq, replaces: number | null = null): Write => ({ kind: "rfq", value, replaces }),
  quote: (value: Quote, replaces: number | null = null): Write => ({ kind: "quote", value, replaces }),
  room: (value: DealRoom, replaces: number | null = null): Write => ({ kind: "deal_room", value, replaces }),
  offer: (value: Offer, replaces: number | null = null): Write => ({ kind: "offer", value, replaces }),
  review: (value: Review, replaces: number | null = null): Write => ({ kind: "review", value, replaces }),
  match: (value: Match, replaces: number | null = null): Write => ({ kind: "match", value, replaces }),
  webhook: (value: Webhook, replaces: number | null = null): Write => ({ kind: "webhook", value, replaces }),
  task: (value: Task, replaces: number | null = null): Write => ({ kind: "task", value, replaces }),
  hold: (value: Hold, replaces: number | null = null): Write => ({ kind: "hold", value, replaces }),
  bookmark: (value: Bookmark, replaces: number | null = null): Write => ({
    kind: "bookmark",
    value,
    replaces
  }),
  entry: (value: Entry): Write => ({ kind: "entry", value, replaces: null })
}
