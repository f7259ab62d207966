/** Reading what happened: as a stream that resumes, or page by page. Contract §6. */
import { Context, Effect, Layer, Option, Predicate, Result, Schema, Stream } from "effect"
import type { Scope } from "effect"
import { InvalidCursor, InvalidRequest, KeyMissing } from "../model/Errors.ts"
import type { Unavailable } from "../model/Errors.ts"
import { EventPattern } from "../model/Event.ts"
import type { Event, StoredEvent } from "../model/Event.ts"
import type { AgentId } from "../model/Id.ts"
import { pageLimit } from "../model/Page.ts"
import { Store } from "../ports/Store.ts"
import { concerns, mayHear, ofTypes } from "../rules/Events.ts"
import { EventFeed } from "./EventFeed.ts"

/** Which events a reader wants, and from where on. */
export interface EventQuery {
  /** Event types; `rfq.*` stands for all of an RFQ's. */
  readonly types?: ReadonlyArray<string> | undefined
  /** The id of the entity that the events are about. */
  readonly subject?: string | undefined
  /** Only what the caller did, was party to, or is named in. */
  readonly mine?: boolean | undefined
  /** A cursor, or `earliest` for the oldest event that is kept; the present where nothing is said. */
  readonly after?: string | undefined
}

/** An event and the cursor behind it. */
export interface FeedItem {
  readonly cursor: string
  readonly event: Event
}

/** An open stream. `reset`: the cursor that was given is too old, so events were lost and `cursor` is the present. */
export interface OpenFeed {
  readonly cursor: string
  readonly reset: boolean
  readonly items: Stream.Stream<FeedItem, Unavailable>
}

/**
 * A page of the feed, oldest first; `cursor` leads on from its end, also when there is nothing more yet. `reset`: the
 * cursor that was given is too old, so events were lost and the page starts at the present.
 */
export interface FeedPage {
  readonly items: ReadonlyArray<FeedItem>
  readonly cursor: string
  readonly reset: boolean
}

export type FeedRefused = InvalidCursor | InvalidRequest | KeyMissing | Unavailable

const batch = 200
const scannedAtMost = 5_000

export class Events extends Context.Service<
  Events,
  {
    /** Opens the stream: what came behind the cursor, then what comes, none lost, none twice. */
    readonly open: (
      viewer: AgentId | undefined,
      query: EventQuery
    ) => Effect.Effect<OpenFeed, FeedRefused, Scope.Scope>
    readonly page: (
      viewer: AgentId | undefined,
      query: EventQuery & { readonly limit?: number | undefined }
    ) => Effect.Effect<FeedPage, FeedRefused>
  }
>()("@souk/core/Events") {
  static readonly layer: Layer.Layer<Events, never, Store | EventFeed> = Layer.effect(
    Events,
    Effect.gen(function* () {
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

      const open = Effect.fn("Events.open")(function* (viewer: AgentId | undefined, query: EventQuery) {
        const accepts = yield* Effect.fromResult(acceptor(viewer, query))
        const subscription = yield* feed.subscribe(accepts)
        // The feed of this process may be behind the store: a cursor that a page gave can be ahead of it.
        const present = yield* store.events.latest
        const from = yield* start(query.after, present)
        const begin = from ?? present
        const replay = Stream.paginate(begin, (position) =>
          Effect.map(readKept(position), (events) => {
            if (events === undefined) return [[undefined], Option.none()]
            const known = events.filter((event) => event.position <= subscription.position)
            const last = known.at(-1)
            const more =
              last !== undefined && known.length === batch ? Option.some(last.position) : Option.none()
            return [known.filter(accepts), more]
          })
        )
        const live = Stream.filter(Stream.fromQueue(subscription.events), ({ position }) => position > begin)
        return {
          cursor: writeCursor(begin),
          reset: from === undefined,
          // Who reads so slowly that what comes next is forgotten meanwhile comes back, and is told.
          items: Stream.map(Stream.takeWhile(Stream.concat(replay, live), Predicate.isNotUndefined), toItem)
        }
      })

      const page = Effect.fn("Events.page")(function* (
        viewer: AgentId | undefined,
        query: EventQuery & { readonly limit?: number | undefined }
      ) {
        const accepts = yield* Effect.fromResult(acceptor(viewer, query))
        const limit = query.limit ?? pageLimit.default
        const present = yield* store.events.latest
        const from = yield* start(query.after, present)
        let position = from ?? present
        const items: Array<FeedItem> = []
        for (let scanned = 0; scanned < scannedAtMost && items.length < limit; scanned += batch) {
          const events = yield* readKept(position)
          if (events === undefined) return { items: [], cursor: writeCursor(present), reset: true }
          for (const event of events) {
            if (items.length === limit) break
            position = event.position
            if (accepts(event)) items.push(toItem(event))
          }
          if (events.length < batch) break
        }
        return { items, cursor: writeCursor(position), reset: from === undefined }
      })

      return Events.of({ open, page })
    })
  )
}

const toItem = ({ position, event }: StoredEvent): FeedItem => ({ cursor: writeCursor(position), event })

const writeCursor = (position: number): string => `c${position.toString(36)}`

const readCursor = (cursor: string): number | undefined => {
  if (!/^c(0|[1-9a-z][0-9a-z]{0,9})$/u.test(cursor)) return undefined
  return Number.parseInt(cursor.slice(1), 36)
}

/** Judges for a viewer and a query which events are his to read and of those which he wants. */
const acceptor = (
  viewer: AgentId | undefined,
  query: EventQuery
): Result.Result<(event: StoredEvent) => boolean, InvalidRequest | KeyMissing> => {
  if (query.mine === true && viewer === undefined)
    return Result.fail(new KeyMissing({ message: "mine needs a key: send it as X-AGENT-KEY." }))
  const unknown = query.types?.find((type) => !isPattern(type))
  if (unknown !== undefined)
    return Result.fail(InvalidRequest.at("query.types", `has an unknown event type: ${unknown}`))
  const isWanted = query.types === undefined ? undefined : ofTypes(query.types)
  return Result.succeed(
    (stored) =>
      mayHear(stored, viewer) &&
      (isWanted === undefined || isWanted(stored)) &&
      (query.subject === undefined || stored.event.subject.id === query.subject) &&
      (query.mine !== true || concerns(stored, viewer))
  )
}

const isPattern = Schema.is(EventPattern)
