import { assert, describe, it } from "@effect/vitest"
import { Entry, verifyTranscript } from "@souk/core"
import { Effect, Result, Schema } from "effect"
import { operations } from "./document.ts"
import { at, dataOf, listAt, open, textAt } from "./market.ts"
import { tell } from "./story.ts"
import type { Exchange } from "./story.ts"

const last = (exchanges: ReadonlyArray<Exchange>, operationId: string): unknown => {
  const exchange = exchanges.findLast((exchange) => exchange.operationId === operationId)
  return exchange === undefined ? undefined : dataOf(exchange.reply)
}

/** What makes something new is 201, anything else 200. */
const creations = [
  "keys.create",
  "keys.rotate",
  "webhooks.create",
  "agents.register",
  "listings.publish",
  "requests.open",
  "rfqs.create",
  "rfqs.ask",
  "quotes.submit",
  "dealRooms.start",
  "dealRooms.sendMessage",
  "dealRooms.review"
]

describe("the market on HTTP", () => {
  it.effect("carries deals from search to the reviews, by every operation that it has", () =>
    Effect.gen(function* () {
      const market = yield* open()
      const exchanges = yield* tell(market)

      for (const { operationId, endpoint, reply } of exchanges) {
        const said = `${endpoint} ${reply.text}`
        assert.strictEqual(reply.status, creations.includes(operationId) ? 201 : 200, said)
        assert.strictEqual(at(reply.body, "ok"), true, said)
        assert.strictEqual(reply.headers.get("content-type"), "application/json", said)
      }
      const called = new Set(exchanges.map(({ operationId }) => operationId))
      assert.sameMembers([...called], [...operations.keys()])

      const found = listAt(last(exchanges, "search.search"), "results")
      const types = new Set(found.map((result) => at(result, "type")))
      assert.sameMembers([...types], ["listing", "request", "rfq", "agent"])
      assert.strictEqual(at(last(exchanges, "requests.fulfil"), "request", "status"), "fulfilled")
      assert.strictEqual(at(last(exchanges, "requests.cancel"), "request", "status"), "cancelled")
      assert.strictEqual(at(last(exchanges, "matches.dismiss"), "match", "status"), "dismissed")
      assert.strictEqual(at(last(exchanges, "rfqs.award"), "rfq", "status"), "awarded")
      const [work] = listAt(last(exchanges, "inbox.list"), "items")
      assert.strictEqual(at(work, "subject", "kind"), "deal_room")
      assert.deepInclude(at(work, "actions"), {
        action: "deliver",
        by: "seller",
        deadline: at(work, "deadline")
      })
      assert.strictEqual(at(last(exchanges, "quotes.revise"), "quote", "revision"), 2)
      assert.strictEqual(at(last(exchanges, "dealRooms.get"), "dealRoom", "status"), "completed")
      assert.strictEqual(at(last(exchanges, "dealRooms.dispute"), "dealRoom", "status"), "disputed")
      assert.strictEqual(at(last(exchanges, "dealRooms.cancel"), "dealRoom", "status"), "cancelled")
      assert.strictEqual(at(last(exchanges, "dealRooms.decline"), "dealRoom", "status"), "declined")
      assert.strictEqual(at(last(exchanges, "agents.reviews"), "reviews", 0, "rating"), 5)
      const atlas = yield* market.ask("GET /api/v1/agents/atlas")
      assert.strictEqual(at(atlas, "agent", "reputation", "rating"), 5)

      const entries = Schema.decodeUnknownSync(Schema.toCodecJson(Schema.Array(Entry)))(
        listAt(last(exchanges, "dealRooms.entries"), "entries")
      )
      assert.isAbove(entries.length, 5)
      assert.isTrue(Result.isSuccess(verifyTranscript(entries)))

      assert.deepStrictEqual(market.logs, [])
    })
  )

  it.effect(
    "shows the terms of sealed quotes when the deadline has passed, and to their seller at once",
    () =>
      Effect.gen(function* () {
        const exchanges = yield* tell(yield* open())
        const lists = exchanges.filter(({ operationId }) => operationId === "quotes.listOfRfq")
        const [openMode, sealedMode] = lists.map(({ reply }) => at(reply.body, "data", "quotes", 0))
        assert.strictEqual(textAt(openMode, "terms", "total", "currency"), "EUR")
        assert.isUndefined(at(sealedMode, "terms"))
        assert.isUndefined(at(sealedMode, "termsDigest"))
      })
  )

  it.effect("answers a new thing with the place where it is read, as it is read there", () =>
    Effect.gen(function* () {
      const market = yield* open()
      const places = new Map<string, string>()
      for (const { operationId, endpoint, sending, reply } of yield* tell(market)) {
        const place = reply.headers.get("location")
        assert.strictEqual(place !== null, reply.status === 201, endpoint)
        if (place === null) continue
        const key = sending.key ?? textAt(reply.body, "data", "apiKey")
        const read = yield* market.call(`GET ${place}`, { key })
        assert.strictEqual(read.status, 200, `${operationId} ${place}`)
        places.set(operationId, place.replaceAll(/\/[a-z]+_[0-9a-z]{26}/gu, "/:id"))
      }
      assert.deepStrictEqual(Object.fromEntries(places), {
        "agents.register": "/api/v1/agents/:id",
        "keys.create": "/api/v1/me/keys",
        "keys.rotate": "/api/v1/me/keys",
        "webhooks.create": "/api/v1/webhooks",
        "listings.publish": "/api/v1/listings/:id",
        "requests.open": "/api/v1/requests/:id",
        "rfqs.create": "/api/v1/rfqs/:id",
        "rfqs.ask": "/api/v1/rfqs/:id",
        "quotes.submit": "/api/v1/quotes/:id",
        "dealRooms.start": "/api/v1/deal-rooms/:id",
        "dealRooms.sendMessage": "/api/v1/deal-rooms/:id/entries",
        "dealRooms.review": "/api/v1/agents/:id/reviews"
      })
    })
  )
})
