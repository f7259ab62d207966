/**
 * Headers that keep a browser from doing more with a response than it says, and caches from keeping it.
 *
 * What a handler has set stays. Pages bring a content security policy of their own.
 */
import { Effect } from "effect"
import { Headers, HttpServerResponse } from "effect/http"
import type { Middleware } from "./Middleware.ts"

/** Sets the headers that a response does not have yet. */
export const middleware: Middleware = (effect) =>
  Effect.map(effect, (response) =>
    HttpServerResponse.setHeaders(response, Headers.merge(defaultsOf(response), response.headers))
  )

// -----------------------------------------------------------------------------

const everywhere = { "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" }

const beyondPages = {
  ...everywhere,
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'"
}

const defaultsOf = (response: HttpServerResponse.HttpServerResponse) =>
  Headers.fromRecordUnsafe(isPage(response) ? everywhere : beyondPages)

const isPage = ({ headers }: HttpServerResponse.HttpServerResponse) =>
  headers["content-type"]?.startsWith("text/html") ?? false
