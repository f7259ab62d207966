/** Webhooks: what each is sent, and that it is sent all that it should. Contract §6. */
import { createHmac } from "node:crypto"
import { assert } from "@effect/vitest"
import { DateTime, Effect, Schema } from "effect"
import { Event } from "../../src/index.ts"
import type { Webhook, WebhookRequest } from "../../src/index.ts"
import { deliverAll } from "./steps/agents.ts"
import { expectSeen, mayHear } from "./visibility.ts"
import { pass } from "./world.ts"
import type { World } from "./world.ts"

const decodeEvent = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.toCodecJson(Event)))

/** Expects of what was sent during a step that its receivers may hear it, and that it is signed by their secret. */
export const expectSent = Effect.fnUntraced(function* (world: World) {
  const at = yield* DateTime.now
  for (const request of world.sent) {
    const event = decodeEvent(request.body)
    const told = world.events.find((stored) => stored.event.id === event.id)?.event
    assert.deepStrictEqual(event, told, `what is sent of ${event.id}`)
    assert.strictEqual(request.headers["webhook-id"], event.id)
    const hooks = [...world.ledger.webhooks.values()].filter(({ url }) => url === request.url)
    const signers = hooks.filter((hook) => isSignedBy(world, hook, request))
    assert.strictEqual(signers.length, 1, `one webhook has signed what ${request.url} got`)
    const viewer = signers[0]?.agentId
    assert(
      mayHear(viewer, world.hearers.get(event.id)),
      `${viewer} is sent ${event.type} of ${event.subject.id}`
    )
    assert(signers[0] !== undefined && wants(signers[0], event), `${viewer} wanted ${event.type}`)
    for (const secret of [...world.secrets.values()].flat())
      assert.notInclude(JSON.stringify(request), secret, "a secret is sent to nobody")
    if (told !== undefined) expectSeen(viewer, told, world, at, { where: "a webhook" })
  }
})

/** The latest secret signs first, as Standard Webhooks has it; a former one beside it at most. */
const isSignedBy = (world: World, { id }: Webhook, { body, headers }: WebhookRequest): boolean => {
  const secrets = [...(world.secrets.get(id) ?? [])].toReversed()
  const signed = (headers["webhook-signature"] ?? "").split(" ")
  const message = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`
  return signed.every((signature, n) => {
    const key = Buffer.from((secrets[n] ?? "").slice("whsec_".length), "base64")
    return signature === `v1,${createHmac("sha256", key).update(message).digest("base64")}`
  })
}

const wants = ({ types }: Webhook, { type }: Event): boolean =>
  types.some((wanted) => wanted === type || wanted === `${type.slice(0, type.indexOf("."))}.*`)

/** Expects that a webhook which is active got every event since it is, once its receiver answers. */
export const expectDelivered = Effect.fnUntraced(function* (world: World) {
  world.mood.receiver = 204
  yield* deliverAll
  yield* pass(world, "25 hours")
  yield* deliverAll
  const { tasks, webhooks } = world.ledger
  for (const hook of webhooks.values()) {
    if (hook.status !== "active") continue
    const got = new Set(
      [...tasks.values()].flatMap(({ status, work }) =>
        work.kind === "delivery" && work.webhookId === hook.id && status === "done" ? [work.event.id] : []
      )
    )
    for (const { event, position } of world.events)
      if (
        position > hook.hearsFrom &&
        wants(hook, event) &&
        mayHear(hook.agentId, world.hearers.get(event.id))
      )
        assert(got.has(event.id), `${hook.id} got ${event.type} ${event.id}`)
  }
})
