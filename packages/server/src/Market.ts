/** The market as routes, for hosts written in Effect. */
import type { Layer } from "effect"
import type { Draining } from "./http/Draining.ts"
import { checkOptions } from "./MarketplaceOptions.ts"
import * as Routes from "./Routes.ts"
import type { MarketNeeds, MarketOptions } from "./Routes.ts"

export type { MarketNeeds, MarketOptions } from "./Routes.ts"

/**
 * Adds the market to a router.
 *
 * Throws a `TypeError` that names the option when one makes no sense, or does not exist.
 */
export const routes = (options: MarketOptions = {}): Layer.Layer<Draining, never, MarketNeeds> => {
  checkOptions(options, { shared, own: {} })
  return Routes.make(options)
}

const shared = [
  "baseUrl",
  "limits",
  "rateLimits",
  "rateLimitStore",
  "trustProxy",
  "requireKeyForReads",
  "metrics",
  "principal",
  "trustedOrigins"
] as const satisfies ReadonlyArray<keyof MarketOptions>
