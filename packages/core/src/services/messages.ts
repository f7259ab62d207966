/** Saying something in a room, past the host's moderation. Contract §3 Entry, §5. */
import { Effect, Schema } from "effect"
import type { Write } from "../model/Change.ts"
import { DealRoomView, Entry } from "../model/DealRoom.ts"
import type { Message } from "../model/DealRoom.ts"
import type { Instant } from "../model/Instant.ts"
import type { Store } from "../ports/Store.ts"
import { viewRoom } from "../rules/DealRooms.ts"
import { say } from "../rules/Fulfilment.ts"
import { holdMessage } from "../rules/Holds.ts"
import type { Moderator } from "./moderation.ts"
import { roomChange } from "./rooms.ts"
import type { Seat } from "./rooms.ts"

/** A message, and the room in which it was said. One that is held has an entry without its text. */
export const Said = Schema.Struct({ dealRoom: DealRoomView, entry: Entry })
export interface Said extends Schema.Schema.Type<typeof Said> {}

/** Decides what becomes of a message. */
export const sayInRoom = Effect.fnUntraced(function* (
  store: Store["Service"],
  moderate: Moderator,
  seat: Seat,
  message: Message,
  now: Instant
) {
  const { agent, progress, side, stored } = seat
  const said = yield* Effect.fromResult(say(progress, side, message, now))
  const content = { kind: "message", agentId: agent.id, roomId: stored.id, message } as const
  const held = yield* moderate(content)
  const { entry, progress: next } =
    held === undefined ? said : yield* Effect.fromResult(holdMessage(progress, side, message, now))
  const change = yield* roomChange(store, seat, next, now, (room) => ({
    dealRoom: viewRoom(room, now),
    entry
  }))
  if (held === undefined) return change
  const subject = { kind: "message", roomId: stored.id, seq: entry.seq, message } as const
  const hold: Write = { kind: "hold", value: held(agent.id, subject, now), replaces: null }
  return { ...change, writes: [...change.writes, hold] }
})
