/**
 * The host's own login in the place of a key: whom it stands for, how long, and from which pages. Contract §2.
 *
 * A browser sends a login by itself, whichever page asks. So a write that comes from a page of another origin is
 * refused, by what browsers say of it: `Sec-Fetch-Site`, and `Origin` where they do not know that one.
 */
import { AgentId, Forbidden, KeyExpired, KeyInvalid, Unavailable } from "@souk/core"
import { Cause, Clock, Context, DateTime, Effect, Schema } from "effect"
import { HttpServerRequest } from "effect/http"

/** Whom a login stands for. */
export interface Identity {
  readonly agentId: string
  /** When the login ends, and with it the streams that it opened; never where nothing is said. */
  readonly expiresAt?: Date | undefined
}

/** Tells whom the host knows as the caller of a request: an agent's id, alone or with more, or nothing for nobody. */
export type Principal = (
  request: HttpServerRequest.HttpServerRequest
) => Effect.Effect<Identity | string | null | undefined, unknown>

export interface HostLoginOptions {
  readonly principal?: Principal | undefined
  /** Other origins whose pages may write with a login, like `https://app.example.com`. */
  readonly trustedOrigins?: ReadonlyArray<string> | undefined
  /** What the world calls the market: its origin is trusted as well. */
  readonly baseUrl?: string | undefined
}

/** When the login of the current request ends. */
export const LoginEnd = Context.Reference<DateTime.Utc | undefined>("@souk/server/http/LoginEnd", {
  defaultValue: () => undefined
})

/** A login that is good now. */
interface Login {
  readonly agentId: string
  readonly end: DateTime.Utc | undefined
}

/** Makes the judge of logins; it gives nothing for a request that has none. */
export const make = ({ baseUrl, principal, trustedOrigins = [] }: HostLoginOptions) => {
  const trusted = new Set([...trustedOrigins, baseUrl].map(originOf))
  return Effect.gen(function* () {
    if (principal === undefined) return undefined
    const request = yield* HttpServerRequest.HttpServerRequest
    const login = loginOf(yield* ask(() => principal(request)))
    if (login === undefined) return undefined
    if (isForeign(request, trusted)) return yield* foreign()
    if (login.end !== undefined && DateTime.toEpochMillis(login.end) <= (yield* Clock.currentTimeMillis))
      return yield* new KeyExpired({ message: "The login has ended. Log in again." })
    return login
  })
}

/**
 * The refusal of a login for an agent that this market does not have: a mistake of the host's, so it is logged. What is
 * no agent's id may be a secret.
 */
export const unknownAgent = (agentId: string) =>
  Effect.andThen(
    Effect.logWarning(
      "The host's principal stands for an agent that does not exist",
      isAgentId(agentId) ? agentId : "(not an agent's id)"
    ),
    Effect.fail(new KeyInvalid({ message: "The login stands for no agent of this market." }))
  )

// -----------------------------------------------------------------------------

const isAgentId = Schema.is(AgentId)

const Answer = Schema.UndefinedOr(
  Schema.NullOr(
    Schema.Union([
      Schema.NonEmptyString,
      Schema.Struct({
        agentId: Schema.NonEmptyString,
        expiresAt: Schema.optional(Schema.UndefinedOr(Schema.Date))
      })
    ])
  )
)
const decodeAnswer = Schema.decodeUnknownEffect(Schema.toType(Answer))
const patience = "10 seconds"

/** Nothing that goes wrong with the host's own code is taken for nobody: the caller would be shown another market. */
const ask = (
  principal: () => Effect.Effect<unknown, unknown>
): Effect.Effect<typeof Answer.Type, Unavailable> =>
  Effect.suspend(principal).pipe(
    Effect.timeout(patience),
    Effect.flatMap(decodeAnswer),
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.interrupt
        : Effect.andThen(
            Effect.logError("The host's principal could not answer", cause),
            new Unavailable({ message: "The market cannot tell now who calls. Try again." })
          )
    )
  )

const loginOf = (answer: typeof Answer.Type): Login | undefined => {
  if (answer === undefined || answer === null) return undefined
  if (typeof answer === "string") return { agentId: answer, end: undefined }
  const { agentId, expiresAt } = answer
  return { agentId, end: expiresAt === undefined ? undefined : DateTime.fromDateUnsafe(expiresAt) }
}

const originOf = (url: string | undefined) => (url === undefined ? undefined : URL.parse(url)?.origin)

const harmless: ReadonlyArray<string> = ["GET", "HEAD", "OPTIONS"]

/** Callers that are no browsers send neither header. */
const isForeign = (
  { headers, method }: HttpServerRequest.HttpServerRequest,
  trusted: ReadonlySet<string | undefined>
): boolean => {
  if (harmless.includes(method)) return false
  const { host, origin, "sec-fetch-site": site } = headers
  if (origin !== undefined && trusted.has(origin)) return false
  if (site !== undefined) return site !== "same-origin" && site !== "none"
  return origin !== undefined && URL.parse(origin)?.host !== host
}

const foreign = () =>
  new Forbidden({
    message:
      "A page of another origin may not write with this login. Send a key, or have the host trust the origin."
  })
