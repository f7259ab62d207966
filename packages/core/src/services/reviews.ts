/** Reviewing a completed deal, with what the reviews do to the reputation of both sides. Contract §3 Review. */
import { Effect } from "effect"
import type { Agent, Reputation } from "../model/Agent.ts"
import type { Change, Write } from "../model/Change.ts"
import type { ReviewId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import type { Review, ReviewInput } from "../model/Review.ts"
import type { Store } from "../ports/Store.ts"
import { creditReputation, withRating } from "../rules/Agents.ts"
import { reputationOf, writesOf } from "../rules/DealRoomProgress.ts"
import * as rules from "../rules/Reviews.ts"
import { reliesOnAgent } from "./reads.ts"
import type { Seat } from "./rooms.ts"

/** Decides a review; a room that time completed since it was last written is written down with it. */
export const reviewChange = Effect.fnUntraced(function* (
  store: Store["Service"],
  seat: Seat,
  input: ReviewInput,
  id: ReviewId,
  now: Instant
) {
  const { stored, progress, side } = seat
  const { room } = progress
  const reviewed = yield* Effect.fromResult(
    rules.review(room, side, yield* store.reviews.ofRoom(room.id), input, id, now)
  )
  const completion = reputationOf(stored, room)
  const agents = yield* store.agents.byIds([room.buyerId, room.sellerId])
  const credit = (agent: Agent) => (reputation: Reputation) =>
    reviewed.published
      .filter((review) => review.ofId === agent.id)
      .reduce((sum, review) => withRating(sum, review.rating), completion?.(reputation) ?? reputation)
  const credited: ReadonlyArray<Write> =
    completion === undefined && reviewed.published.length === 0
      ? []
      : agents.map((agent) => creditReputation(agent, credit(agent), now))
  const change: Change<Review> = {
    result: reviewed.review,
    writes: [
      ...writesOf({ ...progress, room: reviewed.room }, stored.version, stored.currentOffer),
      ...reviewed.writes,
      ...credited
    ],
    events: [...progress.events, ...reviewed.events],
    reliesOn: credited.length > 0 ? [] : [reliesOnAgent(seat.agent)]
  }
  return change
})
