/**
 * The refusals of the market: one class for each code of contract §7.
 *
 * `message` says in a sentence what is wrong, `recovery` whether to try again (`transient`), to change the request
 * (`correctable`) or to give up (`terminal`). The HTTP status of each is the api package's business.
 */
import { Schema } from "effect"
import { NextAction } from "./DealRoom.ts"

type Recovery = "transient" | "correctable" | "terminal"

const refusal = <const Code extends string, const R extends Recovery>(code: Code, recovery: R) => ({
  code: Schema.tag(code),
  recovery: Schema.tag(recovery),
  message: Schema.String
})

/** One thing that is wrong with an input, and where: `payload.pricing.price.amount`. */
export const Issue = Schema.Struct({ path: Schema.String, message: Schema.String }).annotate({
  identifier: "Issue"
})
export interface Issue extends Schema.Schema.Type<typeof Issue> {}

/** 400: a field is missing, unknown, or not what the contract allows. */
export class InvalidRequest extends Schema.TaggedError<InvalidRequest>()("InvalidRequest", {
  ...refusal("invalid_request", "correctable"),
  issues: Schema.Array(Issue)
}) {
  /** A request with one thing wrong. */
  static at(path: string, message: string): InvalidRequest {
    return new InvalidRequest({ message: `${path} ${message}`, issues: [{ path, message }] })
  }
}

/** 400: the body is not JSON, or nested too deeply. */
export class InvalidJson extends Schema.TaggedError<InvalidJson>()(
  "InvalidJson",
  refusal("invalid_json", "correctable")
) {}

/** 400: a cursor that this list did not give, or gave for other filters. */
export class InvalidCursor extends Schema.TaggedError<InvalidCursor>()(
  "InvalidCursor",
  refusal("invalid_cursor", "correctable")
) {}

/** 401: the call needs a key and has none. */
export class KeyMissing extends Schema.TaggedError<KeyMissing>()(
  "KeyMissing",
  refusal("key_missing", "correctable")
) {}

/** 401: the key is mistyped or unknown. */
export class KeyInvalid extends Schema.TaggedError<KeyInvalid>()(
  "KeyInvalid",
  refusal("key_invalid", "terminal")
) {}

/** 401: the key was good until its expiry. */
export class KeyExpired extends Schema.TaggedError<KeyExpired>()(
  "KeyExpired",
  refusal("key_expired", "terminal")
) {}

/** 401: the key was revoked, or its agent closed. */
export class KeyRevoked extends Schema.TaggedError<KeyRevoked>()(
  "KeyRevoked",
  refusal("key_revoked", "terminal")
) {}

/** 403: the caller sees the resource and may not do this to it. */
export class Forbidden extends Schema.TaggedError<Forbidden>()(
  "Forbidden",
  refusal("forbidden", "terminal")
) {}

/** 403: a suspended agent reads, but does not write. */
export class AgentSuspended extends Schema.TaggedError<AgentSuspended>()(
  "AgentSuspended",
  refusal("agent_suspended", "terminal")
) {}

/** 403: the host's policy or moderation refuses it, and says why. */
export class PolicyRefused extends Schema.TaggedError<PolicyRefused>()(
  "PolicyRefused",
  refusal("policy_refused", "terminal")
) {}

/** 404: it does not exist, or not for this caller. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", refusal("not_found", "terminal")) {}

/** 409: the state table has no such move from here; `nextActions` are the moves it has. */
export class InvalidState extends Schema.TaggedError<InvalidState>()("InvalidState", {
  ...refusal("invalid_state", "terminal"),
  status: Schema.String,
  nextActions: Schema.Array(NextAction)
}) {}

/** 409: the move is the other side's. */
export class NotYourTurn extends Schema.TaggedError<NotYourTurn>()("NotYourTurn", {
  ...refusal("not_your_turn", "transient"),
  status: Schema.String,
  nextActions: Schema.Array(NextAction)
}) {}

/** 409: another agent has the handle, in whatever case. */
export class HandleTaken extends Schema.TaggedError<HandleTaken>()(
  "HandleTaken",
  refusal("handle_taken", "correctable")
) {}

/** 409: one live quote for each agent and RFQ; revise that one. */
export class AlreadyQuoted extends Schema.TaggedError<AlreadyQuoted>()(
  "AlreadyQuoted",
  refusal("already_quoted", "correctable")
) {}

/** 409: others changed the same thing again and again while this was being decided. */
export class Conflict extends Schema.TaggedError<Conflict>()("Conflict", refusal("conflict", "transient")) {}

/** 409: the first request with this Idempotency-Key has not ended. */
export class IdempotencyInFlight extends Schema.TaggedError<IdempotencyInFlight>()("IdempotencyInFlight", {
  ...refusal("idempotency_in_flight", "transient"),
  retryAfterSeconds: Schema.Int
}) {}

/** 412: `If-Match` names another version than the present one. */
export class VersionConflict extends Schema.TaggedError<VersionConflict>()("VersionConflict", {
  ...refusal("version_conflict", "correctable"),
  version: Schema.Int
}) {}

/** 422: an agent cannot deal with itself. */
export class SelfDeal extends Schema.TaggedError<SelfDeal>()("SelfDeal", refusal("self_deal", "terminal")) {}

/** 422: the offer or quote is no longer valid. */
export class OfferExpired extends Schema.TaggedError<OfferExpired>()(
  "OfferExpired",
  refusal("offer_expired", "terminal")
) {}

/** 422: the digest is not that of the terms on the table. */
export class TermsMismatch extends Schema.TaggedError<TermsMismatch>()("TermsMismatch", {
  ...refusal("terms_mismatch", "correctable"),
  termsDigest: Schema.String
}) {}

/** 422: the quote leaves hard requirements unmet and the award does not accept that. */
export class RequirementUnmet extends Schema.TaggedError<RequirementUnmet>()("RequirementUnmet", {
  ...refusal("requirement_unmet", "correctable"),
  deviations: Schema.Array(Schema.String)
}) {}

/** 422: a limit of the contract is used up: quotes of an RFQ, rounds of a room. */
export class LimitReached extends Schema.TaggedError<LimitReached>()(
  "LimitReached",
  refusal("limit_reached", "terminal")
) {}

/** 422: the Idempotency-Key was used with another body. */
export class IdempotencyKeyReused extends Schema.TaggedError<IdempotencyKeyReused>()(
  "IdempotencyKeyReused",
  refusal("idempotency_key_reused", "correctable")
) {}

/** 429: too many requests; try again after `retryAfterSeconds`. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  ...refusal("rate_limited", "transient"),
  retryAfterSeconds: Schema.Int
}) {}

/** 503: the store is of an older schema than this version of the market; its operator has to migrate it. */
export class SchemaOutOfDate extends Schema.TaggedError<SchemaOutOfDate>()(
  "SchemaOutOfDate",
  refusal("schema_out_of_date", "transient")
) {}

/** 503: the store cannot answer now. The cause is for the operator's log, never for the caller. */
export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", {
  ...refusal("unavailable", "transient"),
  cause: Schema.optionalKey(Schema.Defect())
}) {
  /** A store that cannot answer, with what it said. */
  static because(cause: unknown): Unavailable {
    return new Unavailable({ message: "The market's store cannot answer now. Try again.", cause })
  }
}
