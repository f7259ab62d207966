/** Reading the feed for one reader: what came behind a cursor, then what comes. Contract §6. */
import { Effect, Option, Predicate, Result, Schema, Stream } from "effect"
import type { Scope } from "effect"
import { InvalidCursor, InvalidRequest } from "../model/Errors.ts"
import type { Unavailable } from "../model/Errors.ts"
import { EventPattern } from "../model/Event.ts"
import type { StoredEvent } from "../model/Event.ts"
import { pageLimit } from "../model/Page.ts"
import { Store } from "../ports/Store.ts"
import { ofTypes } from "../rules/Events.ts"
import { EventFeed } from "./EventFeed.ts"

/** Tells which events a reader gets. */
export type Accepts = (event: StoredEvent) => boolean

/** Events in their order from a cursor on. `reset`: the cursor was too old, so that `cursor` is the present. */
interface OpenFeed {
  readonly cursor: string
  readonly reset: boolean
  readonly items: Stream.Stream<StoredEvent, Unavailable>
}

/** Events in their order; `cursor` leads on from their end, also when there is nothing more yet. */
interface FeedPage {
  readonly cursor: string
  readonly reset: boolean
  readonly items: ReadonlyArray<StoredEvent>
}

export interface Feeds {
  /** Opens the feed. It ends where the reader does not keep up. */
  readonly open: (
    accepts: Accepts,
    after: string | undefined
  ) => Effect.Effect<OpenFeed, InvalidCursor | Unavailable, Scope.Scope>
  readonly page: (
    accepts: Accepts,
    after: string | undefined,
    limit?: number
  ) => Effect.Effect<FeedPage, InvalidCursor | Unavailable>
  /**
   * Follows the feed for as long as it is read. A reader that does not keep up is served from the store until it does.
   * A cursor that is too old is refused.
   */
  readonly follow: (
    accepts: Accepts,
    after: string | undefined
  ) => Stream.Stream<StoredEvent, InvalidCursor | Unavailable>
}

const batch = 200
const scannedAtMost = 5_000

/** Makes the readers of a market's feed. */
export const feeds: Effect.Effect<Feeds, never, Store | EventFeed> = Effect.gen(function* () {
  const store = yield* Store
  const feed = yield* EventFeed

  /** Where to start; `undefined` where the cursor is older than what is kept. */
  const start = Effect.fnUntraced(function* (after: string | undefined, present: number) {
    if (after === undefined) return present
    const forgotten = yield* store.events.forgotten
    if (after === "earliest") return forgotten
    const position = readCursor(after)
    if (position === undefined || position > present)
      return yield* new InvalidCursor({ message: "after is not a cursor of this feed." })
    return position < forgotten ? undefined : position
  })

  /** The events behind a position; `undefined` where some of them are forgotten by now. */
  const readKept = Effect.fnUntraced(function* (position: number) {
    const events = yield* store.events.after(position, batch)
    return position < (yield* store.events.forgotten) ? undefined : events
  })

  const open: Feeds["open"] = Effect.fnUntraced(function* (accepts, after) {
    const subscription = yield* feed.subscribe(accepts)
    // The feed of this process may be behind the store: a cursor that a page gave can be ahead of it.
    const present = yield* store.events.latest
    const from = yield* start(after, present)
    const begin = from ?? present
    const replay = Stream.paginate(begin, (position) =>
      Effect.map(readKept(position), (events) => {
        if (events === undefined) return [[undefined], Option.none()]
        const known = events.filter((event) => event.position <= subscription.position)
        const last = known.at(-1)
        const more = last !== undefined && known.length === batch ? Option.some(last.position) : Option.none()
        return [known.filter(accepts), more]
      })
    )
    const live = Stream.filter(Stream.fromQueue(subscription.events), ({ position }) => position > begin)
    return {
      cursor: cursorBehind(begin),
      reset: from === undefined,
      // Who reads so slowly that what comes next is forgotten meanwhile comes back, and is told.
      items: Stream.takeWhile(Stream.concat(replay, live), Predicate.isNotUndefined)
    }
  })

  const page: Feeds["page"] = Effect.fnUntraced(function* (accepts, after, limit = pageLimit.default) {
    const present = yield* store.events.latest
    const from = yield* start(after, present)
    let position = from ?? present
    const items: Array<StoredEvent> = []
    for (let scanned = 0; scanned < scannedAtMost && items.length < limit; scanned += batch) {
      const events = yield* readKept(position)
      if (events === undefined) return { items: [], cursor: cursorBehind(present), reset: true }
      for (const event of events) {
        if (items.length === limit) break
        position = event.position
        if (accepts(event)) items.push(event)
      }
      if (events.length < batch) break
    }
    return { items, cursor: cursorBehind(position), reset: from === undefined }
  })

  const follow: Feeds["follow"] = (accepts, after) =>
    Stream.suspend(() => {
      let cursor = after
      const once = Effect.gen(function* () {
        const opened = yield* open(accepts, cursor)
        if (opened.reset)
          return yield* new InvalidCursor({
            message: "after is older than what is kept, so events were missed. Begin at earliest."
          })
        cursor = opened.cursor
        return Stream.tap(opened.items, ({ position }) =>
          Effect.sync(() => (cursor = cursorBehind(position)))
        )
      })
      return Stream.forever(Stream.unwrap(once))
    })

  return { open, page, follow }
})

/** Makes the judge of which events a reader wants to hear. `rfq.*` stands for all of an RFQ's. */
export const wanted = ({
  subject,
  types
}: {
  readonly types?: ReadonlyArray<string> | undefined
  readonly subject?: string | undefined
}): Result.Result<Accepts, InvalidRequest> => {
  const unknown = types?.find((type) => !isPattern(type))
  if (unknown !== undefined)
    return Result.fail(InvalidRequest.at("query.types", `has an unknown event type: ${unknown}`))
  const isWanted = types === undefined ? undefined : ofTypes(types)
  return Result.succeed(
    (stored) =>
      (isWanted === undefined || isWanted(stored)) &&
      (subject === undefined || stored.event.subject.id === subject)
  )
}

/** The cursor behind a position. */
export const cursorBehind = (position: number): string => `c${position.toString(36)}`

// -----------------------------------------------------------------------------

const readCursor = (cursor: string): number | undefined => {
  if (!/^c(0|[1-9a-z][0-9a-z]{0,9})$/u.test(cursor)) return undefined
  return Number.parseInt(cursor.slice(1), 36)
}

const isPattern = Schema.is(EventPattern)
