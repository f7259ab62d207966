/** The event stream, and the same events page by page for callers that poll. Contract §6. */
import { SoukApi, Viewer } from "@souk/api"
import { Event, Events, Keys } from "@souk/core"
import type { FeedItem, OpenFeed } from "@souk/core"
import { DateTime, Effect, Schema, Stream } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { CurrentClientAddress, networkOf } from "../http/ClientAddress.ts"
import { Draining } from "../http/Draining.ts"
import { LoginEnd } from "../http/HostLogin.ts"
import { OpenStreams } from "../http/OpenStreams.ts"
import * as Sse from "../http/Sse.ts"

export const layer = HttpApiBuilder.group(
  SoukApi,
  "events",
  Effect.fn(function* (handlers) {
    const events = yield* Events
    const keys = yield* Keys
    const draining = yield* Draining
    const streams = yield* OpenStreams

    return handlers.handleAll({
      subscribe: Effect.fnUntraced(function* ({ query: { limit, ...query }, headers, request }) {
        const { agentId, keyId } = yield* Viewer
        const wanted = { ...query, after: headers["last-event-id"] ?? query.after }
        if (wantsPage(request.headers["accept"])) {
          const { items, cursor, reset } = yield* events.page(agentId, { ...wanted, limit })
          return { events: items.map((item) => item.event), nextCursor: cursor, reset }
        }
        yield* streams.admit(agentId ?? `address ${networkOf(yield* CurrentClientAddress)}`)
        const feed = yield* events.open(agentId, wanted)
        const end = keyId === undefined ? endOf(yield* LoginEnd) : keys.awaitEnd(keyId)
        const frames = end === undefined ? framesOf(feed) : Stream.interruptWhen(framesOf(feed), end)
        return yield* Effect.provideService(Sse.respond({ cursor: feed.cursor, frames }), Draining, draining)
      })
    })
  })
)

/** JSON only for those who ask for it and not for a stream. */
const wantsPage = (accept = ""): boolean =>
  /application\/json/iu.test(accept) && !/text\/event-stream/iu.test(accept)

/** Waits until a login ends; undefined where nobody knows of an end. */
const endOf = (login: DateTime.Utc | undefined) =>
  login && Effect.flatMap(DateTime.now, (now) => Effect.sleep(DateTime.distance(now, login)))

const framesOf = ({ cursor, reset, items }: OpenFeed) => {
  const events = Stream.map(items, toFrame)
  return reset
    ? Stream.concat(
        Stream.succeed<Sse.Frame>({ id: cursor, event: "stream.reset", data: { cursor } }),
        events
      )
    : events
}

const encode = Schema.encodeSync(Schema.toCodecJson(Event))

const toFrame = ({ cursor, event }: FeedItem): Sse.Frame => ({
  id: cursor,
  event: event.type,
  data: encode(event)
})
