/** Telling the host what happens, for hosts that know no Effect. */
import { cursorBehind, Event, Operators, Store } from "@souk/core"
import type { HeardEvent } from "@souk/core"
import { Cause, Effect, Layer, Schema, Stream } from "effect"

/** An event as the host hears it: those that are not for everybody too. */
export interface HostEvent extends Schema.Codec.Encoded<typeof Event> {
  /** The place behind the event: kept, it is the `after` of `api.operator.events`. */
  readonly cursor: string
  /** Who else may hear it: everybody, or these agents alone. */
  readonly audience: "public" | ReadonlyArray<string>
}

export interface HostEvents {
  /**
   * Told everything that happens from the start of this process on, whoever it is for: after it is committed, in order,
   * one at a time. It waits for a promise, 30 seconds at most; a failure is logged, and the next event told. Of several
   * processes on one store each is told everything. What happened while none ran is told by `api.operator.events`.
   */
  readonly onEvent?: (event: HostEvent) => void | PromiseLike<void>
}

/** An event in JSON. */
export const toHostEvent = ({ audience, cursor, event }: HeardEvent): Effect.Effect<HostEvent> =>
  Effect.map(Effect.orDie(encodeEvent(event)), (event) => ({ ...event, cursor, audience }))

/** Tells the host what happens until the scope closes. */
export const layer = ({ onEvent }: HostEvents) =>
  onEvent === undefined
    ? Layer.empty
    : Layer.effectDiscard(
        Effect.gen(function* () {
          const store = yield* Store
          const operators = yield* Operators
          // Read here, so that nothing is missed that this process is asked for.
          let after = cursorBehind(yield* store.events.latest)
          const round = Stream.runForEach(
            Stream.suspend(() => operators.events({ after })),
            (heard) =>
              Effect.andThen(
                tell(onEvent, heard),
                Effect.sync(() => (after = heard.cursor))
              )
          )
          yield* round.pipe(
            Effect.tapError((error) =>
              Effect.logWarning("The host cannot be told what happens; it is tried again", error)
            ),
            Effect.catchTag("InvalidCursor", () => Effect.sync(() => (after = "earliest"))),
            Effect.ignore,
            Effect.andThen(Effect.sleep("5 seconds")),
            Effect.forever,
            Effect.forkScoped
          )
        })
      )

// -----------------------------------------------------------------------------

const encodeEvent = Schema.encodeEffect(Event)

const patience = "30 seconds"

const tell = (onEvent: NonNullable<HostEvents["onEvent"]>, heard: HeardEvent) =>
  Effect.flatMap(toHostEvent(heard), (event) =>
    Effect.tryPromise({ try: async () => onEvent(event), catch: (error) => error })
  ).pipe(
    Effect.timeout(patience),
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.interrupt
        : Effect.logError(`The host's onEvent failed on ${heard.event.type} ${heard.event.id}`, cause)
    )
  )
