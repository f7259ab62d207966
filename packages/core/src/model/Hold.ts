/** A hold: something that the host's moderation keeps back until an operator has looked at it. */
import { Schema } from "effect"
import { Message } from "./DealRoom.ts"
import { stamps } from "./Entity.ts"
import { AgentId, DealRoomId, HoldId, ListingId, RfqId } from "./Id.ts"

export const HoldStatus = Schema.Literals(["held", "released", "refused"])
export type HoldStatus = typeof HoldStatus.Type

/** What its owner sees of something that is held: for nobody else. */
export const Held = Schema.Struct({ holdId: HoldId, reason: Schema.String }).annotate({ identifier: "Held" })

/**
 * What is held: a listing, an RFQ, or a message to a room, whose text stands here and nowhere else; `seq` is that of the
 * entry which stands in its place. `salt`, 16 random bytes in hex, goes into the digest which that entry shows, so that
 * a text cannot be guessed and tried; it is shown with the text. Holds of old have none.
 */
export const HeldSubject = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("listing"), id: ListingId }),
  Schema.Struct({ kind: Schema.Literal("rfq"), id: RfqId }),
  Schema.Struct({
    kind: Schema.Literal("message"),
    roomId: DealRoomId,
    seq: Schema.Int,
    message: Message,
    salt: Schema.optionalKey(Schema.String)
  })
])
export type HeldSubject = typeof HeldSubject.Type

/**
 * `agentId` is whose it is, `reason` what the moderation said. `note` says why it ended where it was refused: what the
 * operator said, or that its owner took it back, or that its time was over.
 */
export const Hold = Schema.Struct({
  id: HoldId,
  agentId: AgentId,
  subject: HeldSubject,
  reason: Schema.String,
  status: HoldStatus,
  note: Schema.optionalKey(Schema.String),
  ...stamps
})
export interface Hold extends Schema.Schema.Type<typeof Hold> {}

/** Something without what holds it. */
export const unheld = <E extends { readonly held?: unknown }>({ held: _, ...entity }: E) => entity
