import { assert, describe, it } from "@effect/vitest"
import * as Core from "@souk/core"
import { DateTime, Effect, Schema } from "effect"
import {
  CurrentRequestId,
  failureBody,
  failures,
  failureStatus,
  Internal,
  MethodNotAllowed,
  PayloadTooLarge,
  Timeout,
  UnsupportedMediaType
} from "../src/index.ts"
import type { Failure } from "../src/index.ts"

const message = "A sentence."
const nextActions = [
  { action: "close", by: "buyer" as const, deadline: DateTime.makeUnsafe("2030-01-31T12:00:00Z") }
]

/** Contract §7, with an instance of each. */
const table: ReadonlyArray<readonly [status: number, code: string, refused: Failure]> = [
  [400, "invalid_request", Core.InvalidRequest.at("payload.title", "is required")],
  [400, "invalid_json", new Core.InvalidJson({ message })],
  [400, "invalid_cursor", new Core.InvalidCursor({ message })],
  [401, "key_missing", new Core.KeyMissing({ message })],
  [401, "key_invalid", new Core.KeyInvalid({ message })],
  [401, "key_expired", new Core.KeyExpired({ message })],
  [401, "key_revoked", new Core.KeyRevoked({ message })],
  [403, "forbidden", new Core.Forbidden({ message })],
  [403, "agent_suspended", new Core.AgentSuspended({ message })],
  [403, "policy_refused", new Core.PolicyRefused({ message })],
  [404, "not_found", new Core.NotFound({ message })],
  [405, "method_not_allowed", new MethodNotAllowed({ message })],
  [409, "invalid_state", new Core.InvalidState({ message, status: "open", nextActions })],
  [409, "not_your_turn", new Core.NotYourTurn({ message, status: "negotiating", nextActions })],
  [409, "handle_taken", new Core.HandleTaken({ message })],
  [409, "already_quoted", new Core.AlreadyQuoted({ message })],
  [409, "conflict", new Core.Conflict({ message })],
  [409, "idempotency_in_flight", new Core.IdempotencyInFlight({ message, retryAfterSeconds: 1 })],
  [412, "version_conflict", new Core.VersionConflict({ message, version: 3 })],
  [413, "payload_too_large", new PayloadTooLarge({ message, maxBytes: 262_144 })],
  [415, "unsupported_media_type", new UnsupportedMediaType({ message })],
  [422, "self_deal", new Core.SelfDeal({ message })],
  [422, "offer_expired", new Core.OfferExpired({ message })],
  [422, "terms_mismatch", new Core.TermsMismatch({ message, termsDigest: "sha256:0" })],
  [422, "requirement_unmet", new Core.RequirementUnmet({ message, deviations: ["sworn"] })],
  [422, "limit_reached", new Core.LimitReached({ message })],
  [422, "idempotency_key_reused", new Core.IdempotencyKeyReused({ message })],
  [429, "rate_limited", new Core.RateLimited({ message, retryAfterSeconds: 12 })],
  [500, "internal", new Internal({ message })],
  [503, "unavailable", new Core.Unavailable({ message })],
  [503, "timeout", new Timeout({ message })],
  [503, "schema_out_of_date", new Core.SchemaOutOfDate({ message })]
]

const decode = Schema.decodeUnknownEffect(Schema.toCodecJson(Schema.Union(Object.values(failures))))

describe("a refusal on the wire", () => {
  it("is known for every class", () => {
    const tags = table.map(([, , { _tag }]) => _tag)
    assert.deepStrictEqual(tags.toSorted(), Object.keys(failures).toSorted())
  })

  describe.each(table)("%i %s", (status, code, refused) => {
    it("has the status of the contract", () => assert.strictEqual(failureStatus(refused), status))

    it.effect("has the envelope, its code and the request's id, and no tag", () =>
      Effect.gen(function* () {
        const { ok, error } = yield* failureBody(refused)
        assert.isFalse(ok)
        const { recovery, requestId, ...rest } = error
        assert.deepStrictEqual(
          { code: rest["code"], message: rest["message"], requestId },
          { code, message: refused.message, requestId: "the-request" }
        )
        assert.include(["transient", "correctable", "terminal"], recovery)
        assert.notProperty(rest, "_tag")
      }).pipe(Effect.provideService(CurrentRequestId, "the-request"))
    )

    it.effect("is decoded back to the same class with the same fields", () =>
      Effect.gen(function* () {
        const json: unknown = JSON.parse(JSON.stringify(yield* failureBody(refused)))
        const decoded = yield* decode(json)
        assert.strictEqual(decoded._tag, refused._tag)
        assert.instanceOf(decoded, Error)
        assert.deepStrictEqual({ ...decoded }, { ...refused })
      })
    )
  })

  it.effect("never tells the cause of an unavailable store", () =>
    Effect.gen(function* () {
      const body = yield* failureBody(Core.Unavailable.because(new Error("password=hunter2")))
      assert.sameMembers(Object.keys(body.error), ["code", "recovery", "message", "requestId"])
      assert.notInclude(JSON.stringify(body), "hunter2")
    })
  )

  it.effect("can grow: a client ignores what it does not know", () =>
    Effect.gen(function* () {
      const body = yield* failureBody(new Core.NotFound({ message }))
      const decoded = yield* decode({ ...body, error: { ...body.error, hint: "later" }, more: 1 })
      assert.deepStrictEqual(decoded, new Core.NotFound({ message }))
    })
  )
})
