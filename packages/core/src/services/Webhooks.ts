/** Webhooks: where agents have their events delivered, and what became of each. Contract §3 Webhook, §5, §6. */
import { Context, Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { InvalidRequest, PolicyRefused } from "../model/Errors.ts"
import type { InvalidCursor, LimitReached, NotFound, Unavailable, VersionConflict } from "../model/Errors.ts"
import type { Change } from "../model/Change.ts"
import type { AgentId, TaskId, WebhookId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import type { CursorPage, PageQuery } from "../model/Page.ts"
import {
  DeliveryView,
  secretLength,
  viewDelivery,
  viewWebhook,
  WebhookView,
  writeSecret
} from "../model/Webhook.ts"
import type { Webhook, WebhookInput, WebhookRotation } from "../model/Webhook.ts"
import { Ids } from "../ports/Ids.ts"
import type { AgentAction } from "../ports/Policy.ts"
import { Store } from "../ports/Store.ts"
import { WebhookSender } from "../ports/WebhookSender.ts"
import { moveBookmark } from "../rules/Bookmarks.ts"
import type { MoveRefused } from "../rules/StateTable.ts"
import * as rules from "../rules/Webhooks.ts"
import { Commands } from "./Commands.ts"
import type { WriteOptions, WriteRefused, Written } from "./Commands.ts"
import { paged } from "./Cursors.ts"
import { Deliveries } from "./Deliveries.ts"
import { gate } from "./Gate.ts"
import type { GateRefused } from "./Gate.ts"
import { bindingOf } from "./lists.ts"
import { matchVersion, notFound, reliesOnAgent } from "./reads.ts"

/** A webhook with a new secret: the only time that it is seen. */
export const IssuedWebhook = Schema.Struct({ webhook: WebhookView, secret: Schema.String })
export interface IssuedWebhook extends Schema.Schema.Type<typeof IssuedWebhook> {}

export type WebhookWriteRefused = WriteRefused | GateRefused

/** What a write to a webhook can come to; another agent's is not found. */
export type WebhookChangeRefused = WebhookWriteRefused | MoveRefused | NotFound | VersionConflict

export class Webhooks extends Context.Service<
  Webhooks,
  {
    /** Every webhook of the agent but the deleted ones, newest first. */
    readonly list: (by: AgentId) => Effect.Effect<ReadonlyArray<WebhookView>, Unavailable>
    /** Makes a webhook that hears what happens from now on. `PolicyRefused` where the host sends none. */
    readonly create: (
      by: AgentId,
      input: WebhookInput,
      options?: WriteOptions
    ) => Effect.Effect<
      Written<IssuedWebhook>,
      WebhookWriteRefused | InvalidRequest | LimitReached | PolicyRefused
    >
    /** Replaces the secret; deliveries are signed with the former one too for the grace, 24 hours by default. */
    readonly rotate: (
      by: AgentId,
      id: WebhookId,
      input: WebhookRotation,
      options?: WriteOptions
    ) => Effect.Effect<Written<IssuedWebhook>, WebhookChangeRefused>
    /** Lets a disabled webhook hear again, from now on. */
    readonly enable: (
      by: AgentId,
      id: WebhookId,
      options?: WriteOptions
    ) => Effect.Effect<Written<WebhookView>, WebhookChangeRefused | InvalidRequest | PolicyRefused>
    /** Ends a webhook for good, with all that it was still to get. */
    readonly remove: (
      by: AgentId,
      id: WebhookId,
      options?: WriteOptions
    ) => Effect.Effect<Written<WebhookView>, WebhookChangeRefused>
    /** What became of each event, newest first. */
    readonly deliveries: (
      by: AgentId,
      id: WebhookId,
      query: PageQuery
    ) => Effect.Effect<CursorPage<DeliveryView>, NotFound | InvalidCursor | Unavailable>
    /** Sends an event once more, at once and with all its retries; `webhook-id` stays the same. */
    readonly replay: (
      by: AgentId,
      id: WebhookId,
      deliveryId: TaskId,
      options?: WriteOptions
    ) => Effect.Effect<Written<DeliveryView>, WebhookChangeRefused | PolicyRefused>
  }
>()("@souk/core/Webhooks") {
  static readonly layer: Layer.Layer<
    Webhooks,
    never,
    Store | Commands | Ids | Deliveries | SecureRandom.SecureRandom
  > = Layer.effect(
    Webhooks,
    Effect.gen(function* () {
      const store = yield* Store
      const commands = yield* Commands
      const ids = yield* Ids
      const deliveries = yield* Deliveries
      const random = yield* SecureRandom.SecureRandom
      const sender = yield* WebhookSender
      const actor = yield* gate

      const sending = Effect.suspend(() =>
        sender === undefined
          ? Effect.fail(new PolicyRefused({ message: "This market sends no webhooks." }))
          : Effect.succeed(sender)
      )

      const newSecret = Effect.map(random.randomBytes(secretLength), writeSecret)

      const read = Effect.fnUntraced(function* (by: AgentId, id: WebhookId) {
        const webhook = yield* store.webhooks.byId(id)
        if (webhook === undefined || webhook.agentId !== by || webhook.status === "deleted")
          return yield* notFound("webhook")
        return webhook
      })

      const owned = Effect.fnUntraced(function* (
        by: AgentId,
        id: WebhookId,
        action: AgentAction,
        options: WriteOptions | undefined
      ) {
        const agent = yield* actor(by, action, { subject: id, inRoom: true })
        const webhook = yield* read(by, id)
        yield* matchVersion(webhook, options)
        return { reliesOn: [reliesOnAgent(agent)], webhook }
      })

      const list = Effect.fn("Webhooks.list")((by: AgentId) =>
        Effect.map(store.webhooks.ofAgent(by), (webhooks) => webhooks.map(viewWebhook))
      )

      const create = Effect.fn("Webhooks.create")(function* (
        by: AgentId,
        input: WebhookInput,
        options?: WriteOptions
      ) {
        const { objection } = yield* sending
        const decide = Effect.fnUntraced(function* (now: Instant) {
          const agent = yield* actor(by, "webhook.create")
          // What all nodes write who give this agent a webhook: so they count one after the other.
          const counter = `webhooks of ${by}`
          const counted = yield* store.bookmarks.byId(counter)
          const existing = yield* store.webhooks.ofAgent(by)
          const secret = yield* newSecret
          const hearsFrom = yield* store.events.latest
          const parts = { id: yield* ids.next("webhook"), secret, hearsFrom }
          const change = yield* Effect.fromResult(
            rules.create(by, existing, input, parts, objection(input.url), now)
          )
          return {
            ...issued(change),
            writes: [...change.writes, moveBookmark(counter, counted, hearsFrom, now)],
            reliesOn: [reliesOnAgent(agent)]
          }
        })
        return yield* commands.run({ on: `webhooks of ${by}`, result: IssuedWebhook, decide }, options)
      })

      const rotate = Effect.fn("Webhooks.rotate")(function* (
        by: AgentId,
        id: WebhookId,
        { graceSeconds }: WebhookRotation,
        options?: WriteOptions
      ) {
        const decide = Effect.fnUntraced(function* (now: Instant) {
          const { reliesOn, webhook } = yield* owned(by, id, "webhook.rotate", options)
          const change = yield* Effect.fromResult(rules.rotate(webhook, yield* newSecret, graceSeconds, now))
          return { ...issued(change), reliesOn }
        })
        return yield* commands.run({ on: id, result: IssuedWebhook, decide }, options)
      })

      const enable = Effect.fn("Webhooks.enable")(function* (
        by: AgentId,
        id: WebhookId,
        options?: WriteOptions
      ) {
        const { objection } = yield* sending
        const decide = Effect.fnUntraced(function* (now: Instant) {
          const { reliesOn, webhook } = yield* owned(by, id, "webhook.enable", options)
          const refused = objection(webhook.url)
          if (refused !== undefined) return yield* InvalidRequest.at("url", refused)
          const change = yield* Effect.fromResult(rules.enable(webhook, yield* store.events.latest, now))
          return { ...shown(change), reliesOn }
        })
        return yield* commands.run({ on: id, result: WebhookView, decide }, options)
      })

      const remove = Effect.fn("Webhooks.remove")(function* (
        by: AgentId,
        id: WebhookId,
        options?: WriteOptions
      ) {
        const decide = Effect.fnUntraced(function* (now: Instant) {
          const { reliesOn, webhook } = yield* owned(by, id, "webhook.remove", options)
          return { ...shown(yield* Effect.fromResult(rules.remove(webhook, now))), reliesOn }
        })
        const removed = yield* commands.run({ on: id, result: WebhookView, decide }, options)
        // What is not ended here is when it comes due: it is not sent either way.
        yield* Effect.ignore(deliveries.endAll(id))
        return removed
      })

      const listDeliveries = Effect.fn("Webhooks.deliveries")(function* (
        by: AgentId,
        id: WebhookId,
        query: PageQuery
      ) {
        yield* read(by, id)
        const page = yield* paged(bindingOf(`deliveries of ${id}`, by, query), query, (page) =>
          store.tasks.list(id, page)
        )
        const items = page.items.map(viewDelivery).filter((delivery) => delivery !== undefined)
        return { ...page, items }
      })

      const replay = Effect.fn("Webhooks.replay")(function* (
        by: AgentId,
        id: WebhookId,
        deliveryId: TaskId,
        options?: WriteOptions
      ) {
        yield* sending
        const decide = Effect.fnUntraced(function* (now: Instant) {
          const { reliesOn, webhook } = yield* owned(by, id, "webhook.replay", undefined)
          const task = yield* store.tasks.byId(deliveryId)
          if (task === undefined || task.queue !== id) return yield* notFound("delivery")
          yield* matchVersion(task, options)
          const change = yield* Effect.fromResult(rules.replay(webhook, task, now))
          const result = viewDelivery(change.result)
          if (result === undefined) return yield* notFound("delivery")
          const version = { kind: "webhook" as const, id, version: webhook.version }
          return { ...change, result, reliesOn: [...reliesOn, version] }
        })
        const again = yield* commands.run({ on: deliveryId, result: DeliveryView, decide }, options)
        yield* deliveries.wake
        return again
      })

      return Webhooks.of({ list, create, rotate, enable, remove, deliveries: listDeliveries, replay })
    })
  )
}

const shown = (change: Change<Webhook>): Change<WebhookView> => ({
  ...change,
  result: viewWebhook(change.result)
})

const issued = (change: Change<Webhook>): Change<IssuedWebhook> => ({
  ...change,
  result: { webhook: viewWebhook(change.result), secret: change.result.secret }
})
