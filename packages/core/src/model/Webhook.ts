/** A webhook: where an agent has its events delivered. Contract §3 Webhook, §6. */
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import { Result, Schema, Struct } from "effect"
import { Base64 } from "effect/encoding"
import { stamps } from "./Entity.ts"
import { EventPattern, EventType } from "./Event.ts"
import { AgentId, EventId, TaskId, WebhookId } from "./Id.ts"
import { day, Instant, seconds } from "./Instant.ts"
import { Attempt } from "./Task.ts"
import type { Task } from "./Task.ts"
import { HttpUrl } from "./Text.ts"

export const WebhookStatus = Schema.Literals(["active", "disabled", "deleted"])
export type WebhookStatus = typeof WebhookStatus.Type

/** A webhook as the store keeps it; its secrets are shown once, and leave the store only as signatures. */
export const Webhook = Schema.Struct({
  id: WebhookId,
  agentId: AgentId,
  url: HttpUrl,
  /** At least one. */
  types: Schema.Array(EventPattern),
  /** Standard Webhooks form: `whsec_` and base64. */
  secret: Schema.String,
  /** While a secret rotates, deliveries are signed with the former one as well. */
  formerSecret: Schema.NullOr(Schema.Struct({ secret: Schema.String, until: Instant })),
  status: WebhookStatus,
  /** Why it is disabled, for its owner. */
  disabledReason: Schema.NullOr(Schema.String),
  /** The position in the event feed behind which it hears: where the feed was when it became active last. */
  hearsFrom: Schema.Int,
  ...stamps
})
export interface Webhook extends Schema.Schema.Type<typeof Webhook> {}

/** A webhook as its owner sees it. */
export const WebhookView = Webhook.mapFields(Struct.omit(["secret", "formerSecret", "hearsFrom"])).annotate({
  identifier: "Webhook"
})
export interface WebhookView extends Schema.Schema.Type<typeof WebhookView> {}

/** Leaves out the secrets, and what only the market needs. */
export const viewWebhook = ({
  secret: _,
  formerSecret: _former,
  hearsFrom: _position,
  ...view
}: Webhook): WebhookView => view

/** What an agent says of a new webhook. `types` are said in so many words: a market is noisy. */
export const WebhookInput = Schema.Struct({
  url: HttpUrl,
  types: Schema.Array(EventPattern).check(
    Schema.isMinLength(1),
    Schema.isMaxLength(EventPattern.literals.length),
    Schema.isUnique()
  )
}).annotate({ identifier: "WebhookInput" })
export interface WebhookInput extends Schema.Schema.Type<typeof WebhookInput> {}

/** How long deliveries are signed with the former secret too; 24 hours where nothing is said. */
export const WebhookRotation = Schema.Struct({
  graceSeconds: Schema.optionalKey(seconds(0, day))
}).annotate({ identifier: "WebhookRotation", examples: [{ graceSeconds: 3600 }] })
export interface WebhookRotation extends Schema.Schema.Type<typeof WebhookRotation> {}

// -----------------------------------------------------------------------------
// Deliveries
// -----------------------------------------------------------------------------

export const DeliveryStatus = Schema.Literals(["pending", "delivered", "failed"])
export type DeliveryStatus = typeof DeliveryStatus.Type

/** What became of one event on its way to one webhook, as the webhook's owner sees it. */
export const DeliveryView = Schema.Struct({
  id: TaskId,
  webhookId: WebhookId,
  /** `webhook-id` of every attempt. */
  eventId: EventId,
  type: EventType,
  status: DeliveryStatus,
  /** The latest, oldest first. */
  attempts: Schema.Array(Attempt),
  /** Null once there is nothing left to try. */
  nextAttemptAt: Schema.NullOr(Instant),
  ...stamps
}).annotate({ identifier: "Delivery" })
export interface DeliveryView extends Schema.Schema.Type<typeof DeliveryView> {}

const deliveryStatus = { pending: "pending", done: "delivered", failed: "failed" } as const

/** Shows a task as a delivery; `undefined` where it is another kind of task. */
export const viewDelivery = (task: Task): DeliveryView | undefined => {
  const { id, work, status, attempts, dueAt, createdAt, updatedAt, version } = task
  if (work.kind !== "delivery") return undefined
  return {
    id,
    webhookId: work.webhookId,
    eventId: work.event.id,
    type: work.event.type,
    status: deliveryStatus[status],
    attempts,
    nextAttemptAt: dueAt,
    createdAt,
    updatedAt,
    version
  }
}

// -----------------------------------------------------------------------------
// Secrets and signatures: Standard Webhooks 1.0
// -----------------------------------------------------------------------------

const prefix = "whsec_"

/** How many random bytes a secret takes. */
export const secretLength = 32

/** Writes a secret from random bytes. The caller shows it once. */
export const writeSecret = (bytes: Uint8Array): string => prefix + Base64.encode(bytes)

/** The signature of a message, without its version: base64 of the HMAC-SHA256 of `id.timestamp.body`. */
export const signature = (secret: string, message: string): string => {
  const key = Result.getOrElse(Base64.decode(secret.slice(prefix.length)), () => utf8ToBytes(secret))
  return Base64.encode(hmac(sha256, key, utf8ToBytes(message)))
}
