/** Saying something in a room, past the host's moderation. Contract §3 Entry, §5. */
import { Effect, Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import { Hex } from "effect/encoding"
import type { Write } from "../model/Change.ts"
import { DealRoomView, Entry } from "../model/DealRoom.ts"
import type { Message } from "../model/DealRoom.ts"
import { Held } from "../model/Hold.ts"
import type { Instant } from "../model/Instant.ts"
import type { Store } from "../ports/Store.ts"
import { viewRoom } from "../rules/DealRooms.ts"
import { say } from "../rules/Fulfilment.ts"
import { holdMessage } from "../rules/Holds.ts"
import type { Moderator } from "./moderation.ts"
import { roomChange } from "./rooms.ts"
import type { Seat } from "./rooms.ts"

/**
 * A message, and the room in which it was said. One that is held has an entry without its text, and its author, nobody
 * else, is told why it waits.
 */
export const Said = Schema.Struct({
  dealRoom: DealRoomView,
  entry: Entry,
  held: Schema.optionalKey(Held)
})
export interface Said extends Schema.Schema.Type<typeof Said> {}

/** Decides what becomes of a message. */
export const sayInRoom = Effect.fnUntraced(function* (
  store: Store["Service"],
  moderate: Moderator,
  random: SecureRandom.SecureRandom["Service"],
  seat: Seat,
  message: Message,
  now: Instant
) {
  const { agent, progress, side, stored } = seat
  const said = yield* Effect.fromResult(say(progress, side, message, now))
  const content = { kind: "message", agentId: agent.id, roomId: stored.id, message } as const
  const held = yield* moderate(content)
  if (held === undefined)
    return yield* roomChange(store, seat, said.progress, now, (room): Said => ({
      dealRoom: viewRoom(room, agent.id, now),
      entry: said.entry
    }))
  const salt = Hex.encode(yield* random.randomBytes(saltLength))
  const noted = yield* Effect.fromResult(holdMessage(progress, side, message, salt, now))
  const { seq } = noted.entry
  const subject = { kind: "message", roomId: stored.id, seq, message, salt } as const
  const hold = held.of(agent.id, subject, now)
  const change = yield* roomChange(store, seat, noted.progress, now, (room): Said => ({
    dealRoom: viewRoom(room, agent.id, now),
    entry: noted.entry,
    held: { holdId: hold.id, reason: hold.reason }
  }))
  const write: Write = { kind: "hold", value: hold, replaces: null }
  return { ...change, writes: [...change.writes, write] }
})

/** In bytes. */
const saltLength = 16
