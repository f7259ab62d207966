/**
 * The market as routes: a Layer that adds the whole contract to an HttpRouter, for hosts written in Effect.
 *
 * It needs the services of `@souk/core` and the store beneath them; `http/Listener` or any other server of effect
 * serves the router.
 */
import { openApiDocument, SchemaErrors, SoukApi, toRefusal } from "@souk/api"
import type { Market as Core, Store } from "@souk/core"
import { Effect, Layer } from "effect"
import type { FileSystem, Path } from "effect"
import type { Etag, HttpPlatform, HttpRouter } from "effect/http"
import { HttpApiBuilder, HttpApiMiddleware } from "effect/http-api"
import type { RateLimiter } from "effect/persistence"
import * as Agents from "./handlers/Agents.ts"
import * as Authentication from "./handlers/Authentication.ts"
import * as DealRooms from "./handlers/DealRooms.ts"
import * as Events from "./handlers/Events.ts"
import * as Inbox from "./handlers/Inbox.ts"
import * as Keys from "./handlers/Keys.ts"
import * as Listings from "./handlers/Listings.ts"
import * as Matches from "./handlers/Matches.ts"
import * as Quotes from "./handlers/Quotes.ts"
import * as Requests from "./handlers/Requests.ts"
import * as Rfqs from "./handlers/Rfqs.ts"
import * as Search from "./handlers/Search.ts"
import * as Webhooks from "./handlers/Webhooks.ts"
import * as Draining from "./http/Draining.ts"
import * as FailureLog from "./http/FailureLog.ts"
import type { Principal } from "./http/HostLogin.ts"
import { withDefaults } from "./http/Limits.ts"
import type { Limits } from "./http/Limits.ts"
import * as OpenStreams from "./http/OpenStreams.ts"
import type { MetricsAccess } from "./http/MetricsPage.ts"
import * as RateLimit from "./http/RateLimit.ts"
import * as RouteTable from "./http/RouteTable.ts"
import * as SecretHeaders from "./http/SecretHeaders.ts"
import * as Shell from "./http/Shell.ts"
import * as System from "./System.ts"

export interface MarketOptions {
  /** What the world calls the market, for what describes it: `https://market.example`. */
  readonly baseUrl?: string
  /** Size, depth and time of requests; the contract's figures where nothing is said. */
  readonly limits?: Partial<Limits>
  /** Requests per window, or `"off"` where a load test or another part of the host limits them. */
  readonly rateLimits?: Partial<RateLimit.RatePolicies> | "off"
  /**
   * Where requests are counted, so that several nodes share their limits: `PostgresRateLimits.layer` of
   * `@souk/sql/postgres`, `RedisRateLimits.layer` of `@souk/server/redis`. In this process where nothing is said. Requests pass
   * while it fails; where it cannot be built, that is a defect.
   */
  readonly rateLimitStore?: Layer.Layer<RateLimiter.RateLimiterStore, unknown>
  /** How many proxies of its own the host has in front; 0 ignores `X-Forwarded-For`. */
  readonly trustProxy?: number
  /** Closes what is open without a key, but for creating an account. */
  readonly requireKeyForReads?: boolean
  /**
   * Who may read `/metrics`: `"open"`, the default, `"off"`, or who sends the token of `{ bearer }` as
   * `Authorization: Bearer`. The figures name nobody, and tell how much business there is.
   */
  readonly metrics?: MetricsAccess
  /**
   * The host's own login in the place of a key: gives the id of the agent that it stands for, alone or with the end of
   * the login, or nothing for nobody. A failure is 503 `unavailable`, and logged.
   */
  readonly principal?: Principal | undefined
  /** Other origins whose pages may write with a login; that of `baseUrl`, or of the market's host, always may. */
  readonly trustedOrigins?: ReadonlyArray<string>
}

/** What the routes stand on: the market's services, its store, and what every server of effect has. */
export type MarketNeeds = Core.MarketServices | Store | HttpRouter.HttpRouter | HttpServerNeeds

/** What `HttpServer.layerServices` gives, and every server of effect. */
type HttpServerNeeds = FileSystem.FileSystem | Path.Path | HttpPlatform.HttpPlatform | Etag.Generator

/** Adds the market to a router. Its options have been judged. */
export const make = (options: MarketOptions): Layer.Layer<Draining.Draining, never, MarketNeeds> => {
  const rateLimit = rateLimitOf(options)
  const shell = Shell.layer({
    routes: options.metrics === "off" ? entries.filter(({ path }) => path !== "/metrics") : entries,
    uncounted: System.probes,
    trustProxy: options.trustProxy ?? 0,
    limits: options.limits ?? {}
  })
  const document = Effect.sync(() => openApiDocument({ serverUrl: options.baseUrl }))
  const authentication = Authentication.layer(options)
  const api = HttpApiBuilder.layer(SoukApi).pipe(
    Layer.provide(handlers),
    Layer.provide([schemaErrors, authentication, FailureLog.layer])
  )
  const { baseUrl, metrics, trustProxy } = options
  return Layer.mergeAll(api, System.layer({ document, baseUrl, metrics, trustProxy }), shell).pipe(
    Layer.provide(rateLimit),
    Layer.provide(OpenStreams.layer(withDefaults(options.limits).maxStreams)),
    Layer.provideMerge(Layer.merge(Draining.layer, SecretHeaders.layer))
  )
}

const rateLimitOf = ({ rateLimits, rateLimitStore }: MarketOptions): Layer.Layer<RateLimit.RateLimit> => {
  if (rateLimits === "off") return RateLimit.layerOff
  const policies = RateLimit.withDefaults(rateLimits)
  return rateLimitStore === undefined
    ? RateLimit.layerMemory(policies)
    : RateLimit.layerStore(rateLimitStore, policies)
}

const entries = [...RouteTable.entriesOf(SoukApi), ...System.entries]

const handlers = Layer.mergeAll(
  Agents.layer,
  DealRooms.layer,
  Events.layer,
  Inbox.layer,
  Keys.layer,
  Listings.layer,
  Matches.layer,
  Quotes.layer,
  Requests.layer,
  Rfqs.layer,
  Search.layer,
  Webhooks.layer
)

const schemaErrors = HttpApiMiddleware.layerSchemaErrorTransform(SchemaErrors, (error) => {
  const refusal = toRefusal(error)
  // Our own reply does not fit its schema, or the id cannot exist: the failsafe has the words for both.
  return refusal === undefined || refusal._tag !== "InvalidRequest" ? Effect.die(error) : Effect.fail(refusal)
})
