/**
 * No secret in a log, an error, an event or a trace. Contract §2, "the key is shown once".
 *
 * A whole story is told, and what goes wrong around it, before a witness who hears everything; then each secret that
 * was shown is looked for in all that he heard.
 */
import { assert, describe, it } from "@effect/vitest"
import { keyDigest, writeKey } from "@souk/core"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { NetAddress } from "effect/net"
import { TestClock } from "effect/testing"
import { randomBytes } from "node:crypto"
import { Market } from "../src/index.ts"
import { Listener } from "../src/node.ts"
import { fieldsOf, open, services, textAt } from "./market.ts"
import type { Reply, Sending, TestMarket } from "./market.ts"
import { tell } from "./story.ts"
import type { Exchange } from "./story.ts"
import { listing } from "./trade.ts"
import * as Witness from "./witness.ts"
import type { Utterance } from "./witness.ts"

/** The operations that show a secret, once. */
const showing: ReadonlySet<string> = new Set([
  "agents.register",
  "keys.create",
  "keys.rotate",
  "webhooks.create",
  "webhooks.rotate"
])

/** The fields that hold a secret, wherever they are. */
const secretFields: ReadonlySet<string> = new Set(["apiKey", "secret"])

const secretsIn = (value: unknown): ReadonlyArray<string> =>
  fieldsOf(value).flatMap(([name, inner]) =>
    secretFields.has(name) && typeof inner === "string" ? [inner] : secretsIn(inner)
  )

/** How a secret may be written: as it is, without its prefix, without prefix and checksum, and as basic credentials. */
const formsOf = (secret: string): ReadonlyArray<string> => {
  const bare = secret.replace(/^[a-z]+_/u, "")
  return [secret, bare, bare.slice(0, 27), bare.toLowerCase(), btoa(secret).replace(/=+$/u, "")]
}

/** Where secrets were heard, each with the words around it. */
const leaks = (secrets: Iterable<string>, heard: ReadonlyArray<Utterance>): ReadonlyArray<string> => {
  const forms = [...secrets].flatMap(formsOf)
  return heard.flatMap(({ where, text }) =>
    forms
      .map((form) => text.indexOf(form))
      .filter((index) => index >= 0)
      .slice(0, 1)
      .map((index) => `${where}: … ${text.slice(Math.max(0, index - 60), index + 40)}`)
  )
}

const spoken = (where: string, { headers, text }: Reply): Utterance => ({
  where: `the reply to ${where}`,
  text: `${JSON.stringify([...headers])}\n${text}`
})

const metricsToken = "the-token-of-the-host-0123456789"

const scene = Effect.gen(function* () {
  const witness = Witness.make()
  const { ambient, loggers, store } = witness
  const market = yield* open({ metrics: { bearer: metricsToken } }, { ambient, loggers, store })
  return { market, witness }
})

/** Everything that can go wrong with a key, or with a request that holds one where it should not. */
const mishaps = (good: string, ended: string, strange: string): ReadonlyArray<readonly [string, Sending]> => {
  const mistyped = `${good.slice(0, -1)}${good.endsWith("x") ? "y" : "x"}`
  const raw = (type: string, raw: string) => ({ key: good, raw, headers: { "content-type": type } })
  return [
    ["GET /api/v1/me", { key: mistyped }],
    ["GET /api/v1/me", { key: strange }],
    ["GET /api/v1/me", { key: ended }],
    ["GET /api/v1/me", { key: `${good} ${good}` }],
    ["GET /api/v1/me", { headers: { authorization: `Bearer ${good}`, "x-api-key": good } }],
    ["GET /api/v1/events", { key: mistyped }],
    ["GET /metrics", { headers: { authorization: `Bearer ${metricsToken}` } }],
    ["GET /metrics", { headers: { authorization: `Bearer ${metricsToken}-wrong` } }],
    ["GET /nothing/here", { key: good }],
    ["PUT /api/listings", { key: good }],
    ["PATCH /api/me", { key: good, headers: { "if-match": '"99-active"' }, body: { name: "B" } }],
    ["PATCH /api/me", { key: good, body: { apiKey: good } }],
    ["PATCH /api/me", { key: good, body: { description: { key: good } } }],
    ["POST /api/listings", { key: good, body: { ...listing(), tags: [good], title: [good] } }],
    ["POST /api/listings", raw("application/json", `{"apiKey": "${good}"`)],
    ["POST /api/listings", raw("application/json", `{"title": "x" "${good}"}`)],
    ["POST /api/listings", raw("application/x-www-form-urlencoded", `key=${good}`)],
    ["POST /api/me/keys/nothing/rotate", { key: good, body: {} }]
  ]
}

/** Opens an account again and again with one Idempotency-Key, which opens the kept reply and so is a secret too. */
const registerTwice = Effect.fnUntraced(function* (market: TestMarket, idempotencyKey: string) {
  const body = { handle: "twice", name: "Twice", email: "twice@example.com" }
  const headers = { "idempotency-key": idempotencyKey }
  const register = (body: object) => market.call("POST /api/agents", { headers, body })
  const exchanges: Array<Exchange> = []
  for (const sent of [body, body, { ...body, name: "Another" }]) {
    const reply = yield* register(sent)
    exchanges.push({
      operationId: reply.status < 300 ? "agents.register" : "refused",
      endpoint: "POST /api/agents",
      sending: { headers, body: sent },
      reply
    })
  }
  assert.deepStrictEqual(
    exchanges.map(({ reply }) => reply.status),
    [201, 201, 422]
  )
  return exchanges
})

