/**
 * How a refusal travels: `{ ok: false, error: { code, message, recovery, requestId, … } }` with its HTTP status.
 *
 * A domain error is a tagged class of the core; here each gets its status and its wire form. A client decodes the
 * body back into the class, so both sides handle the same values. What HTTP itself refuses (a wrong method, a body
 * too large, a defect) has its classes here, since no service gives them. Contract §1 "Failure" and §7.
 */
import * as Core from "@souk/core"
import { Context, Effect, Schema, SchemaTransformation } from "effect"
import { HttpApiSchema } from "effect/http-api"

/** The id of the request being answered, as `error.requestId` and the header `Request-Id` give it. */
export const CurrentRequestId = Context.Reference<string>("@souk/api/CurrentRequestId", {
  defaultValue: () => "unknown"
})

// -----------------------------------------------------------------------------
// What HTTP refuses before or around a service
// -----------------------------------------------------------------------------

const refusal = <const Code extends string, const R extends "transient" | "correctable" | "terminal">(
  code: Code,
  recovery: R
) => ({ code: Schema.tag(code), recovery: Schema.tag(recovery), message: Schema.String })

/** 405: the path exists and does not take this method; the header `Allow` names those it takes. */
export class MethodNotAllowed extends Schema.TaggedError<MethodNotAllowed>()(
  "MethodNotAllowed",
  refusal("method_not_allowed", "correctable")
) {}

/** 413: the body is larger than the market reads. */
export class PayloadTooLarge extends Schema.TaggedError<PayloadTooLarge>()("PayloadTooLarge", {
  ...refusal("payload_too_large", "correctable"),
  maxBytes: Schema.Int
}) {}

/** 415: a body that is not declared as `application/json`. */
export class UnsupportedMediaType extends Schema.TaggedError<UnsupportedMediaType>()(
  "UnsupportedMediaType",
  refusal("unsupported_media_type", "correctable")
) {}

/** 500: a defect of the market. It tells nothing of the cause; `requestId` finds it in the operator's log. */
export class Internal extends Schema.TaggedError<Internal>()("Internal", refusal("internal", "transient")) {}

/** 503: the request took longer than the market gives it. */
export class Timeout extends Schema.TaggedError<Timeout>()("Timeout", refusal("timeout", "transient")) {}

// -----------------------------------------------------------------------------
// The wire form
// -----------------------------------------------------------------------------

/** What every refusal says. */
interface Refusal {
  readonly code: string
  readonly message: string
  readonly recovery: string
}

type Field = Schema.Codec<unknown, unknown>

/** A class of refusals: a codec of its instances that knows its fields. */
type Refusals = Schema.Codec<Refusal, Refusal & { readonly _tag: string }> & {
  readonly identifier: string
  readonly fields: { readonly [Name in keyof Refusal]: Schema.Codec<string, string> } & {
    readonly [name: string]: Field
  }
}

/**
 * The wire form of a class of refusals, with its HTTP status.
 *
 * `requestId` is taken from `CurrentRequestId` when a refusal is encoded and dropped when it is decoded. The tag is
 * left out, since `code` says it, and so is `cause`, which is for the operator alone.
 */
export const failure = <C extends Refusals>(refusals: C, status: number) => {
  const { _tag, cause: _cause, code, message, recovery, ...extras } = refusals.fields
  const wire = Schema.Struct({
    ok: Schema.Literal(false),
    error: Schema.Struct({
      code: Schema.toEncoded(code),
      message: Schema.toEncoded(message),
      recovery: Schema.toEncoded(recovery),
      requestId: Schema.String,
      ...Object.fromEntries(Object.entries(extras).map(([name, field]) => [name, Schema.toEncoded(field)]))
    })
  }).annotate({ identifier: refusals.identifier })
  const parse = Schema.decodeUnknownEffect(Schema.toEncoded(refusals))
  return wire.pipe(
    Schema.decodeTo(
      refusals,
      SchemaTransformation.transformEffect({
        decode: ({ error }, options) =>
          parse({ ...error, _tag: refusals.identifier }, options).pipe(
            Effect.mapError((failed) => failed.issue)
          ),
        encode: (refused) =>
          Effect.map(CurrentRequestId, (requestId) => ({
            ok: false as const,
            error: {
              code: refused.code,
              message: refused.message,
              recovery: refused.recovery,
              requestId,
              ...pick(refused, Object.keys(extras))
            }
          }))
      })
    ),
    HttpApiSchema.status(status)
  )
}

