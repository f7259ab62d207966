/** Reading a room for one of its sides, and writing down how it moved on. */
import { DateTime, Effect } from "effect"
import type { Agent } from "../model/Agent.ts"
import type { Change } from "../model/Change.ts"
import type { DealRoom, Side } from "../model/DealRoom.ts"
import type { AgentId, DealRoomId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import type { AgentAction } from "../ports/Policy.ts"
import type { Store } from "../ports/Store.ts"
import { mayWrite } from "../rules/Agents.ts"
import type { Progress } from "../rules/DealRoomProgress.ts"
import { reputationWrites, roomAsOf, writesOf } from "../rules/DealRoomProgress.ts"
import { sideOf } from "../rules/DealRooms.ts"
import type { WriteOptions } from "./Commands.ts"
import type { Gate } from "./Gate.ts"
import { matchVersion, notFound, reliesOnAgent } from "./reads.ts"

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
