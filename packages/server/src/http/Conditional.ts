/** Answers 304 to a reader who has what he asks for: `If-None-Match` on GET and HEAD. Contract §1, Entities. */
import { namesEntityTag } from "@souk/api"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Middleware } from "./Middleware.ts"

/** Looks at what a GET or HEAD is answered; writes have their own condition, `If-Match`. */
export const middleware: Middleware = (effect) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ method, headers }) => {
    const known = headers["if-none-match"]
    if (known === undefined || (method !== "GET" && method !== "HEAD")) return effect
    return Effect.map(effect, (response) => {
      const { etag } = response.headers
      return response.status === 200 && etag !== undefined && namesEntityTag(known, etag)
        ? HttpServerResponse.empty({ status: 304, headers: { etag } })
        : response
    })
  })
