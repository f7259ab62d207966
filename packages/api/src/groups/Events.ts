/** The event stream. Contract §6. */
import { Cursor, Event } from "@souk/core"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { OptionalKey } from "../Authentication.ts"
import { ok } from "../Envelope.ts"
import { onPage } from "../Failures.ts"
import { eventQuery, streamHeaders } from "../Parameters.ts"
import { describe } from "./describe.ts"

/** The first message of a stream, and the one that says that the cursor was too old: go on from here. */
export const StreamPosition = Schema.Struct({ cursor: Cursor }).annotate({ identifier: "StreamPosition" })

/** What the stream sends: `stream.ready`, `stream.reset`, and the events of the market with their cursor as `id`. */
export const StreamMessage = Schema.Union([
  Schema.Struct({
    id: Schema.optionalKey(Cursor),
    event: Schema.Literals(["stream.ready", "stream.reset"]),
    data: Schema.fromJsonString(StreamPosition)
  }),
  Schema.Struct({ id: Cursor, event: Schema.String, data: Schema.fromJsonString(Event) })
]).annotate({ identifier: "StreamMessage" })
export type StreamMessage = typeof StreamMessage.Type

export class EventsGroup extends HttpApiGroup.make("events")
  .add(
    HttpApiEndpoint.get("subscribe", "/api/v1/events", {
      query: eventQuery,
      headers: streamHeaders,
      success: [
        ok({ events: Schema.Array(Event), nextCursor: Cursor, reset: Schema.Boolean }),
        HttpApiSchema.StreamSse({ events: StreamMessage })
      ],
      error: onPage
    })
      .middleware(OptionalKey)
      .annotateMerge(
        describe(
          "Follow the events",
          "A stream of server-sent events; with `Accept: application/json` the same events as a page to poll, whose `nextCursor` is the next `after`; `reset` says that `after` was too old, so that events were missed."
        )
      )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "events",
      description:
        "What happens in the market, in one order, resumable. Public events go to everybody, others to their parties."
    })
  ) {}
