/**
 * The market for hosts that know no Effect: one object, promises in and promises out.
 *
 * It starts at once and takes requests from its first moment. Two marketplaces share nothing, also when they are given
 * the same options.
 */
import { Context, Effect, Redacted, Stream } from "effect"
import type { Layer } from "effect"
import { HttpEffect } from "effect/http"
import type { RateLimiter } from "effect/persistence"
import type { Store } from "@souk/core"
import * as App from "./App.ts"
import * as HostApi from "./HostApi.ts"
import type { HostEvents } from "./HostEvents.ts"
import type { HostPorts } from "./HostPorts.ts"
import * as HostPrincipal from "./HostPrincipal.ts"
import { ActingAs } from "./http/ActingAs.ts"
import { catalogPath } from "./http/Descriptions.ts"
import type { Limits } from "./http/Limits.ts"
import type { MetricsAccess } from "./http/MetricsPage.ts"
import type { RatePolicies } from "./http/RateLimit.ts"

export interface MarketplaceOptions extends HostPorts, HostEvents, HostPrincipal.HostPrincipal {
  /**
   * Where the market keeps what it knows: `MemoryStore.layer` of `@souk/core`, `SqliteStore.layer({ … })` of
   * `@souk/sql`, or one of your own. There is no default, so that nobody loses a market by leaving out an option.
   */
  readonly store: Layer.Layer<Store, unknown>
  /**
   * The path under which requests arrive, such as `/market`; none by default. It is cut from each request and put
   * before each `Location`. Leave it out where the host cuts it itself.
   */
  readonly basePath?: `/${string}`
  /**
   * What the world calls the market, its path included: `https://example.com/market`. It stands in the OpenAPI
   * document and the other descriptions, and `Location` begins with its path. `basePath` by default.
   */
  readonly baseUrl?: string
  /** Size, depth and time of requests; the contract's figures where nothing is said. */
  readonly limits?: Partial<Limits>
  /** Requests per window, or `"off"` where another part of the host limits them. */
  readonly rateLimits?: RatePolicies | "off"
  /**
   * Where requests are counted, so that several nodes share their limits: `PostgresRateLimits.layer({ … })` of
   * `@souk/sql/postgres`, or another store of effect's `RateLimiter`. In this process where nothing is said. Requests
   * pass while it fails.
   */
  readonly rateLimitStore?: Layer.Layer<RateLimiter.RateLimiterStore, unknown>
  /** How many proxies of its own the host has in front; 0, the default, ignores `X-Forwarded-For`. */
  readonly trustProxy?: number
  /** Closes what is open without a key, but for creating an account. */
  readonly requireKeyForReads?: boolean
  /**
   * How webhooks are delivered: `allowHosts` of your own network that they may call, and how long a receiver may take,
   * `timeoutSeconds`, 15 by default. `"off"` has none.
   */
  readonly webhooks?: App.WebhookOptions | "off"
  /**
   * Who may read `/metrics`: `"open"`, the default, `"off"`, or who sends the token of `{ bearer }` as
   * `Authorization: Bearer`. The figures name nobody, and tell how much business there is.
   */
  readonly metrics?: MetricsAccess
  /**
   * How long events are kept: 3,600 or more; for ever where nothing is said. Who comes back with an older cursor gets
   * `stream.reset`.
   */
  readonly retainEventsSeconds?: number
  /** How long requests under way may take once `close` is called; 700 by default. */
  readonly graceMillis?: number
}

/** What the host knows of a caller and the request does not tell. */
export interface RequestOrigin {
  /** The address of the connection. Without it all callers without a key share one rate limit. */
  readonly clientAddress?: string
  /** What the framework made of the request: what `principal` gets as `host`. */
  readonly host?: unknown
}

