/**
 * The matcher: finds what fits in the background when something comes to be or changes.
 *
 * It is woken by the events of its process, and lets a moment pass so that a burst of them is one round. Each node of a
 * market has one; what the others did not come to, it finds when it looks by itself.
 */
import { Cause, Duration, Effect, Exit, Layer, Queue } from "effect"
import { EventFeed } from "../services/EventFeed.ts"
import { isTelling, Matching } from "../services/Matching.ts"

export interface MatcherOptions {
  /** How long after a change it is matched, together with what else has changed by then; 1 where nothing is said. */
  readonly everySeconds?: number | undefined
}

const lookEvery = Duration.minutes(10)
const afterFault = Duration.seconds(5)

/** Matches until the scope closes. */
export const layer = (
  options: MatcherOptions | "off" = {}
): Layer.Layer<never, never, EventFeed | Matching> =>
  options === "off"
    ? Layer.empty
    : Layer.effectDiscard(Effect.forkScoped(matchFor(Duration.seconds(options.everySeconds ?? 1))))

// -----------------------------------------------------------------------------

const matchFor = Effect.fnUntraced(function* (pause: Duration.Duration) {
  const feed = yield* EventFeed
  const matching = yield* Matching

  // Whoever listens before he looks misses nothing that comes while he looks.
  const round = Effect.gen(function* () {
    const { events } = yield* feed.subscribe(({ event }) => isTelling(event.type))
    yield* Effect.sleep(pause)
    yield* Effect.repeat(matching.round, { while: (count) => count > 0 })
    yield* Effect.timeoutOption(Effect.exit(Queue.take(events)), lookEvery)
  }).pipe(Effect.scoped)

  for (;;) {
    const exit = yield* Effect.exit(round)
    if (Exit.isSuccess(exit)) continue
    if (Cause.hasInterruptsOnly(exit.cause)) return
    yield* Effect.logWarning("What is new could not be matched; it is tried again", exit.cause)
    yield* Effect.sleep(afterFault)
  }
})
