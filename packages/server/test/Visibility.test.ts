/** Who may not see a thing finds no trace of it: not by its id, nor in lists, nor in search, nor among the events. */
import { assert, describe, it } from "@effect/vitest"
import { RfqId, sealCommitment, sealedOrder } from "@souk/core"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { listAt, open, textAt, verdict } from "./market.ts"
import type { TestAgent, TestMarket } from "./market.ts"
import {
  agreed,
  callForQuotes,
  found,
  listing,
  offered,
  openRequest,
  openRoom,
  publish,
  quote,
  rfq,
  submit
} from "./trade.ts"

const word = "quincunx"

/** Everything that somebody can read without naming an id, as one text. */
const browse = Effect.fnUntraced(function* (market: TestMarket, reader: TestAgent | undefined) {
  const open_ = [
    "/api/v1/listings?limit=100",
    `/api/v1/listings?q=${word}`,
    "/api/v1/rfqs?limit=100",
    `/api/v1/rfqs?q=${word}`,
    "/api/v1/rfqs?status=evaluating",
    "/api/v1/rfqs?status=cancelled",
    "/api/v1/rfqs?status=awarded",
    "/api/v1/agents?limit=100",
    `/api/v1/search?q=${word}`,
    "/api/v1/search?limit=100",
    "/api/v1/events?after=earliest&limit=100"
  ]
  const own = [
    "/api/v1/me",
    "/api/v1/me/quotes",
    "/api/v1/me/inbox?limit=100",
    "/api/v1/deal-rooms",
    "/api/v1/matches",
    "/api/v1/matches?status=dismissed",
    "/api/v1/webhooks",
    "/api/v1/listings?agent=me",
    "/api/v1/rfqs?agent=me",
    "/api/v1/events?after=earliest&mine=true&limit=100"
  ]
  const replies = yield* Effect.forEach(reader === undefined ? open_ : [...open_, ...own], (path) =>
    market.call(`GET ${path}`, { key: reader?.key, headers: { accept: "application/json" } })
  )
  for (const reply of replies) assert.strictEqual(reply.status, 200, reply.text)
  return replies.map(({ text }) => text).join("\n")
})

const scene = Effect.gen(function* () {
  const market = yield* open()
  const [owner, party, stranger] = [
    yield* market.register("owner"),
    yield* market.register("party"),
    yield* market.register("stranger")
  ]
  const outsiders: ReadonlyArray<TestAgent | undefined> = [stranger, undefined]

  /** Nobody outside finds a trace of something; neither its ids nor its words. */
  const isHidden = Effect.fnUntraced(function* (
    ids: ReadonlyArray<string>,
    paths: ReadonlyArray<string>,
    readers = outsiders
  ) {
    for (const reader of readers) {
      const seen = yield* browse(market, reader)
      for (const trace of [...ids, word]) assert.notInclude(seen, trace)
      for (const path of paths) {
        const reply = yield* market.call(`GET ${path}`, { key: reader?.key })
        assert.include(["404 not_found", "401 key_missing"], verdict(reply), path)
        assert.notInclude(reply.text, word)
      }
    }
  })

  /** A stranger's hand on it is told what a hand on nothing is told. */
  const isOutOfReach = Effect.fnUntraced(function* (endpoints: ReadonlyArray<readonly [string, unknown]>) {
    const before = yield* market.position
    for (const [endpoint, body] of endpoints) {
      const nowhere = endpoint.replaceAll(/_[0-9a-z]{26}/gu, "_01jd8wq0z7f3mbk5r2v6txn4ce")
      const reply = yield* market.call(endpoint, { key: stranger.key, body })
      const control = yield* market.call(nowhere, { key: stranger.key, body })
      assert.strictEqual(verdict(reply), "404 not_found", endpoint)
      const message = (text: string) => text.replace(/"requestId":"[^"]*"/u, "")
      assert.strictEqual(message(reply.text), message(control.text), endpoint)
    }
    assert.strictEqual(yield* market.position, before)
  })

  return { market, owner, party, stranger, isHidden, isOutOfReach }
})

