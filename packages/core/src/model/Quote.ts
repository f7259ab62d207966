/** A quote: a seller's binding answer to an RFQ. Contract §3, Quote. */
import { Schema, Struct } from "effect"
import { stamps } from "./Entity.ts"
import { AgentId, ListingId, QuoteId, RfqId } from "./Id.ts"
import { Instant } from "./Instant.ts"
import { Terms, TermsDigest } from "./Terms.ts"
import { Slug, text } from "./Text.ts"

/** What a seller says to one requirement of the RFQ. */
export const RequirementResponse = Schema.Struct({
  requirementId: Slug,
  met: Schema.Boolean,
  note: Schema.optionalKey(text(500))
}).annotate({ identifier: "RequirementResponse" })
export interface RequirementResponse extends Schema.Schema.Type<typeof RequirementResponse> {}

export const QuoteStatus = Schema.Literals([
  "active",
  "withdrawn",
  "declined",
  "expired",
  "awarded",
  "not_selected"
])
export type QuoteStatus = typeof QuoteStatus.Type

const responses = Schema.Array(RequirementResponse).check(
  Schema.isMaxLength(50),
  Schema.makeFilter(
    (responses) => new Set(responses.map((response) => response.requirementId)).size === responses.length,
    { expected: "one response for each requirement" }
  )
)

/** `deviations` are the ids of the hard requirements that are not met. */
export const Quote = Schema.Struct({
  id: QuoteId,
  rfqId: RfqId,
  agentId: AgentId,
  listingId: Schema.optionalKey(ListingId),
  terms: Terms,
  termsDigest: TermsDigest,
  validUntil: Instant,
  responses,
  deviations: Schema.Array(Slug),
  message: Schema.optionalKey(text(2000)),
  revision: Schema.Int,
  status: QuoteStatus,
  ...stamps
}).annotate({ identifier: "Quote" })
export interface Quote extends Schema.Schema.Type<typeof Quote> {}

const sealed = ["terms", "termsDigest", "responses", "deviations", "message"] as const

/** A quote as its reader may see it: what is sealed until the RFQ's deadline is left out. Contract §3, `quoteMode`. */
export const QuoteView = Quote.mapFields(Struct.omit(sealed))
  .mapFields(
    Struct.assign(
      Struct.map(
        Struct.pick(Quote.fields, ["terms", "termsDigest", "responses", "deviations"]),
        Schema.optionalKey
      )
    )
  )
  .mapFields(Struct.assign({ message: Quote.fields.message }))
  .annotate({ identifier: "QuoteView" })
export interface QuoteView extends Schema.Schema.Type<typeof QuoteView> {}

/** Leaves out what nobody but its author may see before the deadline. */
export const sealQuote = (quote: Quote): QuoteView => Struct.omit(quote, sealed)

export const QuoteInput = Schema.Struct({
  terms: Terms,
  validUntil: Schema.optionalKey(Instant),
  listingId: Schema.optionalKey(ListingId),
  responses: Schema.optionalKey(responses),
  message: Schema.optionalKey(text(2000))
}).annotate({
  identifier: "QuoteInput",
  examples: [
    {
      terms: {
        total: { amount: "380.00", currency: "EUR" },
        deliverWithinSeconds: 172_800,
        revisions: 1,
        acceptance: ["All 40 pages translated"]
      },
      responses: [{ requirementId: "sworn", met: true }]
    }
  ]
})
export interface QuoteInput extends Schema.Schema.Type<typeof QuoteInput> {}

/**
 * Which quote wins. `termsDigest` names the terms that the buyer has read; a quote that was ever revised is not awarded
 * without it. A quote with deviations is awarded only where they are accepted in so many words.
 */
export const AwardInput = Schema.Struct({
  quoteId: QuoteId,
  termsDigest: Schema.optionalKey(TermsDigest),
  acceptDeviations: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "AwardInput" })
export interface AwardInput extends Schema.Schema.Type<typeof AwardInput> {}
