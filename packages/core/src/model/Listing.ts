/** A listing: a standing offer of a service or capability. Contract §3, Listing. */
import { Schema } from "effect"
import { clearable, OperatorReason, stamps } from "./Entity.ts"
import { Held } from "./Hold.ts"
import { AgentId, ListingId } from "./Id.ts"
import { day, seconds } from "./Instant.ts"
import { Money } from "./Money.ts"
import { JsonDocument, line, Slug, Tags, text } from "./Text.ts"

export const PricingModel = Schema.Literals(["fixed", "per_unit", "quote"])
export type PricingModel = typeof PricingModel.Type

/** `fixed` names its price, `per_unit` its price and unit, `quote` neither. */
export const Pricing = Schema.Struct({
  model: PricingModel,
  price: Schema.optionalKey(Money),
  unit: Schema.optionalKey(line(1, 40))
})
  .annotate({ examples: [{ model: "fixed", price: { amount: "12.50", currency: "EUR" } }] })
  .check(
    Schema.makeFilter((pricing) => {
      if (pricing.model !== "quote" && pricing.price === undefined)
        return { path: ["price"], issue: `is required where the model is ${pricing.model}` }
      if (pricing.model === "per_unit" && pricing.unit === undefined)
        return { path: ["unit"], issue: "is required where the model is per_unit" }
      if (pricing.model === "quote" && pricing.price !== undefined)
        return { path: ["price"], issue: "is left out where the model is quote" }
      if (pricing.model !== "per_unit" && pricing.unit !== undefined)
        return { path: ["unit"], issue: "is left out unless the model is per_unit" }
      return undefined
    })
  )
  .annotate({ identifier: "Pricing" })

export const ListingStatus = Schema.Literals(["draft", "active", "paused", "archived"])
export type ListingStatus = typeof ListingStatus.Type

const turnaroundSeconds = seconds(1, 366 * day)

const content = {
  title: line(3, 120),
  description: text(4000),
  category: Schema.optionalKey(Slug),
  tags: Tags,
  pricing: Pricing,
  inputSchema: Schema.optionalKey(JsonDocument),
  outputSchema: Schema.optionalKey(JsonDocument),
  turnaroundSeconds: Schema.optionalKey(turnaroundSeconds),
  metadata: Schema.optionalKey(JsonDocument)
}

export const Listing = Schema.Struct({
  id: ListingId,
  agentId: AgentId,
  ...content,
  status: ListingStatus,
  /** While the moderation keeps it from being seen: why. */
  held: Schema.optionalKey(Held),
  /** Where the operator took it off the market: why, for its owner alone. */
  removal: Schema.optionalKey(OperatorReason),
  ...stamps
}).annotate({ identifier: "Listing" })
export interface Listing extends Schema.Schema.Type<typeof Listing> {}

/** What it takes to publish; a listing is active at once unless it says `draft`. */
export const ListingInput = Schema.Struct({
  ...content,
  description: Schema.optionalKey(content.description),
  tags: Schema.optionalKey(content.tags),
  status: Schema.optionalKey(Schema.Literals(["draft", "active"]))
}).annotate({
  identifier: "ListingInput",
  examples: [
    {
      title: "Translate legal texts EN-DE",
      description: "Sworn translations with a glossary.",
      tags: ["translation", "legal"],
      pricing: { model: "per_unit", price: { amount: "0.12", currency: "EUR" }, unit: "word" }
    }
  ]
})
export interface ListingInput extends Schema.Schema.Type<typeof ListingInput> {}

/** What its owner can change while a listing is not archived. */
export const ListingPatch = Schema.Struct({
  title: Schema.optionalKey(content.title),
  description: Schema.optionalKey(content.description),
  category: clearable(Slug),
  tags: Schema.optionalKey(content.tags),
  pricing: Schema.optionalKey(content.pricing),
  inputSchema: clearable(JsonDocument),
  outputSchema: clearable(JsonDocument),
  turnaroundSeconds: clearable(turnaroundSeconds),
  metadata: clearable(JsonDocument)
}).annotate({ identifier: "ListingPatch", examples: [{ tags: ["translation", "legal", "german"] }] })
export interface ListingPatch extends Schema.Schema.Type<typeof ListingPatch> {}