const pick = (record: object, names: ReadonlyArray<string>): { readonly [name: string]: unknown } =>
  Object.fromEntries(Object.entries(record).filter(([name]) => names.includes(name)))

// -----------------------------------------------------------------------------
// Every refusal with its status: contract §7
// -----------------------------------------------------------------------------

/** The wire form of every refusal that the market can give, by the name of its class. */
export const failures = {
  InvalidRequest: failure(Core.InvalidRequest, 400),
  InvalidJson: failure(Core.InvalidJson, 400),
  InvalidCursor: failure(Core.InvalidCursor, 400),
  KeyMissing: failure(Core.KeyMissing, 401),
  KeyInvalid: failure(Core.KeyInvalid, 401),
  KeyExpired: failure(Core.KeyExpired, 401),
  KeyRevoked: failure(Core.KeyRevoked, 401),
  Forbidden: failure(Core.Forbidden, 403),
  AgentSuspended: failure(Core.AgentSuspended, 403),
  PolicyRefused: failure(Core.PolicyRefused, 403),
  NotFound: failure(Core.NotFound, 404),
  MethodNotAllowed: failure(MethodNotAllowed, 405),
  InvalidState: failure(Core.InvalidState, 409),
  NotYourTurn: failure(Core.NotYourTurn, 409),
  HandleTaken: failure(Core.HandleTaken, 409),
  AlreadyQuoted: failure(Core.AlreadyQuoted, 409),
  Conflict: failure(Core.Conflict, 409),
  IdempotencyInFlight: failure(Core.IdempotencyInFlight, 409),
  VersionConflict: failure(Core.VersionConflict, 412),
  PayloadTooLarge: failure(PayloadTooLarge, 413),
  UnsupportedMediaType: failure(UnsupportedMediaType, 415),
  SelfDeal: failure(Core.SelfDeal, 422),
  OfferExpired: failure(Core.OfferExpired, 422),
  TermsMismatch: failure(Core.TermsMismatch, 422),
  RequirementUnmet: failure(Core.RequirementUnmet, 422),
  LimitReached: failure(Core.LimitReached, 422),
  IdempotencyKeyReused: failure(Core.IdempotencyKeyReused, 422),
  RateLimited: failure(Core.RateLimited, 429),
  Internal: failure(Internal, 500),
  Unavailable: failure(Core.Unavailable, 503),
  Timeout: failure(Timeout, 503),
  SchemaOutOfDate: failure(Core.SchemaOutOfDate, 503)
}

/** Every refusal that the market can give. */
export type Failure = (typeof failures)[keyof typeof failures]["Type"]

const encodeFailure = Schema.encodeEffect(Schema.Union(Object.values(failures)))

/** The HTTP status of a refusal. */
export const failureStatus = (refused: Failure): number =>
  Schema.resolveAnnotationsKey(failures[refused._tag])?.httpApiStatus ?? 500

/** The body of a refusal that no endpoint writes, such as that of an unknown path or of a defect. */
export const failureBody = (refused: Failure) => Effect.orDie(encodeFailure(refused))

const { RateLimited, Internal: InternalFailure, Unavailable, Timeout: TimeoutFailure } = failures

/** What every operation can answer. */
export const onRead = [RateLimited, InternalFailure, Unavailable, TimeoutFailure] as const

/** What a list can answer. */
export const onPage = [...onRead, failures.InvalidCursor] as const

/** What every operation with a body can answer. */
export const onWrite = [
  ...onRead,
  failures.InvalidJson,
  failures.PayloadTooLarge,
  failures.UnsupportedMediaType,
  failures.Conflict,
  failures.IdempotencyInFlight,
  failures.IdempotencyKeyReused
] as const

/** What a write by an agent can answer. */
export const onCreate = [
  ...onWrite,
  failures.AgentSuspended,
  failures.Forbidden,
  failures.PolicyRefused
] as const

/** What a write to something that exists can answer. */
export const onChange = [
  ...onCreate,
  failures.NotFound,
  failures.VersionConflict,
  failures.InvalidState,
  failures.NotYourTurn,
  failures.LimitReached
] as const
