/** What the filters of listings, requests and RFQs must keep. */
import {
  revised,
  Store,
  type Listing,
  type ListingFilter,
  type Request,
  type RequestFilter,
  type Rfq,
  type RfqFilter,
  type RfqStateWindow
} from "@souk/core"
import { moment, sampleId, sampleListing, sampleRequest, sampleRfq, write } from "../fixtures.ts"
import { expectSame, idsOf, obligation, putEach, walk, type Obligation } from "./Obligation.ts"

const page = { limit: 100 }
const [a, b, c] = [sampleId("agent", 1), sampleId("agent", 2), sampleId("agent", 3)]

/** Expects a filter to keep some of the listings, requests or RFQs, by their numbers, newest first. */
type Expectation<F> = readonly [filter: F, kept: ReadonlyArray<number>]

const listings = (
  name: string,
  sentence: string,
  items: ReadonlyArray<Partial<Listing>>,
  expectations: ReadonlyArray<Expectation<ListingFilter>>
): Obligation =>
  obligation(`listings.${name}`, sentence, function* () {
    const store = yield* Store
    yield* putEach(items.map((item, i) => write.listing(sampleListing(i + 1, item))))
    for (const [filter, kept] of expectations) {
      const ids = kept.map((n) => sampleId("listing", n))
      expectSame(idsOf(yield* store.listings.list(filter, page)), ids)
      expectSame(yield* walk((page) => store.listings.list(filter, page), 1), ids)
    }
  })

const requests = (
  name: string,
  sentence: string,
  items: ReadonlyArray<Partial<Request>>,
  expectations: ReadonlyArray<Expectation<Partial<RequestFilter>>>
): Obligation =>
  obligation(`requests.${name}`, sentence, function* () {
    const store = yield* Store
    yield* putEach(items.map((item, i) => write.request(sampleRequest(i + 1, item))))
    for (const [part, kept] of expectations) {
      const filter = { states: [{ status: "open" as const }], ...part }
      const ids = kept.map((n) => sampleId("request", n))
      expectSame(idsOf(yield* store.requests.list(filter, page)), ids)
      expectSame(yield* walk((page) => store.requests.list(filter, page), 1), ids)
    }
  })

const open: RfqStateWindow = { status: "open" }

const rfqs = (
  name: string,
  sentence: string,
  items: ReadonlyArray<Partial<Rfq>>,
  expectations: ReadonlyArray<Expectation<Partial<RfqFilter>>>
): Obligation =>
  obligation(`rfqs.${name}`, sentence, function* () {
    const store = yield* Store
    yield* putEach(items.map((item, i) => write.rfq(sampleRfq(i + 1, item))))
    for (const [part, kept] of expectations) {
      const filter = { states: [open], ...part }
      const ids = kept.map((n) => sampleId("rfq", n))
      expectSame(idsOf(yield* store.rfqs.list(filter, page)), ids)
      expectSame(yield* walk((page) => store.rfqs.list(filter, page), 1), ids)
    }
  })

const price = (amount: string, currency = "EUR"): Partial<Listing> => ({
  pricing: { model: "fixed", price: { amount, currency } }
})
const budget = (amount: string, currency = "EUR"): Partial<Rfq> => ({ budget: { amount, currency } })
const greatest = 999_999_999_999_999_999n

