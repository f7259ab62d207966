/**
 * How often one caller may call: `RateLimit-Policy` and `RateLimit` on every response, 429 `rate_limited` with
 * `Retry-After` beyond it. Contract §1, "Rate limits"; headers after draft-ietf-httpapi-ratelimit-headers.
 *
 * Who the caller is, is known only after authentication, so the endpoints' own middleware counts: by key where there is
 * one, else by address. A request that nobody counted, such as one for an unknown path, is counted by its address here.
 */
import { RateLimited } from "@souk/core"
import { Context, Duration, Effect, Fiber, Layer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { RateLimiter } from "effect/persistence"
import { ActingAs } from "./ActingAs.ts"
import { CurrentClientAddress, networkOf } from "./ClientAddress.ts"
import type { Middleware } from "./Middleware.ts"
import * as Refusal from "./Refusal.ts"

/** So many requests in so many seconds. */
interface RatePolicy {
  readonly limit: number
  readonly windowSeconds: number
}

/** `default` counts every request, `accounts` the creation of accounts for each address. */
export type PolicyName = "default" | "accounts"
export type RatePolicies = Readonly<Record<PolicyName, RatePolicy>>

/** The contract's figures. */
export const defaultRatePolicies: RatePolicies = {
  default: { limit: 600, windowSeconds: 60 },
  accounts: { limit: 10, windowSeconds: 3600 }
}

/** Fills in what is not said; what is undefined is not said either. */
export const withDefaults = ({
  default: every = defaultRatePolicies.default,
  accounts = defaultRatePolicies.accounts
}: Partial<RatePolicies> = {}): RatePolicies => ({ default: every, accounts })

export class RateLimit extends Context.Service<
  RateLimit,
  {
    /** Counts one request of a caller, or refuses it. A store of counters that fails lets the request pass. */
    readonly check: (request: {
      readonly policy: PolicyName
      readonly key: string
    }) => Effect.Effect<void, RateLimited>
    /** Counts one request of the current address, or refuses it. */
    readonly checkAddress: (policy: PolicyName) => Effect.Effect<void, RateLimited>
    /** Puts the headers on responses and counts what nobody counted, but for requests of the `exempt` paths. */
    readonly middleware: (exempt: ReadonlyArray<string>) => Middleware
  }
>()("@souk/server/http/RateLimit") {}

/** Limits nobody and sends no headers: for load tests, and for hosts that limit elsewhere. */
export const layerOff: Layer.Layer<RateLimit> = Layer.succeed(RateLimit, {
  check: () => Effect.void,
  checkAddress: () => Effect.void,
  middleware: () => (effect) => effect
})

/** Limits by counters in a store, which all nodes that have it share. */
export const layerStore = (
  store: Layer.Layer<RateLimiter.RateLimiterStore, unknown>,
  policies: RatePolicies = defaultRatePolicies
) => layer(policies).pipe(Layer.provide(RateLimiter.layer), Layer.provide(Layer.orDie(store)))

/** Limits by counters in whatever store `RateLimiter` has. */
const layer = (policies: RatePolicies = defaultRatePolicies) => Layer.effect(RateLimit, make(policies))

/** Limits by counters in this process's memory, of at most `maxCallers` callers. */
export const layerMemory = (policies: RatePolicies = defaultRatePolicies, maxCallers = 100_000) =>
  Layer.provide(layer(policies), Layer.effect(RateLimiter.RateLimiter, bounded(maxCallers)))

// -----------------------------------------------------------------------------
// Counting
// -----------------------------------------------------------------------------

/** Where a caller stands with a policy: what is left of it, and when all of it is back. */
interface Standing {
  readonly remaining: number
  readonly resetSeconds: number
  readonly refused: boolean
}

type Standings = Map<PolicyName, Standing>

/** What has been counted for the current request. */
const CurrentStandings = Context.Reference<Standings>("@souk/server/http/CurrentStandings", {
  defaultValue: () => new Map()
})

/** How long a request waits for a store of counters. */
const patience = Duration.seconds(1)

/** Waits no longer, not even for what a store has to tidy up behind a call that is given up. */
const patiently = <A, E>(call: Effect.Effect<A, E>) =>
  Effect.flatMap(Effect.forkDetach(call, { startImmediately: true }), (fiber) =>
    Effect.timeout(Fiber.join(fiber), patience).pipe(
      Effect.onError(() => Effect.sync(() => fiber.interruptUnsafe()))
    )
  )

const warnEvery = Duration.seconds(10)

const make = Effect.fnUntraced(function* (policies: RatePolicies) {
  const limiter = yield* RateLimiter.RateLimiter
  let quietUntil = 0

  /** Says so now and then: a store that is away is away for every request. */
  const warn = (error: unknown) =>
    Effect.clockWith((clock) =>
      Effect.suspend(() => {
        const now = clock.currentTimeMillisUnsafe()
        if (now < quietUntil) return Effect.void
        quietUntil = now + Duration.toMillis(warnEvery)
        return Effect.logWarning("The rate limits cannot be counted; requests pass", error)
      })
    )

  const check = Effect.fnUntraced(function* (request: { readonly policy: PolicyName; readonly key: string }) {
    if ((yield* ActingAs) !== undefined) return
    const { limit, windowSeconds } = policies[request.policy]
    const standings = yield* CurrentStandings
    const outcome = yield* limiter
      .consume({ key: `${request.policy}:${request.key}`, limit, window: Duration.seconds(windowSeconds) })
      .pipe(
        Effect.map(({ remaining, resetAfter }) => ({
          remaining,
          resetSeconds: secondsOf(resetAfter),
          refused: false
        })),
        Effect.catchReason("RateLimiterError", "RateLimitExceeded", ({ retryAfter }) =>
          Effect.succeed({ remaining: 0, resetSeconds: Math.max(1, secondsOf(retryAfter)), refused: true })
        ),
        patiently,
        Effect.catch((error) => Effect.as(warn(error), undefined))
      )
    if (outcome === undefined) return
    standings.set(request.policy, outcome)
    if (outcome.refused) return yield* refusal(policies[request.policy], outcome.resetSeconds)
  })

  const checkAddress = (policy: PolicyName) =>
    Effect.flatMap(CurrentClientAddress, (address) => check({ policy, key: `address:${networkOf(address)}` }))

  return RateLimit.of({
    check,
    checkAddress,
    middleware: (exempt) => (effect) =>
      Effect.suspend(() => {
        const standings: Standings = new Map()
        return effect.pipe(
          Effect.flatMap((response) => countedLast(response, standings, exempt, checkAddress("default"))),
          Effect.provideService(CurrentStandings, standings),
          Effect.map((response) => HttpServerResponse.setHeaders(response, headersOf(policies, standings)))
        )
      })
  })
})

/** Counts what nobody counted. What has been done is not hidden by a refusal: that takes a failure's place alone. */
const countedLast = Effect.fnUntraced(function* (
  response: HttpServerResponse.HttpServerResponse,
  standings: Standings,
  exempt: ReadonlyArray<string>,
  count: Effect.Effect<void, RateLimited>
) {
  const { method, url } = yield* HttpServerRequest.HttpServerRequest
  if (standings.has("default") || exempt.includes(url.split("?", 1)[0] ?? url)) return response
  const harmless = response.status >= 400 || method === "GET" || method === "HEAD" || method === "OPTIONS"
  return yield* Effect.matchEffect(count, {
    onSuccess: () => Effect.succeed(response),
    onFailure: (refused) => (harmless ? Refusal.reply(refused) : Effect.succeed(response))
  })
})

const refusal = ({ limit, windowSeconds }: RatePolicy, retryAfterSeconds: number) =>
  new RateLimited({
    message: `More than ${limit} requests in ${windowSeconds} seconds. Try again in ${retryAfterSeconds} seconds.`,
    retryAfterSeconds
  })

const secondsOf = (duration: Duration.Duration) => Math.ceil(Duration.toSeconds(duration))

/**
 * Counts in memory, and starts anew when there are more callers than memory is given to: the counters of effect's store
 * are never dropped, and addresses cost an attacker nothing.
 */
const bounded = Effect.fnUntraced(function* (maxCallers: number) {
  const fresh = Effect.provide(RateLimiter.make, Layer.fresh(RateLimiter.layerStoreMemory))
  const callers = new Set<string>()
  let limiter = yield* fresh
  return RateLimiter.RateLimiter.of({
    ...limiter,
    consume: Effect.fnUntraced(function* (request) {
      if (callers.size >= maxCallers && !callers.has(request.key)) {
        callers.clear()
        limiter = yield* fresh
      }
      callers.add(request.key)
      return yield* limiter.consume(request)
    })
  })
})

// -----------------------------------------------------------------------------
// Headers
// -----------------------------------------------------------------------------

const headersOf = (policies: RatePolicies, standings: Standings): Record<string, string> => {
  const counted = [...standings]
  const names: ReadonlyArray<PolicyName> = counted.length === 0 ? ["default"] : counted.map(([name]) => name)
  const policy = names.map((name) => `"${name}";q=${policies[name].limit};w=${policies[name].windowSeconds}`)
  const limits = counted.map(
    ([name, { remaining, resetSeconds }]) => `"${name}";r=${remaining};t=${resetSeconds}`
  )
  const refused = counted.find(([, standing]) => standing.refused)
  return {
    "ratelimit-policy": policy.join(", "),
    ...(limits.length === 0 ? {} : { ratelimit: limits.join(", ") }),
    ...(refused === undefined ? {} : { "retry-after": `${refused[1].resetSeconds}` })
  }
}
