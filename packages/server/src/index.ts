/** @souk/server: the market on HTTP. */
export * as Listener from "./http/Listener.ts"
export * as Market from "./Market.ts"
export { createMarketplace } from "./createMarketplace.ts"
export type { Marketplace, MarketplaceOptions, RequestOrigin } from "./createMarketplace.ts"
