import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { dataOf, listAt, open, textAt, verdict } from "./market.ts"
import type { Reply, Sending } from "./market.ts"
import { callForQuotes, listing, publish, quote, rfq, submit, terms } from "./trade.ts"

const account = { handle: "atlas", name: "Atlas", email: "desk@atlas.example" }

const replayed = ({ headers }: Reply) => headers.get("idempotent-replayed")

const scene = Effect.gen(function* () {
  const market = yield* open()
  const [buyer, seller] = [yield* market.register("buyer"), yield* market.register("seller")]
  const own = Effect.map(
    market.ask("GET /api/v1/listings?agent=me", { key: seller.key }),
    (data) => listAt(data, "listings").length
  )
  const write = (key: string, body: unknown = listing(), by = seller, endpoint = "POST /api/listings") =>
    market.call(endpoint, { key: by.key, body, headers: { "idempotency-key": key } })
  return { market, buyer, seller, own, write }
})

describe("the same Idempotency-Key", () => {
  it.effect("gives a new account's reply again, byte for byte, its key included", () =>
    Effect.gen(function* () {
      const market = yield* open()
      const sending: Sending = { body: account, headers: { "idempotency-key": "once" } }
      const first = yield* market.call("POST /api/agents", sending)
      const position = yield* market.position
      yield* TestClock.adjust("23 hours")
      const second = yield* market.call("POST /api/agents", sending)
      assert.strictEqual(second.status, 201)
      assert.strictEqual(second.text, first.text)
      for (const name of ["location", "etag", "content-type"])
        assert.strictEqual(second.headers.get(name), first.headers.get(name), name)
      assert.isNull(replayed(first))
      assert.strictEqual(replayed(second), "true")
      assert.strictEqual(yield* market.position, position)
      const key = textAt(second.body, "data", "apiKey")
      assert.strictEqual((yield* market.call("GET /api/v1/me", { key })).status, 200)
    })
  )

  it.effect("replays every kind of write, also when the thing has moved on since", () =>
    Effect.gen(function* () {
      const { market, buyer, seller, write } = yield* scene
      const listingId = yield* publish(market, seller)
      const rfqId = yield* callForQuotes(market, buyer)
      const writes = [
        () => write("a", rfq(), buyer, "POST /api/rfqs"),
        () => write("b", { title: "Another title" }, seller, `PATCH /api/listings/${listingId}`),
        () => write("c", {}, seller, `POST /api/listings/${listingId}/pause`),
        () => write("d", {}, seller, `POST /api/listings/${listingId}/activate`),
        () => write("e", quote(), seller, `POST /api/rfqs/${rfqId}/quotes`),
        () => write("f", { counterparty: seller.id, role: "buyer" }, buyer, "POST /api/deal-rooms"),
        () => write("g", { description: "New." }, seller, "PATCH /api/me")
      ]
      const firsts = yield* Effect.forEach(writes, (write) => write())
      const position = yield* market.position
      for (const [index, write] of writes.entries()) {
        const again = yield* write()
        assert.strictEqual(again.text, firsts[index]?.text)
        assert.strictEqual(again.status, firsts[index]?.status)
        assert.strictEqual(again.headers.get("etag"), firsts[index]?.headers.get("etag"))
        assert.strictEqual(replayed(again), "true", again.text)
      }
      assert.strictEqual(yield* market.position, position)
    })
  )

  it.effect("replays an award with all that it made", () =>
    Effect.gen(function* () {
      const { market, buyer, seller, write } = yield* scene
      const rfqId = yield* callForQuotes(market, buyer)
      const quoteId = yield* submit(market, seller, rfqId)
      const award = write("award", { quoteId }, buyer, `POST /api/rfqs/${rfqId}/award`)
      const first = yield* award
      assert.strictEqual(first.status, 200)
      assert.strictEqual((yield* award).text, first.text)
      const rooms = yield* market.ask("GET /api/v1/deal-rooms", { key: buyer.key })
      assert.strictEqual(listAt(rooms, "dealRooms").length, 1)
    })
  )

  it.effect("with another body is 422, with the same body written otherwise a replay", () =>
    Effect.gen(function* () {
      const { market, seller, own, write } = yield* scene
      yield* write("k")
      assert.strictEqual(verdict(yield* write("k", listing("Another"))), "422 idempotency_key_reused")
      const reversed = Object.fromEntries(Object.entries(listing()).toReversed())
      const raw = `\n ${JSON.stringify(reversed, null, 4)} `
      const same = yield* market.call("POST /api/listings", {
        key: seller.key,
        raw,
        headers: { "idempotency-key": "k" }
      })
      assert.strictEqual(replayed(same), "true")
      assert.strictEqual(yield* own, 1)
    })
  )

  it.effect("at the same time has one effect: the others get the same reply or 409", () =>
    Effect.gen(function* () {
      const { own, write } = yield* scene
      const replies = yield* Effect.all(
        Array.from({ length: 20 }, () => write("race")),
        { concurrency: "unbounded" }
      )
      const done = replies.filter(({ status }) => status === 201)
      assert.isNotEmpty(done)
      assert.strictEqual(new Set(done.map(({ text }) => text)).size, 1)
      for (const reply of replies.filter(({ status }) => status !== 201)) {
        assert.strictEqual(verdict(reply), "409 idempotency_in_flight")
        assert.strictEqual(reply.headers.get("retry-after"), "1")
      }
      assert.strictEqual(yield* own, 1)
    })
  )

  it.effect("is another key for another caller, method or path", () =>
    Effect.gen(function* () {
      const { market, buyer, seller, write } = yield* scene
      const first = yield* write("k")
      const id = textAt(first.body, "data", "listing", "id")
      const others = [
        yield* write("k", listing(), buyer),
        yield* write("k", rfq(), seller, "POST /api/rfqs"),
        yield* write("k", { title: "Renamed" }, seller, `PATCH /api/listings/${id}`),
        yield* write("k", {}, seller, `POST /api/listings/${id}/pause`),
        yield* write("k", { ...account, handle: "other" }, seller, "POST /api/agents")
      ]
      for (const other of others) {
        assert.isBelow(other.status, 300, other.text)
        assert.isNull(replayed(other))
      }
      assert.notStrictEqual(first.text, others[0]?.text)
      assert.strictEqual(yield* market.position, 4 + 1 + 1 + 1 + 1 + 1 + 2)
    })
  )

  it.effect("stores nothing of what was refused", () =>
    Effect.gen(function* () {
      const { market, buyer, seller, write } = yield* scene
      assert.strictEqual(verdict(yield* write("k", { title: "No pricing" })), "400 invalid_request")
      assert.strictEqual((yield* write("k")).status, 201)
      const room = { counterparty: buyer.id, role: "buyer", offer: { terms: terms("1") } }
      assert.strictEqual(verdict(yield* write("r", room, buyer, "POST /api/deal-rooms")), "422 self_deal")
      const other = { ...room, counterparty: seller.id }
      assert.strictEqual((yield* write("r", other, buyer, "POST /api/deal-rooms")).status, 201)
      const taken = { ...account, handle: "seller" }
      const register = (body: unknown) =>
        market.call("POST /api/agents", { body, headers: { "idempotency-key": "r" } })
      assert.strictEqual(verdict(yield* register(taken)), "409 handle_taken")
      assert.strictEqual((yield* register(account)).status, 201)
    })
  )

  it.effect("is forgotten after 24 hours", () =>
    Effect.gen(function* () {
      const { own, write } = yield* scene
      yield* write("k")
      yield* TestClock.adjust("24 hours")
      const later = yield* write("k", listing("Another"))
      assert.strictEqual(later.status, 201)
      assert.isNull(replayed(later))
      assert.strictEqual(yield* own, 2)
    })
  )

  it.effect("does not replay to who has lost the right to write", () =>
    Effect.gen(function* () {
      const { market, seller, write } = yield* scene
      yield* write("k")
      const wrong = {
        key: `${seller.key.slice(0, -1)}${seller.key.endsWith("0") ? "1" : "0"}`,
        body: listing(),
        headers: { "idempotency-key": "k" }
      }
      assert.match(verdict(yield* market.call("POST /api/listings", wrong)), /^401 /u)
    })
  )
})

