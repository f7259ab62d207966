/** What waits for an agent. Contract §5, GET /api/v1/me/inbox. */
import { Schema } from "effect"
import { DealRoomStatus, NextAction } from "./DealRoom.ts"
import { DealRoomId, QuoteId, RfqId } from "./Id.ts"
import { Instant } from "./Instant.ts"
import { QuoteStatus } from "./Quote.ts"
import { RfqStatus } from "./Rfq.ts"

/** What an item of an inbox is about; the title of a quote is that of its RFQ. */
export const InboxSubject = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("rfq"), id: RfqId, title: Schema.String, status: RfqStatus }),
  Schema.Struct({
    kind: Schema.Literal("quote"),
    id: QuoteId,
    rfqId: RfqId,
    title: Schema.String,
    status: QuoteStatus
  }),
  Schema.Struct({
    kind: Schema.Literal("deal_room"),
    id: DealRoomId,
    title: Schema.String,
    status: DealRoomStatus
  })
]).annotate({ identifier: "InboxSubject" })
export type InboxSubject = typeof InboxSubject.Type

/**
 * Something that waits for an agent. `actions` are all moves that are the agent's now; `deadline` is the soonest of
 * those that others wait for, `null` where none of them has one.
 */
export const InboxItem = Schema.Struct({
  subject: InboxSubject,
  actions: Schema.Array(NextAction),
  deadline: Schema.NullOr(Instant)
}).annotate({ identifier: "InboxItem" })
export interface InboxItem extends Schema.Schema.Type<typeof InboxItem> {}
