/** How the operator of the market resolves a dispute. Contract §4 Deal room. */
import { Schema } from "effect"
import { Money } from "./Money.ts"
import { line } from "./Text.ts"

/** What both sides are told beside the outcome. */
const note = Schema.optionalKey(line(1, 2000))

/** `refunded` is the part of the total that goes back to the buyer; the seller gets the rest. */
export const Resolution = Schema.Union([
  Schema.Struct({ outcome: Schema.Literal("completed"), note }),
  Schema.Struct({ outcome: Schema.Literal("refunded"), note }),
  Schema.Struct({ outcome: Schema.Literal("split"), refunded: Money, note })
]).annotate({ identifier: "Resolution" })
export type Resolution = typeof Resolution.Type
