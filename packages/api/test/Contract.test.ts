import { assert, describe, it } from "@effect/vitest"
import { born, EventId, ListingId, NotFound, QuoteId, RfqId, termsDigest, VersionConflict } from "@souk/core"
import type { Event, Listing, QuoteView } from "@souk/core"
import { DateTime, Effect, Layer, Stream } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import type { Headers } from "effect/http"
import { HttpApiBuilder, HttpApiClient } from "effect/http-api"
import { Caller, entityTag, namesEntityTag, SoukApi } from "../src/index.ts"
import { callerId, passing, serve } from "./fixtures/contractOnly.ts"

const now = DateTime.makeUnsafe("2030-01-31T12:00:00Z")

const listing: Listing = {
  id: ListingId.make("lst_01jd8wq0z7f3mbk5r2v6txn4ce"),
  agentId: callerId,
  title: "Translate legal texts",
  description: "",
  tags: [],
  pricing: { model: "quote" },
  status: "active",
  ...born(now)
}

const sealed: QuoteView = {
  id: QuoteId.make("quo_01jd8wq0z7f3mbk5r2v6txn4ce"),
  rfqId: RfqId.make("rfq_01jd8wq0z7f3mbk5r2v6txn4ce"),
  agentId: callerId,
  validUntil: now,
  revision: 1,
  status: "active",
  ...born(now)
}

const terms = {
  total: { amount: "1", currency: "EUR" },
  deliverWithinSeconds: 1,
  revisions: 0,
  acceptance: []
}

const absent = new NotFound({ message: "There is no such listing." })

const listings = HttpApiBuilder.group(SoukApi, "listings", (handlers) =>
  handlers.handleAll({
    list: ({ query }) => Effect.succeed({ listings: [listing], nextCursor: query.cursor ?? null }),
    get: ({ params }) => (params.id === listing.id ? Effect.succeed({ listing }) : Effect.fail(absent)),
    publish: ({ payload }) =>
      Effect.map(Caller, ({ agentId }) => ({ listing: { ...listing, title: payload.title, agentId } })),
    update: ({ headers }) =>
      headers["if-match"] === undefined || headers["if-match"] === listing.version
        ? Effect.succeed({ listing: { ...listing, version: 2 } })
        : Effect.fail(new VersionConflict({ message: "It has changed.", version: listing.version })),
    activate: ({ payload }) =>
      Effect.as(
        Effect.sync(() => assert.isUndefined(payload)),
        { listing }
      ),
    pause: () => Effect.fail(absent),
    archive: () => Effect.fail(absent)
  })
)

const quotes = HttpApiBuilder.group(SoukApi, "quotes", (handlers) =>
  handlers.handleAll({
    listOfRfq: () => Effect.succeed({ quotes: [sealed], nextCursor: null }),
    listMine: () => Effect.succeed({ quotes: [], nextCursor: null }),
    submit: () => Effect.succeed({ quote: sealed }),
    get: () => Effect.succeed({ quote: { ...sealed, terms, termsDigest: termsDigest(terms) } }),
    revise: () => Effect.succeed({ quote: sealed }),
    withdraw: ({ payload }) => Effect.succeed({ quote: { ...sealed, message: payload?.reason ?? "" } }),
    decline: () => Effect.succeed({ quote: sealed })
  })
)

const published: Event = {
  id: EventId.make("evt_01jd8wq0z7f3mbk5r2v6txn4ce"),
  type: "listing.published",
  at: now,
  actorId: callerId,
  subject: { kind: "listing", id: listing.id, version: 1 },
  data: {}
}

const events = HttpApiBuilder.group(SoukApi, "events", (handlers) =>
  handlers.handleAll({
    subscribe: ({ query, request }) =>
      Effect.succeed(
        request.headers["accept"] === "application/json"
          ? { events: query.types?.includes("listing.*") ? [published] : [], nextCursor: "42", reset: false }
          : Stream.make(
              { event: "stream.ready" as const, data: { cursor: "41" } },
              { id: "42", event: published.type, data: published }
            )
      )
  })
)

const handler = serve(
  Layer.mergeAll(
    listings,
    quotes,
    passing.agents,
    passing.keys,
    passing.inbox,
    passing.requests,
    passing.rfqs,
    passing.matches,
    passing.dealRooms,
    passing.search,
    events,
    passing.webhooks
  )
)

const fetchHandler = Layer.succeed(FetchHttpClient.Fetch, (input, init) => handler(new Request(input, init)))

const clientWith = (headers: Headers.Input) =>
  HttpApiClient.make(SoukApi, {
    baseUrl: "http://market.test",
    transformClient: HttpClient.mapRequest(HttpClientRequest.setHeaders(headers))
  }).pipe(Effect.provide(FetchHttpClient.layer))

const withoutKey = clientWith({})
const withKey = clientWith({ "X-AGENT-KEY": "agent_any" })

const params = { id: listing.id }
const withResponse = { responseMode: "decoded-and-response" } as const

