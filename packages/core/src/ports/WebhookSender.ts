/**
 * Sending a webhook: the one place at which the market calls out.
 *
 * Whoever implements it keeps the market from being used against the host's own network: the address that a name leads
 * to is judged when it is resolved, the connection goes to the very address that was judged, and redirects are not
 * followed. Contract §6.
 */
import { Context, Data } from "effect"
import type { Effect } from "effect"

/** One POST. */
export interface WebhookRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** No answer came. `reason` is a sentence for the webhook's owner: it tells nothing of the host's network. */
export class SendFailed extends Data.TaggedError("SendFailed")<{ readonly reason: string }> {}

/** Interrupting `send` ends the connection at once: the market gives each attempt its time that way. */
export interface Sender {
  /** What speaks against a URL before anything is sent, as in `must begin with https:`. */
  readonly objection: (url: string) => string | undefined
  /** Sends and answers the status, whatever it is. */
  readonly send: (request: WebhookRequest) => Effect.Effect<{ readonly status: number }, SendFailed>
}

/** How webhooks are sent; without one, the market has no webhooks. */
export const WebhookSender = Context.Reference<Sender | undefined>("@souk/core/WebhookSender", {
  defaultValue: () => undefined
})
