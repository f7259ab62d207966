/** What receives the webhooks of a market: nothing is sent anywhere, all is noted. */
import type { SoukEvent } from "@souk/client"
import { Event, SendFailed, signature } from "@souk/core"
import type { Commit, EventPattern, Sender, Webhook, WebhookRequest } from "@souk/core"
import { Effect, flow, Schema } from "effect"
import { isOfType } from "./eventTypes.ts"
import type { TestEventOf } from "./TestEvents.ts"
import type { Stillness } from "./Stillness.ts"
import { makeTakings } from "./Takings.ts"

/** One attempt to deliver an event. */
export interface SentWebhook {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** What `body` says. */
  readonly event: SoukEvent
  /** When it was sent, in the time of the market. */
  readonly at: Date
  /** Whether a signature is that of the secret that the webhook's owner was shown. */
  readonly isVerified: boolean
}

/** Gives the status that a receiver answers. */
export type WebhookAnswer = (sent: SentWebhook) => number | PromiseLike<number>

export interface TakeWebhookOptions {
  readonly where?: (sent: SentWebhook) => boolean
  /** The URL that it was sent to. */
  readonly to?: string
  /** How long to wait on while nothing goes on in the market, in milliseconds of real time; 0 by default. */
  readonly withinMillis?: number
}

export interface TestWebhooks {
  /**
   * Gives the oldest attempt to deliver an event of a type that was not taken yet, and rejects as `events.take` does.
   * `rfq.*` stands for all of an RFQ's. Events are delivered a moment after they have come, so the clock must be turned
   * by a second.
   */
  readonly take: <P extends EventPattern>(
    type: P,
    options?: TakeWebhookOptions
  ) => Promise<SentWebhook & { readonly event: TestEventOf<P> }>
  /** Gives all attempts so far, oldest first, taken or not. */
  readonly all: () => ReadonlyArray<SentWebhook>
  /** Says what receivers answer from now on; they answer 200 until then. What is thrown is a connection that broke. */
  readonly answer: (status: number | WebhookAnswer) => void
}

export interface WebhookReceiver extends TestWebhooks {
  /** Notes the webhooks of a commit, by whose secrets deliveries are verified. */
  readonly note: (commit: Pick<Commit, "writes">) => void
  readonly sender: Sender
}

/** Starts with nothing sent. `now` is the time of the market. */
export const makeWebhookReceiver = (stillness: Stillness, now: () => Date): WebhookReceiver => {
  const { add, all, take } = makeTakings<SentWebhook>(stillness, lineOf)
  const webhooks = new Map<string, Webhook>()
  let answering: WebhookAnswer = () => 200

  const receive = async (request: WebhookRequest): Promise<number> => {
    const isVerified = [...webhooks.values()].some(
      (webhook) => webhook.url === request.url && isSigned(webhook, request)
    )
    const sent = { ...request, event: readEvent(request.body), at: now(), isVerified }
    add(sent)
    return answering(sent)
  }

  return {
    all,
    take: async (type, options = {}) => {
      const { to, where = () => true, withinMillis } = options
      const isWanted = isOfType(type)
      return take({
        matches: (sent): sent is SentWebhook & { readonly event: TestEventOf<typeof type> } =>
          isWanted(sent.event) && (to === undefined || sent.url === to) && where(sent),
        taker: "",
        withinMillis,
        missing: () =>
          `No ${type} was sent${to === undefined ? "" : ` to ${to}`}` +
          `${options.where === undefined ? "" : " that is as wanted"}, and nothing goes on any more. ` +
          `The clock stands at ${now().toISOString()}; what happens is sent when it is turned.`
      })
    },
    answer: (status) => {
      answering = typeof status === "number" ? () => status : status
    },
    note: ({ writes }) => {
      for (const { kind, value } of writes) if (kind === "webhook") webhooks.set(value.id, value)
    },
    sender: {
      objection: () => undefined,
      send: (request) =>
        Effect.tryPromise({
          try: async () => ({ status: await stillness.during(() => receive(request)) }),
          catch: () => new SendFailed({ reason: "The connection failed." })
        })
    }
  }
}

// -----------------------------------------------------------------------------

const isSigned = ({ secret }: Webhook, { body, headers }: WebhookRequest): boolean => {
  const message = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`
  return headers["webhook-signature"]?.split(" ").includes(`v1,${signature(secret, message)}`) === true
}

/** The event as it is on the wire. A body that is none breaks the test that caused it. */
const readEvent = flow(
  Schema.decodeUnknownSync(Schema.fromJsonString(Schema.toCodecJson(Event))),
  Schema.encodeSync(Event)
)

const lineOf = ({ at, event, url }: SentWebhook): string => `${at.toISOString()} ${event.type} to ${url}`
