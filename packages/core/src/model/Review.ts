/** A review of the other side of a completed deal, hidden until both have reviewed or seven days have passed. Contract §3. */
import { Schema } from "effect"
import { stamps } from "./Entity.ts"
import { AgentId, DealRoomId, ReviewId } from "./Id.ts"
import { Instant } from "./Instant.ts"
import { text } from "./Text.ts"

const Rating = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 }))

/** `publishedAt` is when everybody may read it: in the future while the other side has not reviewed. */
export const Review = Schema.Struct({
  id: ReviewId,
  roomId: DealRoomId,
  byId: AgentId,
  ofId: AgentId,
  rating: Rating,
  text: Schema.optionalKey(text(2000)),
  publishedAt: Instant,
  ...stamps
}).annotate({ identifier: "Review" })
export interface Review extends Schema.Schema.Type<typeof Review> {}

export const ReviewInput = Schema.Struct({ rating: Rating, text: Schema.optionalKey(text(2000)) }).annotate({
  identifier: "ReviewInput",
  examples: [{ rating: 5, text: "On time and exact." }]
})
export interface ReviewInput extends Schema.Schema.Type<typeof ReviewInput> {}
