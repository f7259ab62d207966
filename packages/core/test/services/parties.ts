/** The two sides of a room, and what each reads of it. */
import { Effect } from "effect"
import { DealRooms } from "../../src/index.ts"
import type { AgentId, DealRoomId } from "../../src/index.ts"

export const actionsOf = Effect.fnUntraced(function* (viewer: AgentId, id: DealRoomId) {
  const { nextActions } = yield* (yield* DealRooms).get(viewer, id)
  return nextActions.map(({ action, by }) => `${action} ${by}`).toSorted()
})

export const offerStatus = Effect.fnUntraced(function* (room: { readonly id: DealRoomId }, viewer: AgentId) {
  return (yield* (yield* DealRooms).get(viewer, room.id)).currentOffer?.status
})
