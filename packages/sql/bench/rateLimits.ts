/** How many requests a second the shared rate limits count, and what one costs. Starts a PostgreSQL of its own. */
import { Duration, Effect, Layer, Redacted } from "effect"
import { RateLimiter } from "effect/persistence"
import { startPostgres } from "../../../test/Postgres.ts"
import { PostgresRateLimits, PostgresStore } from "../src/postgres.ts"

const calls = 20_000

const measure = Effect.fnUntraced(function* (
  name: string,
  callers: number,
  concurrency: number,
  limit: number
) {
  const { consume } = yield* RateLimiter.RateLimiter
  const started = performance.now()
  yield* Effect.forEach(
    Array.from({ length: calls }).keys(),
    (n) => Effect.exit(consume({ key: `${name} ${n % callers}`, limit, window: Duration.hours(1) })),
    { concurrency, discard: true }
  )
  const millis = performance.now() - started
  console.log(
    `${name.padEnd(40)} ${Math.round((calls / millis) * 1000)} a second, ${((millis * concurrency) / calls).toFixed(2)} ms each`
  )
})

const postgres = await startPostgres({ fsync: true })
const url = Redacted.make(postgres.url)
const store = PostgresRateLimits.layer({ url })
const migrated = Layer.provideMerge(store, PostgresStore.layer({ url, migrate: true }))
await Effect.runPromise(
  Effect.gen(function* () {
    yield* measure("1,000 callers, one at a time", 1000, 1, 1e6)
    yield* measure("1,000 callers, 32 at a time", 1000, 32, 1e6)
    yield* measure("one caller, 32 at a time", 1, 32, 1e6)
    yield* measure("one caller who is refused, 32 at a time", 1, 32, 1)
  }).pipe(Effect.provide(Layer.provide(RateLimiter.layer, migrated)))
)
await postgres.stop()
