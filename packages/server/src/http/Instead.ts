/** A reply in the place of the market's, from outside its routes: named and guarded as every reply is. */
import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import * as RequestId from "./RequestId.ts"
import * as SecurityHeaders from "./SecurityHeaders.ts"

/** Answers the current request with a reply that no route made. */
export const answer = (
  reply: Effect.Effect<HttpServerResponse.HttpServerResponse>
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest> =>
  Effect.flatMap(RequestId.make, (named) => named(SecurityHeaders.middleware(reply))).pipe(
    Effect.provide(SecureRandom.layerWebCrypto)
  )
