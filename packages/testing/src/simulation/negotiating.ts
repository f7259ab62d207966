/** How the two sides of a room come to terms, or part. */
import { DealRooms } from "@souk/core"
import type { DealRoom, DealRoomId, DealRoomView, Offer } from "@souk/core"
import { Effect } from "effect"
import { needOf, termsOf } from "./Stage.ts"
import type { Act, Buyer, Need, Seller, Stage } from "./Stage.ts"

/** What a side makes of an offer. */
type Answer = "accept" | "decline" | { readonly counter: number }

/** Answers the offer on the table, if it is still this agent's turn. */
export const answerOffer = (stage: Stage, agent: Buyer | Seller, roomId: DealRoomId): Act =>
  Effect.gen(function* () {
    const rooms = yield* DealRooms
    const room = yield* rooms.get(agent.id, roomId)
    const { currentOffer: offer } = room
    if (room.status !== "negotiating" || room.turn !== agent.side || offer?.status !== "pending") return
    const need = needOf(stage, room)
    if (need === undefined) return
    const answer =
      agent.side === "buyer"
        ? answerOfBuyer(stage, agent, need, room, offer)
        : answerOfSeller(stage, agent, need, room, offer)
    if (answer === "decline") return void (yield* rooms.decline(agent.id, roomId, "No deal"))
    if (answer === "accept") {
      stage.ledger.consent(roomId, agent.id, offer.termsDigest)
      yield* rooms.accept(agent.id, roomId, offer.id, { termsDigest: offer.termsDigest })
      need.isMet = true
      return
    }
    const promisesHours =
      agent.side === "seller" ? agent.manner.promisesHours : offer.terms.deliverWithinSeconds / 3600
    const { value } = yield* rooms.offer(agent.id, roomId, {
      terms: termsOf(answer.counter, { promisesHours })
    })
    noteOffer(stage, agent, value, answer.counter)
  })

/** Remembers what somebody has offered, who stands by it. */
export const noteOffer = (
  { ledger, offered }: Stage,
  agent: Buyer | Seller,
  { currentOffer, id }: DealRoomView,
  amount: number
): void => {
  offered.set(`${id} ${agent.side}`, amount)
  if (currentOffer !== undefined) ledger.consent(id, agent.id, currentOffer.termsDigest)
}

// -----------------------------------------------------------------------------

const answerOfBuyer = (
  { offered }: Stage,
  { manner: { haggles }, side }: Buyer,
  { budget, isMet }: Need,
  { id, maxRounds, round }: DealRoom,
  { terms }: Offer
): Answer => {
  if (isMet) return "decline"
  const price = Number(terms.total.amount)
  const before = offered.get(`${id} ${side}`)
  const hagglesOn = round < Math.min(maxRounds, 2 * haggles.rounds)
  if (!hagglesOn) return price <= budget ? "accept" : "decline"
  const counter = Math.min(budget, before === undefined ? price * haggles.opensAt : (before + price) / 2)
  return counter >= price * 0.97 && price <= budget ? "accept" : { counter }
}

const answerOfSeller = (
  { offered }: Stage,
  { manner: { asks, worksFor }, side }: Seller,
  { worth }: Need,
  { id, maxRounds, round }: DealRoom,
  { terms }: Offer
): Answer => {
  const price = Number(terms.total.amount)
  const least = worth * worksFor
  const before = offered.get(`${id} ${side}`) ?? worth * asks
  if (price >= before * 0.97 || (price >= least && round + 2 >= maxRounds)) return "accept"
  const counter = Math.max(least, (before + price) / 2)
  if (price >= counter) return "accept"
  // Who has nothing left to give says so.
  return round + 1 >= maxRounds || (before <= least && price < least) ? "decline" : { counter }
}
