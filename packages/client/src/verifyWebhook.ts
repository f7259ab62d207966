/** What a webhook delivers, once it is known to come from the market. Contract §6; Standard Webhooks. */
import type { SoukEvent } from "./Contract.ts"
import { SoukError } from "./SoukError.ts"

/** A request to a webhook, as it arrived. */
export interface WebhookRequest {
  /** The secret that was shown when the webhook was made: `whsec_` and base64. */
  readonly secret: string
  /** The headers of the request: `request.headers` of `fetch`, or of `node:http`. */
  readonly headers: Headers | { readonly [name: string]: string | ReadonlyArray<string> | undefined }
  /** The body as it arrived: what was parsed and written again has another signature. */
  readonly body: string
  /** How old a delivery may be, and how far ahead a clock; 300 by default. */
  readonly toleranceSeconds?: number | undefined
}

/** The request is not one of the market, or too old: answer 400, and do nothing. */
export class WebhookRefusedError extends SoukError<"webhook_refused"> {
  constructor(message: string) {
    super({ code: "webhook_refused", message, recovery: "terminal" })
  }
}

/**
 * Checks the signature and the age of a delivery, and gives its event. Rejects with a `WebhookRefusedError`.
 *
 * A delivery can come more than once: `event.id` tells.
 */
export const verifyWebhook = async (request: WebhookRequest): Promise<SoukEvent> => {
  const { secret, body, toleranceSeconds = 300 } = request
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) =>
    headerOf(request.headers, name)
  )
  if (id === undefined || timestamp === undefined || signatures === undefined)
    throw new WebhookRefusedError("The request has no signature.")
  // Also when the timestamp is no number.
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= toleranceSeconds))
    throw new WebhookRefusedError("The delivery is too old, or a clock is wrong.")
  const bytes = fromBase64(secret.replace(/^whsec_/u, ""))
  if (bytes.length === 0) throw new TypeError("secret must be whsec_ and base64.")
  const algorithm = { name: "HMAC", hash: "SHA-256" }
  const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["verify"])
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  // While a secret rotates there are several, `v1,… v1,…`.
  for (const candidate of signatures.split(" ")) {
    const [version, signature = ""] = candidate.split(",")
    if (version === "v1" && (await crypto.subtle.verify("HMAC", key, fromBase64(signature), signed)))
      return JSON.parse(body)
  }
  throw new WebhookRefusedError("The signature is not that of the secret.")
}

// -----------------------------------------------------------------------------

const headerOf = (headers: WebhookRequest["headers"], name: string): string | undefined => {
  const value = headers instanceof Headers ? headers.get(name) : headers[name]
  return typeof value === "string" ? value : undefined
}

/** Bytes of base64; none of what is not base64. */
const fromBase64 = (text: string): Uint8Array<ArrayBuffer> => {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
  } catch {
    return new Uint8Array()
  }
}