describe("a handler and a client of the contract", () => {
  it.effect("exchange the data alone; the envelope and the status are the wire's", () =>
    Effect.gen(function* () {
      const souk = yield* withoutKey
      const page = yield* souk.listings.list({ query: { limit: 5, cursor: "here" } })
      assert.deepStrictEqual(page, { listings: [listing], nextCursor: "here" })

      const [data, response] = yield* souk.listings.get({ params, query: {}, headers: {}, ...withResponse })
      assert.deepStrictEqual(data, { listing })
      assert.strictEqual(response.status, 200)
      assert.strictEqual(response.headers["etag"], '"1-active"')
      const body = yield* response.json
      assert.hasAllKeys(body, ["ok", "data"])
    }).pipe(Effect.provide(fetchHandler))
  )

  it.effect("get 201 with the place of what was created", () =>
    Effect.gen(function* () {
      const souk = yield* withKey
      const payload = { title: "Another title", pricing: { model: "quote" as const } }
      const [data, response] = yield* souk.listings.publish({
        payload,
        query: {},
        headers: {},
        ...withResponse
      })
      assert.deepStrictEqual(data, { listing: { ...listing, title: "Another title" } })
      assert.strictEqual(response.status, 201)
      assert.strictEqual(response.headers["location"], `/api/v1/listings/${listing.id}`)
      assert.strictEqual(response.headers["etag"], '"1-active"')
    }).pipe(Effect.provide(fetchHandler))
  )

  it.effect("share the classes of refusals", () =>
    Effect.gen(function* () {
      const souk = yield* withoutKey
      const other = ListingId.make("lst_01jd8wq0z7f3mbk5r2v6txn4cf")
      const refused = yield* Effect.flip(souk.listings.get({ params: { id: other }, query: {}, headers: {} }))
      assert.instanceOf(refused, NotFound)
      assert.deepStrictEqual(refused, absent)
      const keyless = yield* Effect.flip(souk.quotes.listMine({ query: {} }))
      assert.strictEqual(keyless._tag, "KeyMissing")
    }).pipe(Effect.provide(fetchHandler))
  )

  it.effect("name the version that a change is based on", () =>
    Effect.gen(function* () {
      const souk = yield* withKey
      const update = (version: number | undefined) =>
        souk.listings.update({ params, query: {}, headers: { "if-match": version }, payload: {} })
      assert.strictEqual((yield* update(1)).listing.version, 2)
      assert.strictEqual((yield* update(undefined)).listing.version, 2)
      const stale = yield* Effect.flip(update(7))
      assert.deepInclude(stale, { _tag: "VersionConflict", version: 1 })
    }).pipe(Effect.provide(fetchHandler))
  )

  it.effect("can leave a body out", () =>
    Effect.gen(function* () {
      const souk = yield* withKey
      const change = { query: {}, headers: {} }
      assert.deepStrictEqual(yield* souk.listings.activate({ params, ...change, payload: undefined }), {
        listing
      })
      const { quote } = yield* souk.quotes.withdraw({
        params: { id: sealed.id },
        ...change,
        payload: { reason: "Booked" }
      })
      assert.strictEqual(quote.message, "Booked")
    }).pipe(Effect.provide(fetchHandler))
  )

  it.effect("tell a sealed quote from the same quote unsealed", () =>
    Effect.gen(function* () {
      const souk = yield* withKey
      const read = { params: { id: sealed.id }, query: {}, headers: {}, ...withResponse }
      const [, shown] = yield* souk.quotes.get(read)
      assert.strictEqual(shown.headers["etag"], '"1-active"')
      const [, hidden] = yield* souk.quotes.decline({ ...read, payload: undefined })
      assert.strictEqual(hidden.headers["etag"], '"1-active-sealed"')
    }).pipe(Effect.provide(fetchHandler))
  )
})

describe("the events", () => {
  it.effect("come as a page to whoever accepts JSON", () =>
    Effect.gen(function* () {
      const souk = yield* clientWith({ accept: "application/json" })
      const reply = yield* souk.events.subscribe({ query: { types: ["listing.*"] }, headers: {} })
      assert.deepStrictEqual(reply, { events: [published], nextCursor: "42", reset: false })
    }).pipe(Effect.provide(fetchHandler))
  )

  it.effect("come as a stream to everybody else", () =>
    Effect.gen(function* () {
      const souk = yield* clientWith({ accept: "text/event-stream" })
      const reply = yield* souk.events.subscribe({ query: {}, headers: {} })
      if (!Stream.isStream(reply)) return assert.fail("not a stream")
      const messages = yield* Stream.runCollect(reply)
      assert.deepStrictEqual(
        messages.map(({ data }) => data),
        [{ cursor: "41" }, published]
      )
    }).pipe(Effect.provide(fetchHandler))
  )
})

describe("entity tags", () => {
  it("hold the version, and the status where there is one", () => {
    assert.strictEqual(entityTag({ version: 3 }), '"3"')
    assert.strictEqual(entityTag({ version: 3, status: "open" }), '"3-open"')
  })

  it("are found in If-None-Match by the weak comparison", () => {
    for (const header of ['"3-open"', 'W/"3-open"', '"2-open", "3-open"', "*"])
      assert.isTrue(namesEntityTag(header, '"3-open"'), header)
    for (const header of ['"3"', '"3-closed"', "3-open", ""])
      assert.isFalse(namesEntityTag(header, '"3-open"'), header)
  })
})
