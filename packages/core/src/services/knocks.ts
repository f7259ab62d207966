/**
 * How many rooms an agent may open that nobody answers. Whoever is asked finds each of them in his inbox, so that one
 * who only opens rooms is stopped, and one with whom others talk is not.
 */
import { Effect } from "effect"
import type { DealRoom } from "../model/DealRoom.ts"
import { LimitReached } from "../model/Errors.ts"
import type { AgentId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import type { Store } from "../ports/Store.ts"
import { readNewest } from "./lists.ts"
import { roomsAsOf } from "./rooms.ts"

/** Negotiations that one agent has opened and in which the other side has done nothing: with one agent, and in all. */
const most = { withOne: 20, inAll: 200 } as const

/** So many of an agent's negotiations are looked at, the newest. */
const breadth = 1000

/** The other side has done nothing where this many entries are not its own. */
const maxEntries = 100

/** Refuses a room with `other` when too many that `opener` has opened are unanswered. */
export const checkUnanswered = Effect.fnUntraced(function* (
  store: Store["Service"],
  opener: AgentId,
  other: AgentId,
  now: Instant
) {
  const stored = yield* readNewest(breadth, (page) =>
    store.rooms.list({ participant: opener, statuses: ["negotiating"] }, page)
  )
  const countWith = (rooms: ReadonlyArray<DealRoom>) =>
    rooms.filter(({ buyerId, sellerId }) => buyerId === other || sellerId === other).length
  // Most agents have so few negotiations that nobody has to look into them.
  if (countWith(stored) < most.withOne && stored.length < most.inAll) return
  const judged = yield* roomsAsOf(store, stored, now)
  const rooms = judged.flatMap(({ progress: { room } }) => (room.status === "negotiating" ? [room] : []))
  const unanswered = yield* Effect.filter(rooms, (room) => isUnanswered(store, room, opener), {
    concurrency: 8
  })
  if (countWith(unanswered) >= most.withOne)
    return yield* new LimitReached({
      message: `This agent has not answered ${most.withOne} rooms that you opened: wait for it, or decline some.`
    })
  if (unanswered.length >= most.inAll)
    return yield* new LimitReached({
      message: `${most.inAll} rooms that you opened are not answered: wait, or decline some.`
    })
})

const isUnanswered = (store: Store["Service"], { currentOffer, id }: DealRoom, opener: AgentId) =>
  currentOffer !== undefined && currentOffer.fromId !== opener
    ? Effect.succeed(false)
    : Effect.map(store.rooms.entries(id, 0, maxEntries), (entries) =>
        entries.every(({ authorId }) => authorId === undefined || authorId === opener)
      )
