/**
 * The counters of rate limits on PostgreSQL, for all nodes of a market: a limit holds however callers are spread over
 * them. In the market's schema, after its migrations.
 *
 * Time is the database's. A crash of the server begins the counters anew; a replica has none.
 */
import { PgClient } from "@effect/sql-pg"
import { Duration, Effect, Layer, Schedule } from "effect"
import type { Scope } from "effect"
import { RateLimiter } from "effect/persistence"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { configOf } from "./PostgresConnection.ts"
import { nameOf } from "./PostgresSchema.ts"
import type { InvalidSchemaName, PostgresSchemaOptions } from "./PostgresSchema.ts"
import type { PostgresStoreOptions } from "./PostgresStore.ts"

/** Where the database is and how it is reached: as for the store, with at most four connections of its own. */
export type PostgresRateLimitsOptions = Omit<PostgresStoreOptions, "answerWithin" | "migrate">

/**
 * Opens the counters and closes their connections with the scope. A server that is away is no failure: counting fails
 * until it is there.
 */
export const layer = ({
  schema,
  ...connection
}: PostgresRateLimitsOptions): Layer.Layer<
  RateLimiter.RateLimiterStore,
  InvalidSchemaName | SqlError.SqlError
> =>
  Layer.effect(RateLimiter.RateLimiterStore, make({ schema })).pipe(
    Layer.provide(
      PgClient.layer({
        applicationName: "souk rate limits",
        maxConnections: 4,
        keepAlive: "10 seconds",
        ...configOf(connection)
      })
    )
  )

/**
 * Makes the counters of a client, for hosts that share theirs.
 *
 * **Gotchas**
 *
 * They count in fixed windows, which is how the market counts. Token buckets fail, and nothing is kept of what others
 * answer: `adaptiveConsume` never delays.
 */
export const make: (
  options?: PostgresSchemaOptions
) => Effect.Effect<
  RateLimiter.RateLimiterStore["Service"],
  InvalidSchemaName,
  SqlClient.SqlClient | Scope.Scope
> = Effect.fnUntraced(function* (options = {}) {
  const sql = yield* SqlClient.SqlClient
  const table = sql(`${yield* nameOf(options)}.rate_limits`)
  const now = sql.literal("statement_timestamp()")

  /** A request that is refused writes nothing, so that whoever calls in vain costs little. */
  const count = (key: string, tokens: number, limit: number | null, refillMillis: number) => {
    const refill = sql`make_interval(secs => ${String(refillMillis / 1000)}::float8)`
    const taken = sql`${String(tokens)}::integer`
    const most = sql`${limit === null ? null : String(limit)}::integer`
    const left = sql`(extract(epoch FROM expires_at - ${now}) * 1000)::float8 AS millis`
    return sql<{ readonly count: number; readonly millis: number }>`
      WITH counted AS (
        INSERT INTO ${table} AS c (key, count, expires_at) VALUES (${key}, ${taken}, ${now} + ${refill})
        ON CONFLICT (key) DO UPDATE SET
          count = CASE WHEN c.expires_at <= ${now} THEN excluded.count ELSE c.count + excluded.count END,
          expires_at = greatest(c.expires_at, ${now}) + ${refill}
        WHERE c.expires_at <= ${now} OR ${most} IS NULL OR c.count + excluded.count <= ${most}
        RETURNING count, expires_at
      )
      SELECT count, ${left} FROM counted
      UNION ALL
      SELECT greatest(count + ${taken}, ${most} + 1), ${left} FROM ${table}
      WHERE key = ${key} AND NOT EXISTS (SELECT FROM counted)`
  }

  yield* sql`DELETE FROM ${table} WHERE expires_at <= ${now}`.pipe(
    Effect.ignore({ log: "Debug" }),
    Effect.repeat(Schedule.spaced(dropEvery)),
    Effect.forkScoped
  )

  return RateLimiter.RateLimiterStore.of({
    fixedWindow: ({ key, limit, refillRate, tokens }) =>
      count(key, tokens, limit ?? null, Duration.toMillis(refillRate) * tokens).pipe(
        // Nothing is found where others began the counter after this one had begun to look.
        Effect.repeat({ until: (rows) => rows.length > 0, times: 3 }),
        Effect.map(([row]) => [row?.count ?? tokens, Math.max(0, row?.millis ?? 0)] as const),
        Effect.mapError(failed)
      ),
    tokenBucket: () => Effect.fail(failed(new Error("PostgreSQL keeps no token buckets."))),
    adaptiveConsume: () => Effect.succeed({ delay: Duration.zero, epoch: 0, phase: "inactive" }),
    adaptiveFeedback: () => Effect.void
  })
})

// -----------------------------------------------------------------------------

const dropEvery = Duration.minutes(1)

const failed = (cause: Error) =>
  new RateLimiter.RateLimiterError({
    reason: new RateLimiter.RateLimitStoreError({ message: "The counters cannot be reached.", cause })
  })
