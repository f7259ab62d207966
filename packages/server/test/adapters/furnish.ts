/** Markets as the requirements want them, said as data: a host may stand in another process, and on another runtime. */
import { MemoryStore } from "@souk/core"
import type { createMarketplace, Marketplace, MarketplaceOptions } from "../../src/index.ts"
import type { Seen } from "./Host.ts"
import { flooded, hanging } from "./stores.ts"

/** What a market has. */
export interface Furniture {
  /** Where the market is, in the host's own way of nesting: empty, `/market` or `/a/b/market`. */
  readonly mount: string
  readonly options?: Pick<MarketplaceOptions, "limits" | "rateLimits" | "trustProxy">
  /** A store that shows what becomes of the work behind a request; one in memory by default. */
  readonly store?: "hanging" | "flooded"
  /** Whether the host has a login, of which the header `x-user` tells here. */
  readonly login?: boolean
}

/** A market, and what was seen of the work behind it. */
export interface Furnished {
  readonly marketplace: Marketplace
  readonly seen: Seen
}

/** Creates a market: by the sources, or by what is installed where this runs. */
export const furnish = (
  create: typeof createMarketplace,
  { mount, options, store, login = false }: Furniture
): Furnished => {
  const stage = stages[store ?? "memory"]()
  const marketplace = create({
    store: stage.store,
    ...(mount === "" ? {} : { basePath: `/${mount.slice(1)}` }),
    graceMillis: 300,
    ...options,
    ...(login ? { principal: (_request: unknown, host: unknown) => userOf(host) } : {})
  })
  return { marketplace, seen: stage.seen }
}

// -----------------------------------------------------------------------------

const stages = {
  memory: () => ({ store: MemoryStore.layer, seen: { started: 0, stopped: 0, taken: 0 } }),
  hanging,
  flooded
}

const at = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>(
    (inner, key) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, key) : undefined),
    value
  )

/** Whom a host's login has found: in what each framework made of the request. */
const userOf = (host: unknown): string | undefined => {
  const headers = at(host, "headers") ?? at(host, "req", "raw", "headers")
  const user = headers instanceof Headers ? headers.get("x-user") : at(headers, "x-user")
  return typeof user === "string" ? user : undefined
}
