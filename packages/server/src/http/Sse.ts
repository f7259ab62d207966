/**
 * A stream of server-sent events as an HTTP response. Contract §6.
 *
 * Which events a reader gets and in which order is decided by the stream that is given; this writes them down: at once
 * `retry` and `stream.ready`, so that Node sends the headers, then each frame, and a comment when there is silence.
 */
import { Cause, Duration, Effect, Fiber, Option, Stream } from "effect"
import type { Array, Schema } from "effect"
import { Sse } from "effect/encoding"
import { HttpServerResponse } from "effect/http"
import { Draining } from "./Draining.ts"

/** What a reader gets: an event of the market with its cursor, or a word about the stream. */
export interface Frame {
  readonly id?: string
  readonly event: string
  readonly data: Schema.Json
}

export interface SseOptions {
  /** How long a reader waits before it comes back. */
  readonly retryMillis: number
  /** How long the stream stays silent at most; then it says that it lives. */
  readonly silenceSeconds: number
}

/** The contract's figures. */
const defaultSse: SseOptions = { retryMillis: 3000, silenceSeconds: 15 }

/**
 * Answers with a stream that goes on until its frames end, the reader leaves or the server drains.
 *
 * `cursor` is where the stream starts. It is the id of `stream.ready` too: a reader that loses the connection before
 * the first event comes back to that place and misses nothing.
 *
 * **Gotchas**
 *
 * A failure of the frames ends the stream without a word, since it may tell what is not for the reader; it is logged,
 * and the reader comes back by its cursor.
 */
export const respond = Effect.fnUntraced(function* <E, R>(
  stream: { readonly cursor: string; readonly frames: Stream.Stream<Frame, E, R> },
  options: SseOptions = defaultSse
) {
  const draining = yield* Draining
  const context = yield* Effect.context<R>()
  const first = `retry: ${options.retryMillis}\n${render(ready(stream.cursor))}`
  const body = stream.frames.pipe(
    Stream.map(render),
    Stream.catchCause((cause) => Stream.drain(Stream.fromEffect(logFailure(cause)))),
    breakSilence(Duration.seconds(options.silenceSeconds)),
    Stream.interruptWhen(draining.await),
    (events) => Stream.concat(Stream.succeed(first), events),
    Stream.encodeText,
    Stream.provideContext(context)
  )
  return HttpServerResponse.stream(body, { contentType: "text/event-stream", headers })
})

// -----------------------------------------------------------------------------

/**
 * `no-transform` keeps a host's compression away, which would hold events back, and `x-accel-buffering` is for nginx.
 * A connection that was kept after its stream would hold up a server that closes.
 */
const headers = { "cache-control": "no-cache, no-transform", "x-accel-buffering": "no", connection: "close" }

const ready = (cursor: string): Frame => ({ id: cursor, event: "stream.ready", data: { cursor } })

/** JSON holds no raw line break, so the data is one line. */
const render = ({ id, event, data }: Frame): string =>
  Sse.encoder.write({ _tag: "Event", id, event, data: JSON.stringify(data) })

const logFailure = (cause: Cause.Cause<unknown>) =>
  Cause.hasInterruptsOnly(cause) ? Effect.void : Effect.logError("A stream of events failed", cause)

const comment: Array.NonEmptyReadonlyArray<string> = [":\n\n"]

/** Emits a comment whenever the stream was silent for so long. The pull that waits goes on, so nothing is lost. */
const breakSilence =
  (silence: Duration.Duration) =>
  <E, R>(events: Stream.Stream<string, E, R>): Stream.Stream<string, E, R> =>
    Stream.unwrap(
      Effect.gen(function* () {
        const scope = yield* Effect.scope
        const pull = yield* Stream.toPull(events)
        let pulling: Fiber.Fiber<Effect.Success<typeof pull>, Effect.Error<typeof pull>> | undefined
        const next = Effect.gen(function* () {
          pulling ??= yield* Effect.forkIn(pull, scope)
          const pulled = yield* Effect.timeoutOption(Fiber.join(pulling), silence)
          if (Option.isNone(pulled)) return comment
          pulling = undefined
          return pulled.value
        })
        return Stream.fromPull(Effect.succeed(next))
      })
    )
