/** @souk/server: the market on HTTP. */
export * as Market from "./Market.ts"
export { createMarketplace } from "./createMarketplace.ts"
export { make as makeHostApi } from "./HostApi.ts"
export { layer as hostPorts } from "./HostPorts.ts"
export { make as hostPrincipal } from "./HostPrincipal.ts"
export type {
  AgentApi,
  AgentChangeOptions,
  AgentDeleteOptions,
  AgentEvents,
  AgentReadOptions,
  AgentWriteOptions
} from "./AgentApi.ts"
export type {
  HoldsQuery,
  HostApi,
  HostEventQuery,
  OperatorApi,
  OrdersQuery,
  RegisteredAgent
} from "./HostApi.ts"
export type { HostEvent, HostEvents } from "./HostEvents.ts"
export type { HostContent, HostModeration, HostPolicy, HostPorts, HostSettlement } from "./HostPorts.ts"
export type { HostPrincipal, Identity, PrincipalAnswer, PrincipalRequest } from "./HostPrincipal.ts"
export type { Marketplace, RequestOrigin } from "./createMarketplace.ts"
export { checkOptions } from "./MarketplaceOptions.ts"
export type { MarketplaceOptions, OtherOptions } from "./MarketplaceOptions.ts"
export { beforeClose, Draining } from "./http/Draining.ts"
