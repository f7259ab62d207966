/**
 * What goes wrong in a call, as errors to catch: one class for each code. Contract §1 "Failure" and §7.
 *
 * The fields of the reply are fields of the error: `retryAfterSeconds`, `issues`, `nextActions` and so on.
 */

/** What to do about a failure: try again, change the request, or give up. */
export type Recovery = "transient" | "correctable" | "terminal"

/** One thing that is wrong with a request, and where: `payload.pricing.price.amount`. */
export interface Issue {
  readonly path: string
  readonly message: string
}

/** What is known of a failure: the `error` of a reply, or what the client puts in its place. */
export interface Refusal {
  readonly code: string
  readonly message: string
  readonly recovery: Recovery
  readonly requestId?: string | undefined
  readonly [field: string]: unknown
}

/** Every failure of a call; for the codes of the contract it is a subclass. */
export class SoukError<Code extends string = string> extends Error {
  /** The word of contract §7, such as `not_found`; the client's own are in `ConnectionError` and below it. */
  declare readonly code: Code
  declare readonly recovery: Recovery
  /** The HTTP status of the reply; undefined where none came. */
  declare readonly httpStatus: number | undefined
  /** What the market's operator finds in its log. */
  declare readonly requestId: string | undefined
  /** How long to wait before the next attempt, where the market says so. */
  declare readonly retryAfterSeconds: number | undefined
  /** What is wrong with the request; empty for most failures. */
  declare readonly issues: ReadonlyArray<Issue>

  constructor(refusal: Refusal, options: { readonly httpStatus?: number; readonly cause?: unknown } = {}) {
    super(refusal.message, "cause" in options ? { cause: options.cause } : {})
    // Not from the class: what bundlers make of its name tells nobody anything.
    this.name = `${refusal.code.replace(/(?:^|_)([a-z])/gu, (_, first: string) => first.toUpperCase())}Error`
    const base = { issues: [], retryAfterSeconds: undefined, requestId: undefined }
    const fields = { ...base, ...refusal, httpStatus: options.httpStatus }
    for (const [name, value] of Object.entries(fields))
      if (!(name in this)) Object.defineProperty(this, name, { value, enumerable: true })
  }
}

/** No reply came, not even after further attempts: `cause` says why. */
export class ConnectionFailedError extends SoukError<"connection_failed"> {
  constructor(cause: unknown) {
    super(
      { code: "connection_failed", message: "The market could not be reached.", recovery: "transient" },
      { cause }
    )
  }
}

/** No reply came within `timeoutMillis`, not even after further attempts. */
export class NoReplyError extends SoukError<"no_reply"> {
  constructor(timeoutMillis: number) {
    super({
      code: "no_reply",
      message: `The market did not reply within ${timeoutMillis} ms.`,
      recovery: "transient"
    })
  }
}

/** A reply that is not the market's: a page of some proxy, or of another server at the same address. */
export class UnexpectedReplyError extends SoukError<"unexpected_reply"> {
  constructor(httpStatus: number, retryAfterSeconds: number | undefined) {
    super(
      {
        code: "unexpected_reply",
        message: `The reply with status ${httpStatus} is not one of the market.`,
        recovery: httpStatus >= 500 || httpStatus === 429 ? "transient" : "terminal",
        retryAfterSeconds
      },
      { httpStatus }
    )
  }
}

/** The position of a stream was too old, so events were missed: read the state anew and go on from `cursor`. */
export class StreamResetError extends SoukError<"stream_reset"> {
  declare readonly cursor: string
  constructor(cursor: string) {
    super({
      code: "stream_reset",
      message:
        "The events behind this cursor are no longer kept. Read the state anew and go on from the new one.",
      recovery: "correctable",
      cursor
    })
  }
}
