/**
 * What wakes the other processes of a market on PostgreSQL: a `NOTIFY` after commits, and a `LISTEN` for those of others.
 *
 * A `NOTIFY` inside a transaction would make all commits queue for one lock, so it is sent after them, the first at once
 * and then ten a second at most, however many commits there are. Nothing depends on it but how soon others look.
 */
import type { PgClient, PgConnection } from "@effect/sql-pg"
import { Unavailable } from "@souk/core"
import { Duration, Effect, Queue, Schedule, Scope, Stream } from "effect"
import type { SqlError } from "effect/sql"

export interface Signals {
  /** Tells the others of a commit, soon. */
  readonly send: Effect.Effect<void>
  /** The commits of others, and of this process too. Begins with one, for what was committed before it listened. */
  readonly heard: Stream.Stream<void, Unavailable>
}

interface SignalsOptions {
  /** Sends. */
  readonly pg: PgClient.PgClient
  /** Opens a connection to listen on. */
  readonly connect: Effect.Effect<PgConnection.PgConnection, SqlError.SqlError, Scope.Scope>
  readonly schema: string
  /** How long the line that is listened on may be silent when it is asked, and how often it is. */
  readonly answerWithin: Duration.Duration
}

/** Sends signals until the scope closes. */
export const make = Effect.fnUntraced(function* ({
  answerWithin,
  connect,
  pg,
  schema
}: SignalsOptions): Effect.fn.Return<Signals, never, Scope.Scope> {
  const channel = `souk_${schema}`.slice(0, longestName)
  const due = yield* Queue.sliding<void>(1)
  yield* Queue.take(due).pipe(
    // Who is not told looks by himself a little later.
    Effect.andThen(Effect.ignore(Effect.timeout(pg.notify(channel, ""), answerWithin), { log: "Debug" })),
    Effect.repeat(Schedule.spaced("100 millis")),
    Effect.forkScoped
  )
  const heard = Stream.unwrap(
    Effect.map(listen(connect, channel, answerWithin), ({ alive, notifications }) =>
      Stream.concat(
        // Only now that it listens: what is committed from here on is signalled.
        Stream.succeed(undefined),
        Stream.map(Stream.fromQueue(notifications), () => undefined)
      ).pipe(Stream.merge(Stream.drain(Stream.fromEffect(alive)), { haltStrategy: "left" }))
    )
  )
  return {
    send: Effect.asVoid(Queue.offer(due, undefined)),
    heard: Stream.mapError(heard, Unavailable.because)
  }
})

// -----------------------------------------------------------------------------

/** Listens on a connection of its own until the scope closes; `alive` fails once nothing answers at its other end. */
const listen = Effect.fnUntraced(function* (
  connect: SignalsOptions["connect"],
  channel: string,
  answerWithin: Duration.Duration
) {
  const connection = yield* Effect.flatMap(connect, ({ pin }) => pin)
  const inTime = Effect.timeoutOrElse({
    duration: answerWithin,
    orElse: () => Effect.fail(new Error("PostgreSQL did not answer in time."))
  })
  // In a scope that never closes: to end listening would wait for an answer, over a line that may be dead. The
  // connection, which is let go while it listens, is cut.
  const notifications = yield* inTime(Scope.provide(connection.listen(channel), yield* Scope.make()))
  // To listen twice is to listen once.
  const alive = inTime(connection.query(`LISTEN ${channel}`)).pipe(Effect.delay(answerWithin), Effect.forever)
  return { notifications, alive }
})

/** PostgreSQL cuts longer names. Two schemas that share a channel wake each other in vain. */
const longestName = 63
