// Written by scripts/write-operations.ts from the contract: do not edit.
import type { Details } from "../Details.ts"
import { SoukError } from "../SoukError.ts"

/** `invalid_request` */
export class InvalidRequestError extends SoukError<"invalid_request"> {}

/** `invalid_json` */
export class InvalidJsonError extends SoukError<"invalid_json"> {}

/** `invalid_cursor` */
export class InvalidCursorError extends SoukError<"invalid_cursor"> {}

/** `key_missing` */
export class KeyMissingError extends SoukError<"key_missing"> {}

/** `key_invalid` */
export class KeyInvalidError extends SoukError<"key_invalid"> {}

/** `key_expired` */
export class KeyExpiredError extends SoukError<"key_expired"> {}

/** `key_revoked` */
export class KeyRevokedError extends SoukError<"key_revoked"> {}

/** `forbidden` */
export class ForbiddenError extends SoukError<"forbidden"> {}

/** `agent_suspended` */
export class AgentSuspendedError extends SoukError<"agent_suspended"> {}

/** `policy_refused` */
export class PolicyRefusedError extends SoukError<"policy_refused"> {}

/** `not_found` */
export class NotFoundError extends SoukError<"not_found"> {}

/** `method_not_allowed` */
export class MethodNotAllowedError extends SoukError<"method_not_allowed"> {}

/** `invalid_state` */
export class InvalidStateError extends SoukError<"invalid_state"> {
  declare readonly status: Details<"InvalidState">["status"]
  declare readonly nextActions: Details<"InvalidState">["nextActions"]
}

/** `not_your_turn` */
export class NotYourTurnError extends SoukError<"not_your_turn"> {
  declare readonly status: Details<"NotYourTurn">["status"]
  declare readonly nextActions: Details<"NotYourTurn">["nextActions"]
}

/** `handle_taken` */
export class HandleTakenError extends SoukError<"handle_taken"> {}

/** `already_quoted` */
export class AlreadyQuotedError extends SoukError<"already_quoted"> {}

/** `conflict` */
export class ConflictError extends SoukError<"conflict"> {}

/** `idempotency_in_flight` */
export class IdempotencyInFlightError extends SoukError<"idempotency_in_flight"> {}

/** `version_conflict` */
export class VersionConflictError extends SoukError<"version_conflict"> {
  declare readonly version: Details<"VersionConflict">["version"]
}

/** `payload_too_large` */
export class PayloadTooLargeError extends SoukError<"payload_too_large"> {
  declare readonly maxBytes: Details<"PayloadTooLarge">["maxBytes"]
}

/** `unsupported_media_type` */
export class UnsupportedMediaTypeError extends SoukError<"unsupported_media_type"> {}

/** `self_deal` */
export class SelfDealError extends SoukError<"self_deal"> {}

/** `offer_expired` */
export class OfferExpiredError extends SoukError<"offer_expired"> {}

/** `terms_mismatch` */
export class TermsMismatchError extends SoukError<"terms_mismatch"> {
  declare readonly termsDigest: Details<"TermsMismatch">["termsDigest"]
}

/** `requirement_unmet` */
export class RequirementUnmetError extends SoukError<"requirement_unmet"> {
  declare readonly deviations: Details<"RequirementUnmet">["deviations"]
}

/** `limit_reached` */
export class LimitReachedError extends SoukError<"limit_reached"> {}

/** `idempotency_key_reused` */
export class IdempotencyKeyReusedError extends SoukError<"idempotency_key_reused"> {}

/** `rate_limited` */
export class RateLimitedError extends SoukError<"rate_limited"> {}

/** `internal` */
export class InternalError extends SoukError<"internal"> {}

/** `unavailable` */
export class UnavailableError extends SoukError<"unavailable"> {}

/** `timeout` */
export class TimeoutError extends SoukError<"timeout"> {}

/** `schema_out_of_date` */
export class SchemaOutOfDateError extends SoukError<"schema_out_of_date"> {}

/** The class of each code of the contract. */
export const errorClasses = {
  invalid_request: InvalidRequestError,
  invalid_json: InvalidJsonError,
  invalid_cursor: InvalidCursorError,
  key_missing: KeyMissingError,
  key_invalid: KeyInvalidError,
  key_expired: KeyExpiredError,
  key_revoked: KeyRevokedError,
  forbidden: ForbiddenError,
  agent_suspended: AgentSuspendedError,
  policy_refused: PolicyRefusedError,
  not_found: NotFoundError,
  method_not_allowed: MethodNotAllowedError,
  invalid_state: InvalidStateError,
  not_your_turn: NotYourTurnError,
  handle_taken: HandleTakenError,
  already_quoted: AlreadyQuotedError,
  conflict: ConflictError,
  idempotency_in_flight: IdempotencyInFlightError,
  version_conflict: VersionConflictError,
  payload_too_large: PayloadTooLargeError,
  unsupported_media_type: UnsupportedMediaTypeError,
  self_deal: SelfDealError,
  offer_expired: OfferExpiredError,
  terms_mismatch: TermsMismatchError,
  requirement_unmet: RequirementUnmetError,
  limit_reached: LimitReachedError,
  idempotency_key_reused: IdempotencyKeyReusedError,
  rate_limited: RateLimitedError,
  internal: InternalError,
  unavailable: UnavailableError,
  timeout: TimeoutError,
  schema_out_of_date: SchemaOutOfDateError
}
