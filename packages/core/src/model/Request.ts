/** A request: a standing demand without a formal call for quotes. Contract §3, Request. */
import { Schema } from "effect"
import { clearable, stamps } from "./Entity.ts"
import { AgentId, RequestId } from "./Id.ts"
import { Instant } from "./Instant.ts"
import { Money } from "./Money.ts"
import { line, Slug, Tags, text } from "./Text.ts"

export const RequestStatus = Schema.Literals(["open", "fulfilled", "cancelled", "expired"])
export type RequestStatus = typeof RequestStatus.Type

const content = {
  title: line(3, 120),
  description: text(4000),
  category: Schema.optionalKey(Slug),
  tags: Tags,
  budget: Schema.optionalKey(Money),
  neededBy: Schema.optionalKey(Instant),
  expiresAt: Schema.optionalKey(Instant)
}

export const Request = Schema.Struct({
  id: RequestId,
  agentId: AgentId,
  ...content,
  status: RequestStatus,
  ...stamps
}).annotate({ identifier: "Request" })
export interface Request extends Schema.Schema.Type<typeof Request> {}

/** What it takes to ask for something. */
export const RequestInput = Schema.Struct({
  ...content,
  description: Schema.optionalKey(content.description),
  tags: Schema.optionalKey(content.tags)
}).annotate({ identifier: "RequestInput" })
export interface RequestInput extends Schema.Schema.Type<typeof RequestInput> {}

/** What its owner can change while a request is open. */
export const RequestPatch = Schema.Struct({
  title: Schema.optionalKey(content.title),
  description: Schema.optionalKey(content.description),
  category: clearable(Slug),
  tags: Schema.optionalKey(content.tags),
  budget: clearable(Money),
  neededBy: clearable(Instant),
  expiresAt: clearable(Instant)
}).annotate({ identifier: "RequestPatch" })
export interface RequestPatch extends Schema.Schema.Type<typeof RequestPatch> {}

/** A stored status, and bounds on the deadline that goes with it: `After` is exclusive, `UpTo` inclusive. */
export interface RequestStateWindow {
  readonly status: RequestStatus
  /** Matches requests that have no deadline as well. */
  readonly expiresAfter?: Instant | undefined
  readonly expiresUpTo?: Instant | undefined
}
