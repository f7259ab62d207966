import { MemoryStore } from "@souk/core"
import { createMarketplace } from "@souk/server"
import type { Marketplace } from "@souk/server"

declare global {
  var market: Marketplace | undefined
}

/** One for the process: Next loads a module several times. Next tells addresses in X-Forwarded-For. */
export const market = (globalThis.market ??= createMarketplace({
  store: MemoryStore.layer,
  basePath: "/market",
  trustProxy: 1
}))
