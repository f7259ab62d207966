/**
 * The counters of rate limits in Redis, for all nodes of a market: a limit holds however callers are spread over them.
 *
 * Counters end by themselves, and need not be kept: a Redis without persistence is enough.
 */
import { Effect, Latch, Layer, Redacted, Schedule } from "effect"
import type { Scope } from "effect"
import { RateLimiter, Redis } from "effect/persistence"
import { createClient } from "redis"

export interface RedisRateLimitsOptions {
  /**
   * Where Redis is: `redis://user:password@host:port/database`, or `rediss:` for TLS. As a `Redacted` it is not shown
   * where options are logged.
   */
  readonly url: Redacted.Redacted | string
  /** What the keys of this market begin with, so that several can share a Redis: `souk` by default. */
  readonly prefix?: string | undefined
}

/**
 * Opens the counters and closes their connection with the scope. A Redis that is away, or does not answer, is no
 * failure: counting fails until it is there again, which is looked for every second.
 *
 * Throws a `TypeError` that names the option when one makes no sense.
 */
export const layer = (options: RedisRateLimitsOptions): Layer.Layer<RateLimiter.RateLimiterStore> =>
  Layer.effect(RateLimiter.RateLimiterStore, make(checked(options)))

// -----------------------------------------------------------------------------

type Counters = RateLimiter.RateLimiterStore["Service"]

/** How often Redis is asked whether it is there, and how long it may take to say so. */
const pulse = "1 second"

const make = Effect.fnUntraced(function* ({ prefix, url }: ReturnType<typeof checked>) {
  let counters: Counters | undefined
  let why: unknown
  const tried = yield* Latch.make()

  /** Counts for as long as Redis answers. A line that is dead tells nobody, so it is asked. */
  const connected = Effect.gen(function* () {
    const redis = yield* connect(url)
    counters = yield* RateLimiter.makeStoreRedis({ prefix: `${prefix}:` }).pipe(
      Effect.provideService(Redis.Redis, redis)
    )
    yield* tried.open
    yield* Effect.repeat(Effect.timeout(redis.send("PING"), pulse), Schedule.spaced(pulse))
  }).pipe(
    Effect.scoped,
    Effect.catch((error) =>
      Effect.sync(() => {
        counters = undefined
        why = error instanceof Redis.RedisError ? error.cause : error
      })
    ),
    Effect.andThen(tried.open)
  )
  yield* Effect.forkScoped(Effect.repeat(connected, Schedule.spaced(pulse)))
  // So that what is asked first is counted as well.
  yield* Effect.timeoutOption(tried.await, pulse)

  const through = <A>(use: (counters: Counters) => Effect.Effect<A, RateLimiter.RateLimiterError>) =>
    Effect.suspend(() => (counters === undefined ? Effect.fail(away(why)) : use(counters)))

  return RateLimiter.RateLimiterStore.of({
    fixedWindow: (request) => through((counters) => counters.fixedWindow(request)),
    tokenBucket: (request) => through((counters) => counters.tokenBucket(request)),
    adaptiveConsume: (request) => through((counters) => counters.adaptiveConsume(request)),
    adaptiveFeedback: (request) => through((counters) => counters.adaptiveFeedback(request))
  })
})

/** Opens one connection, which is not mended: whoever uses it opens another. */
const connect = Effect.fnUntraced(function* (
  url: Redacted.Redacted
): Effect.fn.Return<Redis.Redis["Service"], Redis.RedisError, Scope.Scope> {
  const client = yield* Effect.acquireRelease(
    Effect.sync(() => clientOf(url)),
    // What is under way fails: a line that is dead would have it wait for ever.
    (client) => Effect.sync(() => client.destroy())
  )
  // Whoever waits for an answer is told by that; without a listener the process would end.
  client.on("error", () => {})
  const asked = <A>(ask: () => Promise<A>) =>
    Effect.tryPromise({ try: ask, catch: (cause) => new Redis.RedisError({ cause }) })
  yield* Effect.timeoutOrElse(
    asked(() => client.connect()),
    { duration: pulse, orElse: () => Effect.fail(unused("Redis did not answer in time.")) }
  )
  return yield* Redis.make({
    send: <A>(command: string, ...args: ReadonlyArray<string>) =>
      asked(() => client.sendCommand<A>([command, ...args])),
    subscribe: () => Effect.fail(unused("The counters subscribe to nothing.")),
    connect: Effect.fail(unused("The counters have one connection."))
  })
})

const clientOf = (url: Redacted.Redacted) =>
  createClient({
    url: Redacted.value(url),
    disableOfflineQueue: true,
    socket: { reconnectStrategy: false }
  })

/** Where Redis is and what keys begin with, where that makes sense. A URL that does not is not told: it holds a password. */
const checked = ({ prefix = "souk", url }: RedisRateLimitsOptions) => {
  const text: unknown = Redacted.isRedacted(url) ? Redacted.value(url) : url
  if (typeof text !== "string" || !isUrl(text))
    throw new TypeError(
      "url must be a URL that begins with redis: or rediss:, like redis://localhost:6379/0."
    )
  if (typeof prefix !== "string" || !/^[\w.-]{1,64}$/u.test(prefix))
    throw new TypeError("prefix must be a word of at most 64 letters, digits, underscores, dots and hyphens.")
  return { prefix, url: Redacted.make(text) }
}

/** Whether it is the URL of a Redis, which the client can read. */
export const isUrl = (text: string): boolean => {
  if (!/^rediss?:\/\/[^/]/u.test(text)) return false
  try {
    clientOf(Redacted.make(text)).destroy()
    return true
  } catch {
    return false
  }
}

const unused = (message: string) => new Redis.RedisError({ cause: new Error(message) })

const away = (cause: unknown) =>
  new RateLimiter.RateLimiterError({
    reason: new RateLimiter.RateLimitStoreError({ message: "The counters cannot be reached.", cause })
  })
