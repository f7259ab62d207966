/**
 * What `createMarketplace` takes, and the judge of it: what makes no sense is refused at once, by a sentence that names
 * the option. Not every host is written in TypeScript, and figures come from the environment.
 */
import { Market as Core, Options } from "@souk/core"
import type { EventFeedOptions, Store } from "@souk/core"
import { Layer, Redacted } from "effect"
import type { RateLimiter } from "effect/persistence"
import type { WebhookOptions } from "./App.ts"
import type { HostEvents } from "./HostEvents.ts"
import type { HostPorts } from "./HostPorts.ts"
import type { HostPrincipal } from "./HostPrincipal.ts"
import type { Limits } from "./http/Limits.ts"
import type { MetricsAccess } from "./http/MetricsPage.ts"
import type { RatePolicies } from "./http/RateLimit.ts"

type Rule = Options.Rule
const { called, day, isObject, must, options, or, refuse, sentenceAgainst, span, whole, yesOrNo } = Options

export interface MarketplaceOptions extends HostPorts, HostEvents, HostPrincipal {
  /**
   * Where the market keeps what it knows: `MemoryStore.layer` of `@souk/core`, `SqliteStore.layer({ … })` of
   * `@souk/sql`, or one of your own. There is no default, so that nobody loses a market by leaving out an option.
   */
  readonly store: Layer.Layer<Store, unknown>
  /**
   * The path under which requests arrive, such as `/market`; none by default. It is cut from each request and put
   * before each `Location`. Adapters look at the path as it arrived, so it is given also where the host cuts it.
   */
  readonly basePath?: `/${string}`
  /**
   * What the world calls the market, its path included: `https://example.com/market`. It stands in the OpenAPI
   * document and the other descriptions, and `Location` begins with its path. `basePath` by default.
   */
  readonly baseUrl?: string
  /** Size, depth and time of requests; the contract's figures where nothing is said. */
  readonly limits?: Partial<Limits>
  /** Requests per window, or `"off"` where another part of the host limits them; the contract's figures by default. */
  readonly rateLimits?: Partial<RatePolicies> | "off"
  /**
   * Where requests are counted, so that several nodes share their limits: `PostgresRateLimits.layer({ … })` of
   * `@souk/sql/postgres`, `RedisRateLimits.layer({ … })` of `@souk/server/redis`, or another store of effect's
   * `RateLimiter`. In this process where nothing is said. Requests pass while it fails.
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
  readonly webhooks?: WebhookOptions | "off"
  /**
   * Who may read `/metrics`: `"open"`, the default, `"off"`, or who sends the token of `{ bearer }` as
   * `Authorization: Bearer`. The figures name nobody, and tell how much business there is.
   */
  readonly metrics?: MetricsAccess
  /**
   * How events reach readers: `bufferSize`, how many wait for a reader of a stream before it is cut off, 1,024 by
   * default; and `pollEverySeconds`, how often a store that other processes write to is asked, 1 by default.
   */
  readonly feed?: EventFeedOptions
  /**
   * How far apart the rounds are that write down what time does, 1 second by default. Readers see it at once; events of
   * it come so much later at most. `"off"` leaves it to other processes on the same store.
   */
  readonly sweepEverySeconds?: number | "off"
  /** How long after a change it is matched, 1 second by default. `"off"` leaves it to other processes. */
  readonly matching?: { readonly everySeconds?: number | undefined } | "off"
  /** `"off"` leaves it to other processes on the same store to give the orders of the settlement. */
  readonly settlementOrders?: "off"
  /**
   * How long events are kept: 3,600 or more; for ever where nothing is said. Who comes back with an older cursor gets
   * `stream.reset`.
   */
  readonly retainEventsSeconds?: number
  /** How long requests under way may take once `close` is called; 700 by default. */
  readonly graceMillis?: number
}

/** Throws a `TypeError` that names the option which makes no sense, or does not exist. */
export const check = (options: MarketplaceOptions): void => {
  refuse(judge(options, ""))
}

/** Options of something else: some that a marketplace has, and some of its own, with what they must be. */
export interface OtherOptions {
  readonly shared: ReadonlyArray<keyof MarketplaceOptions>
  readonly own: Readonly<Record<string, readonly [be: string, isRight: (value: unknown) => boolean]>>
}

