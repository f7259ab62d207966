/**
 * Starting a market: its store is opened, then the market is built on it. While that fails, because the database is
 * away, its schema is old or another process has the file, it is tried again by itself.
 *
 * The timer between two tries keeps the process, on purpose: a server that waits for its database should stay, also
 * where its host has nothing else open yet. `stop` lets go of it.
 */
import { SchemaOutOfDate } from "@souk/core"
import { Cause, Context, Duration, Effect, Exit, Fiber, Semaphore } from "effect"

export interface Starting<Opened, Built> {
  /** How the first try ended, or the last one that is known; waits for the first. */
  readonly outcome: Effect.Effect<Exit.Exit<Built, unknown>>
  /** Does something with what was opened, and then starts what could not start before. */
  readonly mend: <A, E>(run: (opened: Opened) => Effect.Effect<A, E>) => Effect.Effect<A, unknown>
  /** Ends what is under way, and does not try again. */
  readonly stop: Effect.Effect<void>
}

/**
 * Starts at once, with the services of its surroundings, such as the clock. What was opened is kept for the tries that
 * follow; who opens and who builds lets go of all that they hold when they fail.
 */
export const make = <Opened, Built>(
  open: Effect.Effect<Opened, unknown>,
  build: (opened: Opened) => Effect.Effect<Built, unknown>,
  services: Context.Context<never> = Context.empty()
): Starting<Opened, Built> => {
  const runFork = Effect.runForkWith(services)
  const startOpening = () => runFork(told(open))
  const startBuilding = () => runFork(Effect.flatMap(Fiber.join(opening), (opened) => told(build(opened))))
  let opening = startOpening()
  let building = startBuilding()
  const one = Semaphore.makeUnsafe(1)

  const outcome = Effect.suspend(() => Fiber.await(building))

  const again = Effect.gen(function* () {
    if (Exit.isSuccess(yield* outcome)) return
    if (Exit.isFailure(yield* Fiber.await(opening))) opening = startOpening()
    const next = startBuilding()
    // Until it has ended, callers learn at once how the last one did.
    yield* Effect.onInterrupt(Fiber.await(next), () => Fiber.interrupt(next))
    building = next
  })

  const trying = runFork(
    Effect.gen(function* () {
      let pause = firstPauseMillis
      while (Exit.isFailure(yield* outcome)) {
        yield* Effect.sleep(Duration.millis(pause))
        yield* one.withPermit(again)
        pause = Math.min(2 * pause, longestPauseMillis)
      }
    })
  )

  return {
    outcome,
    mend: (run) =>
      one.withPermit(
        Effect.gen(function* () {
          const done = yield* run(yield* Fiber.join(opening))
          yield* again
          return done
        })
      ),
    stop: Effect.gen(function* () {
      yield* Fiber.interrupt(trying)
      yield* Fiber.interrupt(opening)
      yield* Fiber.interrupt(building)
    })
  }
}

// -----------------------------------------------------------------------------

const firstPauseMillis = 250
const longestPauseMillis = 30_000

/** Logs why something could not start. */
const told = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.tapCause(effect, (cause) => {
    if (Cause.hasInterruptsOnly(cause)) return Effect.void
    const failed = Cause.squash(cause)
    return failed instanceof SchemaOutOfDate
      ? Effect.logWarning(`The market waits for its schema. ${failed.message}`)
      : Effect.logError("The market could not start, and tries again", cause)
  })
