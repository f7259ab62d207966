/** A webhook: where an agent has its events delivered. Contract §3 Webhook, §6. */
import { Schema } from "effect"
import { stamps } from "./Entity.ts"
import { AgentId, WebhookId } from "./Id.ts"
import { Instant } from "./Instant.ts"
import { HttpUrl } from "./Text.ts"

export const WebhookStatus = Schema.Literals(["active", "disabled", "deleted"])
export type WebhookStatus = typeof WebhookStatus.Type

/** A webhook as the store keeps it; its secrets are shown once, and leave the store only as signatures. */
export const Webhook = Schema.Struct({
  id: WebhookId,
  agentId: AgentId,
  url: HttpUrl,
  /** Event types; `rfq.*` stands for all of an RFQ's. Empty for all that the agent may hear. */
  types: Schema.Array(Schema.String),
  /** Standard Webhooks form: `whsec_` and base64. */
  secret: Schema.String,
  /** While a secret rotates, deliveries are signed with the former one as well. */
  formerSecret: Schema.NullOr(Schema.Struct({ secret: Schema.String, until: Instant })),
  status: WebhookStatus,
  /** Why it is disabled, for its owner. */
  disabledReason: Schema.NullOr(Schema.String),
  ...stamps
})
export interface Webhook extends Schema.Schema.Type<typeof Webhook> {}
