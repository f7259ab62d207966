/**
 * Retention: forgets in the background the events that are older than the host keeps them.
 *
 * Whoever comes back with a cursor before them gets `stream.reset`. What the market's own readers of the feed have not
 * seen to is kept, however old it is. Each node of a market does so; only one at a time gets a turn.
 */
import { Cause, DateTime, Duration, Effect, Exit, Layer, Schedule } from "effect"
import type { Instant } from "../model/Instant.ts"
import { Store } from "../ports/Store.ts"
import type { Expired } from "../ports/Store.ts"

export interface RetentionOptions {
  /**
   * How long events are kept: 3,600 or more, since whoever lost a connection needs time to come back. For ever where
   * nothing is said.
   */
  readonly retainEventsSeconds?: number | undefined
}

/** Forgets until the scope closes. */
export const layer = ({ retainEventsSeconds }: RetentionOptions): Layer.Layer<never, never, Store> =>
  retainEventsSeconds === undefined
    ? Layer.empty
    : Layer.effectDiscard(Effect.forkScoped(forgetting(Duration.seconds(retainEventsSeconds))))

// -----------------------------------------------------------------------------

/** The bookmarks of those who read the feed. */
const readers = ["matcher", "webhooks"]
const batch = 500
const every = Duration.minutes(5)
/** Between two batches the store is everybody's. */
const breath = Duration.millis(50)
/** Replies and tasks are the sweeper's. */
const none = DateTime.makeUnsafe(0)

/** Which events a store may forget: those as old as that, as far as each reader has come. */
const eventsUntil = (
  now: Instant,
  kept: Duration.Duration,
  latest: number,
  bookmarks: ReadonlyArray<number>
): Expired["eventsUntil"] => ({
  at: DateTime.subtractDuration(now, kept),
  position: Math.min(latest, ...bookmarks)
})

const forget = Effect.fnUntraced(function* (kept: Duration.Duration) {
  const store = yield* Store
  const bookmarks = yield* Effect.forEach(readers, (reader) => store.bookmarks.byId(reader))
  const until = eventsUntil(
    yield* DateTime.now,
    kept,
    yield* store.events.latest,
    bookmarks.flatMap((bookmark) => (bookmark === undefined ? [] : [bookmark.position]))
  )
  return yield* store.forget({ repliesUntil: none, tasksUntil: none, eventsUntil: until }, batch)
})

const forgetting = Effect.fnUntraced(function* (kept: Duration.Duration) {
  const round = Effect.repeat(forget(kept), {
    while: (count) => count === batch,
    schedule: Schedule.spaced(breath)
  })
  for (;;) {
    yield* Effect.sleep(every)
    const exit = yield* Effect.exit(round)
    if (Exit.isSuccess(exit)) continue
    if (Cause.hasInterruptsOnly(exit.cause)) return
    yield* Effect.logWarning("Old events could not be forgotten; it is tried again", exit.cause)
  }
})