export interface Marketplace {
  /** Answers a request. It never rejects: failures are responses. */
  readonly fetch: (request: Request, origin?: RequestOrigin) => Promise<Response>
  /**
   * Answers what belongs to the root of the host's origin whatever path the market is mounted at, which is
   * `/.well-known/api-catalog` (RFC 9727); gives undefined for everything else.
   */
  readonly wellKnown: (request: Request, origin?: RequestOrigin) => Promise<Response | undefined>
  /** Resolves when the store can serve; rejects with the reason when it cannot. */
  readonly ready: () => Promise<void>
  /**
   * Brings the schema of the store up to date, and gives the names of the migrations that it took: none where it was up
   * to date, or has no schema. Safe to call twice, and from several processes at once. A market that could not start on
   * the schema of before starts then.
   */
  readonly migrate: () => Promise<ReadonlyArray<string>>
  /** What the host does itself: the calls of the market's operator, and those of any agent. */
  readonly api: HostApi.HostApi
  /** Ends streams at once and requests under way after a moment, then lets go of the store. Later requests are 503. */
  readonly close: () => Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/**
 * Creates a market.
 *
 * Throws a `TypeError` that names the option when one makes no sense; what goes wrong later is told by `ready`.
 *
 * @example
 * ```ts
 * import { MemoryStore } from "@souk/core"
 * import { createMarketplace } from "@souk/server"
 *
 * const market = createMarketplace({ store: MemoryStore.layer })
 * const response = await market.fetch(new Request("http://localhost/api/v1/listings"))
 * ```
 */
export const createMarketplace = (options: MarketplaceOptions): Marketplace => {
  check(options)
  const app = App.make({ ...options, principal: HostPrincipal.make(options) })
  const answer = HttpEffect.toWebHandler(app.answer)
  const answerHost = HttpEffect.toWebHandler(app.answerHost)
  let closed: Promise<void> | undefined
  const close = () => (closed ??= Effect.runPromise(app.close))
  const fetch: Marketplace["fetch"] = (request, origin) =>
    answer(
      request,
      Context.make(App.GivenAddress, origin?.clientAddress).pipe(
        Context.add(HostPrincipal.GivenHost, origin?.host)
      )
    )
  const marketplace: Marketplace = {
    fetch,
    wellKnown: async (request, origin) => {
      const url = new URL(request.url)
      if (url.pathname !== catalogPath) return undefined
      url.pathname = app.basePath + catalogPath
      return fetch(new Request(url, request), origin)
    },
    ready: () => Effect.runPromise(app.ready),
    migrate: () => Effect.runPromise(app.migrate),
    api: HostApi.make({
      answer: (request, by) => answerHost(request, Context.make(ActingAs, by)),
      run: (call) => Effect.runPromise(app.run(call)),
      iterate: (call, signal) => Stream.toAsyncIterable(untilAborted(app.stream(call), signal))
    }),
    close,
    [Symbol.asyncDispose]: close
  }
  apps.set(marketplace, app)
  return marketplace
}

/** Finds what is behind a marketplace, for the adapters. */
export const appOf = (marketplace: Marketplace): App.App => {
  const app = apps.get(marketplace)
  if (app === undefined) throw new TypeError("This is no marketplace that createMarketplace made.")
  return app
}

// -----------------------------------------------------------------------------

const untilAborted = <A, E>(stream: Stream.Stream<A, E>, signal: AbortSignal | undefined) =>
  signal === undefined
    ? stream
    : Stream.interruptWhen(
        stream,
        Effect.callback<void>((resume) => {
          const end = () => resume(Effect.void)
          if (signal.aborted) return end()
          signal.addEventListener("abort", end, { once: true })
          return Effect.sync(() => signal.removeEventListener("abort", end))
        })
      )

const apps = new WeakMap<Marketplace, App.App>()

/** A token that is empty, since a variable was not set, or one that can be guessed, would be worse than none. */
const isToken = (bearer: string | Redacted.Redacted): boolean =>
  /^[!-~]{16,}$/u.test(typeof bearer === "string" ? bearer : Redacted.value(bearer))

const check = ({
  basePath,
  baseUrl,
  trustProxy,
  retainEventsSeconds,
  metrics,
  graceMillis,
  settlement,
  webhooks
}: MarketplaceOptions): void => {
  const refuse = (sentence: string): never => {
    throw new TypeError(sentence)
  }
  if (basePath !== undefined && !/^(\/[^/?#]+)+$/u.test(basePath))
    refuse("basePath must begin with a slash and not end with one, like /market.")
  if (baseUrl !== undefined && !/^https?:$/u.test(URL.parse(baseUrl)?.protocol ?? ""))
    refuse("baseUrl must be a URL that begins with http: or https:.")
  if (trustProxy !== undefined && !(Number.isInteger(trustProxy) && trustProxy >= 0))
    refuse("trustProxy must be the number of proxies in front: 0, 1, 2 …")
  if (typeof metrics === "object" && !isToken(metrics.bearer))
    refuse("metrics.bearer must be a token of at least 16 characters, without spaces.")
  if (retainEventsSeconds !== undefined && !(retainEventsSeconds >= 3600))
    refuse("retainEventsSeconds must be a number of seconds, 3,600 or more.")
  if (graceMillis !== undefined && !(graceMillis >= 0))
    refuse("graceMillis must be a number of milliseconds, zero or more.")
  const fundWithin = settlement?.fundWithinSeconds
  if (fundWithin !== undefined && !(Number.isInteger(fundWithin) && fundWithin >= 1))
    refuse("settlement.fundWithinSeconds must be a whole number of seconds, 1 or more.")
  if (webhooks === undefined || webhooks === "off") return
  if (webhooks.timeoutSeconds !== undefined && !(webhooks.timeoutSeconds > 0))
    refuse("webhooks.timeoutSeconds must be a number of seconds, more than zero.")
  if (webhooks.allowHosts?.some((host) => URL.parse(`http://${host}/`)?.hostname !== host.toLowerCase()))
    refuse("webhooks.allowHosts must hold names as they stand in a URL, without a port, like localhost.")
}
