/** Every code of the contract: what a caller does to be refused with it, or what has to break. */
import { SchemaOutOfDate, StaleVersion, Unavailable } from "@souk/core"
import { Deferred, Effect, Fiber } from "effect"
import type { Scope } from "effect"
import { TestClock } from "effect/testing"
import { defaultRatePolicies } from "../../src/http/RateLimit.ts"
import { inHours, textAt } from "../market.ts"
import type { Reply } from "../market.ts"
import { callForQuotes, listing, offered, publish, quote, rfq, submit } from "../trade.ts"
import { makeStage, quotedIn, terms, wait } from "./stage.ts"

type Case = Effect.Effect<Reply, unknown, Scope.Scope>

const stage = makeStage()

const malformed = Effect.gen(function* () {
  const { market, seller } = yield* stage
  return yield* market.call("POST /api/listings", { key: seller.key, body: { ...listing(), titel: "x" } })
})

const account = (handle: string) => ({ handle, name: "Somebody", email: "desk@example.com" })

/** A key of the seller's own, after something was done to it. */
const withKey = (spoil: (id: string) => string | number) =>
  Effect.gen(function* () {
    const { market, post, seller } = yield* stage
    const data = yield* post(seller, "/api/me/keys", { label: "laptop", expiresAt: inHours(1) })
    const how = spoil(textAt(data, "key", "id"))
    if (typeof how === "number") yield* wait(how)
    else yield* market.ask(how, { key: seller.key })
    return yield* market.call("GET /api/v1/me", { key: textAt(data, "apiKey") })
  })

const requests: Readonly<Record<string, Case>> = {
  "400 invalid_request": malformed,
  "400 invalid_json": Effect.gen(function* () {
    const { market, seller } = yield* stage
    const headers = { "content-type": "application/json" }
    return yield* market.call("POST /api/listings", { key: seller.key, raw: "{", headers })
  }),
  "400 invalid_cursor": Effect.flatMap(stage, ({ market }) => market.call("GET /api/v1/listings?cursor=x")),
  "401 key_missing": Effect.flatMap(stage, ({ market }) => market.call("GET /api/v1/me")),
  "401 key_invalid": Effect.flatMap(stage, ({ market }) =>
    market.call("GET /api/v1/me", { key: "agent_nobodys" })
  ),
  "401 key_expired": withKey(() => 2),
  "401 key_revoked": withKey((id) => `DELETE /api/me/keys/${id}`),
  "404 not_found": Effect.flatMap(stage, ({ market }) => market.call("GET /api/v1/agents/nobody")),
  "405 method_not_allowed": Effect.flatMap(stage, ({ market }) => market.call("DELETE /api/v1/listings")),
  "413 payload_too_large": Effect.gen(function* () {
    const { market, seller } = yield* stage
    const body = { ...listing(), description: "x".repeat(300_000) }
    return yield* market.call("POST /api/listings", { key: seller.key, body })
  }),
  "415 unsupported_media_type": Effect.gen(function* () {
    const { market, seller } = yield* stage
    const headers = { "content-type": "text/plain" }
    return yield* market.call("POST /api/listings", { key: seller.key, raw: "hello", headers })
  }),
  "429 rate_limited": Effect.gen(function* () {
    const { market } = yield* makeStage({}, { rateLimits: defaultRatePolicies })
    const replies = yield* Effect.forEach(Array.from({ length: 11 }).keys(), (n) =>
      market.call("POST /api/agents", { body: account(`agent-${n}`) })
    )
    return replies[10] ?? (yield* Effect.die("there were eleven"))
  })
}

const rights: Readonly<Record<string, Case>> = {
  "403 forbidden": Effect.gen(function* () {
    const { market, seller, stranger } = yield* stage
    const id = yield* publish(market, seller)
    return yield* market.call(`POST /api/listings/${id}/archive`, { key: stranger.key })
  }),
  "403 agent_suspended": Effect.gen(function* () {
    const { market, seller } = yield* stage
    yield* Effect.orDie(market.operators.suspend(seller.id, "Spam."))
    return yield* market.call("POST /api/listings", { key: seller.key, body: listing() })
  }),
  "403 policy_refused": Effect.gen(function* () {
    const { market, seller } = yield* makeStage({ policy: "Not before Monday." })
    return yield* market.call("POST /api/listings", { key: seller.key, body: listing() })
  })
}

