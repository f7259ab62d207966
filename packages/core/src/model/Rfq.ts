/** A request for quotation. Contract §3, RFQ. */
import { Schema, Struct } from "effect"
import { clearable, OperatorReason, stamps } from "./Entity.ts"
import { Held } from "./Hold.ts"
import { AgentId, QuestionId, QuoteId, RfqId } from "./Id.ts"
import { Instant } from "./Instant.ts"
import { Money } from "./Money.ts"
import { line, Slug, Tags, text } from "./Text.ts"

/** One thing that the buyer needs; `hard` means that a quote which does not meet it deviates. */
export const Requirement = Schema.Struct({ id: Slug, text: line(1, 500), hard: Schema.Boolean }).annotate({
  identifier: "Requirement"
})
export interface Requirement extends Schema.Schema.Type<typeof Requirement> {}

/** What an agent asks about an RFQ, and what the buyer answers: both are read by all who see the RFQ. */
export const Question = Schema.Struct({
  id: QuestionId,
  askedBy: AgentId,
  text: line(1, 1000),
  askedAt: Instant,
  answer: Schema.optionalKey(Schema.Struct({ text: line(1, 2000), answeredAt: Instant }))
}).annotate({ identifier: "Question" })
export interface Question extends Schema.Schema.Type<typeof Question> {}

export const RfqStatus = Schema.Literals([
  "draft",
  "open",
  "evaluating",
  "awarded",
  "unsuccessful",
  "cancelled"
])
export type RfqStatus = typeof RfqStatus.Type

export const Visibility = Schema.Literals(["public", "invited"])
export const QuoteMode = Schema.Literals(["open", "sealed"])

const content = {
  title: line(3, 120),
  description: text(4000),
  category: Schema.optionalKey(Slug),
  tags: Tags,
  requirements: Schema.Array(Requirement).check(
    Schema.isMaxLength(50),
    Schema.makeFilter(
      (requirements) =>
        new Set(requirements.map((requirement) => requirement.id)).size === requirements.length,
      { expected: "requirements with different ids" }
    )
  ),
  budget: Schema.optionalKey(Money),
  visibility: Visibility,
  invitees: Schema.Array(AgentId).check(Schema.isMaxLength(100), Schema.isUnique()),
  quoteMode: QuoteMode,
  quoteDeadline: Instant,
  awardBy: Instant,
  maxQuotes: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 }))
}

const Hash = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/u))

/** An RFQ as it is kept. `seal.seed` is nobody's to read before the deadline: readers get an `RfqView`. */
export const Rfq = Schema.Struct({
  id: RfqId,
  agentId: AgentId,
  ...content,
  quoteCount: Schema.Int,
  /** In the order in which they were asked. */
  questions: Schema.Array(Question),
  awardedQuoteId: Schema.optionalKey(QuoteId),
  seal: Schema.optionalKey(Schema.Struct({ seed: Hash })),
  status: RfqStatus,
  /** While the moderation keeps it from being seen: why. */
  held: Schema.optionalKey(Held),
  /** Where the operator took it off the market: why, for its owner alone. */
  removal: Schema.optionalKey(OperatorReason),
  ...stamps
}).annotate({ identifier: "Rfq" })
export interface Rfq extends Schema.Schema.Type<typeof Rfq> {}

/**
 * What the order of sealed quotes follows from. `commitment` is the SHA-256 of the seed, and shown from the opening of
 * the RFQ on; the seed (32 random bytes in hex) is drawn at the opening and shown when the deadline has passed.
 */
export const RfqSeal = Schema.Struct({ commitment: Hash, seed: Schema.optionalKey(Hash) }).annotate({
  identifier: "RfqSeal"
})

/** An RFQ as its readers get it. */
export const RfqView = Rfq.mapFields(Struct.assign({ seal: Schema.optionalKey(RfqSeal) })).annotate({
  identifier: "RfqView"
})
export interface RfqView extends Schema.Schema.Type<typeof RfqView> {}

const optionalContent = {
  ...content,
  description: Schema.optionalKey(content.description),
  tags: Schema.optionalKey(content.tags),
  requirements: Schema.optionalKey(content.requirements),
  visibility: Schema.optionalKey(content.visibility),
  invitees: Schema.optionalKey(content.invitees),
  quoteMode: Schema.optionalKey(content.quoteMode),
  awardBy: Schema.optionalKey(content.awardBy),
  maxQuotes: Schema.optionalKey(content.maxQuotes)
}

/** What it takes to ask for quotes; an RFQ is open at once unless it says `draft`. */
export const RfqInput = Schema.Struct({
  ...optionalContent,
  status: Schema.optionalKey(Schema.Literals(["draft", "open"]))
}).annotate({ identifier: "RfqInput" })
export interface RfqInput extends Schema.Schema.Type<typeof RfqInput> {}

/** What the buyer can change while an RFQ is a draft, or open and without a quote. */
export const RfqPatch = Schema.Struct({
  ...optionalContent,
  title: Schema.optionalKey(content.title),
  category: clearable(Slug),
  budget: clearable(Money),
  quoteDeadline: Schema.optionalKey(content.quoteDeadline)
}).annotate({ identifier: "RfqPatch", examples: [{ maxQuotes: 20 }] })
export interface RfqPatch extends Schema.Schema.Type<typeof RfqPatch> {}

export const QuestionInput = Schema.Struct({ text: line(1, 1000) }).annotate({
  identifier: "QuestionInput",
  examples: [{ text: "Is the source a Word file?" }]
})
export interface QuestionInput extends Schema.Schema.Type<typeof QuestionInput> {}

export const AnswerInput = Schema.Struct({ text: line(1, 2000) }).annotate({
  identifier: "AnswerInput",
  examples: [{ text: "Yes, with tracked changes." }]
})
export interface AnswerInput extends Schema.Schema.Type<typeof AnswerInput> {}

/** A stored status, and bounds on the deadlines: `After` is exclusive, `UpTo` inclusive. */
export interface RfqStateWindow {
  readonly status: RfqStatus
  readonly quoteDeadlineAfter?: Instant | undefined
  readonly quoteDeadlineUpTo?: Instant | undefined
  readonly awardByAfter?: Instant | undefined
  readonly awardByUpTo?: Instant | undefined
}
