/**
 * Bad input gets the contract's error and changes nothing.
 *
 * The requests come from the schemas of the contract itself, whole or spoilt, and from nowhere at all. Every reply is
 * judged alike. `SOUK_FUZZ_RUNS` says how often each property is tried; a failure prints the seed to repeat it with.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { lies } from "./document.ts"
import { draftOf, garbage, plan, spoils, targetOf, Vocabulary } from "./fuzz.ts"
import type { Draft } from "./fuzz.ts"
import { errorOf, open } from "./market.ts"
import type { Reply, Sending } from "./market.ts"
import { tell } from "./story.ts"
import { agreed, callForQuotes, offered, openRequest, openRoom, publish, rfq, submit } from "./trade.ts"

const runs = Number(process.env["SOUK_FUZZ_RUNS"] ?? 1500)

/** Contract §7. */
const statusOf: { readonly [code: string]: number } = {
  invalid_request: 400,
  invalid_json: 400,
  invalid_cursor: 400,
  key_missing: 401,
  key_invalid: 401,
  key_expired: 401,
  key_revoked: 401,
  forbidden: 403,
  agent_suspended: 403,
  not_found: 404,
  method_not_allowed: 405,
  payload_too_large: 413,
  unsupported_media_type: 415,
  invalid_state: 409,
  not_your_turn: 409,
  handle_taken: 409,
  already_quoted: 409,
  conflict: 409,
  version_conflict: 412,
  self_deal: 422,
  offer_expired: 422,
  terms_mismatch: 422,
  requirement_unmet: 422,
  limit_reached: 422,
  idempotency_key_reused: 422
}

/** Stands in what nobody but its owners may read. */
const canary = "canary7f3mbk5r2v6txn4ce"

/** A market in full swing, the agents who attack it, and what they can know. */
const stage = Effect.gen(function* () {
  const market = yield* open()
  const vocabulary = new Vocabulary()
  for (const { reply } of yield* tell(market)) vocabulary.learn(reply.text)
  const [owner, partner] = [yield* market.register("owner"), yield* market.register("partner")]
  const secrets = [
    yield* publish(market, owner, { title: canary, pricing: { model: "quote" }, status: "draft" }),
    yield* callForQuotes(market, owner, { ...rfq(canary), visibility: "invited", invitees: [partner.id] }),
    yield* openRoom(market, owner, { counterparty: partner.id, role: "buyer", title: canary })
  ]
  const [alice, robert] = [yield* market.register("alice"), yield* market.register("robert")]
  for (const [buyer, seller] of [
    [alice, robert],
    [robert, alice]
  ] as const) {
    const rfqId = yield* callForQuotes(market, buyer)
    const { roomId } = yield* offered(market, buyer, seller)
    const requestId = yield* openRequest(market, buyer)
    const ids = [
      yield* publish(market, seller),
      yield* submit(market, seller, rfqId),
      rfqId,
      requestId,
      roomId
    ]
    vocabulary.learn([...ids, yield* agreed(market, buyer, seller), buyer.id].join(" "))
  }
  yield* market.settle
  for (const { key } of [alice, robert])
    vocabulary.learn((yield* market.call("GET /api/v1/matches", { key })).text)
  vocabulary.learn(secrets.join(" "))
  const badKey = "agent_00000000000000000000000000000000000000"
  const keyOf = Effect.fnUntraced(function* (caller: number, operationId: string | undefined) {
    if (caller < 2) return [undefined, badKey][caller]
    // A closed account would take no part in what follows.
    if (operationId === "agents.closeMe")
      return (yield* market.register(`spare${yield* market.position}`)).key
    return caller % 2 === 0 ? alice.key : robert.key
  })

  /** Sends what an attacker made up, and judges what he gets. */
  const attack = Effect.fnUntraced(function* (
    endpoint: string,
    sending: Sending,
    caller: number,
    operationId?: string
  ) {
    const key = yield* keyOf(caller, operationId)
    const before = yield* market.position
    const reply = yield* market.call(endpoint, { ...sending, key })
    judge(endpoint, reply)
    if (operationId !== undefined)
      assert.deepStrictEqual(lies(operationId, reply), [], `${endpoint} ${reply.text}`)
    if (reply.status >= 400) assert.strictEqual(yield* market.position, before, `${endpoint} ${reply.text}`)
    vocabulary.learn(reply.text)
    return reply
  })

  const judge = (endpoint: string, reply: Reply) => {
    const { status, headers, text } = reply
    const said = `${endpoint} ${status} ${text}`
    assert.isNotEmpty(headers.get("request-id"), said)
    assert.notInclude(text, canary, said)
    for (const { key } of [alice, robert, owner, partner]) assert.notInclude(text, key, said)
    if (status < 400) return assert.include([200, 201, 204, 304], status, said)
    if (endpoint.startsWith("HEAD")) return assert.strictEqual(text, "", said)
    const error = errorOf(reply)
    assert.strictEqual(statusOf[error.code], status, said)
    assert.strictEqual(error.requestId, headers.get("request-id"), said)
    assert.notMatch(text, /node_modules|\.ts\b|\n\s+at /u, said)
    assert.notInclude(market.logs.join("\n"), "ERROR", said)
  }

  return { market, vocabulary, attack }
})

