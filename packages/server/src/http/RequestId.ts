/**
 * The id of a request: `Request-Id` on every response, `requestId` in every failure and every log line. Contract §1.
 *
 * An incoming id of sane form is kept, so that one id can follow a request through several services.
 */
import { CurrentRequestId } from "@souk/api"
import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Middleware } from "./Middleware.ts"

const header = "request-id"
const saneForm = /^[A-Za-z0-9._:-]{1,128}$/u

/** Makes the middleware that names each request and its response. */
export const make: Effect.Effect<Middleware, never, SecureRandom.SecureRandom> = Effect.map(
  SecureRandom.SecureRandom,
  (random): Middleware =>
    (effect) =>
      Effect.flatMap(requestId(random), (id) =>
        effect.pipe(
          Effect.map(HttpServerResponse.setHeader(header, id)),
          Effect.provideService(CurrentRequestId, id),
          Effect.annotateLogs("requestId", id)
        )
      )
)

// -----------------------------------------------------------------------------

const requestId = (random: SecureRandom.SecureRandom["Service"]) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) => {
    const given = headers[header]
    return given !== undefined && saneForm.test(given) ? Effect.succeed(given) : random.uuidV7()
  })
