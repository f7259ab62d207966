/**
 * The sweeper: writes down in the background what time has done, when it has done it, and drops every few minutes what
 * is no longer kept.
 *
 * It sleeps until the soonest deadline of the market and is woken by the commits of this process that set a sooner one.
 * Each node of a market has one; what the others know of, it looks up every few seconds, for the case that they are gone.
 */
import { Cause, DateTime, Duration, Effect, Exit, Layer, Schedule } from "effect"
import { Store } from "../ports/Store.ts"
import { Alarm } from "../services/Alarm.ts"
import { Settling } from "../services/Settling.ts"
import { lookUpEvery } from "./lookUp.ts"

export interface SweeperOptions {
  /**
   * How far apart sweeps are at least: on a busy market an event of time comes so much later at most. 1 where nothing
   * is said. `"off"` leaves it to the host to call `Settling.sweep` and `Settling.forget`, and to other nodes.
   */
  readonly sweepEverySeconds?: number | "off" | undefined
}

const batch = 100
const forgetEvery = Duration.minutes(5)
/** Between two batches the store is everybody's. */
const breath = Duration.millis(50)
const lookUpAlone = Duration.minutes(10)
const afterFault = Duration.seconds(5)

/** Sweeps until the scope closes. */
export const layer = ({ sweepEverySeconds = 1 }: SweeperOptions = {}): Layer.Layer<
  never,
  never,
  Store | Alarm | Settling
> =>
  sweepEverySeconds === "off"
    ? Layer.empty
    : Layer.effectDiscard(
        Effect.andThen(
          Effect.forkScoped(sweepFor(Duration.seconds(sweepEverySeconds))),
          Effect.forkScoped(forgetting)
        )
      )

// -----------------------------------------------------------------------------

const sweepFor = Effect.fnUntraced(function* (pause: Duration.Duration) {
  const store = yield* Store
  const alarm = yield* Alarm
  const settling = yield* Settling
  const lookUpAfter = lookUpEvery(store, lookUpAlone)

  const round = Effect.gen(function* () {
    yield* alarm.clear
    yield* Effect.repeat(settling.sweep(batch), { while: (count) => count > 0 })
    const next = yield* store.deadlines.next
    const now = yield* DateTime.now
    const lookUp = DateTime.addDuration(now, lookUpAfter)
    yield* alarm.wait(next === undefined ? lookUp : DateTime.min(next, lookUp))
    const waited = DateTime.distance(now, yield* DateTime.now)
    if (Duration.isLessThan(waited, pause)) yield* Effect.sleep(Duration.subtract(pause, waited))
  })

  for (;;) {
    const exit = yield* Effect.exit(round)
    if (Exit.isSuccess(exit)) continue
    if (Cause.hasInterruptsOnly(exit.cause)) return
    yield* Effect.logWarning("What time did could not be written down; it is tried again", exit.cause)
    yield* Effect.sleep(afterFault)
  }
})

const forgetting = Effect.gen(function* () {
  const settling = yield* Settling
  const round = Effect.repeat(settling.forget(batch), {
    while: (count) => count > 0,
    schedule: Schedule.spaced(breath)
  })
  for (;;) {
    yield* Effect.sleep(forgetEvery)
    const exit = yield* Effect.exit(round)
    if (Exit.isSuccess(exit)) continue
    if (Cause.hasInterruptsOnly(exit.cause)) return
    yield* Effect.logWarning("What is no longer kept could not be dropped; it is tried again", exit.cause)
  }
})
