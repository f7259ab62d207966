/** The rules of deal rooms: what may move, by whom, and what time does. Contract §3 Deal room, §4 Offer and Deal room. */
import type { DealRoom, DealRoomStatus, DealRoomView, NextAction, Role, Side } from "../model/DealRoom.ts"
import type { AgentId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import { after, day, hasPassed, hour } from "../model/Instant.ts"
import type { Condition, StateTable } from "./StateTable.ts"
import { nextActions, permit } from "./StateTable.ts"

export type DealRoomMove =
  | "message"
  | "offer"
  | "accept"
  | "reject"
  | "withdraw"
  | "decline"
  | "expire"
  | "start"
  | "deliver"
  | "complete"
  | "request_changes"
  | "cancel"
  | "dispute"
  | "refund"
  | "split"
  | "review"

/** The spans of a deal where neither the terms nor the contract name another. */
export const spans = {
  /** A room in which no offer stands for so long expires. */
  offerDue: 7 * day,
  /** An offer that names no end stands for so long. */
  offerValid: 3 * day,
  /** No offer stands longer. */
  longestOffer: 90 * day,
  /** What is late by more than this is no longer waited for. */
  deliveryGrace: day,
  /** A delivery that the buyer leaves unanswered for so long is accepted. */
  review: 72 * hour,
  /** A dispute that the operator leaves unresolved for so long is refunded. */
  resolution: 30 * day,
  /** A completed deal can be reviewed for so long; then what was written is published. */
  reviews: 7 * day
} as const

export const defaultMaxRounds = 10

/** The side that an agent has in a room, if any: nobody else sees it. */
export const sideOf = (room: DealRoom, agentId: AgentId | undefined): Side | undefined => {
  if (agentId === room.buyerId) return "buyer"
  return agentId === room.sellerId ? "seller" : undefined
}

/** The agent on a side of a room. */
export const agentOn = (room: DealRoom, side: Side): AgentId =>
  side === "buyer" ? room.buyerId : room.sellerId

export const otherSide = (side: Side): Side => (side === "buyer" ? "seller" : "buyer")

/** The side whose offer stands, if one does. */
export const proposer = (room: DealRoom): Side | undefined =>
  room.currentOffer?.status === "pending" ? sideOf(room, room.currentOffer.fromId) : undefined

const theirOfferStands: Condition<DealRoom> = {
  says: "an offer of the other side stands",
  holds: (room, by) => proposer(room) !== undefined && proposer(room) !== by,
  otherwise: "not_your_turn"
}
const ownOfferStands: Condition<DealRoom> = {
  says: "the offer that stands is one's own",
  holds: (room, by) => proposer(room) === by,
  otherwise: "not_your_turn"
}
const noOwnOffer: Condition<DealRoom> = {
  says: "one's own offer does not stand already",
  holds: (room, by) => proposer(room) !== by,
  otherwise: "not_your_turn"
}
const roundsLeft: Condition<DealRoom> = {
  says: "rounds are left in the room",
  holds: (room) => room.round < room.maxRounds,
  otherwise: "limit_reached"
}
const revisionsLeft: Condition<DealRoom> = {
  says: "revisions are left in the terms",
  holds: (room) => room.changesRequested < (room.agreement?.terms.revisions ?? 0),
  otherwise: "limit_reached"
}
const notAskedYet: Condition<DealRoom> = {
  says: "this side has not asked for it already",
  holds: (room, by) => room.cancelRequestedBy !== by,
  otherwise: "not_your_turn"
}

const notReviewedYet: Condition<DealRoom> = {
  says: "this side has not reviewed the deal already",
  holds: (room, by) => !(room.reviewedBy ?? []).some((side) => side === by)
}

const sides: ReadonlyArray<Side> = ["buyer", "seller"]
const underWay: ReadonlyArray<DealRoomStatus> = ["in_progress", "delivered", "changes_requested"]
const live: ReadonlyArray<DealRoomStatus> = ["negotiating", "agreed", ...underWay, "disputed"]

export const dealRoomTable: StateTable<DealRoom, DealRoomStatus, DealRoomMove> = [
  { from: live, move: "message", by: sides, to: "same", event: "deal_room.message" },
  {
    from: ["negotiating"],
    move: "offer",
    by: sides,
    to: "same",
    event: "deal_room.offer_made",
    when: [noOwnOffer, roundsLeft]
  },
  {
    from: ["negotiating"],
    move: "accept",
    by: sides,
    to: "agreed",
    event: "deal_room.agreed",
    when: theirOfferStands
  },
  {
    from: ["negotiating"],
    move: "reject",
    by: sides,
    to: "same",
    event: "deal_room.offer_rejected",
    when: theirOfferStands
  },
  {
    from: ["negotiating"],
    move: "withdraw",
    by: sides,
    to: "same",
    event: "deal_room.offer_withdrawn",
    when: ownOfferStands
  },
  { from: ["negotiating"], move: "decline", by: sides, to: "declined", event: "deal_room.declined" },
  { from: ["negotiating"], move: "expire", by: ["time"], to: "expired", event: "deal_room.expired" },
  { from: ["agreed"], move: "start", by: ["operator"], to: "in_progress", event: "deal_room.started" },
  { from: ["agreed"], move: "cancel", by: ["time"], to: "cancelled", event: "deal_room.cancelled" },
  {
    from: ["in_progress", "changes_requested"],
    move: "deliver",
    by: ["seller"],
    to: "delivered",
    event: "deal_room.delivered"
  },
  {
    from: ["in_progress", "changes_requested"],
    move: "expire",
    by: ["time"],
    to: "expired",
    event: "deal_room.expired"
  },
  {
    from: ["delivered"],
    move: "complete",
    by: ["buyer", "time"],
    to: "completed",
    event: "deal_room.completed"
  },
  {
    from: ["delivered"],
    move: "request_changes",
    by: ["buyer"],
    to: "changes_requested",
    event: "deal_room.changes_requested",
    when: revisionsLeft
  },
  {
    from: ["in_progress", "changes_requested"],
    move: "cancel",
    by: sides,
    to: "cancelled",
    event: "deal_room.cancelled",
    when: notAskedYet
  },
  { from: underWay, move: "dispute", by: sides, to: "disputed", event: "deal_room.disputed" },
  { from: ["disputed"], move: "complete", by: ["operator"], to: "completed", event: "deal_room.resolved" },
  {
    from: ["disputed"],
    move: "refund",
    by: ["operator", "time"],
    to: "refunded",
    event: "deal_room.resolved"
  },
  { from: ["disputed"], move: "split", by: ["operator"], to: "split", event: "deal_room.resolved" },
  {
    from: ["completed"],
    move: "review",
    by: sides,
    to: "same",
    event: "review.published",
    when: notReviewedYet
  }
]

/** Finds the row that lets a role move a room, or refuses. */
export const permitRoom = (room: DealRoom, move: DealRoomMove, by: Role) =>
  permit(dealRoomTable, room, move, by, deadlineOf(room))

/** The moves that are open now, with the deadlines at which time moves instead; no review when its time is over. */
export const roomActions = (room: DealRoom, now: Instant): ReadonlyArray<NextAction> => {
  const { reviewsDueBy } = room.deadlines
  const isOver = reviewsDueBy !== undefined && hasPassed(reviewsDueBy, now)
  const actions = nextActions(dealRoomTable, room, deadlineOf(room))
  return isOver ? actions.filter(({ action }) => action !== "review") : actions
}

const deadlineOf =
  (room: DealRoom) =>
  (move: DealRoomMove): Instant | undefined => {
    const { deadlines } = room
    switch (move) {
      case "offer":
        return deadlines.offerExpiresAt ?? deadlines.offerDueBy
      case "accept":
      case "reject":
        return deadlines.offerExpiresAt
      case "start":
        return deadlines.fundBy
      case "deliver":
        return deadlines.deliverBy
      case "complete":
      case "request_changes":
        return deadlines.reviewUntil
      case "refund":
        return deadlines.resolveBy
      case "review":
        return deadlines.reviewsDueBy
      default:
        return undefined
    }
  }

/** What time does to a room next, and when; `undefined` where it waits for nobody. */
export const nextLapse = (
  room: DealRoom
): { readonly at: Instant; readonly move: "expire" | "cancel" | "complete" | "refund" } | undefined => {
  const { deadlines } = room
  switch (room.status) {
    case "negotiating": {
      const at = deadlines.offerExpiresAt ?? deadlines.offerDueBy
      return at && { at, move: "expire" }
    }
    case "agreed":
      return deadlines.fundBy && { at: deadlines.fundBy, move: "cancel" }
    case "in_progress":
    case "changes_requested":
      return deadlines.deliverBy && { at: after(deadlines.deliverBy, spans.deliveryGrace), move: "expire" }
    case "delivered":
      return deadlines.reviewUntil && { at: deadlines.reviewUntil, move: "complete" }
    case "disputed":
      return deadlines.resolveBy && { at: deadlines.resolveBy, move: "refund" }
    default:
      return undefined
  }
}

/** A room as a participant gets it, or as the operator does. */
export const viewRoom = (
  { refusals, ...room }: DealRoom,
  viewer: AgentId | "operator",
  now: Instant
): DealRoomView => {
  const own = refusals?.filter(({ byId }) => viewer === "operator" || viewer === byId) ?? []
  return {
    ...room,
    ...(own.length === 0 ? {} : { refusals: own }),
    nextActions: roomActions(room, now)
  }
}