export const filterObligations: ReadonlyArray<Obligation> = [
  listings(
    "by-status",
    "listings are kept by status, all of them where none is named",
    [{}, { status: "draft" }, { status: "paused" }, { status: "archived" }, {}],
    [
      [{ status: "active" }, [5, 1]],
      [{ status: "draft" }, [2]],
      [{ status: "paused" }, [3]],
      [{ status: "archived" }, [4]],
      [{}, [5, 4, 3, 2, 1]]
    ]
  ),
  listings(
    "by-agent",
    "listings are kept by their agent",
    [{}, { agentId: b }, {}, { agentId: b, status: "draft" }],
    [
      [{ agentId: a }, [3, 1]],
      [{ agentId: b }, [4, 2]],
      [{ agentId: b, status: "active" }, [2]],
      [{ agentId: c }, []]
    ]
  ),
  listings(
    "by-tag-and-category",
    "listings are kept by one whole tag and by category",
    [
      { tags: ["legal", "translation"], category: "text" },
      { tags: ["legal"] },
      { tags: [], category: "text" },
      { tags: ["legal-texts", "web"], category: "legal" }
    ],
    [
      [{ tag: "legal" }, [2, 1]],
      [{ tag: "translation" }, [1]],
      [{ tag: "web" }, [4]],
      [{ tag: "te" }, []],
      [{ category: "text" }, [3, 1]],
      [{ category: "legal" }, [4]],
      [{ tag: "legal", category: "text" }, [1]],
      [{ tag: "legal", category: "legal" }, []],
      [{ tag: "%" }, []]
    ]
  ),
  listings(
    "by-price",
    "listings are kept by pricing model, currency and greatest price, exact to the millionth",
    [
      price("10"),
      price("10.000001"),
      price("999999999999.999999"),
      price("999999999999.999998", "USDC"),
      { pricing: { model: "quote" } },
      { pricing: { model: "per_unit", price: { amount: "0", currency: "EUR" }, unit: "word" } },
      price("9.5")
    ],
    [
      [{ maxPriceMicros: 10_000_000n }, [7, 6, 1]],
      [{ maxPriceMicros: 10_000_001n }, [7, 6, 2, 1]],
      [{ maxPriceMicros: greatest }, [7, 6, 4, 3, 2, 1]],
      [{ maxPriceMicros: greatest - 1n }, [7, 6, 4, 2, 1]],
      [{ maxPriceMicros: 0n }, [6]],
      [{ currency: "EUR" }, [7, 6, 3, 2, 1]],
      [{ currency: "USDC", maxPriceMicros: greatest - 2n }, []],
      [{ currency: "USDC", maxPriceMicros: greatest - 1n }, [4]],
      [{ currency: "eur" }, []],
      [{ pricingModel: "quote" }, [5]],
      [{ pricingModel: "per_unit" }, [6]],
      [{ pricingModel: "fixed", maxPriceMicros: 10_000_000n }, [7, 1]]
    ]
  ),
  listings(
    "updated-since",
    "listings are kept that changed at that moment or later",
    [{ updatedAt: moment(1) }, { updatedAt: moment(2.001) }, { updatedAt: moment(2) }],
    [
      [{ updatedSince: moment(0) }, [3, 2, 1]],
      [{ updatedSince: moment(2) }, [3, 2]],
      [{ updatedSince: moment(2.001) }, [2]],
      [{ updatedSince: moment(2.002) }, []]
    ]
  ),
  obligation("listings.follow-changes", "a changed listing is found under what it is now", function* () {
    const store = yield* Store
    const before = sampleListing(1, { tags: ["old"], category: "then", ...price("5") })
    const { category: _, ...rest } = before
    const changes = { tags: ["new"], agentId: b, status: "paused", pricing: { model: "quote" } } as const
    const now: Listing = { ...revised(rest, changes, moment(9)) }
    yield* putEach([write.listing(before), write.listing(now, 1)])
    const stale: ReadonlyArray<ListingFilter> = [
      { tag: "old" },
      { category: "then" },
      { agentId: a },
      { status: "active" },
      { maxPriceMicros: greatest },
      { currency: "EUR" }
    ]
    for (const filter of stale) expectSame(idsOf(yield* store.listings.list(filter, page)), [])
    const filter: ListingFilter = { tag: "new", agentId: b, status: "paused", updatedSince: moment(9) }
    expectSame(yield* store.listings.list(filter, page), { items: [now], hasMore: false })
  }),

  requests(
    "by-state",
    "requests are kept by stored status and the window of its deadline, which those without one never come to",
    [
      {},
      { expiresAt: moment(100) },
      { expiresAt: moment(200) },
      { status: "fulfilled", expiresAt: moment(100) },
      { status: "expired", expiresAt: moment(50) }
    ],
    [
      [{}, [3, 2, 1]],
      [{ states: [{ status: "open", expiresAfter: moment(99.999) }] }, [3, 2, 1]],
      [{ states: [{ status: "open", expiresAfter: moment(100) }] }, [3, 1]],
      [{ states: [{ status: "open", expiresUpTo: moment(100) }] }, [2]],
      [{ states: [{ status: "open", expiresUpTo: moment(99.999) }] }, []],
      [{ states: [{ status: "expired" }, { status: "open", expiresUpTo: moment(100) }] }, [5, 2]],
      [
        { states: [{ status: "expired" }, { status: "open", expiresAfter: moment(100) }], agentId: a },
        [5, 3, 1]
      ],
      [{ states: [{ status: "fulfilled" }] }, [4]],
      [{ states: [{ status: "cancelled" }] }, []],
      [{ states: [] }, []]
    ]
  ),
  requests(
    "by-agent-tag-category-budget-and-time",
    "requests are kept by agent, tag, category, budget and the moment of their last change",
    [
      { tags: ["legal", "web"], category: "text", budget: { amount: "10", currency: "EUR" } },
      { tags: ["legal"], agentId: b, budget: { amount: "10.000001", currency: "USD" } },
      { tags: ["legal"], category: "text", agentId: b, status: "fulfilled", updatedAt: moment(2) },
      { tags: [], category: "code", updatedAt: moment(1) }
    ],
    [
      [{ agentId: b }, [2]],
      [{ agentId: b, states: [{ status: "open" }, { status: "fulfilled" }] }, [3, 2]],
      [{ agentId: c }, []],
      [{ tag: "legal" }, [2, 1]],
      [{ tag: "legal", agentId: a }, [1]],
      [{ tag: "legal", states: [{ status: "open" }, { status: "fulfilled" }] }, [3, 2, 1]],
      [{ category: "text" }, [1]],
      [{ maxPriceMicros: 10_000_000n }, [1]],
      [{ maxPriceMicros: 10_000_001n }, [2, 1]],
      [{ currency: "USD" }, [2]],
      [{ updatedSince: moment(1) }, [4]],
      [{ updatedSince: moment(1.001) }, []]
    ]
  ),
  obligation("requests.follow-changes", "a changed request is found under what it is now", function* () {
    const store = yield* Store
    const before = sampleRequest(1, { tags: ["old"], expiresAt: moment(5) })
    const { expiresAt: _, ...rest } = before
    const next = { ...revised(rest, { tags: ["new"] }, moment(1)) }
    const states = [{ status: "open" as const, expiresAfter: moment(9) }]
    yield* putEach([write.request(before)])
    expectSame(idsOf(yield* store.requests.list({ states }, page)), [])
    yield* putEach([write.request(next, 1)])
    expectSame(idsOf(yield* store.requests.list({ states, tag: "old" }, page)), [])
    expectSame(idsOf(yield* store.requests.list({ states, tag: "new" }, page)), [before.id])
  }),
  rfqs(
    "by-state",
    "RFQs are kept whose stored status and deadlines fall into one of the windows",
    [
      { quoteDeadline: moment(100), awardBy: moment(200) },
      { quoteDeadline: moment(300), awardBy: moment(400) },
      { quoteDeadline: moment(100), awardBy: moment(200), status: "evaluating" },
      { quoteDeadline: moment(100), awardBy: moment(400), status: "evaluating" },
      { status: "draft" },
      { status: "awarded" }
    ],
    [
      [{ states: [open] }, [2, 1]],
      [{ states: [{ ...open, quoteDeadlineAfter: moment(100) }] }, [2]],
      [{ states: [{ ...open, quoteDeadlineAfter: moment(99.999) }] }, [2, 1]],
      [{ states: [{ ...open, quoteDeadlineUpTo: moment(100) }] }, [1]],
      [{ states: [{ ...open, quoteDeadlineUpTo: moment(99.999) }] }, []],
      [{ states: [{ status: "evaluating", awardByAfter: moment(200) }] }, [4]],
      [{ states: [{ status: "evaluating", awardByUpTo: moment(200) }] }, [3]],
      [
        {
          states: [
            { ...open, quoteDeadlineUpTo: moment(250), awardByAfter: moment(150) },
            { status: "evaluating", awardByAfter: moment(250) },
            { status: "draft" }
          ]
        },
        [5, 4, 1]
      ],
      [
        {
          states: [
            { ...open, quoteDeadlineUpTo: moment(100) },
            { ...open, quoteDeadlineAfter: moment(100) }
          ]
        },
        [2, 1]
      ],
      [{ states: [open, open] }, [2, 1]],
      [{ states: [{ status: "cancelled" }] }, []],
      [{ states: [] }, []]
    ]
  ),
  rfqs(
    "by-viewer",
    "an RFQ is listed when it is public, the viewer's own, the viewer is invited, or the viewer is the market",
    [
      {},
      { visibility: "invited", invitees: [b] },
      { visibility: "invited", invitees: [c, b] },
      { visibility: "invited", invitees: [], agentId: b },
      { invitees: [c], agentId: b }
    ],
    [
      [{}, [5, 1]],
      [{ viewer: a }, [5, 3, 2, 1]],
      [{ viewer: b }, [5, 4, 3, 2, 1]],
      [{ viewer: c }, [5, 3, 1]],
      [{ viewer: sampleId("agent", 4) }, [5, 1]],
      [{ viewer: "market" }, [5, 4, 3, 2, 1]],
      [{ viewer: "market", agentId: b }, [5, 4]],
      [{ viewer: c, agentId: b }, [5]],
      [{ viewer: c, agentId: a }, [3, 1]]
    ]
  ),
  rfqs(
    "by-invitee",
    "RFQs are kept to which an agent is invited by name, of whatever visibility, beside every other filter",
    [
      { invitees: [c] },
      { visibility: "invited", invitees: [b, c], tags: ["legal"] },
      { visibility: "invited", invitees: [c], status: "evaluating", updatedAt: moment(5) },
      { invitees: [b], agentId: b, category: "text" },
      { invitees: [] }
    ],
    [
      [{ invitee: c, viewer: c }, [2, 1]],
      [{ invitee: c, viewer: "market", states: [{ status: "evaluating" }, open] }, [3, 2, 1]],
      [{ invitee: c, viewer: c, states: [] }, []],
      [{ invitee: b, viewer: b }, [4, 2]],
      [{ invitee: b, viewer: b, agentId: b }, [4]],
      [{ invitee: b, viewer: b, category: "text" }, [4]],
      [{ invitee: c, viewer: c, tag: "legal" }, [2]],
      [{ invitee: c, viewer: c, updatedSince: moment(5), states: [{ status: "evaluating" }, open] }, [3]],
      [{ invitee: c }, [1]],
      [{ invitee: a, viewer: a }, []]
    ]
  ),
  rfqs(
    "by-agent-tag-and-category",
    "RFQs are kept by agent, by one whole tag and by category",
    [
      { tags: ["legal", "translation"], category: "text" },
      { tags: ["legal"], agentId: b },
      { tags: [], category: "text", agentId: b },
      { tags: ["legal-texts"], status: "evaluating" }
    ],
    [
      [{ tag: "legal" }, [2, 1]],
      [{ tag: "legal-texts" }, []],
      [{ tag: "legal-texts", states: [open, { status: "evaluating" }] }, [4]],
      [{ category: "text" }, [3, 1]],
      [{ category: "text", agentId: b }, [3]],
      [{ agentId: b }, [3, 2]],
      [{ agentId: c }, []]
    ]
  ),
  rfqs(
    "by-budget",
    "RFQs are kept by currency and greatest budget, exact to the millionth; those without a budget are not",
    [{}, budget("100"), budget("100.000001"), budget("999999999999.999999", "JPY"), budget("0.000001")],
    [
      [{ maxPriceMicros: 100_000_000n }, [5, 2]],
      [{ maxPriceMicros: 100_000_001n }, [5, 3, 2]],
      [{ maxPriceMicros: greatest }, [5, 4, 3, 2]],
      [{ maxPriceMicros: greatest - 1n }, [5, 3, 2]],
      [{ maxPriceMicros: 0n }, []],
      [{ currency: "JPY" }, [4]],
      [{ currency: "EUR", maxPriceMicros: 1n }, [5]],
      [{ currency: "USD" }, []]
    ]
  ),
  rfqs(
    "by-time",
    "RFQs are kept that changed at that moment or later, and that close at that moment or before",
    [
      { updatedAt: moment(1), quoteDeadline: moment(500) },
      { updatedAt: moment(2), quoteDeadline: moment(400) },
      { updatedAt: moment(3), quoteDeadline: moment(400.001) }
    ],
    [
      [{ updatedSince: moment(2) }, [3, 2]],
      [{ updatedSince: moment(3.001) }, []],
      [{ closesBefore: moment(400) }, [2]],
      [{ closesBefore: moment(400.001) }, [3, 2]],
      [{ closesBefore: moment(399.999) }, []],
      [{ closesBefore: moment(500), updatedSince: moment(1) }, [3, 2, 1]],
      [{ closesBefore: moment(400), updatedSince: moment(2.001) }, []]
    ]
  ),
  obligation("rfqs.follow-changes", "a changed RFQ is found under what it is now", function* () {
    const store = yield* Store
    const before = sampleRfq(1, { tags: ["old"], visibility: "invited", invitees: [b], ...budget("5") })
    const changes = { tags: ["new"], invitees: [c], status: "evaluating", quoteCount: 2 } as const
    yield* putEach([write.rfq(before), write.rfq(revised(before, changes, moment(9)), 1)])
    const states: ReadonlyArray<RfqStateWindow> = [{ status: "evaluating" }]
    expectSame(idsOf(yield* store.rfqs.list({ states: [open], viewer: c }, page)), [])
    expectSame(idsOf(yield* store.rfqs.list({ states, viewer: b }, page)), [])
    expectSame(idsOf(yield* store.rfqs.list({ states, viewer: "market", invitee: b }, page)), [])
    expectSame(idsOf(yield* store.rfqs.list({ states, viewer: c, invitee: c }, page)), [before.id])
    expectSame(idsOf(yield* store.rfqs.list({ states, viewer: c, tag: "old" }, page)), [])
    expectSame(idsOf(yield* store.rfqs.list({ states, viewer: c, tag: "new" }, page)), [before.id])
  })
]
