/** The indexer: keeps the search index of this process level with what others commit, where there are others. */
import { Effect, Layer, Queue } from "effect"
import { EventFeed } from "../services/EventFeed.ts"
import { Indexing } from "../services/Indexing.ts"

/** Follows the feed until the scope closes. */
export const layer: Layer.Layer<never, never, EventFeed | Indexing> = Layer.effectDiscard(
  Effect.gen(function* () {
    const { isShared } = yield* Indexing
    if (isShared) yield* Effect.forkScoped(Effect.forever(round))
  })
)

// -----------------------------------------------------------------------------

const pause = "50 millis"

/** Waits for events, and has the index learn of them. What comes meanwhile wakes it again. */
const round = Effect.gen(function* () {
  const indexing = yield* Indexing
  const feed = yield* EventFeed
  const { events } = yield* feed.subscribe(({ event }) => kinds.has(event.subject.kind))
  yield* indexing.catchUp.pipe(
    Effect.tapError((error) => Effect.logWarning("The search index could not be brought up to date", error)),
    Effect.ignore
  )
  yield* Effect.ignore(Queue.takeAll(events))
  yield* Effect.sleep(pause)
}).pipe(Effect.scoped)

const kinds: ReadonlySet<string> = new Set(["agent", "listing", "request", "rfq"])
