/**
 * What the headers and the query of a write ask for, and what its reply says about it: `Idempotency-Key`, `If-Match`,
 * `validateOnly`. Contract §1.
 */
import { Canonical } from "@souk/core"
import type { WriteOptions, Written } from "@souk/core"
import { Effect, Schema } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http"

/** The parts of a decoded request that say how a write is to be done. */
export interface WriteRequest {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly query: { readonly validateOnly?: boolean }
  readonly headers: { readonly "idempotency-key"?: string; readonly "if-match"?: number | undefined }
}

/**
 * Runs a write as its request asks and answers its value.
 *
 * `caller` scopes the Idempotency-Key: an agent's id, or the address of somebody without one.
 */
export const write = Effect.fnUntraced(function* <A, E, R>(
  caller: string,
  from: WriteRequest,
  run: (options: WriteOptions) => Effect.Effect<Written<A>, E, R>
) {
  const options = yield* optionsOf(caller, from)
  const { value, replayed } = yield* run(options)
  if (options.validateOnly === true) yield* HttpEffect.appendPreResponseHandler(asRehearsal)
  if (replayed) yield* HttpEffect.appendPreResponseHandler(asReplay)
  return value
})

// -----------------------------------------------------------------------------

const optionsOf = Effect.fnUntraced(function* (caller: string, { request, query, headers }: WriteRequest) {
  const key = headers["idempotency-key"]
  const path = pathOf(request.url)
  const options: WriteOptions = {
    ifMatch: headers["if-match"],
    validateOnly: query.validateOnly,
    idempotency:
      key === undefined
        ? undefined
        : { scope: `${caller} ${request.method} ${path}`, key, bodyDigest: yield* digestOf(request) }
  }
  return options
})

/** One spelling for a path: the router takes it in any case, with slashes doubled or behind it. */
const pathOf = (url: string): string =>
  (url.split("?", 1)[0] ?? url)
    .toLowerCase()
    .replaceAll(/\/{2,}/gu, "/")
    .replace(/\/$/u, "")

const parse = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Json))

/** The digest of the canonical body, so that white space and the order of fields make no other request. */
const digestOf = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<string> =>
  Effect.map(Effect.orDie(request.text), (text) => {
    const json = parse(text)
    return json._tag === "Some" ? Canonical.digest(json.value) : Canonical.sha256Hex(text)
  })

/** Nothing came to be, so nothing was created and nothing has a place. */
const asRehearsal: HttpEffect.PreResponseHandler = (_, response) =>
  Effect.succeed(
    response.status === 201
      ? HttpServerResponse.removeHeader(HttpServerResponse.setStatus(response, 200), "location")
      : response
  )

const asReplay: HttpEffect.PreResponseHandler = (_, response) =>
  Effect.succeed(HttpServerResponse.setHeader(response, "idempotent-replayed", "true"))
