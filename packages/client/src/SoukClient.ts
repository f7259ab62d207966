/** The contract as effects. */
import { SoukApi } from "@souk/api"
import { Context, Effect, Inspectable, Option, Redacted, Stream } from "effect"
import { FetchHttpClient, Headers, HttpClient, HttpClientRequest } from "effect/http"
import type { HttpClientError, HttpClientResponse } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { makeFollow } from "./Follow.ts"
import type { Follow } from "./Follow.ts"
import { newIdempotencyKey } from "./IdempotencyKey.ts"
import { toError } from "./Reply.ts"
import { ConnectionFailedError } from "./SoukError.ts"
import type { SoukError } from "./SoukError.ts"
import { waitBefore } from "./Waiting.ts"

export { StreamReset } from "./Follow.ts"
export type { Follow, Followed, FollowOptions, FollowQuery } from "./Follow.ts"

export interface SoukClientOptions {
  /** Where the market is, its path included: `https://example.com/market`. */
  readonly baseUrl: string | URL
  /** The key of the agent that calls. Without one, what is public can be read. */
  readonly apiKey?: Redacted.Redacted | undefined
  /** How often a call is tried at most, the first time included; 3 by default. */
  readonly maxAttempts?: number | undefined
}

/** Every group of the contract, and `follow` beside them. */
export interface SoukClient extends HttpApiClient.ForApi<typeof SoukApi> {
  /** The events from a position on, over as many connections as it takes. */
  readonly follow: Follow
}

/**
 * Makes a client on the `HttpClient` of its surroundings. Nothing is sent before the first call.
 *
 * A call is tried again when no reply came, or when the market says that the same request can succeed later; a write
 * keeps its Idempotency-Key, so it is done once.
 */
export const make = Effect.fnUntraced(function* (options: SoukClientOptions) {
  const { baseUrl, apiKey, maxAttempts = 3 } = options
  const httpClient = (yield* HttpClient.HttpClient).pipe(
    HttpClient.transform((reply) => persist(discreetly(reply), maxAttempts)),
    HttpClient.mapRequestEffect(withIdempotencyKey),
    HttpClient.mapRequest((request) =>
      apiKey === undefined ? request : HttpClientRequest.setHeader(request, keyHeader, Redacted.value(apiKey))
    )
  )
  const client = yield* HttpApiClient.makeWith(SoukApi, {
    httpClient,
    baseUrl: String(baseUrl).replace(/\/+$/u, "")
  })
  const souk: SoukClient = { ...client, follow: makeFollow(client.events) }
  return souk
})

/**
 * Reads a list page after page, as they are pulled. `read` spreads what it is given into its query; it is empty for the
 * first page.
 *
 * @example
 * ```ts
 * SoukClient.pages((next) => souk.listings.list({ query: { tag: "legal", ...next } }))
 * ```
 */
export const pages = <Page extends { readonly nextCursor: string | null }, E, R>(
  read: (next: { readonly cursor?: string }) => Effect.Effect<Page, E, R>
): Stream.Stream<Page, E, R> =>
  Stream.paginate({}, (next: { readonly cursor?: string }) =>
    Effect.map(read(next), (page) => [
      [page],
      page.nextCursor === null ? Option.none() : Option.some({ cursor: page.nextCursor })
    ])
  )

// -----------------------------------------------------------------------------

const keyHeader = "x-agent-key"

const withIdempotencyKey = (request: HttpClientRequest.HttpClientRequest) =>
  Effect.sync(() =>
    (request.method === "POST" || request.method === "PATCH") &&
    request.headers["idempotency-key"] === undefined
      ? HttpClientRequest.setHeader(request, "idempotency-key", newIdempotencyKey())
      : request
  )

type Reply = Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>

/** Sends a request so that its key goes nowhere but to the market: not along redirects, nor into traces or errors. */
const discreetly = (reply: Reply): Reply =>
  reply.pipe(
    Effect.updateContext((context: Context.Context<never>) =>
      context.pipe(
        // The market redirects nowhere, and `fetch` would send the key on to wherever somebody else sends it.
        Context.add(FetchHttpClient.RequestInit, {
          ...Option.getOrUndefined(Context.getOption(context, FetchHttpClient.RequestInit)),
          redirect: "manual"
        }),
        Context.add(Headers.CurrentRedactedNames, [
          ...Context.get(context, Headers.CurrentRedactedNames),
          keyHeader
        ])
      )
    ),
    Effect.flatMap(readBody),
    Effect.map(hideKeyOfResponse),
    Effect.tapError(({ reason }) => Effect.sync(() => hideKeyOfReason(reason)))
  )

// Loggers show the request that was sent with errors and replies, and know nothing of this header.

const withoutKey = (request: HttpClientRequest.HttpClientRequest) =>
  HttpClientRequest.setHeader(request, keyHeader, "<redacted>")

/** The reply with another request in it. What `HttpClient` gives out shows the one behind it, whatever is set there. */
const hideKeyOfResponse = (
  response: HttpClientResponse.HttpClientResponse
): HttpClientResponse.HttpClientResponse => {
  const request = withoutKey(response.request)
  const show = { value: () => ({ ...Object(response.toJSON()), request: request.toJSON() }) }
  return Object.create(response, {
    request: { value: request, enumerable: true },
    toJSON: show,
    [Inspectable.NodeInspectSymbol]: show
  })
}

const hideKeyOfReason = (reason: HttpClientError.HttpClientErrorReason): void => {
  Object.defineProperty(reason, "request", { value: withoutKey(reason.request), enumerable: true })
  if ("response" in reason)
    Object.defineProperty(reason, "response", { value: hideKeyOfResponse(reason.response), enumerable: true })
}

/** Reads the body as well, unless it is a stream: a connection can break there too. */
const readBody = (response: HttpClientResponse.HttpClientResponse): Reply =>
  response.headers["content-type"]?.startsWith("application/json") === true
    ? Effect.as(response.text, response)
    : Effect.succeed(response)

/** Tries again for as long as there is sense in it. The last reply is given on as it is. */
const persist = (reply: Reply, maxAttempts: number, attempt = 1): Reply => {
  const again = (outcome: Reply, failure: SoukError) => {
    const wait = attempt >= maxAttempts ? undefined : waitBefore(attempt, failure)
    return wait === undefined
      ? outcome
      : Effect.andThen(Effect.sleep(wait), persist(reply, maxAttempts, attempt + 1))
  }
  return Effect.matchEffect(reply, {
    onFailure: (error) =>
      error.reason._tag === "TransportError" || error.response !== undefined
        ? again(Effect.fail(error), new ConnectionFailedError(error))
        : Effect.fail(error),
    onSuccess: (response) =>
      response.status < 400
        ? Effect.succeed(response)
        : Effect.flatMap(
            Effect.orElseSucceed(response.json, () => undefined),
            (body) =>
              again(
                Effect.succeed(response),
                toError(response.status, response.headers["retry-after"] ?? null, body)
              )
          )
  })
}
