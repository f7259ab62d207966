/**
 * What wakes the sweeper in time: commits tell of the deadlines that they set, so that it can sleep until the soonest
 * one, however far ahead that is.
 */
import { Clock, Context, DateTime, Effect, Layer, Queue } from "effect"
import type { Instant } from "../model/Instant.ts"

export class Alarm extends Context.Service<
  Alarm,
  {
    /** Tells of a deadline. */
    readonly set: (at: Instant) => Effect.Effect<void>
    /** Forgets what was set: the store knows it. */
    readonly clear: Effect.Effect<void>
    /** Waits until a moment, or until the soonest deadline that was set since `clear`, before the wait or during it. */
    readonly wait: (until: Instant) => Effect.Effect<void>
  }
>()("@souk/core/Alarm") {
  static readonly layer: Layer.Layer<Alarm> = Layer.effect(
    Alarm,
    Effect.gen(function* () {
      const signal = yield* Queue.sliding<void>(1)
      let soonest = Number.POSITIVE_INFINITY

      const set = (at: Instant) =>
        Effect.suspend(() => {
          const millis = DateTime.toEpochMillis(at)
          if (millis >= soonest) return Effect.void
          soonest = millis
          return Effect.asVoid(Queue.offer(signal, undefined))
        })

      const sleep = Effect.gen(function* () {
        for (;;) {
          const left = soonest - (yield* Clock.currentTimeMillis)
          if (left <= 0) return
          const timer = Effect.as(Effect.sleep(Math.min(left, longestTimer)), "passed")
          const sooner = Effect.as(Queue.take(signal), "sooner")
          if ((yield* Effect.raceFirst(timer, sooner)) === "passed") return
        }
      })

      return Alarm.of({
        set,
        clear: Effect.sync(() => {
          soonest = Number.POSITIVE_INFINITY
        }),
        wait: (until) => Effect.andThen(set(until), sleep)
      })
    })
  )
}

/** No timer of the platform runs longer. */
const longestTimer = 2 ** 31 - 1
