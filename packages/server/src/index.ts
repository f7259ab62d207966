/** @souk/server: the market on HTTP. */
export * as Listener from "./http/Listener.ts"
export * as Market from "./Market.ts"
