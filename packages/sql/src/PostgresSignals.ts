/**
 * What wakes the other processes of a market on PostgreSQL: a `NOTIFY` after commits, and a `LISTEN` for those of others.
 *
 * A `NOTIFY` inside a transaction would make all commits queue for one lock, so it is sent after them, the first at once
 * and then ten a second at most, however many commits there are. Nothing depends on it but how soon others look.
 */
import type { PgClient } from "@effect/sql-pg"
import { Unavailable } from "@souk/core"
import { Effect, Queue, Schedule, Stream } from "effect"
import type { Scope } from "effect"

export interface Signals {
  /** Tells the others of a commit, soon. */
  readonly send: Effect.Effect<void>
  /** The commits of others, and of this process too. Begins with one, for what was committed before it listened. */
  readonly heard: Stream.Stream<void, Unavailable>
}

/** Sends signals until the scope closes. */
export const make = Effect.fnUntraced(function* (
  pg: PgClient.PgClient,
  listener: PgClient.PgClient,
  schema: string
): Effect.fn.Return<Signals, never, Scope.Scope> {
  const channel = `souk_${schema}`.slice(0, longestName)
  const due = yield* Queue.sliding<void>(1)
  yield* Queue.take(due).pipe(
    // Who is not told looks by himself a little later.
    Effect.andThen(Effect.ignore(pg.notify(channel, ""), { log: "Debug" })),
    Effect.repeat(Schedule.spaced("100 millis")),
    Effect.forkScoped
  )
  const heard = Stream.unwrap(
    Effect.map(listener.listen(channel), (notifications) =>
      Stream.concat(
        // Only now that it listens: what is committed from here on is signalled.
        Stream.succeed(undefined),
        Stream.map(Stream.fromQueue(notifications), () => undefined)
      )
    )
  )
  return {
    send: Effect.asVoid(Queue.offer(due, undefined)),
    heard: Stream.mapError(heard, Unavailable.because)
  }
})

// -----------------------------------------------------------------------------

/** PostgreSQL cuts longer names. Two schemas that share a channel wake each other in vain. */
const longestName = 63
