/**
 * The event feed of a process: one reader of the store's events feeds every subscriber.
 *
 * A subscriber has a bounded buffer of the events that it accepts. When the buffer is full the subscriber is cut off
 * and resumes by its cursor, so a slow reader costs a fixed amount of memory and never slows the others. Contract §6.
 */
import { Cause, Context, Duration, Effect, Layer, Queue, Schedule, Stream } from "effect"
import type { Scope } from "effect"
import { Unavailable } from "../model/Errors.ts"
import type { StoredEvent } from "../model/Event.ts"
import { Store } from "../ports/Store.ts"

/** A place in the feed: every accepted event behind `position` arrives in `events`, which ends when it overflows. */
export interface Subscription {
  readonly position: number
  readonly events: Queue.Dequeue<StoredEvent, Cause.Done>
}

interface Subscriber {
  readonly accepts: (event: StoredEvent) => boolean
  readonly queue: Queue.Queue<StoredEvent, Cause.Done>
}

export interface EventFeedOptions {
  /** How many accepted events wait for a subscriber before it is cut off; 1,024 where nothing is said. */
  readonly bufferSize?: number | undefined
  /**
   * How often a store that other processes write to is asked for events of which it gave no signal; 1 where nothing
   * is said.
   */
  readonly pollEverySeconds?: number | undefined
}

const batch = 500

/** A connection may be dead for a quarter of an hour before anybody is told. */
const patience = Duration.seconds(10)
const unanswered = new Unavailable({ message: "The store does not answer." })

/** Streams wait while the store cannot be read, and go on soon after it can. */
const retries = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("5 seconds")])

export class EventFeed extends Context.Service<
  EventFeed,
  {
    /** Tells that something was committed. */
    readonly wake: Effect.Effect<void>
    /** Follows the feed until the scope closes. */
    readonly subscribe: (
      accepts: (event: StoredEvent) => boolean
    ) => Effect.Effect<Subscription, never, Scope.Scope>
  }
>()("@souk/core/EventFeed") {
  static readonly layer = (options: EventFeedOptions = {}): Layer.Layer<EventFeed, Unavailable, Store> =>
    Layer.effect(EventFeed, make(options))
}

const make = Effect.fnUntraced(function* ({ bufferSize = 1024, pollEverySeconds = 1 }: EventFeedOptions) {
  const store = yield* Store
  const subscribers = new Set<Subscriber>()
  const signal = yield* Queue.sliding<void>(1)
  let position = yield* store.events.latest

  const publish = (events: ReadonlyArray<StoredEvent>) => {
    for (const event of events) {
      for (const subscriber of subscribers) {
        if (!subscriber.accepts(event) || Queue.offerUnsafe(subscriber.queue, event)) continue
        subscribers.delete(subscriber)
        Queue.endUnsafe(subscriber.queue)
      }
      position = event.position
    }
  }

  /** Reads what is new until nothing is. */
  const drain: Effect.Effect<void, Unavailable> = Effect.flatMap(
    Effect.timeoutOrElse(
      Effect.suspend(() => store.events.after(position, batch)),
      { duration: patience, orElse: () => Effect.fail(unanswered) }
    ),
    (events) => {
      publish(events)
      return events.length === batch ? drain : Effect.void
    }
  )

  const persistent = drain.pipe(
    Effect.tapError((error) =>
      Effect.logWarning("The event feed could not be read; it is tried again", error)
    ),
    Effect.retry(retries)
  )

  yield* Queue.take(signal).pipe(Effect.andThen(persistent), Effect.forever, Effect.forkScoped)

  const wake = Effect.asVoid(Queue.offer(signal, undefined))

  const { signals } = store.events
  if (signals !== undefined) {
    yield* Stream.runForEach(signals, () => wake).pipe(
      Effect.tapError((error) =>
        Effect.logWarning(
          "Other processes' commits are not signalled; the store is asked now and then",
          error
        )
      ),
      Effect.retry(retries),
      Effect.forkScoped
    )
    yield* wake.pipe(Effect.delay(Duration.seconds(pollEverySeconds)), Effect.forever, Effect.forkScoped)
  }

  return EventFeed.of({
    wake,
    subscribe: (accepts) =>
      Effect.acquireRelease(
        Effect.map(Queue.dropping<StoredEvent, Cause.Done>(bufferSize), (queue) => {
          const subscriber: Subscriber = { accepts, queue }
          subscribers.add(subscriber)
          return { subscriber, subscription: { position, events: queue } }
        }),
        ({ subscriber }) =>
          Effect.sync(() => {
            subscribers.delete(subscriber)
            Queue.endUnsafe(subscriber.queue)
          })
      ).pipe(Effect.map(({ subscription }) => subscription))
  })
})