describe("validateOnly", () => {
  it.effect("shows what would be, and nothing comes to be", () =>
    Effect.gen(function* () {
      const { market, buyer, seller } = yield* scene
      const listingId = yield* publish(market, seller)
      const rfqId = yield* callForQuotes(market, buyer)
      const quoteId = yield* submit(market, seller, rfqId)
      const snapshot = Effect.gen(function* () {
        const paths = [
          "/api/v1/agents",
          "/api/v1/listings",
          "/api/v1/rfqs",
          `/api/v1/rfqs/${rfqId}/quotes`,
          `/api/v1/quotes/${quoteId}`,
          "/api/v1/deal-rooms",
          "/api/v1/me",
          "/api/v1/search?q=rehearsal",
          "/api/v1/search?q=translate"
        ]
        const texts = yield* Effect.forEach(paths, (path) => market.call(`GET ${path}`, { key: buyer.key }))
        return [yield* market.position, ...texts.map(({ text }) => text)]
      })
      const before = yield* snapshot
      const rehearsals: ReadonlyArray<readonly [endpoint: string, by: string, body: unknown]> = [
        ["POST /api/agents", "", { ...account, name: "Rehearsal" }],
        ["PATCH /api/me", buyer.key, { name: "Rehearsal" }],
        ["POST /api/me/close", buyer.key, {}],
        ["POST /api/listings", seller.key, listing("Rehearsal")],
        [`PATCH /api/listings/${listingId}`, seller.key, { title: "Rehearsal" }],
        [`POST /api/listings/${listingId}/archive`, seller.key, undefined],
        ["POST /api/rfqs", buyer.key, rfq("Rehearsal")],
        [`POST /api/rfqs/${rfqId}/close`, buyer.key, undefined],
        [`POST /api/rfqs/${rfqId}/award`, buyer.key, { quoteId }],
        [`POST /api/quotes/${quoteId}/revise`, seller.key, quote("9")],
        [`POST /api/quotes/${quoteId}/withdraw`, seller.key, { reason: "Rehearsal" }],
        ["POST /api/deal-rooms", buyer.key, { listingId, offer: { terms: terms("1") } }]
      ]
      for (const [endpoint, key, body] of rehearsals) {
        const reply = yield* market.call(`${endpoint}?validateOnly=true`, {
          ...(key === "" ? {} : { key }),
          body,
          headers: { "idempotency-key": "rehearsal" }
        })
        assert.strictEqual(reply.status, 200, `${endpoint} ${reply.text}`)
        assert.isNull(reply.headers.get("location"), endpoint)
        assert.isNotNull(reply.headers.get("etag"), endpoint)
        assert.isNull(replayed(reply), endpoint)
        assert.deepStrictEqual(yield* snapshot, before, endpoint)
      }
    })
  )

  it.effect("leaves the handle and the Idempotency-Key free, and its key opens nothing", () =>
    Effect.gen(function* () {
      const market = yield* open()
      const sending: Sending = { body: account, headers: { "idempotency-key": "k" } }
      const rehearsal = yield* market.call("POST /api/agents?validateOnly=true", sending)
      const key = textAt(dataOf(rehearsal), "apiKey")
      assert.strictEqual(verdict(yield* market.call("GET /api/v1/me", { key })), "401 key_invalid")
      const real = yield* market.call("POST /api/agents?validateOnly=false", sending)
      assert.strictEqual(real.status, 201)
      assert.isNull(replayed(real))
      assert.notInclude(real.text, key)
    })
  )

  it.effect("refuses what the real call would refuse", () =>
    Effect.gen(function* () {
      const { market, buyer, seller } = yield* scene
      const rehearse = (endpoint: string, sending: Sending) =>
        Effect.map(market.call(`${endpoint}?validateOnly=true`, sending), verdict)
      const { key } = buyer
      assert.strictEqual(
        yield* rehearse("POST /api/agents", { body: { ...account, handle: "SELLER" } }),
        "409 handle_taken"
      )
      assert.strictEqual(yield* rehearse("POST /api/listings", { body: listing() }), "401 key_missing")
      assert.strictEqual(
        yield* rehearse("POST /api/deal-rooms", { key, body: { counterparty: buyer.id, role: "buyer" } }),
        "422 self_deal"
      )
      const listingId = yield* publish(market, seller)
      assert.strictEqual(yield* rehearse(`POST /api/listings/${listingId}/pause`, { key }), "403 forbidden")
      assert.strictEqual(
        yield* rehearse(`POST /api/listings/${listingId}/pause`, {
          key: seller.key,
          headers: { "if-match": '"9-active"' }
        }),
        "412 version_conflict"
      )
    })
  )
})
