/** The inbox: what waits for an agent, of all that it takes part in. Contract §5, GET /api/v1/me/inbox. */
import { Context, DateTime, Effect, Layer } from "effect"
import type { DealRoomStatus } from "../model/DealRoom.ts"
import type { InvalidCursor, Unavailable } from "../model/Errors.ts"
import type { AgentId } from "../model/Id.ts"
import type { InboxItem } from "../model/Inbox.ts"
import type { Instant } from "../model/Instant.ts"
import { after } from "../model/Instant.ts"
import { pageLimit } from "../model/Page.ts"
import type { CursorPage, PageQuery } from "../model/Page.ts"
import type { Rfq } from "../model/Rfq.ts"
import { Store } from "../ports/Store.ts"
import { spans } from "../rules/DealRooms.ts"
import { placeForm, placeOf, quoteItem, rfqItem, roomItem } from "../rules/Inbox.ts"
import { isSealed, quoteAsOf } from "../rules/Quotes.ts"
import { rfqAsOf, rfqStatesAt } from "../rules/Rfqs.ts"
import { readCursor, writeCursor } from "./Cursors.ts"
import { bindingOf, readNewest } from "./lists.ts"
import { roomsAsOf } from "./rooms.ts"

/**
 * How many of each kind are looked at, the newest first. What a caller has is not his to bound: others invite him, and
 * open rooms with him, so it is more than any of them can make.
 */
const breadth = 5000
const atOnce = 8

const awaiting: ReadonlyArray<DealRoomStatus> = [
  "negotiating",
  "in_progress",
  "delivered",
  "changes_requested"
]

/** Something that waits, unless a look at the store says that it was done. */
interface Candidate {
  readonly item: InboxItem
  readonly isDone: Effect.Effect<boolean, Unavailable>
}

export class Inbox extends Context.Service<
  Inbox,
  {
    /**
     * What waits for the caller, soonest deadline first, what has none last.
     *
     * Nothing is kept for it: it is read off the entities at each call, the newest 5,000 live rooms, rooms completed in
     * the last seven days, undecided RFQs of the caller's and open RFQs to which it is invited. That costs one read of
     * the agent and one for each hundred of these, two for the quotes that are negotiated in its rooms, one for each of
     * its RFQs whose quotes can be decided, and one for each invitation up to the end of the page: five or six for most
     * callers. A suspended agent can do nothing, so that nothing waits for it.
     */
    readonly list: (
      viewer: AgentId,
      query: PageQuery
    ) => Effect.Effect<CursorPage<InboxItem>, InvalidCursor | Unavailable>
  }
>()("@souk/core/Inbox") {
  static readonly layer: Layer.Layer<Inbox, never, Store> = Layer.effect(
    Inbox,
    Effect.gen(function* () {
      const store = yield* Store

      const roomItems = Effect.fnUntraced(function* (viewer: AgentId, now: Instant) {
        const live = yield* readNewest(breadth, (page) =>
          store.rooms.list({ participant: viewer, statuses: awaiting }, page)
        )
        const updatedSince = after(now, -spans.reviews)
        const completed = yield* readNewest(breadth, (page) =>
          store.rooms.list({ participant: viewer, statuses: ["completed"], updatedSince }, page)
        )
        // A room that is completed between the two reads is in both lists, and not in neither.
        const rooms = new Map([...live, ...completed].map((room) => [room.id, room]))
        const judged = yield* roomsAsOf(store, [...rooms.values()], now)
        return judged.flatMap(({ progress }) => candidate(roomItem(progress.room, viewer, now)))
      })

      const quoteItems = (viewer: AgentId, rfq: Rfq, now: Instant) =>
        rfq.quoteCount === 0 || isSealed(rfq, now)
          ? Effect.succeed([])
          : Effect.map(store.quotes.allActive(rfq.id), (quotes) =>
              quotes.flatMap((quote) => candidate(quoteItem(quoteAsOf(quote, now).quote, rfq, viewer, now)))
            )

      const ownItems = Effect.fnUntraced(function* (viewer: AgentId, now: Instant) {
        const states = (["draft", "open", "evaluating"] as const).flatMap((status) =>
          rfqStatesAt(status, now)
        )
        const stored = yield* readNewest(breadth, (page) =>
          store.rfqs.list({ states, viewer, agentId: viewer }, page)
        )
        const rfqs = stored.map((rfq) => rfqAsOf(rfq, now).rfq)
        const quotes = yield* Effect.forEach(rfqs, (rfq) => quoteItems(viewer, rfq, now), {
          concurrency: atOnce
        })
        return [...rfqs.flatMap((rfq) => candidate(rfqItem(rfq, viewer))), ...quotes.flat()]
      })

      const invitations = Effect.fnUntraced(function* (viewer: AgentId, now: Instant) {
        const states = rfqStatesAt("open", now)
        const rfqs = yield* readNewest(breadth, (page) =>
          store.rfqs.list({ states, viewer, invitee: viewer }, page)
        )
        return rfqs.flatMap((rfq) => candidate(rfqItem(rfq, viewer), hasQuoted(viewer, rfq)))
      })

      /** Who has taken his quote back, or was declined, has answered the invitation. */
      const hasQuoted = (viewer: AgentId, rfq: Rfq) =>
        Effect.map(
          store.quotes.list({ rfqId: rfq.id, agentId: viewer }, { limit: 1 }),
          ({ items }) => items.length > 0
        )

      /** A closed account goes on with its agreements alone. */
      const candidatesOf = Effect.fnUntraced(function* (viewer: AgentId, now: Instant) {
        const agent = yield* store.agents.byId(viewer)
        if (agent?.status === "suspended") return []
        if (agent?.status === "closed") return yield* roomItems(viewer, now)
        const found = [roomItems(viewer, now), ownItems(viewer, now), invitations(viewer, now)]
        return (yield* Effect.all(found, { concurrency: found.length })).flat()
      })

      const list = Effect.fn("Inbox.list")(function* (viewer: AgentId, query: PageQuery) {
        const now = yield* DateTime.now
        const binding = bindingOf("inbox", viewer, {})
        const from =
          query.cursor === undefined
            ? ""
            : yield* Effect.fromResult(readCursor(binding, query.cursor, placeForm))
        const rest = (yield* candidatesOf(viewer, now))
          .map((found) => ({ ...found, place: placeOf(found.item) }))
          .filter(({ place }) => place > from)
          .toSorted((a, b) => (a.place < b.place ? -1 : 1))
        const limit = query.limit ?? pageLimit.default
        const items: Array<InboxItem> = []
        for (const { item, isDone } of rest) {
          if (items.length > limit) break
          if (!(yield* isDone)) items.push(item)
        }
        const page = items.slice(0, limit)
        const last = page.at(-1)
        return {
          items: page,
          nextCursor: items.length > limit && last !== undefined ? writeCursor(binding, placeOf(last)) : null
        }
      })

      return Inbox.of({ list })
    })
  )
}

const candidate = (
  item: InboxItem | undefined,
  isDone: Candidate["isDone"] = Effect.succeed(false)
): ReadonlyArray<Candidate> => (item === undefined ? [] : [{ item, isDone }])