const states: Readonly<Record<string, Case>> = {
  "409 invalid_state": Effect.gen(function* () {
    const { market, seller } = yield* stage
    const id = yield* publish(market, seller)
    return yield* market.call(`POST /api/listings/${id}/activate`, { key: seller.key })
  }),
  "409 not_your_turn": Effect.gen(function* () {
    const { buyer, market, seller } = yield* stage
    const { offerId, roomId, termsDigest } = yield* offered(market, buyer, seller)
    const endpoint = `POST /api/deal-rooms/${roomId}/offers/${offerId}/accept`
    return yield* market.call(endpoint, { key: seller.key, body: { termsDigest } })
  }),
  "409 handle_taken": Effect.flatMap(stage, ({ market }) =>
    market.call("POST /api/agents", { body: account("SELLER") })
  ),
  "409 already_quoted": Effect.gen(function* () {
    const { market, seller, ...others } = yield* stage
    const { rfq } = yield* quotedIn({ market, seller, ...others }, "open")
    return yield* market.call(`POST /api/rfqs/${rfq.id}/quotes`, { key: seller.key, body: quote() })
  }),
  "409 idempotency_in_flight": Effect.gen(function* () {
    const { faults, market, seller } = yield* stage
    const sending = { key: seller.key, body: listing(), headers: { "idempotency-key": "once" } }
    const end = yield* Deferred.make<void>()
    const begun = yield* Deferred.make<void>()
    faults.beforeCommit = ({ idempotency }) =>
      idempotency === undefined
        ? Effect.void
        : Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(end))
    const first = yield* Effect.forkChild(market.call("POST /api/listings", sending))
    yield* Deferred.await(begun)
    const second = yield* market.call("POST /api/listings", sending)
    yield* Deferred.succeed(end, undefined)
    yield* Fiber.join(first)
    return second
  }),
  "412 version_conflict": Effect.gen(function* () {
    const { market, seller } = yield* stage
    const id = yield* publish(market, seller)
    const headers = { "if-match": '"9"' }
    return yield* market.call(`PATCH /api/listings/${id}`, { key: seller.key, headers, body: { tags: [] } })
  })
}

const terms422: Readonly<Record<string, Case>> = {
  "422 self_deal": Effect.gen(function* () {
    const { market, seller } = yield* stage
    const body = { counterparty: seller.id, role: "buyer" }
    return yield* market.call("POST /api/deal-rooms", { key: seller.key, body })
  }),
  "422 offer_expired": Effect.gen(function* () {
    const { buyer, market, seller } = yield* stage
    const { offerId, roomId, termsDigest } = yield* offered(market, buyer, seller)
    yield* wait(73)
    const endpoint = `POST /api/deal-rooms/${roomId}/offers/${offerId}/accept`
    return yield* market.call(endpoint, { key: buyer.key, body: { termsDigest } })
  }),
  "422 terms_mismatch": Effect.gen(function* () {
    const { buyer, market, seller } = yield* stage
    const { offerId, roomId } = yield* offered(market, buyer, seller)
    const endpoint = `POST /api/deal-rooms/${roomId}/offers/${offerId}/accept`
    const body = { termsDigest: `sha256:${"0".repeat(64)}` }
    return yield* market.call(endpoint, { key: buyer.key, body })
  }),
  "422 requirement_unmet": Effect.gen(function* () {
    const { buyer, market, seller } = yield* stage
    const id = yield* callForQuotes(market, buyer)
    const quoteId = yield* submit(market, seller, id, { terms: terms("10.00") })
    return yield* market.call(`POST /api/rfqs/${id}/award`, { key: buyer.key, body: { quoteId } })
  }),
  "422 limit_reached": Effect.gen(function* () {
    const { buyer, market, seller, stranger } = yield* stage
    const id = yield* callForQuotes(market, buyer, { ...rfq(), maxQuotes: 1 })
    yield* submit(market, seller, id)
    return yield* market.call(`POST /api/rfqs/${id}/quotes`, { key: stranger.key, body: quote() })
  }),
  "422 idempotency_key_reused": Effect.gen(function* () {
    const { market, seller } = yield* stage
    const headers = { "idempotency-key": "once" }
    yield* market.call("POST /api/listings", { key: seller.key, headers, body: listing() })
    return yield* market.call("POST /api/listings", { key: seller.key, headers, body: listing("Another") })
  })
}

const faults: Readonly<Record<string, Case>> = {
  "409 conflict": Effect.gen(function* () {
    const { faults, market, seller } = yield* stage
    faults.commit = () => Effect.fail(new StaleVersion({ kind: "agent", id: seller.id }))
    return yield* market.call("POST /api/listings", { key: seller.key, body: listing() })
  }),
  "500 internal": Effect.gen(function* () {
    const { faults, market } = yield* stage
    faults.listings = () => Effect.die(new Error("a bug"))
    return yield* market.call("GET /api/v1/listings")
  }),
  "503 unavailable": Effect.gen(function* () {
    const { faults, market } = yield* stage
    faults.listings = () => Effect.fail(Unavailable.because(new Error("the disk is full")))
    return yield* market.call("GET /api/v1/listings")
  }),
  "503 timeout": Effect.gen(function* () {
    const { faults, market } = yield* stage
    faults.listings = () => Effect.never
    const call = yield* Effect.forkChild(market.call("GET /api/v1/listings"))
    yield* TestClock.adjust("31 seconds")
    return yield* Fiber.join(call)
  }),
  "503 schema_out_of_date": Effect.gen(function* () {
    const { faults, market } = yield* stage
    faults.ready = Effect.fail(new SchemaOutOfDate({ message: "Run souk migrate." }))
    return yield* market.call("GET /readyz")
  })
}

/** A reply with each code, by `status code`. */
export const cases: Readonly<Record<string, Case>> = {
  ...requests,
  ...rights,
  ...states,
  ...terms422,
  ...faults
}
