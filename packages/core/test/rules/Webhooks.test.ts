import { assert, describe, it } from "@effect/vitest"
import { DateTime, Option, Result } from "effect"
import fc from "fast-check"
import { after } from "../../src/index.ts"
import type { Attempt, StoredEvent, Task, Webhook } from "../../src/index.ts"
import { delivery, headersOf, replay, retryAfterSeconds, settle, wants } from "../../src/rules/Webhooks.ts"
import { buyer, idOf, now, sampleWebhook, seller } from "./samples.ts"

const event = (overrides: Partial<StoredEvent> = {}): StoredEvent => ({
  position: 7,
  audience: "public",
  event: {
    id: idOf("event", 1),
    type: "rfq.opened",
    at: now,
    subject: { kind: "rfq", id: idOf("rfq", 1), version: 1 },
    data: {}
  },
  ...overrides
})

const fresh = delivery(idOf("webhook", 1), event(), idOf("task", 1), now)

/** Settles one attempt, and gives what is stored then. */
const step = (
  { task, webhook }: { readonly task: Task; readonly webhook: Webhook },
  attempt: Partial<Attempt>
) => {
  const at = task.dueAt ?? now
  const made: Attempt = { at, durationMillis: 1, succeeded: false, ...attempt }
  const writes = settle(task, webhook, made, at)
  return {
    task: writes.reduce((last, write) => (write.kind === "task" ? write.value : last), task),
    webhook: writes.reduce((last, write) => (write.kind === "webhook" ? write.value : last), webhook)
  }
}

const status = fc.constantFrom(200, 204, 299, 301, 400, 404, 410, 429, 500, 503, undefined)

describe("a delivery", () => {
  it("is tried until it succeeds, its receiver is gone, or the table is at its end", () => {
    fc.assert(
      fc.property(fc.array(status, { minLength: 8, maxLength: 8 }), (statuses) => {
        let state = { task: fresh, webhook: sampleWebhook() }
        let dueAt = now
        for (const [index, status] of statuses.entries()) {
          const succeeded = status !== undefined && status < 300
          state = step(state, { succeeded, ...(status === undefined ? {} : { status }) })
          const { task, webhook } = state
          assert.strictEqual(task.status === "pending", task.dueAt !== null)
          assert.strictEqual(webhook.status === "disabled", task.status === "failed")
          assert.strictEqual(webhook.disabledReason === null, webhook.status === "active")
          if (succeeded) return assert.strictEqual(task.status, "done")
          if (status === 410) return assert.strictEqual(task.status, "failed")
          const pause = retryAfterSeconds[index]
          if (pause === undefined) return assert.strictEqual(task.status, "failed")
          dueAt = after(dueAt, pause)
          assert.deepStrictEqual(task.dueAt, dueAt)
        }
        return assert.fail("it is tried for ever")
      })
    )
  })

  it("that was ended or replayed while it was under way stays so, unless it succeeded", () => {
    const ended: Task = { ...fresh, status: "failed", dueAt: null }
    const disabled = sampleWebhook({ status: "disabled" })
    assert.deepInclude(step({ task: ended, webhook: disabled }, {}).task, { status: "failed", dueAt: null })
    assert.deepInclude(step({ task: ended, webhook: disabled }, { succeeded: true }).task, { status: "done" })
    assert.strictEqual(step({ task: fresh, webhook: disabled }, {}).task.status, "failed")
    const later = after(now, 10)
    const replayed = Option.getOrThrow(Result.getSuccess(replay(sampleWebhook(), fresh, later))).result
    const { task, webhook } = step({ task: replayed, webhook: sampleWebhook() }, { at: now, status: 500 })
    assert.deepInclude(task, { status: "pending", dueAt: later })
    assert.strictEqual(webhook.status, "active")
  })

  it("keeps the last fifty of its attempts", () => {
    let state = { task: fresh, webhook: sampleWebhook() }
    for (let n = 0; n < 60; n++) {
      const again = replay(state.webhook, state.task, after(now, n))
      state = { ...state, task: Option.getOrThrow(Result.getSuccess(again)).result }
      state = step(state, { at: after(now, n), succeeded: true, status: 200 })
    }
    assert.strictEqual(state.task.attempts.length, 50)
    assert.deepStrictEqual(state.task.attempts.at(-1)?.at, after(now, 59))
  })
})

describe("a webhook", () => {
  it("wants what its agent may hear, of its types, from its beginning on, while it is active", () => {
    const table: ReadonlyArray<readonly [wanted: boolean, Partial<Webhook>, Partial<StoredEvent>?]> = [
      [true, {}],
      [true, { types: ["rfq.opened"] }],
      [false, { types: ["rfq.closed", "quote.*"] }],
      [true, { hearsFrom: 6 }],
      [false, { hearsFrom: 7 }],
      [false, { status: "disabled" }],
      [false, { status: "deleted" }],
      [true, {}, { audience: [buyer, seller] }],
      [false, {}, { audience: [buyer] }],
      [false, {}, { audience: [] }]
    ]
    for (const [wanted, webhook, overrides] of table)
      assert.strictEqual(wants(sampleWebhook(webhook))(event(overrides)), wanted, JSON.stringify(webhook))
  })

  it("signs as the example of Standard Webhooks 1.0 does, and with the former secret until its grace ends", () => {
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    const at = DateTime.makeUnsafe(1_614_265_330_999)
    const sign = (webhook: Webhook) =>
      headersOf(webhook, "msg_p5jXN8AQM9LWM0D4loKWxJek", '{"test": 2432232314}', at)
    const expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    assert.deepInclude(sign(sampleWebhook({ secret })), {
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": expected
    })
    const rotating = sampleWebhook({ formerSecret: { secret, until: after(at, 1) } })
    assert.match(sign(rotating)["webhook-signature"] ?? "", /^v1,\S{44} v1,g0hM/u)
    const rotated = sampleWebhook({ formerSecret: { secret, until: at } })
    assert.match(sign(rotated)["webhook-signature"] ?? "", /^v1,\S{44}$/u)
  })
})
