/**
 * The last word on every response: whatever fails outside the contract's own errors leaves as an envelope too.
 * Contract §1, "Failure".
 *
 * That is what HttpApi and the router do not cover: paths and methods without a route, media types, bodies that are
 * too large or cannot be read, time-outs, and defects, of which the caller learns nothing and the log everything.
 */
import { Internal, MethodNotAllowed, Timeout, toRefusal, UnsupportedMediaType } from "@souk/api"
import { InvalidRequest, NotFound, Unavailable } from "@souk/core"
import { Cause, Effect, ErrorReporter } from "effect"
import { HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiError } from "effect/http-api"
import * as Limits from "./Limits.ts"
import type { Middleware } from "./Middleware.ts"
import * as Refusal from "./Refusal.ts"
import type { RouteTable } from "./RouteTable.ts"

/** Makes the middleware. It fails no more, but with the cause of a request that its client has given up. */
export const make =
  (routes: RouteTable, limits: Limits.Limits): Middleware =>
  (effect) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
      Effect.matchCauseEffect(effect, {
        onSuccess: (response) => enveloped(response, request),
        onFailure: (cause) => {
          if (isOfClient(cause)) return Effect.failCause(cause)
          const failed = Cause.squash(cause)
          if (HttpServerResponse.isHttpServerResponse(failed)) return enveloped(failed, request)
          if (isUnrouted(failed)) return unrouted(request, routes)
          if (Cause.hasInterruptsOnly(cause)) return interrupted(cause, limits)
          const refusal = refusalOf(failed, limits)
          return refusal === undefined ? internal(cause) : Refusal.reply(refusal)
        }
      })
    )

// -----------------------------------------------------------------------------
// What has no route
// -----------------------------------------------------------------------------

const isUnrouted = (failed: unknown) =>
  HttpServerError.isHttpServerError(failed) && failed.reason._tag === "RouteNotFound"

/** Answers OPTIONS, or tells whether the path or only the method is wrong. */
const unrouted = ({ method, originalUrl, url }: HttpServerRequest.HttpServerRequest, routes: RouteTable) => {
  // As the caller wrote it: the mount path is cut from `url`.
  const path = originalUrl.replace(/^[a-z]+:\/\/[^/?#]*|[?#].*$/giu, "")
  const allowed = routes.allowed(url)
  if (allowed.length === 0) return Refusal.reply(new NotFound({ message: `There is nothing at ${path}.` }))
  const allow = allowed.join(", ")
  if (method === "OPTIONS")
    return Effect.succeed(HttpServerResponse.empty({ status: 204, headers: { allow } }))
  const refusal = new MethodNotAllowed({ message: `${path} does not take ${method}. It takes ${allow}.` })
  return Effect.map(Refusal.reply(refusal), HttpServerResponse.setHeader("allow", allow))
}

// -----------------------------------------------------------------------------
// What failed
// -----------------------------------------------------------------------------

/** Nobody waits for the answer to a request that its client has dropped. */
const isOfClient = (cause: Cause.Cause<unknown>) =>
  Cause.hasInterruptsOnly(cause) &&
  cause.reasons.some((reason) => reason.annotations.has(HttpServerError.ClientAbort.key))

const refusalOf = (failed: unknown, limits: Limits.Limits) => {
  if (Refusal.isRefusal(failed)) return failed
  if (HttpServerError.isHttpServerError(failed)) return unread(failed.reason, limits)
  if (HttpApiError.HttpApiSchemaError.is(failed)) return toRefusal(failed)
  return undefined
}

/** Says that it took too long or that the server stops. What is left of the body is not waited for. */
const interrupted = (cause: Cause.Cause<unknown>, { requestTimeoutSeconds }: Limits.Limits) => {
  const timedOut = cause.reasons.some((reason) => reason.annotations.has(Limits.TimedOut.key))
  const refusal = timedOut
    ? new Timeout({ message: `The request took longer than ${requestTimeoutSeconds} seconds. Try again.` })
    : new Unavailable({ message: "The server is stopping. Try again." })
  return Effect.map(Refusal.reply(refusal), HttpServerResponse.setHeader("connection", "close"))
}

const unread = (reason: HttpServerError.HttpServerErrorReason, limits: Limits.Limits) => {
  if (reason._tag !== "RequestParseError") return undefined
  if (reason.reason === "BodyTooLarge") return Limits.tooLarge(limits.maxBodyBytes)
  if (Refusal.isRefusal(reason.cause)) return reason.cause
  return new InvalidRequest({ message: "The request could not be read to its end.", issues: [] })
}

/** Tells the operator the cause, and the caller that there was one. */
const internal = (cause: Cause.Cause<unknown>) =>
  Effect.logError("A request failed", cause).pipe(
    Effect.andThen(ErrorReporter.report(cause)),
    Effect.andThen(
      Refusal.reply(
        new Internal({ message: "The market made a mistake. Quote the requestId when you report it." })
      )
    )
  )

// -----------------------------------------------------------------------------
// What HttpApi answers without an envelope
// -----------------------------------------------------------------------------

const enveloped = (
  response: HttpServerResponse.HttpServerResponse,
  request: HttpServerRequest.HttpServerRequest
) => {
  if (response.status !== 415 || isJson(response)) return Effect.succeed(response)
  const given = request.headers["content-type"] ?? "unknown"
  const message = `The body is of the type ${given}. Send it as application/json.`
  return Refusal.reply(new UnsupportedMediaType({ message }))
}

const isJson = ({ headers }: HttpServerResponse.HttpServerResponse) =>
  headers["content-type"]?.startsWith("application/json") ?? false