type Stage = Effect.Success<typeof stage>

/**
 * Tries a property again and again. The market lives on between the tries, and so does its clock, so nothing is gained
 * by shrinking.
 */
const holds = Effect.fnUntraced(function* <A, E>(
  arbitrary: fc.Arbitrary<A>,
  property: (value: A) => Effect.Effect<unknown, E>
) {
  const context = yield* Effect.context()
  const run = Effect.runPromiseWith(context)
  const predicate = async (value: A) => {
    await run(property(value))
  }
  yield* Effect.promise(() =>
    fc.assert(fc.asyncProperty(arbitrary, predicate), { numRuns: runs, endOnFailure: true })
  )
})

const send = ({ attack }: Stage, draft: Draft, caller: number, operationId?: string) => {
  const { method, headers, body, raw } = draft
  const isBodiless = method === "GET" || method === "HEAD"
  const content = isBodiless ? {} : { body, raw }
  return attack(`${method} ${targetOf(draft)}`, { headers, ...content }, caller, operationId)
}

describe("every endpoint", () => {
  it.effect("answers what fits its schemas as the document says, while deadlines pass", () =>
    Effect.gen(function* () {
      const on = yield* stage
      yield* holds(plan, (planned) =>
        Effect.gen(function* () {
          const { caller, operationId, seed } = planned
          if (seed % 20 === 0) yield* TestClock.adjust("1 hour")
          const draft = draftOf(planned, on.vocabulary)
          const accept = seed % 3 === 0 ? "text/event-stream" : "application/json"
          yield* send(on, { ...draft, headers: { ...draft.headers, accept } }, caller, operationId)
        })
      )
    })
  )

  it.effect("refuses what spoils a request, and nothing changes", () =>
    Effect.gen(function* () {
      const on = yield* stage
      yield* holds(fc.record({ planned: plan, spoils }), ({ planned, spoils }) => {
        const draft = draftOf(planned, on.vocabulary)
        const spoilt = spoils.reduce((worse, spoil) => spoil(worse), draft)
        const isSameRoute = spoilt.method === draft.method && spoilt.path === draft.path
        return send(on, spoilt, planned.caller, isSameRoute ? planned.operationId : undefined)
      })
    })
  )

  it.effect("answers garbage in the envelope, as every path does that leads nowhere", () =>
    Effect.gen(function* () {
      const on = yield* stage
      yield* holds(fc.record({ draft: garbage, caller: fc.nat({ max: 9 }) }), ({ draft, caller }) =>
        send(on, draft, caller)
      )
    })
  )
})
