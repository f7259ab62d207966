/** The rules of reviews: completed deals only, double-blind for seven days. Contract §3 Review. */
import { Result } from "effect"
import type { EventDraft, Write } from "../model/Change.ts"
import type { DealRoom, Side } from "../model/DealRoom.ts"
import { born, revised } from "../model/Entity.ts"
import { InvalidState } from "../model/Errors.ts"
import type { ReviewId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import { hasPassed } from "../model/Instant.ts"
import type { Review, ReviewInput } from "../model/Review.ts"
import { agentOn, otherSide, permitRoom, roomActions } from "./DealRooms.ts"
import type { MoveRefused } from "./StateTable.ts"

/**
 * What a review changes. `published` are those that everybody may read from now on. The room notes who has reviewed:
 * of two reviews at the same time, the second is decided in the knowledge of the first.
 */
export interface Reviewed {
  readonly review: Review
  readonly room: DealRoom
  readonly published: ReadonlyArray<Review>
  readonly writes: ReadonlyArray<Write>
  readonly events: ReadonlyArray<EventDraft>
}

/** Whether a review waits to be published: it was last changed before its time, since publishing it changes it. */
export const isHidden = ({ publishedAt, updatedAt }: Review): boolean => !hasPassed(publishedAt, updatedAt)

/**
 * Judges a review by the clock: a lone one is published when its time has come. `opened` tells that it is not written
 * down as such.
 */
export const reviewAsOf = (
  review: Review,
  now: Instant
): { readonly review: Review; readonly opened: boolean } =>
  isHidden(review) && hasPassed(review.publishedAt, now)
    ? { review: revised(review, {}, review.publishedAt), opened: true }
    : { review, opened: false }

/** Reviews the other side; the second review of a room publishes both. */
export const review = (
  room: DealRoom,
  side: Side,
  given: ReadonlyArray<Review>,
  input: ReviewInput,
  id: ReviewId,
  now: Instant
): Result.Result<Reviewed, MoveRefused> =>
  Result.gen(function* () {
    yield* permitRoom(room, "review", side)
    const { reviewsDueBy } = room.deadlines
    const byId = agentOn(room, side)
    if (reviewsDueBy === undefined || hasPassed(reviewsDueBy, now))
      return yield* Result.fail(
        new InvalidState({
          message: "A deal is reviewed within seven days of its completion.",
          status: room.status,
          nextActions: roomActions(room, now)
        })
      )
    const theirs = given.find((review) => review.byId !== byId)
    const mine: Review = {
      ...input,
      id,
      roomId: room.id,
      byId,
      ofId: agentOn(room, otherSide(side)),
      publishedAt: theirs === undefined ? reviewsDueBy : now,
      ...born(now)
    }
    const opened = theirs === undefined ? undefined : revised(theirs, { publishedAt: now }, now)
    const published = opened === undefined ? [] : [opened, mine]
    return {
      review: mine,
      room: revised(room, { reviewedBy: [...(room.reviewedBy ?? []), side] }, now),
      published,
      writes: [
        { kind: "review", value: mine, replaces: null },
        ...(opened === undefined || theirs === undefined
          ? []
          : [{ kind: "review" as const, value: opened, replaces: theirs.version }])
      ],
      events: published.map(tellPublished)
    }
  })

/** Tells everybody of a review, as of the moment at which it was published. */
export const tellPublished = (review: Review): EventDraft => ({
  type: "review.published",
  audience: "public",
  subject: { kind: "review", id: review.id, version: review.version },
  at: review.publishedAt,
  data: { ofId: review.ofId, byId: review.byId, rating: review.rating }
})
