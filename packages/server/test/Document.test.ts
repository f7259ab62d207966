/** The document tells the truth: what the market answers is what it describes, and what it shows is taken. */
import { assert, describe, it } from "@effect/vitest"
import { Validator } from "@seriousme/openapi-schema-validator"
import { Effect } from "effect"
import { lies, operations } from "./document.ts"
import { at, fieldsOf, open, textAt, verdict } from "./market.ts"
import { tell } from "./story.ts"
import { agreed, callForQuotes, offered, openRequest, publish, quote, rfq, submit } from "./trade.ts"

describe("the served document", () => {
  it.effect("is valid to an independent validator, and says where the market is", () =>
    Effect.gen(function* () {
      const market = yield* open({ baseUrl: "https://market.example" })
      const { status, headers, body } = yield* market.call("GET /openapi.json")
      assert.strictEqual(status, 200)
      assert.strictEqual(headers.get("content-type"), "application/json")
      assert.strictEqual(at(body, "servers", 0, "url"), "https://market.example")
      const result = yield* Effect.promise(() => new Validator().validate(Object.fromEntries(fieldsOf(body))))
      assert.deepStrictEqual(result.errors, undefined)
      assert.isTrue(result.valid)
    })
  )

  it.effect("describes what the market answers, for every operation", () =>
    Effect.gen(function* () {
      const exchanges = yield* tell(yield* open())
      for (const { operationId, endpoint, reply } of exchanges)
        assert.deepStrictEqual(lies(operationId, reply), [], `${endpoint}: ${reply.text}`)
      const called = new Set(exchanges.map(({ operationId }) => operationId))
      assert.sameMembers([...called], [...operations.keys()])
    })
  )
})

/** What the ids of the examples stand for is not there, and the digest is of no terms: that alone is refused. */
const expected: { readonly [example: string]: string } = {
  "agents.register least": "201",
  "agents.register profile": "201",
  "keys.create second": "201",
  "keys.rotate hour": "201",
  "webhooks.create quotes": "201",
  "listings.publish perUnit": "201",
  "listings.publish onRequest": "201",
  "requests.open standing": "201",
  "rfqs.create sealed": "201",
  "rfqs.award quote": "404 not_found",
  "rfqs.award deviating": "404 not_found",
  "rfqs.ask source": "201",
  "quotes.submit quote": "201",
  "dealRooms.start listing": "404 not_found",
  "dealRooms.start request": "404 not_found",
  "dealRooms.start quote": "404 not_found",
  "dealRooms.start match": "404 not_found",
  "dealRooms.start direct": "404 not_found",
  "dealRooms.sendMessage question": "201",
  "dealRooms.acceptOffer terms": "422 terms_mismatch",
  "dealRooms.review good": "201"
}

/** A market in which an operation can be called, by whom, and what it is called with. */
const stage = Effect.fnUntraced(function* (operationId: string) {
  const market = yield* open()
  const [buyer, seller] = [yield* market.register("buyer"), yield* market.register("seller")]
  const rfqId = yield* callForQuotes(market, buyer, {
    ...rfq(),
    requirements: [
      { id: "sworn", text: "A sworn translator signs", hard: true },
      { id: "glossary", text: "Our glossary is used", hard: false }
    ]
  })
  const [group, name = ""] = operationId.split(".")
  const byBuyer = ["quotes.decline", "dealRooms.acceptOffer", "dealRooms.rejectOffer"].includes(operationId)
  const asksSeller = ["listings", "quotes"].includes(group ?? "") || operationId === "rfqs.ask"
  const delivers = ["requestChanges", "review"].includes(name)
  const isWork = delivers || ["deliver", "cancel", "dispute"].includes(name)
  const sells = (asksSeller || ["deliver", "withdrawOffer"].includes(name)) && !byBuyer
  const ids: { [param: string]: string } = {}
  if (group === "keys") {
    const data = yield* market.ask("GET /api/v1/me/keys", { key: buyer.key })
    ids["id"] = textAt(data, "keys", 0, "id")
  }
  if (group === "webhooks") {
    const body = { url: "https://buyer.example/hooks", types: ["rfq.*"] }
    const data = yield* market.ask("POST /api/webhooks", { key: buyer.key, body })
    ids["id"] = textAt(data, "webhook", "id")
  }
  if (group === "listings") ids["id"] = yield* publish(market, seller)
  if (group === "requests") ids["id"] = yield* openRequest(market, buyer)
  if (group === "rfqs" || operationId === "quotes.submit") ids["id"] = rfqId
  else if (group === "quotes") ids["id"] = yield* submit(market, seller, rfqId, quote())
  if (operationId === "rfqs.answer") {
    const question = { key: seller.key, body: { text: "Is the source a Word file?" } }
    const data = yield* market.ask(`POST /api/rfqs/${rfqId}/questions`, question)
    ids["qid"] = textAt(data, "question", "id")
  }
  if (group === "dealRooms") {
    const { roomId, offerId } = yield* offered(market, buyer, seller)
    ids["id"] = isWork ? yield* agreed(market, buyer, seller) : roomId
    ids["offerId"] = offerId
  }
  if (delivers)
    yield* market.ask(`POST /api/deal-rooms/${ids["id"]}/deliver`, {
      key: seller.key,
      body: { note: "Here" }
    })
  if (name === "review") yield* market.ask(`POST /api/deal-rooms/${ids["id"]}/complete`, { key: buyer.key })
  return { market, key: sells ? seller.key : buyer.key, ids }
})

describe("an example of a body", () => {
  for (const [operationId, { method, path, examples }] of operations)
    for (const [name, body] of examples)
      it.effect(`is taken by ${operationId}: ${name}`, () =>
        Effect.gen(function* () {
          const { market, key, ids } = yield* stage(operationId)
          const target = path.replaceAll(/\{(\w+)\}/gu, (_, param: string) => ids[param] ?? "")
          const reply = yield* market.call(`${method} ${target}`, { key, body })
          assert.strictEqual(verdict(reply), expected[`${operationId} ${name}`] ?? "200", reply.text)
          assert.deepStrictEqual(lies(operationId, reply), [])
        })
      )
})