/** Does for other options what `createMarketplace` does for its own: throws a `TypeError` that names the one at fault. */
export const checkOptions = (given: unknown, { own, shared }: OtherOptions): void => {
  const others = Object.entries(own).map(([name, [be, isRight]]) => [name, must(be, isRight)] as const)
  const known = shared.map((name) => [name, rules[name]] as const)
  refuse(options<Record<string, unknown>>(Object.fromEntries([...others, ...known]))(given, ""))
}

// -----------------------------------------------------------------------------

const isUrl = (value: unknown): boolean => {
  const url = typeof value === "string" ? URL.parse(value) : null
  return (
    url !== null &&
    /^https?:$/u.test(url.protocol) &&
    [url.search, url.hash, url.username, url.password].every((part) => part === "")
  )
}

/** No other path would ever be that of a request; what routers take for a pattern is none. */
const isPath = (value: unknown): boolean =>
  typeof value === "string" &&
  /^(\/[^/?#:*]+)+$/u.test(value) &&
  URL.parse(`http://localhost${value}`)?.pathname === value

/** A pattern would be taken for the name of a host, and match none. */
const isHostName = (host: unknown): boolean =>
  typeof host === "string" &&
  /^[^*]+$/u.test(host) &&
  URL.parse(`http://${host}/`)?.hostname === host.toLowerCase()

const isOrigin = (origin: unknown): boolean =>
  typeof origin === "string" && isUrl(origin) && URL.parse(origin)?.origin === origin

const listOf = (be: string, isRight: (value: unknown) => boolean): Rule =>
  must(be, (value) => Array.isArray(value) && value.every(isRight))

/** A token that is empty, since a variable was not set, or one that can be guessed, would be worse than none. */
const isToken = (bearer: unknown): boolean => {
  const token = Redacted.isRedacted(bearer) ? Redacted.value(bearer) : bearer
  return typeof token === "string" && /^[!-~]{16,}$/u.test(token)
}

const ratePolicy = options<RatePolicies["default"]>(
  { limit: whole("requests", 1), windowSeconds: whole("seconds", 1, day) },
  "limit",
  "windowSeconds"
)

const moves = ["authorise", "capture", "refund", "split"]

/** What moves money may be an object of any class, with fields of its own. */
const settlement: Rule = (value, name) =>
  isObject(value)
    ? sentenceAgainst(
        value,
        `${name}.`,
        [
          ...moves.map((move): [string, Rule] => [move, called]),
          ["fundWithinSeconds", whole("seconds", 1, 365 * day)]
        ],
        moves
      )
    : `${name} must be an object with ${moves.join(", ")}.`

const rules: { readonly [Name in keyof Required<MarketplaceOptions>]: Rule } = {
  store: must("be a layer, like MemoryStore.layer of @souk/core", Layer.isLayer),
  basePath: must("be a path as it stands in a URL, without a slash at its end, like /market", isPath),
  baseUrl: must("be a URL that begins with http: or https:, without a query and a password", isUrl),
  limits: options<Limits>({
    maxBodyBytes: whole("bytes", 1),
    maxJsonDepth: whole("levels", 1, 1000),
    maxJsonValues: whole("values", 1),
    requestTimeoutSeconds: span("seconds", 0.001, day),
    maxStreams: whole("streams", 1)
  }),
  rateLimits: or(["off"], options<RatePolicies>({ default: ratePolicy, accounts: ratePolicy })),
  rateLimitStore: must("be a layer, like PostgresRateLimits.layer of @souk/sql/postgres", Layer.isLayer),
  trustProxy: whole("proxies in front", 0),
  requireKeyForReads: yesOrNo,
  webhooks: or(
    ["off"],
    options<WebhookOptions>({
      allowHosts: listOf("hold names as they stand in a URL, without a port, like localhost", isHostName),
      ...Core.deliveryRules
    })
  ),
  metrics: or(
    ["open", "off"],
    options<{ readonly bearer: unknown }>(
      {
        bearer: must("be a token of at least 16 characters, without spaces", isToken)
      },
      "bearer"
    )
  ),
  feed: Core.optionRules.feed,
  sweepEverySeconds: Core.optionRules.sweepEverySeconds,
  matching: Core.optionRules.matching,
  settlementOrders: Core.optionRules.settlementOrders,
  retainEventsSeconds: Core.optionRules.retainEventsSeconds,
  graceMillis: span("milliseconds", 0, day * 1000),
  policy: called,
  moderation: called,
  settlement,
  onEvent: called,
  principal: called,
  trustedOrigins: listOf("hold origins, like https://app.example.com, without a path", isOrigin)
}

const judge = options<MarketplaceOptions>(rules, "store")
