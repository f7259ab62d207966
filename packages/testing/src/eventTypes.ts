/** What tests say of the types of events. */
import { EventPattern } from "@souk/core"
import type { EventType } from "@souk/core"
import { Schema } from "effect"

/** Makes a judge of whether an event is of a type; `rfq.*` stands for all of an RFQ's. Throws for what is no type. */
export const isOfType = (pattern: EventPattern): ((event: { readonly type: EventType }) => boolean) => {
  if (!isPattern(pattern)) throw new TypeError(`${String(pattern)} is not a type of event.`)
  const family = pattern.endsWith(".*") ? pattern.slice(0, -1) : undefined
  return ({ type }) => (family === undefined ? type === pattern : type.startsWith(family))
}

// -----------------------------------------------------------------------------

const isPattern = Schema.is(EventPattern)
