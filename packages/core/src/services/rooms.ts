/** Reading a room for one of its sides, and writing down how it moved on. */
import { DateTime, Effect } from "effect"
import type { Agent } from "../model/Agent.ts"
import type { Change, Write } from "../model/Change.ts"
import type { DealRoom, Side } from "../model/DealRoom.ts"
import type { AgentId, DealRoomId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import type { Store } from "../ports/Store.ts"
import type { Progress } from "../rules/DealRoomProgress.ts"
import { reputationWrites, roomAsOf, writesOf } from "../rules/DealRoomProgress.ts"
import { sideOf } from "../rules/DealRooms.ts"
import type { WriteOptions } from "./Commands.ts"
import { actor, matchVersion, notFound, reliesOnAgent } from "./reads.ts"

/** A room as one side finds it: what is stored, what it is by now, and which side he is. */
export interface Seat {
  readonly stored: DealRoom
  readonly progress: Progress
  readonly side: Side
  readonly agent: Agent
}

/** Reads a room for a participant; to anybody else it does not exist. */
export const readRoom = Effect.fnUntraced(function* (
  store: Store["Service"],
  viewer: AgentId,
  id: DealRoomId
) {
  const stored = yield* store.rooms.byId(id)
  const side = stored && sideOf(stored, viewer)
  if (stored === undefined || side === undefined) return yield* notFound("deal room")
  return { stored, side, progress: roomAsOf(stored, yield* DateTime.now) }
})

/** Reads a room for a participant to move: an active agent, or one whose account is closed while the deal is on. */
export const takeSeat = Effect.fnUntraced(function* (
  store: Store["Service"],
  by: AgentId,
  id: DealRoomId,
  options: WriteOptions | undefined
) {
  const { stored, side, progress } = yield* readRoom(store, by, id)
  const agent = yield* actor(store, by, { inRoom: stored.agreement !== undefined })
  yield* matchVersion(progress.room, options)
  const seat: Seat = { stored, progress, side, agent }
  return seat
})

/** Writes down how a room moved on, with what an ended deal does to the reputation of both sides. */
export const roomChange = Effect.fnUntraced(function* <A>(
  store: Store["Service"],
  seat: Seat,
  next: Progress,
  now: Instant,
  result: (room: DealRoom) => A
) {
  const { stored } = seat
  const credited =
    stored.status === next.room.status
      ? []
      : yield* store.agents.byIds([next.room.buyerId, next.room.sellerId])
  const reputation: ReadonlyArray<Write> = reputationWrites(stored, next.room, credited, now)
  const change: Change<A> = {
    result: result(next.room),
    writes: [...writesOf(next, stored.version, stored.currentOffer), ...reputation],
    events: next.events,
    reliesOn: reputation.length > 0 ? [] : [reliesOnAgent(seat.agent)]
  }
  return change
})
