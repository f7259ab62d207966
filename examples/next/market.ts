import { MemoryStore } from "@souk/core"
import { createMarketplace } from "@souk/server"
import type { Marketplace } from "@souk/server"

declare global {
  var market: Marketplace | undefined
}

const open = () => {
  // Next tells addresses in X-Forwarded-For.
  const market = createMarketplace({ store: MemoryStore.layer, basePath: "/market", trustProxy: 1 })
  // Next waits for open streams when it is told to end: this ends them.
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => market.close())
  return market
}

/** One for the process, created when a request comes: Next loads modules several times, and also while it builds. */
export const market = () => (globalThis.market ??= open())
