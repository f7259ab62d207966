/**
 * The market for hosts that know no Effect: one object, promises in and promises out.
 *
 * It starts at once and takes requests from its first moment. Two marketplaces share nothing, also when they are given
 * the same options.
 */
import { Context, Effect, Stream } from "effect"
import { HttpEffect } from "effect/http"
import * as App from "./App.ts"
import * as HostApi from "./HostApi.ts"
import * as HostPrincipal from "./HostPrincipal.ts"
import { ActingAs } from "./http/ActingAs.ts"
import { catalogPath } from "./http/Descriptions.ts"
import { check } from "./MarketplaceOptions.ts"
import type { MarketplaceOptions } from "./MarketplaceOptions.ts"
import * as StoreReason from "./StoreReason.ts"

/** What the host knows of a caller and the request does not tell. */
export interface RequestOrigin {
  /** The address of the connection. Without it all callers without a key share one rate limit. */
  readonly clientAddress?: string | undefined
  /** What the framework made of the request: what `principal` gets as `host`. */
  readonly host?: unknown
}

export interface Marketplace {
  /** Answers a request. It never rejects: failures are responses. What is no `Request` is a `TypeError`. */
  readonly fetch: (request: Request, origin?: RequestOrigin) => Promise<Response>
  /**
   * Answers what belongs to the root of the host's origin whatever path the market is mounted at, which is
   * `/.well-known/api-catalog` (RFC 9727); gives undefined for everything else.
   */
  readonly wellKnown: (request: Request, origin?: RequestOrigin) => Promise<Response | undefined>
  /**
   * Resolves when the store can serve; rejects with the reason when it cannot, which is in the message, for the host
   * alone: callers over HTTP read that the market is unavailable. What could not start tries again by itself.
   */
  readonly ready: () => Promise<void>
  /**
   * Brings the schema of the store up to date, and gives the names of the migrations that it took: none where it was up
   * to date, or has no schema. Safe to call twice, and from several processes at once. A market that could not start on
   * the schema of before starts then.
   */
  readonly migrate: () => Promise<ReadonlyArray<string>>
  /** What the host does itself: the calls of the market's operator, and those of any agent. */
  readonly api: HostApi.HostApi
  /** Ends streams at once and requests under way after a moment, then lets go of the store. Later requests are 503. */
  readonly close: () => Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/**
 * Creates a market.
 *
 * Throws a `TypeError` that names the option when one makes no sense; what goes wrong later is told by `ready`.
 *
 * @example
 * ```ts
 * import { MemoryStore } from "@souk/core"
 * import { createMarketplace } from "@souk/server"
 *
 * const market = createMarketplace({ store: MemoryStore.layer })
 * const response = await market.fetch(new Request("http://localhost/api/v1/listings"))
 * ```
 */
export const createMarketplace = (options: MarketplaceOptions): Marketplace => {
  check(options)
  const app = App.make({ ...options, principal: HostPrincipal.make(options) })
  const answer = HttpEffect.toWebHandler(app.answer)
  const answerHost = HttpEffect.toWebHandler(app.answerHost)
  let closed: Promise<void> | undefined
  const close = () => (closed ??= Effect.runPromise(app.close))
  const fetch: Marketplace["fetch"] = async (request, origin) => {
    checkRequest(request)
    return answer(
      request,
      Context.make(App.GivenAddress, origin?.clientAddress).pipe(
        Context.add(HostPrincipal.GivenHost, origin?.host)
      )
    )
  }
  const marketplace: Marketplace = {
    fetch,
    wellKnown: async (request, origin) => {
      checkRequest(request)
      const url = new URL(request.url)
      if (url.pathname !== catalogPath) return undefined
      url.pathname = app.basePath + catalogPath
      return fetch(new Request(url, request), origin)
    },
    ready: () => Effect.runPromise(Effect.mapError(app.ready, StoreReason.toHost)),
    migrate: () => Effect.runPromise(Effect.mapError(app.migrate, StoreReason.toHost)),
    api: HostApi.make({
      answer: (request, by) => answerHost(request, Context.make(ActingAs, by)),
      run: (call) => Effect.runPromise(app.run(call)),
      iterate: (call, signal) => Stream.toAsyncIterable(untilAborted(app.stream(call), signal))
    }),
    close,
    [Symbol.asyncDispose]: close
  }
  const behind: Behind = { form, app }
  return Object.defineProperty(marketplace, behindKey, { value: behind })
}

/**
 * Finds what is behind a marketplace, for the adapters. It may have been made by another copy of this module: a
 * bundler, such as that of Next, often makes a second one.
 */
export const appOf = (marketplace: Marketplace): App.App => {
  const behind: Behind | undefined = Object(marketplace)[behindKey]
  if (behind === undefined) throw new TypeError("This is no marketplace that createMarketplace made.")
  if (behind.form !== form)
    throw new TypeError(
      "Two versions of @souk/server are loaded: this marketplace was made by the other. Install one of them."
    )
  return behind.app
}

// -----------------------------------------------------------------------------

const untilAborted = <A, E>(stream: Stream.Stream<A, E>, signal: AbortSignal | undefined) =>
  signal === undefined
    ? stream
    : Stream.interruptWhen(
        stream,
        Effect.callback<void>((resume) => {
          const end = () => resume(Effect.void)
          if (signal.aborted) return end()
          signal.addEventListener("abort", end, { once: true })
          return Effect.sync(() => signal.removeEventListener("abort", end))
        })
      )

/** Knows a request by its form: frameworks and tests have classes of their own. */
const checkRequest = (request: unknown): void => {
  const { headers, url } = Object(request)
  if (typeof url !== "string" || typeof headers?.get !== "function")
    throw new TypeError('request must be a Request, like new Request("http://localhost/api/v1/listings").')
}

interface Behind {
  readonly form: typeof form
  readonly app: App.App
}

/** All copies of this module find each other's marketplaces by it. */
const behindKey = Symbol.for("@souk/server/Marketplace")

/** Goes up by one when `App` changes, so that copies which do not fit each other say so. */
const form = 1
