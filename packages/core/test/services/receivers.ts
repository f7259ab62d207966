/** The receivers of webhooks outside of the market, and what is delivered to them. */
import { DateTime, Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Event, Listings, SendFailed, WebhookSender, Webhooks } from "../../src/index.ts"
import type { AgentId, EventPattern, WebhookRequest } from "../../src/index.ts"
import { listingInput, market } from "../fixtures.ts"

/** What a receiver answers: a status, no answer at all, or an answer that never comes. */
type Answer = number | "refused" | "silent"

/** A world of receivers that note what they get, and when. */
export class World {
  readonly answers = new Map<string, (count: number) => Answer>()
  readonly got: Array<{ readonly url: string; readonly at: number; readonly request: WebhookRequest }> = []

  readonly layer = Layer.succeed(WebhookSender, {
    objection: (url: string) => (url.startsWith("https:") ? undefined : "must begin with https:"),
    send: (request: WebhookRequest) =>
      Effect.gen({ self: this }, function* () {
        const { url } = request
        this.got.push({ url, request, at: DateTime.toEpochMillis(yield* DateTime.now) / 1000 })
        const count = this.at(url).length
        const answer = this.answers.get(url)?.(count) ?? 204
        if (answer === "silent") return yield* Effect.never
        if (answer === "refused") return yield* new SendFailed({ reason: "The connection was refused." })
        return { status: answer }
      })
  })

  at(url: string) {
    return this.got.filter((sent) => sent.url === url)
  }

  typesAt(url: string) {
    return this.at(url).map(({ request }) => decodeEvent(request.body).type)
  }
}

export const decodeEvent = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.toCodecJson(Event)))

export const open = (world: World) => market().pipe(Layer.provideMerge(world.layer))

/** Lets the workers do what is to be done now. */
export const settle = Effect.repeat(TestClock.adjust("10 millis"), { times: 50 })

export const url = "https://atlas.example/hooks"

export const hook = Effect.fnUntraced(function* (by: AgentId, types: ReadonlyArray<EventPattern>, to = url) {
  const { value } = yield* (yield* Webhooks).create(by, { url: to, types })
  return value.webhook
})

export const publish = (by: AgentId) =>
  Effect.map(
    Listings.use((listings) => listings.publish(by, listingInput())),
    ({ value }) => value
  )

export const deliveriesOf = (by: AgentId, id: Parameters<Webhooks["Service"]["deliveries"]>[1]) =>
  Effect.map(
    Webhooks.use((webhooks) => webhooks.deliveries(by, id, { limit: 100 })),
    ({ items }) => items
  )

export const statusOf = (by: AgentId) =>
  Effect.map(
    Webhooks.use((webhooks) => webhooks.list(by)),
    ([webhook]) => webhook?.status
  )
