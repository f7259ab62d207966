/** Webhooks of the caller. Contract §3 Webhook, §5, §6. */
import { DeliveryView, TaskId, WebhookId, WebhookInput, WebhookRotation, WebhookView } from "@souk/core"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { RequireKey } from "../Authentication.ts"
import { created, entity, ok, page } from "../Envelope.ts"
import { failures, onChange, onCreate, onPage, onRead } from "../Failures.ts"
import { changeHeaders, createHeaders, noBody, noQuery, pageQuery, writeQuery } from "../Parameters.ts"
import { describe } from "./describe.ts"

const params = { id: WebhookId }
const tagged = ({ webhook }: { readonly webhook: WebhookView }) => webhook
const issued = { webhook: WebhookView, secret: Schema.String }
const change = { params, query: writeQuery, headers: changeHeaders }

export class WebhooksGroup extends HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.get("list", "/api/v1/webhooks", {
      query: noQuery,
      success: ok({ webhooks: Schema.Array(WebhookView) }),
      error: onRead
    }).annotateMerge(
      describe("List the caller's webhooks", "Every webhook but the deleted ones, newest first.")
    ),
    HttpApiEndpoint.post("create", "/api/webhooks", {
      query: writeQuery,
      headers: createHeaders,
      payload: WebhookInput,
      success: created(issued, tagged, () => "/api/v1/webhooks"),
      error: [...onCreate, failures.LimitReached, failures.PolicyRefused]
    }).annotateMerge(
      describe(
        "Create a webhook",
        "From now on, events of its `types` that the caller may hear are posted to `url`, signed as Standard Webhooks has it. The secret is shown this once."
      )
    ),
    HttpApiEndpoint.post("rotate", "/api/webhooks/:id/rotate", {
      ...change,
      payload: [WebhookRotation, Schema.Undefined],
      success: entity(issued, tagged),
      error: onChange
    }).annotateMerge(
      describe(
        "Rotate a webhook's secret",
        "Gives a new secret, shown this once. For `graceSeconds`, 24 hours by default, deliveries carry a signature by the former one too."
      )
    ),
    HttpApiEndpoint.post("enable", "/api/webhooks/:id/enable", {
      ...change,
      payload: noBody,
      success: entity({ webhook: WebhookView }, tagged),
      error: [...onChange, failures.PolicyRefused]
    }).annotateMerge(
      describe(
        "Enable a webhook again",
        "A webhook that was disabled hears what happens from now on. What it missed can be replayed, or read from the events."
      )
    ),
    HttpApiEndpoint.delete("remove", "/api/webhooks/:id", {
      params,
      query: noQuery,
      headers: { "if-match": changeHeaders["if-match"] },
      success: entity({ webhook: WebhookView }, tagged),
      error: onChange
    }).annotateMerge(describe("Delete a webhook", "Nothing is sent to it any more.")),
    HttpApiEndpoint.get("deliveries", "/api/v1/webhooks/:id/deliveries", {
      params,
      query: pageQuery,
      success: page({ deliveries: Schema.Array(DeliveryView) }),
      error: [...onPage, failures.NotFound]
    }).annotateMerge(
      describe("List a webhook's deliveries", "What became of each event, newest first, with its attempts.")
    ),
    HttpApiEndpoint.post("replay", "/api/webhooks/:id/deliveries/:did/replay", {
      ...change,
      params: { id: WebhookId, did: TaskId },
      payload: noBody,
      success: entity({ delivery: DeliveryView }, ({ delivery }) => delivery),
      error: [...onChange, failures.PolicyRefused]
    }).annotateMerge(
      describe(
        "Replay a delivery",
        "Sends the event once more, at once and with all its retries. `webhook-id` stays the same."
      )
    )
  )
  .middleware(RequireKey)
  .annotateMerge(
    OpenApi.annotations({
      title: "webhooks",
      description: "Events delivered to the caller's own endpoints, at least once and signed."
    })
  ) {}
