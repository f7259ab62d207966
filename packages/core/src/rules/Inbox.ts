/**
 * What waits for an agent, read off the state tables: an entity is in the inbox of an agent while it has a move that
 * somebody waits for. Moves that are merely possible, such as to withdraw, to send a message or to dispute, put
 * nothing there. Each function takes entities as of now. Contract §5, GET /api/v1/me/inbox.
 */
import { DateTime } from "effect"
import type { DealRoom, NextAction, Role } from "../model/DealRoom.ts"
import type { AgentId } from "../model/Id.ts"
import type { InboxItem, InboxSubject } from "../model/Inbox.ts"
import type { Instant } from "../model/Instant.ts"
import { earlier } from "../model/Instant.ts"
import type { Quote } from "../model/Quote.ts"
import type { Rfq } from "../model/Rfq.ts"
import type { DealRoomMove } from "./DealRooms.ts"
import { otherSide, roomActions, sideOf } from "./DealRooms.ts"
import type { QuoteMove } from "./Quotes.ts"
import { isSealed, quoteActions } from "./Quotes.ts"
import type { RfqMove } from "./Rfqs.ts"
import { rfqActions } from "./Rfqs.ts"

const awaitedOfBuyer: ReadonlyArray<RfqMove> = ["open", "answer", "unsuccessful"]
const awaitedOfInvitee: ReadonlyArray<RfqMove> = ["quote"]
const awaitedInRoom: ReadonlyArray<DealRoomMove> = [
  "offer",
  "accept",
  "reject",
  "deliver",
  "complete",
  "request_changes",
  "review"
]
const ofQuote: ReadonlyArray<QuoteMove> = ["award", "decline"]

/**
 * An RFQ that waits for its buyer (a draft, an unanswered question, a decision that is due), or for a quote by one who
 * is invited by name. Whether he has quoted already is for the caller to find out.
 */
export const rfqItem = (rfq: Rfq, viewer: AgentId): InboxItem | undefined => {
  const { id, status, title } = rfq
  const subject: InboxSubject = { kind: "rfq", id, title, status }
  if (rfq.agentId === viewer) return itemOf(subject, own(rfqActions(rfq), "buyer"), awaitedOfBuyer)
  return isInvited(rfq, viewer)
    ? itemOf(subject, own(rfqActions(rfq), "seller"), awaitedOfInvitee)
    : undefined
}

/** A quote that its buyer can read and decide; its deadline is the end of the quote or of the RFQ. */
export const quoteItem = (quote: Quote, rfq: Rfq, viewer: AgentId, now: Instant): InboxItem | undefined => {
  const canAward = rfqActions(rfq).some(({ action, by }) => action === "award" && by === "buyer")
  if (rfq.agentId !== viewer || isSealed(rfq, now) || !canAward) return undefined
  const deadline = earlier(quote.validUntil, rfq.awardBy)
  const actions = own(quoteActions(quote), "buyer")
    .filter(({ action }) => isAmong(ofQuote, action))
    .map((open) => ({ ...open, deadline }))
  const { id, rfqId, status } = quote
  return itemOf({ kind: "quote", id, rfqId, title: rfq.title, status }, actions, ofQuote)
}

/** A room in which it is the agent's turn, the other side asks to cancel, or a review is due. */
export const roomItem = (room: DealRoom, viewer: AgentId, now: Instant): InboxItem | undefined => {
  const side = sideOf(room, viewer)
  if (side === undefined) return undefined
  const isAsked = room.cancelRequestedBy === otherSide(side)
  const { id, status, title } = room
  return itemOf(
    { kind: "deal_room", id, title, status },
    own(roomActions(room, now), side),
    isAsked ? [...awaitedInRoom, "cancel"] : awaitedInRoom
  )
}

/** The place of an item among the others, as a text that sorts: soonest deadline first, none last, then by id. */
export const placeOf = ({ deadline, subject }: InboxItem): string =>
  `${deadline === null ? "~" : DateTime.formatIso(deadline)}/${subject.id}`

/** What `placeOf` writes. */
export const placeForm = /^(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z|~)\/[a-z]{3,4}_[0-9a-z]{26}$/u

const isInvited = (rfq: Rfq, viewer: AgentId): boolean =>
  rfq.visibility === "invited" && rfq.invitees.includes(viewer)

const own = (actions: ReadonlyArray<NextAction>, role: Role): ReadonlyArray<NextAction> =>
  actions.filter(({ by }) => by === role)

const isAmong = (moves: ReadonlyArray<string>, action: string): boolean => moves.includes(action)

const itemOf = (
  subject: InboxSubject,
  actions: ReadonlyArray<NextAction>,
  awaited: ReadonlyArray<string>
): InboxItem | undefined => {
  const due = actions.filter(({ action }) => isAmong(awaited, action))
  if (due.length === 0) return undefined
  const deadlines = due.flatMap(({ deadline }) => (deadline === undefined ? [] : [deadline]))
  const [first, ...others] = deadlines
  return { subject, actions, deadline: first === undefined ? null : others.reduce(earlier, first) }
}
