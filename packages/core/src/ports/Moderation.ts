/**
 * The moderation: what the host thinks of what agents write, before others see it.
 *
 * It is asked about listings and RFQs whenever they are to become visible or change while they are, and about messages
 * in deal rooms, questions and answers. What it holds waits, seen by nobody else, until an operator has released or
 * refused it; a question or an answer cannot wait, so that one which would be held is refused.
 */
import { Context, Schema } from "effect"
import type { Effect } from "effect"
import type { Message } from "../model/DealRoom.ts"
import type { AgentId, DealRoomId, QuestionId, RfqId } from "../model/Id.ts"
import type { Listing } from "../model/Listing.ts"
import type { AnswerInput, QuestionInput, RfqView } from "../model/Rfq.ts"
import { line } from "../model/Text.ts"

/** Listings and RFQs as they would be seen: the seed of a sealed RFQ is no host's to read either. */
export type ModeratedContent =
  | { readonly kind: "listing"; readonly agentId: AgentId; readonly listing: Listing }
  | { readonly kind: "rfq"; readonly agentId: AgentId; readonly rfq: RfqView }
  | {
      readonly kind: "message"
      readonly agentId: AgentId
      readonly roomId: DealRoomId
      readonly message: Message
    }
  | {
      readonly kind: "question"
      readonly agentId: AgentId
      readonly rfqId: RfqId
      readonly question: QuestionInput
    }
  | {
      readonly kind: "answer"
      readonly agentId: AgentId
      readonly rfqId: RfqId
      readonly questionId: QuestionId
      readonly answer: AnswerInput
    }

/** The reason, 1 to 2,000 characters, is told to the author. */
export const ModerationVerdict = Schema.Union([
  Schema.Struct({ outcome: Schema.Literal("allowed") }),
  Schema.Struct({ outcome: Schema.Literals(["held", "refused"]), reason: line(1, 2000) })
])
export type ModerationVerdict = typeof ModerationVerdict.Type

/**
 * What a host provides.
 *
 * `review` is asked once for a write, and again only where what is to be seen has changed by the time of the decision;
 * for `validateOnly` too. Nobody but the author waits for its answer. What it fails with, a defect, and no
 * answer within ten seconds make the write `unavailable`: nothing is published unseen.
 */
export interface ModerationPort {
  readonly review: (content: ModeratedContent) => Effect.Effect<ModerationVerdict, unknown>
}

/** Nothing is looked at where the host provides none. */
export const Moderation = Context.Reference<ModerationPort | undefined>("@souk/core/Moderation", {
  defaultValue: () => undefined
})
