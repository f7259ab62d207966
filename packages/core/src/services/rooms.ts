/** Reading a room for one of its sides, and writing down how it moved on. */
import { DateTime, Effect } from "effect"
import type { Agent } from "../model/Agent.ts"
import type { Change, DeadlineNote } from "../model/Change.ts"
import type { DealRoom, Side } from "../model/DealRoom.ts"
import type { AgentId, DealRoomId, QuoteId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import type { Quote } from "../model/Quote.ts"
import type { Rfq } from "../model/Rfq.ts"
import type { AgentAction } from "../ports/Policy.ts"
import type { Store } from "../ports/Store.ts"
import { mayWrite } from "../rules/Agents.ts"
import type { Progress } from "../rules/DealRoomProgress.ts"
import { reputationWrites, roomAsOf, writesOf } from "../rules/DealRoomProgress.ts"
import { sideOf } from "../rules/DealRooms.ts"
import { endOf } from "../rules/Quotes.ts"
import type { WriteOptions } from "./Commands.ts"
import type { Gate } from "./Gate.ts"
import { readNewest } from "./lists.ts"
import { matchVersion, notFound, reliesOnAgent } from "./reads.ts"

/** A room as one side finds it: what is stored, what it is by now, and which side he is. */
export interface Seat {
  readonly stored: DealRoom
  readonly progress: Progress
  readonly side: Side
  readonly agent: Agent
}

/** Judges rooms by the clock, and those in which a quote is negotiated by whether it can still be awarded. */
export const roomsAsOf = Effect.fnUntraced(function* (
  store: Store["Service"],
  rooms: ReadonlyArray<DealRoom>,
  now: Instant
) {
  const talks = rooms.flatMap(({ origin, status }) =>
    status === "negotiating" && origin.kind === "rfq" ? [origin] : []
  )
  const rfqs = new Map<string, Rfq>()
  const quotes = new Map<string, Quote>()
  if (talks.length > 0) {
    for (const rfq of yield* store.rfqs.byIds([...new Set(talks.map(({ id }) => id))])) rfqs.set(rfq.id, rfq)
    const quoteIds = [...new Set(talks.map(({ quoteId }) => quoteId))]
    for (const quote of yield* store.quotes.byIds(quoteIds)) quotes.set(quote.id, quote)
  }
  return rooms.map((stored) => {
    const { origin } = stored
    const rfq = origin.kind === "rfq" ? rfqs.get(origin.id) : undefined
    const quote = origin.kind === "rfq" ? quotes.get(origin.quoteId) : undefined
    return { stored, progress: roomAsOf(stored, now, rfq && quote && endOf(quote, rfq, now)) }
  })
})

/** Judges one room as `roomsAsOf` does. */
export const roomNow = (store: Store["Service"], room: DealRoom, now: Instant) =>
  Effect.map(roomsAsOf(store, [room], now), ([judged]) => judged?.progress ?? roomAsOf(room, now))

const maxTalks = 1000

/**
 * Notes the rooms in which an ended RFQ, or one quote for it, is negotiated as due: readers see at once that they have
 * ended, and the sweeper writes it down and tells both sides a moment later. Of a buyer's negotiations the newest
 * thousand are looked at; others are written down when their own time is up.
 */
export const endedTalks = Effect.fnUntraced(function* (
  store: Store["Service"],
  { agentId, id, quoteCount }: Pick<Rfq, "agentId" | "id" | "quoteCount">,
  now: Instant,
  { besides, quoteId }: { readonly quoteId?: QuoteId; readonly besides?: DealRoomId } = {}
) {
  if (quoteCount === 0) return []
  const talks = yield* readNewest(maxTalks, (page) =>
    store.rooms.list({ participant: agentId, statuses: ["negotiating"] }, page)
  )
  return talks.flatMap(({ id: roomId, origin }): ReadonlyArray<DeadlineNote> =>
    origin.kind === "rfq" &&
    origin.id === id &&
    roomId !== besides &&
    (quoteId === undefined || origin.quoteId === quoteId)
      ? [{ kind: "deal_room", id: roomId, at: now }]
      : []
  )
})

/** Reads a room for a participant; to anybody else it does not exist. */
export const readRoom = Effect.fnUntraced(function* (
  store: Store["Service"],
  viewer: AgentId,
  id: DealRoomId
) {
  const stored = yield* store.rooms.byId(id)
  const side = stored && sideOf(stored, viewer)
  if (stored === undefined || side === undefined) return yield* notFound("deal room")
  return { stored, side, progress: yield* roomNow(store, stored, yield* DateTime.now) }
})

/** Reads a room for a participant to move: an active agent, or one whose account is closed while the deal is on. */
export const takeSeat = Effect.fnUntraced(function* (
  store: Store["Service"],
  actor: Gate,
  by: AgentId,
  id: DealRoomId,
  action: AgentAction,
  options: WriteOptions | undefined
) {
  const agent = yield* actor(by, action, { subject: id, inRoom: true })
  const { stored, side, progress } = yield* readRoom(store, by, id)
  yield* Effect.fromResult(mayWrite(agent, { inRoom: stored.agreement !== undefined }))
  yield* matchVersion(progress.room, options)
  const seat: Seat = { stored, progress, side, agent }
  return seat
})

/** Writes down how a room moved on, with what an ended deal does to the reputation of both sides. */
export const progressChange = Effect.fnUntraced(function* <A>(
  store: Store["Service"],
  stored: DealRoom,
  next: Progress,
  now: Instant,
  result: (room: DealRoom) => A
) {
  const { room } = next
  const sides = stored.status === room.status ? [] : yield* store.agents.byIds([room.buyerId, room.sellerId])
  const change: Change<A> = {
    result: result(room),
    writes: [
      ...writesOf(next, stored.version, stored.currentOffer),
      ...reputationWrites(stored, room, sides, now)
    ],
    events: next.events
  }
  return change
})

/** Writes down how a side moved its room on. */
export const roomChange = Effect.fnUntraced(function* <A>(
  store: Store["Service"],
  seat: Seat,
  next: Progress,
  now: Instant,
  result: (room: DealRoom) => A
) {
  const change = yield* progressChange(store, seat.stored, next, now, result)
  // An agent that is written is relied upon by that.
  const isWritten = change.writes.some(({ kind }) => kind === "agent")
  return { ...change, reliesOn: isWritten ? [] : [reliesOnAgent(seat.agent)] }
})