describe("to others there is no trace of", () => {
  it.effect("a draft or paused listing", () =>
    Effect.gen(function* () {
      const { market, owner, isHidden, isOutOfReach } = yield* scene
      const draft = yield* publish(market, owner, { ...listing(word), status: "draft" })
      yield* isHidden([draft], [`/api/v1/listings/${draft}`])
      assert.include(yield* browse(market, owner), draft)
      yield* isOutOfReach([
        [`PATCH /api/listings/${draft}`, { title: "Mine" }],
        [`POST /api/listings/${draft}/activate`, {}],
        ["POST /api/deal-rooms", { listingId: draft }]
      ])
      yield* market.ask(`POST /api/listings/${draft}/activate`, { key: owner.key })
      assert.include(yield* browse(market, undefined), word)
      yield* market.ask(`POST /api/listings/${draft}/pause`, { key: owner.key })
      for (const path of ["/api/v1/listings", `/api/v1/search?q=${word}`])
        assert.notInclude((yield* market.call(`GET ${path}`)).text, draft)
      assert.strictEqual(verdict(yield* market.call(`GET /api/v1/listings/${draft}`)), "404 not_found")
    })
  )

  it.effect("a draft RFQ, to its invitees neither", () =>
    Effect.gen(function* () {
      const { market, owner, party, stranger, isHidden, isOutOfReach } = yield* scene
      const id = yield* callForQuotes(market, owner, {
        ...rfq(word),
        status: "draft",
        visibility: "invited",
        invitees: [party.id]
      })
      yield* isHidden([id], [`/api/v1/rfqs/${id}`, `/api/v1/rfqs/${id}/quotes`], [stranger, party, undefined])
      yield* isOutOfReach([
        [`POST /api/rfqs/${id}/open`, {}],
        [`POST /api/rfqs/${id}/questions`, { text: "Is it yours?" }],
        [`POST /api/rfqs/${id}/quotes`, quote()]
      ])
    })
  )

  it.effect("an RFQ to which they are not invited, whatever becomes of it", () =>
    Effect.gen(function* () {
      const { market, owner, party, isHidden, isOutOfReach } = yield* scene
      const id = yield* callForQuotes(market, owner, {
        ...rfq(word),
        visibility: "invited",
        invitees: [party.id]
      })
      const paths = [`/api/v1/rfqs/${id}`, `/api/v1/rfqs/${id}/quotes`]
      yield* isHidden([id], paths)
      assert.include(yield* browse(market, party), word)
      const quoteId = yield* submit(market, party, id)
      const asked = yield* market.ask(`POST /api/rfqs/${id}/questions`, {
        key: party.key,
        body: { text: `${word}?` }
      })
      const questionId = textAt(asked, "question", "id")
      yield* market.ask(`POST /api/rfqs/${id}/questions/${questionId}/answer`, {
        key: owner.key,
        body: { text: `${word}!` }
      })
      yield* isHidden([id, questionId], paths)
      yield* isOutOfReach([
        [`POST /api/rfqs/${id}/questions`, { text: "What is it?" }],
        [`POST /api/rfqs/${id}/questions/${questionId}/answer`, { text: "Mine" }],
        [`POST /api/rfqs/${id}/quotes`, quote()],
        [`POST /api/rfqs/${id}/award`, { quoteId }],
        [`PATCH /api/rfqs/${id}`, { maxQuotes: 1 }]
      ])
      yield* market.ask(`POST /api/rfqs/${id}/close`, { key: owner.key })
      yield* isHidden([id, quoteId], paths)
      const awarded = yield* market.ask(`POST /api/rfqs/${id}/award`, { key: owner.key, body: { quoteId } })
      yield* isHidden([id, quoteId, textAt(awarded, "dealRoom", "id")], paths)
    })
  )

  it.effect("a webhook, and what it was sent", () =>
    Effect.gen(function* () {
      const { market, owner, stranger, isHidden, isOutOfReach } = yield* scene
      const body = { url: `https://${word}.example/`, types: ["listing.*"] }
      const made = yield* market.ask("POST /api/webhooks", { key: owner.key, body })
      const id = textAt(made, "webhook", "id")
      yield* publish(market, owner)
      yield* Effect.repeat(TestClock.adjust("10 millis"), { times: 50 })
      const path = `/api/v1/webhooks/${id}/deliveries`
      const sent = yield* market.ask(`GET ${path}`, { key: owner.key })
      const deliveryId = textAt(sent, "deliveries", 0, "id")
      yield* isHidden([id, deliveryId], [path])
      assert.notInclude((yield* market.call("GET /api/v1/webhooks", { key: stranger.key })).text, id)
      yield* isOutOfReach([
        [`POST /api/webhooks/${id}/rotate`, {}],
        [`POST /api/webhooks/${id}/enable`, {}],
        [`POST /api/webhooks/${id}/deliveries/${deliveryId}/replay`, {}],
        [`DELETE /api/webhooks/${id}`, undefined]
      ])
    })
  )

  it.effect("a quote, to rival sellers neither", () =>
    Effect.gen(function* () {
      const { market, owner, party, stranger, isHidden, isOutOfReach } = yield* scene
      const id = yield* callForQuotes(market, owner)
      const quoteId = yield* submit(market, party, id, { ...quote(), message: word })
      yield* submit(market, stranger, id, quote("9.00"))
      yield* isHidden([quoteId], [`/api/v1/quotes/${quoteId}`])
      assert.notInclude(
        (yield* market.call(`GET /api/v1/rfqs/${id}/quotes`, { key: stranger.key })).text,
        quoteId
      )
      yield* isOutOfReach([
        [`POST /api/quotes/${quoteId}/withdraw`, {}],
        [`POST /api/quotes/${quoteId}/decline`, {}],
        [`POST /api/quotes/${quoteId}/revise`, quote()],
        ["POST /api/deal-rooms", { quoteId }]
      ])
      for (const move of ["revise", "decline", "withdraw"]) {
        const body = move === "revise" ? { ...quote("8.00"), message: word } : { reason: word }
        const key = move === "decline" ? owner.key : party.key
        yield* market.call(`POST /api/quotes/${quoteId}/${move}`, { key, body })
        yield* isHidden([quoteId], [`/api/v1/quotes/${quoteId}`])
      }
    })
  )

  it.effect("the seed of a sealed RFQ before its deadline, to its buyer neither", () =>
    Effect.gen(function* () {
      const { market, owner, party, stranger } = yield* scene
      const id = yield* callForQuotes(market, owner, { ...rfq(word), quoteMode: "sealed" })
      const seed = (yield* market.store.rfqs.byId(RfqId.make(id)))?.seal?.seed ?? ""
      assert.match(seed, /^[0-9a-f]{64}$/u)
      const quoteIds = [yield* submit(market, party, id), yield* submit(market, stranger, id)]
      const read = market.call(`GET /api/v1/rfqs/${id}`)
      const replies = yield* Effect.all([
        market.call(`PATCH /api/rfqs/${id}`, { key: owner.key, body: { maxQuotes: 9 } }),
        market.call(`POST /api/rfqs/${id}/questions`, { key: party.key, body: { text: "When?" } }),
        market.call(`POST /api/rfqs/${id}/close`, { key: owner.key }),
        market.call(`POST /api/rfqs/${id}/cancel?validateOnly=true`, { key: owner.key }),
        market.call(`GET /api/v1/rfqs/${id}/quotes`, { key: owner.key }),
        read
      ])
      for (const { text } of replies) assert.notInclude(text, seed)
      for (const reader of [owner, party, stranger, undefined])
        assert.notInclude(yield* browse(market, reader), seed)
      const before = yield* read
      assert.strictEqual(textAt(before.body, "data", "rfq", "seal", "commitment"), sealCommitment(seed))
      yield* TestClock.adjust("24 hours")
      const after = yield* read
      assert.strictEqual(textAt(after.body, "data", "rfq", "seal", "seed"), seed)
      const listed = yield* market.ask(`GET /api/v1/rfqs/${id}/quotes`, { key: owner.key })
      assert.deepStrictEqual(
        listAt(listed, "quotes").map((quote) => textAt(quote, "id")),
        [...sealedOrder(seed, quoteIds)]
      )
    })
  )

  it.effect("a match, also when it is dismissed", () =>
    Effect.gen(function* () {
      const { market, owner, party, stranger, isHidden, isOutOfReach } = yield* scene
      const requestId = yield* openRequest(market, owner)
      const listingId = yield* publish(market, party)
      const id = yield* found(market, owner)
      yield* isHidden([id], [])
      for (const path of [`demand=${requestId}`, `supply=${listingId}`])
        assert.notInclude((yield* market.call(`GET /api/v1/matches?${path}`, { key: stranger.key })).text, id)
      yield* isOutOfReach([
        [`POST /api/matches/${id}/dismiss`, {}],
        ["POST /api/deal-rooms", { matchId: id }]
      ])
      for (const reader of [owner, party]) assert.include(yield* browse(market, reader), id)
      yield* market.ask(`POST /api/matches/${id}/dismiss`, { key: party.key })
      yield* isHidden([id], [])
      for (const reader of [owner, party]) assert.include(yield* browse(market, reader), id)
    })
  )

  it.effect("a deal room, from its first word to its end", () =>
    Effect.gen(function* () {
      const { market, owner, party, isHidden, isOutOfReach } = yield* scene
      const roomId = yield* agreed(market, owner, party)
      const { roomId: talkId, offerId, termsDigest } = yield* offered(market, owner, party)
      const titled = yield* openRoom(market, owner, { counterparty: party.id, role: "buyer", title: word })
      const paths = [roomId, talkId, titled].flatMap((id) => [
        `/api/v1/deal-rooms/${id}`,
        `/api/v1/deal-rooms/${id}/entries`
      ])
      yield* market.ask(`POST /api/deal-rooms/${roomId}/messages`, { key: owner.key, body: { text: word } })
      yield* isHidden([roomId, talkId, titled, offerId], paths)
      yield* isOutOfReach([
        [`POST /api/deal-rooms/${talkId}/offers/${offerId}/accept`, { termsDigest }],
        [`POST /api/deal-rooms/${talkId}/offers/${offerId}/reject`, {}],
        [`POST /api/deal-rooms/${talkId}/offers/${offerId}/withdraw`, {}],
        [`POST /api/deal-rooms/${talkId}/decline`, {}],
        [`POST /api/deal-rooms/${roomId}/messages`, { text: "Hello" }],
        [`POST /api/deal-rooms/${roomId}/deliver`, { note: "Here" }],
        [`POST /api/deal-rooms/${roomId}/complete`, {}],
        [`POST /api/deal-rooms/${roomId}/request-changes`, { reason: "Bad" }],
        [`POST /api/deal-rooms/${roomId}/cancel`, {}],
        [`POST /api/deal-rooms/${roomId}/dispute`, { reason: "Bad" }],
        [`POST /api/deal-rooms/${roomId}/reviews`, { rating: 1 }]
      ])
      yield* market.ask(`POST /api/deal-rooms/${roomId}/deliver`, { key: party.key, body: { note: word } })
      yield* market.ask(`POST /api/deal-rooms/${roomId}/complete`, { key: owner.key })
      const review = { key: owner.key, body: { rating: 1, text: word } }
      yield* market.ask(`POST /api/deal-rooms/${roomId}/reviews`, review)
      yield* isHidden([roomId], [...paths])
      assert.notInclude((yield* market.call("GET /api/v1/agents/party/reviews")).text, word)
    })
  )

  it.effect("an e-mail address, to other agents", () =>
    Effect.gen(function* () {
      const { market, owner, isHidden } = yield* scene
      yield* market.ask("PATCH /api/me", { key: owner.key, body: { email: `${word}@example.com` } })
      yield* isHidden([], [])
      assert.notInclude((yield* market.call("GET /api/v1/agents/owner")).text, "@")
      assert.include((yield* market.call("GET /api/v1/me", { key: owner.key })).text, word)
    })
  )
})
