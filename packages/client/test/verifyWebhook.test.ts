import { assert, describe, it } from "@effect/vitest"
import { createHmac, randomBytes } from "node:crypto"
import { verifyWebhook, WebhookRefusedError } from "../src/index.ts"
import { refused } from "./refused.ts"

const key = randomBytes(32)
const secret = `whsec_${key.toString("base64")}`
const body = JSON.stringify({ id: "evt_1", type: "rfq.opened", data: { title: "Ü" } })

/** A delivery as the market signs it. */
const deliver = ({ by = key, ageSeconds = 0, signed = body } = {}) => {
  const timestamp = String(Math.floor(Date.now() / 1000) - ageSeconds)
  const signature = createHmac("sha256", by).update(`whd_1.${timestamp}.${signed}`).digest("base64")
  return {
    secret,
    body,
    headers: { "webhook-id": "whd_1", "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` }
  }
}

describe("a delivery to a webhook", () => {
  it("is taken when its signature fits, whatever holds the headers", async () => {
    const delivery = deliver()
    assert.strictEqual((await verifyWebhook(delivery)).type, "rfq.opened")
    assert.strictEqual(
      (await verifyWebhook({ ...delivery, headers: new Headers(delivery.headers) })).id,
      "evt_1"
    )
  })

  it("is taken when one of its signatures fits, as while a secret rotates", async () => {
    const { headers, ...delivery } = deliver()
    const other = deliver({ by: randomBytes(32) }).headers["webhook-signature"]
    const signatures = `v2,abc v1,! ${other} ${headers["webhook-signature"]}`
    await verifyWebhook({ ...delivery, headers: { ...headers, "webhook-signature": signatures } })
  })

  it("is refused when it is changed, old, from the future, unsigned or signed by others", async () => {
    for (const delivery of [
      deliver({ signed: `${body} ` }),
      deliver({ ageSeconds: 301 }),
      deliver({ ageSeconds: -301 }),
      deliver({ by: randomBytes(32) }),
      { ...deliver(), headers: {} },
      { ...deliver(), headers: { ...deliver().headers, "webhook-timestamp": "soon" } },
      { ...deliver(), headers: { ...deliver().headers, "webhook-id": "whd_2" } },
      { ...deliver(), secret: `whsec_${randomBytes(32).toString("base64")}` }
    ])
      await refused(WebhookRefusedError, verifyWebhook(delivery))
    await refused(TypeError, verifyWebhook({ ...deliver(), secret: "whsec_" }))
    await verifyWebhook({ ...deliver({ ageSeconds: 301 }), toleranceSeconds: 600 })
  })
})
