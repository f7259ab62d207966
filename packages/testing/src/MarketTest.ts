/** The services of a market in memory, for tests that are written in Effect. */
import { Market, MemoryStore, MiniSearchIndex } from "@souk/core"
import type { SchemaOutOfDate, Store, Unavailable } from "@souk/core"
import { Layer } from "effect"
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
  Market.layer({
    feed: options.feed,
    sweepEverySeconds: options.sweepEverySeconds,
    matching: options.matching
  }).pipe(
    Layer.provideMerge(MemoryStore.layer),
    Layer.provide([MiniSearchIndex.layer, SeededRandom.layer(options.seed ?? "souk")])
  )
