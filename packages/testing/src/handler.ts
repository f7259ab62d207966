/** The HTTP handler of a market, as the `fetch` of those who call it. */
import type { Market as Core, Store } from "@souk/core"
import { Market } from "@souk/server"
import { Effect, Layer } from "effect"
import type { Scope } from "effect"
import { FetchHttpClient, HttpEffect, HttpRouter, HttpServer } from "effect/http"
import type { HttpServerRequest } from "effect/http"

/** Where the handler answers, and nothing else does. */
export const baseUrl = "http://souk.test"

/** Puts the handler of the market in the place of `fetch`, on the clock that this is built on. */
export const layer = (
  options: Market.MarketOptions
): Layer.Layer<never, never, Core.MarketServices | Store> =>
  Layer.effect(
    FetchHttpClient.Fetch,
    Effect.gen(function* () {
      const answer = yield* HttpRouter.toHttpEffect(Market.routes({ rateLimits: "off", ...options }))
      const context = yield* Effect.context<never>()
      const handler = HttpEffect.toWebHandlerWith<never, HttpServerRequest.HttpServerRequest | Scope.Scope>(
        context
      )(answer)
      const fetch: typeof globalThis.fetch = (input, init) => handler(new Request(input, init))
      return fetch
    })
  ).pipe(Layer.provide(HttpServer.layerServices))
