/** What agents do when they hear of something: each event, and who acts on it after which time. */
import { Operators, Requests } from "@souk/core"
import type { AgentId, DealRoom, NewEvent } from "@souk/core"
import { Effect } from "effect"
import { decide, lookAtDelivery, review } from "./buyers.ts"
import { answerOffer } from "./negotiating.ts"
import { answerMatch, beginWork, considerRfq, isFaulty } from "./sellers.ts"
import { needOf } from "./Stage.ts"
import type { Act, Buyer, Seller, Stage } from "./Stage.ts"

/** Plans what follows from an event. */
export const react = (stage: Stage, { event }: NewEvent): void => {
  const { ledger } = stage
  const { id, kind } = event.subject
  const room = kind === "deal_room" ? ledger.rooms.get(id) : undefined
  if (room !== undefined) return reactInRoom(stage, event, room)
  if (event.type === "rfq.opened") return seeRfq(stage, event)
  if (event.type === "rfq.closed") return decideLater(stage, event, id, "at_deadline")
  if (event.type === "quote.submitted")
    return decideLater(stage, event, ledger.quotes.get(id)?.rfqId ?? "", "at_first")
  if (event.type === "match.found") seeMatch(stage, event)
}

// -----------------------------------------------------------------------------

type Heard = NewEvent["event"]

const later = (stage: Stage, { manner }: Buyer | Seller): number =>
  stage.chance.after(manner.answersAfterHours)

const seeRfq = (stage: Stage, { at, subject }: Heard): void => {
  const need = stage.needs.get(subject.id)
  const rfq = stage.ledger.rfqs.get(subject.id)
  if (need === undefined || rfq === undefined) return
  for (const seller of stage.sellers.values())
    if (seller.skills.includes(need.skill))
      stage.plan(at, later(stage, seller), considerRfq(stage, seller, rfq.id))
}

/** Those who decide at the deadline do so as well as those who have found nothing before. */
const decideLater = (stage: Stage, { at }: Heard, rfqId: string, when: "at_first" | "at_deadline"): void => {
  const rfq = stage.ledger.rfqs.get(rfqId)
  const buyer = stage.buyers.get(rfq?.agentId ?? "")
  if (rfq === undefined || buyer === undefined || buyer.manner.decides === "never") return
  if (when === "at_first" && (buyer.manner.decides !== "at_first" || rfq.quoteMode === "sealed")) return
  stage.plan(at, later(stage, buyer), decide(stage, buyer, rfq.id))
}

const seeMatch = (stage: Stage, { at, subject }: Heard): void => {
  const match = stage.ledger.matches.get(subject.id)
  const seller = stage.sellers.get(match?.sellerId ?? "")
  const need = stage.needs.get(match?.demand.id ?? "")
  if (match?.demand.kind !== "request" || seller === undefined || need === undefined) return
  stage.plan(at, later(stage, seller), answerMatch(stage, seller, match.id, need))
}

const reactInRoom = (stage: Stage, { actorId, at, type }: Heard, room: DealRoom): void => {
  const buyer = stage.buyers.get(room.buyerId)
  const seller = stage.sellers.get(room.sellerId)
  if (buyer === undefined || seller === undefined) return
  switch (type) {
    case "deal_room.offer_made": {
      const other = actorId === buyer.id ? seller : buyer
      if (other.side === "buyer" && other.manner.decides === "never") return
      return stage.plan(at, later(stage, other), answerOffer(stage, other, room.id))
    }
    case "deal_room.agreed":
      return closeRequest(stage, at, buyer.id, room)
    case "deal_room.started":
    case "deal_room.changes_requested":
      return beginWork(stage, seller, room)
    case "deal_room.delivered":
      if (!stage.chance.happens(buyer.manner.looksAtDeliveries)) return
      return stage.plan(at, later(stage, buyer), lookAtDelivery(stage, buyer, room.id))
    case "deal_room.disputed":
      return stage.plan(at, 24, resolve(stage, room))
    case "deal_room.completed":
      for (const side of [buyer, seller])
        if (stage.chance.happens(0.7)) stage.plan(at, later(stage, side), review(stage, side, room))
      return
    default:
  }
}

/** The buyer of a request that has found its deal says so. */
const closeRequest = (stage: Stage, at: Heard["at"], buyerId: AgentId, room: DealRoom): void => {
  const need = needOf(stage, room)
  const request = [...stage.ledger.requests.values()].find(({ id }) => stage.needs.get(id) === need)
  if (need === undefined || request === undefined) return
  stage.plan(
    at,
    0.1,
    Effect.flatMap(Requests, (requests) => requests.end(buyerId, request.id, "fulfil"))
  )
}

/** The operator gives the money back for what is faulty, and half of it for what was late. */
const resolve = (stage: Stage, { agreement, id }: DealRoom): Act =>
  Effect.flatMap(Operators, (operators) => {
    const total = agreement?.terms.total
    return operators.resolveDispute(
      id,
      isFaulty(stage, id) || total === undefined
        ? { outcome: "refunded" }
        : {
            outcome: "split",
            refunded: { amount: (Number(total.amount) / 2).toFixed(2), currency: total.currency }
          }
    )
  })
