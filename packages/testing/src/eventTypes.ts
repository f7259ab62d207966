/** What tests say of the types of events. */
import { EventPattern } from "@souk/core"
import type { EventType } from "@souk/core"
import { Schema } from "effect"

/** The types that a pattern stands for. */
export type TypesOf<P extends EventPattern> = P extends `${infer Family}.*`
  ? Extract<EventType, `${Family}.${string}`>
  : Extract<EventType, P>

/** Makes a judge of whether an event is of a type; `rfq.*` stands for all of an RFQ's. Throws for what is no type. */
export const isOfType = <P extends EventPattern>(
  pattern: P
): (<E extends { readonly type: EventType }>(event: E) => event is E & { readonly type: TypesOf<P> }) => {
  if (!isPattern(pattern)) throw new TypeError(`${String(pattern)} is not a type of event.`)
  const family = pattern.endsWith(".*") ? pattern.slice(0, -1) : undefined
  return (event): event is typeof event & { readonly type: TypesOf<P> } =>
    family === undefined ? event.type === pattern : event.type.startsWith(family)
}

// -----------------------------------------------------------------------------

const isPattern = Schema.is(EventPattern)
