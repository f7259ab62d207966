/** The events of the market as a stream that outlives its connections. Contract §6. */
import { SoukApi } from "@souk/api"
import type { Failure } from "@souk/api"
import { Event, EventType } from "@souk/core"
import { Data, Duration, Effect, Schema, Stream } from "effect"
import type { HttpClientError } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { SseParser } from "./Sse.ts"
import type { Message } from "./Sse.ts"
import { backOff } from "./Waiting.ts"

type EventsClient = HttpApiClient.ForApi<typeof SoukApi>["events"]

/** Which events to follow, and from where. */
export type FollowQuery = Omit<Parameters<EventsClient["subscribe"]>[0]["query"], "limit">

export interface FollowOptions {
  /**
   * Runs when events were missed, since the cursor was too old: read the state anew. The stream goes on from the new
   * cursor once it has ended. Without it the stream fails with `StreamReset`.
   */
  readonly onReset?: ((cursor: string) => Effect.Effect<void>) | undefined
}

/** An event, and the cursor behind it: the `after` of a later stream. */
export interface Followed {
  readonly cursor: string
  readonly event: Event
}

/** The position of a stream was too old, so events were missed: read the state anew and go on from `cursor`. */
export class StreamReset extends Data.TaggedError("StreamReset")<{ readonly cursor: string }> {}

/**
 * Follows the events.
 *
 * **Gotchas**
 *
 * Events of types that this version of the contract does not know are passed over.
 */
export type Follow = (
  query?: FollowQuery,
  options?: FollowOptions
) => Stream.Stream<Followed, Failure | HttpClientError.HttpClientError | Schema.SchemaError | StreamReset>

/** Makes the stream on the client of the contract. */
export const makeFollow =
  (events: EventsClient): Follow =>
  (query = {}, { onReset } = {}) =>
    Stream.suspend(() => {
      const position = { cursor: query.after === "earliest" ? undefined : query.after }
      let retryMillis = 500
      let wasOpen = false
      let failures = 0

      const accept = Effect.fnUntraced(function* (message: Message) {
        if (message.event === "stream.ready") {
          // With a cursor of its own the stream stays there: if this connection ends before a `stream.reset` has come
          // through, the next one must be told of it again.
          position.cursor ??= message.id
          return []
        }
        if (message.event === "stream.reset") {
          const { cursor } = yield* decodePosition(message.data)
          if (onReset === undefined) return yield* new StreamReset({ cursor })
          yield* onReset(cursor)
          position.cursor = cursor
          return []
        }
        const cursor = message.id ?? ""
        position.cursor = cursor
        return isKnown(message.event) ? [{ cursor, event: yield* decodeEvent(message.data) }] : []
      })

      const connection = Effect.gen(function* () {
        const response = yield* events.subscribe({
          query,
          headers: position.cursor === undefined ? {} : { "last-event-id": position.cursor },
          responseMode: "response-only"
        })
        if (response.status !== 200) yield* decodeReply(response)
        wasOpen = true
        failures = 0
        const parser = new SseParser()
        return response.stream.pipe(
          Stream.timeout(silence),
          Stream.decodeText(),
          Stream.map((text) => {
            const messages = parser.push(text)
            retryMillis = parser.retryMillis ?? retryMillis
            return messages
          }),
          Stream.flattenIterable,
          Stream.mapEffect(accept),
          Stream.flattenIterable
        )
      })

      const pause = Effect.suspend(() => Effect.sleep(backOff(++failures, retryMillis, 30_000)))

      return Stream.unwrap(connection).pipe(
        Stream.catchIf(
          (error) => wasOpen && isTransient(error),
          () => Stream.empty
        ),
        Stream.concat(Stream.drain(Stream.fromEffect(pause))),
        Stream.forever
      )
    })

// -----------------------------------------------------------------------------

/** The market says at least every 15 seconds that it lives. */
const silence = Duration.seconds(45)

const decodeReply = HttpApiClient.decodeResponse(SoukApi, { group: "events", endpoint: "subscribe" })

const decodeEvent = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.toCodecJson(Event)))

const decodePosition = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.Struct({ cursor: Schema.String }))
)

const isKnown = Schema.is(EventType)

/** What may be over at the next attempt. */
const isTransient = (
  error: Failure | HttpClientError.HttpClientError | Schema.SchemaError | StreamReset
): boolean => {
  switch (error._tag) {
    case "HttpClientError":
      // With status 200 it is the stream itself that broke.
      return error.response === undefined || error.response.status === 200 || error.response.status >= 500
    case "SchemaError":
    case "StreamReset":
      return false
    default:
      return error.recovery === "transient"
  }
}