describe("a secret", () => {
  it.effect("is nowhere but where it is shown once", () =>
    Effect.gen(function* () {
      const { market, witness } = yield* scene
      const idempotencyKey = "a-long-idempotency-key-5c1f0e"
      const exchanges = [...(yield* tell(market)), ...(yield* registerTwice(market, idempotencyKey))]
      const keysOf = (operationId: string) =>
        exchanges
          .filter((exchange) => exchange.operationId === operationId && exchange.reply.status < 300)
          .map(({ reply }) => textAt(reply.body, "data", "apiKey"))
      const [good] = keysOf("agents.register")
      const [ended] = keysOf("keys.rotate")
      assert(good !== undefined && ended !== undefined)
      const strange = writeKey(randomBytes(20))
      const refused: Array<Utterance> = []
      for (const [endpoint, sending] of mishaps(good, ended, strange))
        refused.push(spoken(endpoint, yield* market.call(endpoint, sending)))
      yield* TestClock.adjust("40 days")

      const shown = exchanges.flatMap(({ reply }) => secretsIn(reply.body))
      assert.isAtLeast(new Set(shown).size, 6)
      const secrets = new Set([...shown, strange, idempotencyKey, metricsToken])
      const replies = exchanges
        .filter(({ operationId }) => !showing.has(operationId))
        .map(({ operationId, reply }) => spoken(operationId, reply))
      const events = (yield* market.store.events.after(0, 10_000)).map(({ event }) => ({
        where: `the event ${event.type}`,
        text: JSON.stringify(event)
      }))
      const spans = witness.traces()
      for (const heard of [replies, refused, events, spans, witness.stored]) assert.isNotEmpty(heard)

      const outside = [...replies, ...refused, ...events, ...spans, ...witness.logs]
      assert.deepStrictEqual(leaks(secrets, outside), [])
      // The store holds what it signs deliveries with, and knows a key by its digest, which nobody else does.
      const unsigned = [...secrets].filter((secret) => !secret.startsWith("whsec_"))
      assert.deepStrictEqual(leaks(unsigned, witness.stored), [])
      assert.isNotEmpty(leaks([keyDigest(good)], witness.stored))
      assert.deepStrictEqual(leaks([...secrets].map(keyDigest), outside), [])
    })
  )

  it.effect("is not told by a store that tells all that it was given", () =>
    Effect.gen(function* () {
      const { market, witness } = yield* scene
      const { key, id } = yield* market.register("atlas")
      const issued = yield* market.ask("POST /api/me/keys", { key, body: { label: "laptop" } })
      const secrets = [key, textAt(issued, "apiKey"), "an-idempotency-key-0123456789"]
      const keyId = textAt(issued, "key", "id")
      const replies: Array<Utterance> = []
      for (const mood of ["fails", "dies"] as const) {
        witness.setMood(mood)
        for (const [endpoint, body] of [
          ["POST /api/agents", { handle: "late", name: "Late", email: "late@example.com" }],
          ["POST /api/me/keys", { label: "phone" }],
          [`POST /api/me/keys/${keyId}/rotate`, {}],
          ["PATCH /api/me", { name: "Atlas" }],
          ["POST /api/listings", listing()]
        ] as const) {
          const headers = { "idempotency-key": "an-idempotency-key-0123456789" }
          const reply = yield* market.call(endpoint, { key, headers, body })
          assert.strictEqual(reply.status, mood === "fails" ? 503 : 500, endpoint)
          assert.notInclude(reply.text, "cannot do")
          assert.notInclude(reply.text, id)
          replies.push(spoken(endpoint, reply))
        }
        for (const endpoint of ["GET /api/v1/me", "GET /api/v1/events", "GET /readyz", "GET /metrics"])
          replies.push(spoken(endpoint, yield* market.call(endpoint, { key })))
        yield* TestClock.adjust("10 minutes")
      }
      assert.isTrue(
        witness.logs.some(({ text }) => text.includes("cannot do")),
        "the operator is told the cause"
      )
      assert.deepStrictEqual(leaks(secrets, [...replies, ...witness.traces(), ...witness.logs]), [])
    })
  )

  it.live("is in no span of a market that listens", () =>
    Effect.gen(function* () {
      const witness = Witness.make()
      const server = HttpRouter.serve(Market.routes(), { disableLogger: true, disableListenLog: true }).pipe(
        Listener.serve({ port: 0, host: "127.0.0.1" }),
        Layer.provide(services()),
        Layer.provide(witness.ambient)
      )
      const { address } = yield* Effect.provideContext(HttpServer.HttpServer, yield* Layer.build(server))
      const port = NetAddress.isInetAddress(address) ? address.port : 0
      const key = writeKey(randomBytes(20))
      const headers = { "x-agent-key": key, "idempotency-key": "an-idempotency-key-0123456789" }
      const reply = yield* Effect.promise(() => fetch(`http://127.0.0.1:${port}/api/v1/me`, { headers }))
      assert.strictEqual(reply.status, 401)
      assert.isTrue(witness.traces().some(({ text }) => text.includes("x-agent-key")))
      assert.deepStrictEqual(leaks(Object.values(headers), witness.traces()), [])
    })
  )
})
