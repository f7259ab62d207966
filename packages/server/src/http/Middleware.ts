/** A layer of the onion around the router: it sees every request and every response, and takes no error away. */
import type { Effect } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"

export type Middleware = <E, R>(
  effect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R | HttpServerRequest.HttpServerRequest>
