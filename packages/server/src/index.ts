/** @souk/server: the market on HTTP. */
export * as Market from "./Market.ts"
export { createMarketplace } from "./createMarketplace.ts"
export type { HoldsQuery, HostApi, OperatorApi, OrdersQuery } from "./HostApi.ts"
export type { HostContent, HostModeration, HostPolicy, HostPorts, HostSettlement } from "./HostPorts.ts"
export type { Marketplace, MarketplaceOptions, RequestOrigin } from "./createMarketplace.ts"
