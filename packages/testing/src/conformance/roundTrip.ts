/** What is written must be read again to the last character: with every optional field, and with none. */
import { Store } from "@souk/core"
import { Effect } from "effect"
import {
  moment,
  sampleAgent,
  sampleBookmark,
  sampleEntry,
  sampleEvent,
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
  sampleTerms,
  sampleWebhook,
  write
} from "../fixtures.ts"
import { document, greatest, instants, stamps, terms, text } from "./extremes.ts"
import { expectSame, obligation, put, type Obligation } from "./Obligation.ts"

const exact = (id: string, what: string, check: Parameters<typeof obligation>[2]): Obligation =>
  obligation(`exact.${id}`, `${what} are read as they were written`, check)

export const roundTripObligations: ReadonlyArray<Obligation> = [
  exact("agent", "agents", function* () {
    const store = yield* Store
    const full = sampleAgent(1, {
      name: text.slice(0, 80),
      description: text,
      skills: [
        { id: "translate", name: text.slice(0, 80), tags: ["z", "a"] },
        { id: "review", name: "Review", tags: [] }
      ],
      endpoints: [{ type: "mcp", url: "https://example.com/mcp?a=1&b=%20#x" }],
      metadata: document,
      reputation: {
        completedDeals: 3,
        cancelledDeals: 1,
        disputedDeals: 2,
        reviewCount: 3,
        rating: 4.333333333333333
      },
      ...stamps
    })
    const bare = sampleAgent(2, {
      description: "",
      skills: [],
      endpoints: [],
      metadata: {},
      status: "suspended"
    })
    for (const agent of [full, bare, sampleAgent(3)]) {
      yield* put(write.agent(agent))
      expectSame(yield* store.agents.byId(agent.id), agent)
      expectSame(yield* store.agents.byHandle(agent.handle), agent)
      expectSame(yield* store.agents.byIds([agent.id]), [agent])
    }
    expectSame(yield* store.agents.list({ limit: 1, before: sampleId("agent", 2) }), {
      items: [full],
      hasMore: false
    })
  }),

  exact("key", "keys", function* () {
    const store = yield* Store
    const full = sampleKey(1, {
      label: text.slice(0, 80),
      expiresAt: instants.last,
      revokedAt: instants.leap,
      lastUsedAt: instants.first,
      ...stamps
    })
    for (const key of [full, sampleKey(2)]) {
      yield* put(write.key(key))
      expectSame(yield* store.keys.byDigest(key.digest), key)
    }
  }),

  exact("listing", "listings", function* () {
    const store = yield* Store
    const full = sampleListing(1, {
      title: text.slice(0, 120),
      description: text.repeat(10),
      category: "legal",
      tags: ["z", "a", "m"],
      pricing: { model: "per_unit", price: greatest, unit: "word 🚀" },
      inputSchema: document,
      outputSchema: {},
      turnaroundSeconds: 1,
      metadata: document,
      ...stamps
    })
    const bare = sampleListing(2, { description: "", tags: [], pricing: { model: "quote" }, status: "draft" })
    const amounts = ["0", "0.000000", "0.000001", "10.50", "10.5", "1.000000", "999999999999"]
    const priced = amounts.map((amount, i) =>
      sampleListing(10 + i, { pricing: { model: "fixed", price: { amount, currency: "EUR" } } })
    )
    for (const listing of [full, bare, ...priced]) {
      yield* put(write.listing(listing))
      expectSame(yield* store.listings.byId(listing.id), listing)
      expectSame(yield* store.listings.byIds([listing.id]), [listing])
    }
    const { items } = yield* store.listings.list({}, { limit: 100 })
    expectSame(items, [...priced.toReversed(), bare, full])
  }),

  exact("request", "requests", function* () {
    const store = yield* Store
    const full = sampleRequest(1, {
      title: text.slice(0, 120),
      description: text.repeat(10),
      category: "legal",
      tags: ["z", "a"],
      budget: greatest,
      neededBy: instants.first,
      expiresAt: instants.last,
      ...stamps
    })
    for (const request of [full, sampleRequest(2, { description: "", tags: [], status: "cancelled" })]) {
      yield* put(write.request(request))
      expectSame(yield* store.requests.byId(request.id), request)
      expectSame(yield* store.requests.byIds([request.id]), [request])
      const filter = { states: [{ status: request.status }] }
      expectSame((yield* store.requests.list(filter, { limit: 1 })).items, [request])
    }
  }),

  exact("rfq", "RFQs", function* () {
    const store = yield* Store
    const full = sampleRfq(1, {
      title: text.slice(0, 120),
      description: text.repeat(10),
      category: "legal",
      tags: ["z", "a"],
      requirements: [
        { id: "sworn", text, hard: true },
        { id: "fast", text: "Fast", hard: false }
      ],
      budget: greatest,
      visibility: "invited",
      invitees: [3, 1, 2].map((n) => sampleId("agent", n)),
      quoteMode: "sealed",
      quoteDeadline: instants.last,
      awardBy: instants.last,
      maxQuotes: 1000,
      quoteCount: 1000,
      awardedQuoteId: sampleId("quote", 9),
      questions: [
        { id: sampleId("question", 1), askedBy: sampleId("agent", 2), text, askedAt: instants.early },
        {
          id: sampleId("question", 2),
          askedBy: sampleId("agent", 3),
          text: "Certified?",
          askedAt: instants.early,
          answer: { text, answeredAt: instants.leap }
        }
      ],
      seal: { seed: "0f".repeat(32) },
      ...stamps
    })
    for (const rfq of [full, sampleRfq(2, { description: "", tags: [] })]) {
      yield* put(write.rfq(rfq))
      expectSame(yield* store.rfqs.byId(rfq.id), rfq)
      expectSame(yield* store.rfqs.byIds([rfq.id]), [rfq])
      const filter = { states: [{ status: rfq.status }], viewer: rfq.agentId }
      expectSame((yield* store.rfqs.list(filter, { limit: 1 })).items, [rfq])
    }
  }),

  exact("quote", "quotes", function* () {
    const store = yield* Store
    const full = sampleQuote(1, {
      listingId: sampleId("listing", 1),
      terms,
      validUntil: instants.last,
      responses: [
        { requirementId: "sworn", met: false, note: text },
        { requirementId: "fast", met: true }
      ],
      deviations: ["sworn", "a"],
      message: text,
      revision: 12,
      ...stamps
    })
    for (const quote of [full, sampleQuote(2, { terms: sampleTerms({ acceptance: [], total: greatest }) })]) {
      yield* put(write.quote(quote))
      expectSame(yield* store.quotes.byId(quote.id), quote)
      expectSame(yield* store.quotes.activeOf(quote.rfqId, quote.agentId), quote)
      expectSame((yield* store.quotes.list({ agentId: quote.agentId }, { limit: 9 })).items, [quote])
    }
    const active = yield* store.quotes.allActive(full.rfqId)
    expectSame(
      active.find(({ id }) => id === full.id),
      full
    )
  }),

  exact("deal-room", "rooms", function* () {
    const store = yield* Store
    const offer = sampleOffer(1, { terms, message: text, validUntil: instants.last })
    const full = sampleRoom(1, {
      title: text.slice(0, 120),
      origin: { kind: "rfq", id: sampleId("rfq", 1), quoteId: sampleId("quote", 1) },
      status: "in_progress",
      turn: null,
      round: 3,
      maxRounds: 50,
      currentOffer: offer,
      agreement: { offerId: offer.id, terms, termsDigest: offer.termsDigest, agreedAt: instants.leap },
      changesRequested: 2,
      cancelRequestedBy: "seller",
      deadlines: {
        offerDueBy: instants.first,
        offerExpiresAt: instants.early,
        deliverBy: instants.leap,
        reviewUntil: moment(0.001),
        resolveBy: instants.last
      },
      entryCount: 41,
      headHash: "a".repeat(64),
      ...stamps
    })
    const listed = sampleRoom(3, { origin: { kind: "listing", id: sampleId("listing", 1) } })
    for (const room of [full, sampleRoom(2), listed]) {
      yield* put(write.room(room))
      expectSame(yield* store.rooms.byId(room.id), room)
      expectSame((yield* store.rooms.list({ participant: room.sellerId }, { limit: 1 })).items, [room])
    }
  }),

  exact("offer-and-entry", "offers and transcripts", function* () {
    const store = yield* Store
    const offer = sampleOffer(1, { terms, message: text, validUntil: instants.last, round: 50, ...stamps })
    yield* put(write.offer(offer), write.offer(sampleOffer(2)))
    expectSame(yield* store.rooms.offer(offer.id), offer)
    expectSame(yield* store.rooms.offer(sampleId("offer", 2)), sampleOffer(2))
    const { authorId: _, ...system } = sampleEntry(2, { kind: "system", body: {} })
    const entries = [sampleEntry(1, { body: { text, data: document }, at: instants.leap }), system]
    yield* put(...entries.map(write.entry))
    expectSame(yield* store.rooms.entries(system.roomId, 0, 10), entries)
  }),

  exact("review", "reviews", function* () {
    const store = yield* Store
    const full = sampleReview(1, { rating: 1, text, publishedAt: instants.early, ...stamps })
    const bare = sampleReview(2)
    for (const review of [full, bare]) {
      yield* put(write.review(review))
      expectSame(yield* store.reviews.ofRoom(review.roomId), [review])
    }
    expectSame((yield* store.reviews.publishedOf(full.ofId, moment(0), { limit: 9 })).items, [bare, full])
  }),

  exact("match", "matches", function* () {
    const store = yield* Store
    const full = sampleMatch(1, {
      demand: { kind: "request", id: sampleId("request", 1) },
      score: 0.123456789012345,
      reasons: [
        { code: "text", text },
        { code: "record", text: "" }
      ],
      status: "engaged",
      ...stamps
    })
    for (const match of [full, sampleMatch(2, { score: 0, reasons: [] }), sampleMatch(3, { score: 1 })]) {
      yield* put(write.match(match))
      expectSame(yield* store.matches.byId(match.id), match)
      expectSame(yield* store.matches.byIds([match.id]), [match])
      expectSame((yield* store.matches.list({ demandId: match.demand.id }, { limit: 9 })).items, [match])
    }
  }),

  exact("webhook", "webhooks", function* () {
    const store = yield* Store
    const full = sampleWebhook(1, {
      url: "https://example.com/hook?a=1&b=%20#x",
      hearsFrom: 9_007_199_254_740_991,
      types: ["rfq.*", "agent.updated"],
      formerSecret: { secret: `whsec_${"A/+".repeat(20)}`, until: instants.last },
      status: "disabled",
      disabledReason: text,
      ...stamps
    })
    const bare = sampleWebhook(2)
    for (const webhook of [full, bare]) {
      yield* put(write.webhook(webhook))
      expectSame(yield* store.webhooks.byId(webhook.id), webhook)
    }
    expectSame(yield* store.webhooks.ofAgent(full.agentId), [bare, full])
    expectSame((yield* store.webhooks.active({ limit: 9 })).items, [bare])
  }),

  exact("task", "tasks", function* () {
    const store = yield* Store
    const { event } = sampleEvent(1, { actorId: sampleId("agent", 3), at: instants.early, data: document })
    const delivery = sampleTask(1, {
      queue: text,
      work: { kind: "delivery", webhookId: sampleId("webhook", 1), event },
      attempts: [
        { at: instants.first, durationMillis: 0, succeeded: false, error: text },
        { at: instants.leap, durationMillis: 15_000, succeeded: false, status: 503 },
        { at: instants.last, durationMillis: 1, succeeded: true, status: 204 }
      ],
      dueAt: instants.leap,
      ...stamps
    })
    const order = { kind: "settlement", roomId: sampleId("deal_room", 1), amount: greatest } as const
    const split = { ...order, action: "split", refunded: greatest } as const
    const settlement = sampleTask(2, { queue: text, work: split, dueAt: instants.early })
    const work = { ...order, action: "authorise" } as const
    const ended = sampleTask(3, { queue: text, work, status: "failed", dueAt: null })
    for (const task of [delivery, settlement, ended]) {
      yield* put(write.task(task))
      expectSame(yield* store.tasks.byId(task.id), task)
    }
    expectSame((yield* store.tasks.list(text, { limit: 9 })).items, [ended, settlement, delivery])
    expectSame(yield* store.tasks.due(text, instants.last, 9), [settlement, delivery])
    expectSame(yield* store.tasks.queuesDue("delivery", instants.last, [], 9), [text])
    expectSame(yield* store.tasks.queuesDue("delivery", instants.last, [text], 9), [])
    expectSame(yield* store.tasks.next("delivery"), instants.leap)
  }),

  exact("hold-and-bookmark", "holds and bookmarks", function* () {
    const store = yield* Store
    const message = sampleHold(1, {
      subject: {
        kind: "message",
        roomId: sampleId("deal_room", 1),
        seq: 3,
        message: { text, data: document }
      },
      reason: text,
      ...stamps
    })
    const rfq = sampleHold(2, { subject: { kind: "rfq", id: sampleId("rfq", 1) } })
    for (const hold of [message, rfq, sampleHold(3)]) {
      yield* put(write.hold(hold))
      expectSame(yield* store.holds.byId(hold.id), hold)
      expectSame((yield* store.holds.list("held", { limit: 1 })).items, [hold])
    }
    const bookmarks = [
      sampleBookmark(1, { position: Number.MAX_SAFE_INTEGER, ...stamps }),
      sampleBookmark(0, { id: text })
    ]
    for (const bookmark of bookmarks) {
      yield* put(write.bookmark(bookmark))
      expectSame(yield* store.bookmarks.byId(bookmark.id), bookmark)
    }
  }),

  obligation("exact.optional", "an optional field comes and goes with the versions", function* () {
    const store = yield* Store
    const bare = sampleListing(1)
    const full = { ...bare, category: "text", metadata: document, turnaroundSeconds: 60, version: 2 }
    const versions = [bare, full, { ...bare, version: 3 }]
    yield* Effect.forEach(versions, (listing) =>
      Effect.gen(function* () {
        yield* put(write.listing(listing, listing.version === 1 ? null : listing.version - 1))
        expectSame(yield* store.listings.byId(listing.id), listing)
      })
    )
  })
]
