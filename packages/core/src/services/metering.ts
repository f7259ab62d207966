/**
 * Counts what passes the ports and the services: each layer puts a counter around what it is given and changes nothing
 * else, so that nobody knows that he is counted.
 */
import { Clock, Effect, Exit, Layer, Metric, Option } from "effect"
import type { NewEvent } from "../model/Event.ts"
import { EventType } from "../model/Event.ts"
import { SearchIndex } from "../ports/SearchIndex.ts"
import type { CommitFailure } from "../ports/Store.ts"
import { Store } from "../ports/Store.ts"
import { Commands } from "./Commands.ts"
import { Events } from "./Events.ts"
import { Metrics } from "./Metrics.ts"

/** Counts commits by what came of them, the events in them, and how long they took. */
export const store: Layer.Layer<Store, never, Store | Metrics> = Layer.effect(
  Store,
  Effect.gen(function* () {
    const inner = yield* Store
    const metrics = yield* Metrics
    for (const counter of Object.values(commits)) metrics.record(counter, 0)
    for (const counter of eventCounters.values()) metrics.record(counter, 0)
    const tell = (exit: Exit.Exit<unknown, CommitFailure>, told: ReadonlyArray<NewEvent>) => {
      metrics.record(commits[outcomeOf(exit)], 1)
      if (Exit.isFailure(exit)) return
      for (const { event } of told) {
        const counter = eventCounters.get(event.type)
        if (counter !== undefined) metrics.record(counter, 1)
      }
    }
    return Store.of({
      ...inner,
      commit: (commit) =>
        timed(inner.commit(commit), (seconds, exit) => {
          metrics.record(commitSeconds, seconds)
          tell(exit, commit.events)
        })
    })
  })
)

/** Counts the commands that gave up after the last stale version. */
export const commands: Layer.Layer<Commands, never, Commands | Metrics> = Layer.effect(
  Commands,
  Effect.gen(function* () {
    const inner = yield* Commands
    const metrics = yield* Metrics
    metrics.record(conflicts, 0)
    return Commands.of({
      run: (command, options) =>
        Effect.tapError(inner.run(command, options), (error) =>
          Effect.sync(() => {
            if (isConflict(error)) metrics.record(conflicts, 1)
          })
        )
    })
  })
)

/** Measures how long the index looks for hits. */
export const searchIndex: Layer.Layer<SearchIndex, never, SearchIndex | Metrics> = Layer.effect(
  SearchIndex,
  Effect.gen(function* () {
    const inner = yield* SearchIndex
    const metrics = yield* Metrics
    return SearchIndex.of({
      ...inner,
      find: (query) => timed(inner.find(query), (seconds) => metrics.record(searchSeconds, seconds))
    })
  })
)

/** Counts the streams that are open now. */
export const events: Layer.Layer<Events, never, Events | Metrics> = Layer.effect(
  Events,
  Effect.gen(function* () {
    const inner = yield* Events
    const metrics = yield* Metrics
    const one = Effect.acquireRelease(
      Effect.sync(() => metrics.shift(streamsOpen, 1)),
      () => Effect.sync(() => metrics.shift(streamsOpen, -1))
    )
    metrics.record(streamsOpen, 0)
    return Events.of({ ...inner, open: (viewer, query) => Effect.tap(inner.open(viewer, query), () => one) })
  })
)

// -----------------------------------------------------------------------------
// The figures
// -----------------------------------------------------------------------------

const commitsThat = (outcome: string) =>
  Metric.counter("souk_commits_total", {
    description:
      "Commits by outcome: a stale one is decided again, a taken one met a handle, quote, review or idempotency key.",
    attributes: { outcome },
    incremental: true
  })

const commits = {
  committed: commitsThat("committed"),
  stale: commitsThat("stale"),
  taken: commitsThat("taken"),
  failed: commitsThat("failed")
}

const commitSeconds = Metric.histogram("souk_commit_duration_seconds", {
  description: "How long the store takes for a commit.",
  boundaries: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
})

const conflicts = Metric.counter("souk_conflicts_total", {
  description: "Commands refused with conflict, since others changed the same thing again and again.",
  incremental: true
})

const eventCounters: ReadonlyMap<EventType, Metric.Counter<number>> = new Map(
  EventType.literals.map((type) => [
    type,
    Metric.counter("souk_events_total", {
      description: "Events that this process committed, by type.",
      attributes: { type },
      incremental: true
    })
  ])
)

const searchSeconds = Metric.histogram("souk_search_duration_seconds", {
  description: "How long the index takes to find and rank.",
  boundaries: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1]
})

const streamsOpen = Metric.gauge("souk_streams_open", {
  description: "Event streams that are open on this process."
})

// -----------------------------------------------------------------------------

const outcomeOf = (exit: Exit.Exit<unknown, CommitFailure>): keyof typeof commits => {
  if (Exit.isSuccess(exit)) return "committed"
  switch (Option.getOrUndefined(Exit.findErrorOption(exit))?._tag) {
    case "StaleVersion":
      return "stale"
    case "UniqueViolation":
      return "taken"
    case "Unavailable":
    case undefined:
      return "failed"
  }
}

const isConflict = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "Conflict"

/** Tells how long an effect took, and what came of it. */
const timed = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  tell: (seconds: number, exit: Exit.Exit<A, E>) => void
): Effect.Effect<A, E, R> =>
  Clock.clockWith((clock) => {
    const start = clock.currentTimeNanosUnsafe()
    return Effect.onExit(effect, (exit) =>
      Effect.sync(() => tell(Number(clock.currentTimeNanosUnsafe() - start) / 1e9, exit))
    )
  })
