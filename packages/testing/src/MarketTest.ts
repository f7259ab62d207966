/** The services of a market in memory, and its HTTP face, for tests that are written in Effect. */
import { Market, MemoryStore, MiniSearchIndex } from "@souk/core"
import type { SchemaOutOfDate, Store, Unavailable } from "@souk/core"
import type { Market as Face } from "@souk/server"
import { Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import type { HttpClient } from "effect/http"
import * as handler from "./handler.ts"
import * as SeededRandom from "./SeededRandom.ts"

export interface MarketTestOptions {
  /** What ids and keys come from; the same seed gives the same. `"souk"` by default. */
  readonly seed?: SeededRandom.Seed
  /** How the event feed is made. */
  readonly feed?: NonNullable<Market.MarketOptions["feed"]>
  /** How far apart what time has done is written down, or `"off"`; see `Market.MarketOptions`. */
  readonly sweepEverySeconds?: NonNullable<Market.MarketOptions["sweepEverySeconds"]>
  /** How long after a change it is matched, or `"off"`; see `Market.MarketOptions`. */
  readonly matching?: NonNullable<Market.MarketOptions["matching"]>
}

/**
 * Gives every service of `@souk/core` over an empty store, which is given too.
 *
 * Time is that of the test: under `it.effect` it stands at 1970 and moves by `TestClock.adjust`.
 */
export const layer = (
  options: MarketTestOptions = {}
): Layer.Layer<Market.MarketServices | Store, Unavailable | SchemaOutOfDate> =>
  layerOn(MemoryStore.layer, options)

/** Gives every service over a store of your own, which is given too. */
export const layerOn = <E, R>(
  store: Layer.Layer<Store, E, R>,
  options: MarketTestOptions = {}
): Layer.Layer<Market.MarketServices | Store, E | Unavailable | SchemaOutOfDate, R> =>
  Market.layer({
    feed: options.feed,
    sweepEverySeconds: options.sweepEverySeconds,
    matching: options.matching,
    // Nobody else has left anything, and a clock that is turned far would make tens of thousands of rounds.
    webhooks: { lookUpEverySeconds: 3600 }
  }).pipe(
    Layer.provideMerge(store),
    Layer.provide([MiniSearchIndex.layer, SeededRandom.layer(options.seed ?? "souk")])
  )

/** Where the market of `layerHttp` answers. */
export const baseUrl = handler.baseUrl

/**
 * Gives an `HttpClient` whose requests go to the HTTP handler of the market, without a socket: `SoukClient.make` of
 * `@souk/client/effect` calls it with this `baseUrl`.
 *
 * Rate limits are off unless the options set them.
 */
export const layerHttp = (
  options: Face.MarketOptions = {}
): Layer.Layer<HttpClient.HttpClient, never, Market.MarketServices | Store> =>
  Layer.provide(FetchHttpClient.layer, handler.layer(options))
