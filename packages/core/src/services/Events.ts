/** Reading what happened: as a stream that resumes, or page by page. Contract §6. */
import { Context, Effect, Layer, Result, Stream } from "effect"
import type { Scope } from "effect"
import { KeyMissing } from "../model/Errors.ts"
import type { InvalidCursor, InvalidRequest, Unavailable } from "../model/Errors.ts"
import type { Event, StoredEvent } from "../model/Event.ts"
import type { AgentId } from "../model/Id.ts"
import type { Store } from "../ports/Store.ts"
import { concerns, mayHear } from "../rules/Events.ts"
import type { EventFeed } from "./EventFeed.ts"
import { feeds, wanted, cursorBehind } from "./feeds.ts"
import type { Accepts } from "./feeds.ts"

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
    /**
     * Follows the feed inside this process, for as long as it is read: a reader that does not keep up is served from the
     * store until it does. A cursor that is too old is `invalid_cursor`.
     */
    readonly follow: (viewer: AgentId | undefined, query: EventQuery) => Stream.Stream<FeedItem, FeedRefused>
  }
>()("@souk/core/Events") {
  static readonly layer: Layer.Layer<Events, never, Store | EventFeed> = Layer.effect(
    Events,
    Effect.gen(function* () {
      const { open, page, follow } = yield* feeds

      return Events.of({
        open: Effect.fn("Events.open")(function* (viewer, query) {
          const feed = yield* open(yield* Effect.fromResult(acceptor(viewer, query)), query.after)
          return { ...feed, items: Stream.map(feed.items, toItem) }
        }),
        page: Effect.fn("Events.page")(function* (viewer, query) {
          const accepts = yield* Effect.fromResult(acceptor(viewer, query))
          const found = yield* page(accepts, query.after, query.limit)
          return { ...found, items: found.items.map(toItem) }
        }),
        follow: (viewer, query) =>
          Stream.unwrap(
            Effect.map(Effect.fromResult(acceptor(viewer, query)), (accepts) =>
              Stream.map(follow(accepts, query.after), toItem)
            )
          )
      })
    })
  )
}

const toItem = ({ position, event }: StoredEvent): FeedItem => ({ cursor: cursorBehind(position), event })

/** Judges for a viewer and a query which events are his to read and of those which he wants. */
const acceptor = (
  viewer: AgentId | undefined,
  query: EventQuery
): Result.Result<Accepts, InvalidRequest | KeyMissing> => {
  if (query.mine === true && viewer === undefined)
    return Result.fail(new KeyMissing({ message: "mine needs a key: send it as X-AGENT-KEY." }))
  return Result.map(
    wanted(query),
    (isWanted) => (stored: StoredEvent) =>
      mayHear(stored, viewer) && isWanted(stored) && (query.mine !== true || concerns(stored, viewer))
  )
}
