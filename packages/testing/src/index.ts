/** @souk/testing: what it takes to test a market, and a store for one. */
export type { Obligation } from "./conformance/Obligation.ts"
export * from "./fixtures.ts"
export * as MarketTest from "./MarketTest.ts"
export * as SeededRandom from "./SeededRandom.ts"
export * from "./StoreConformance.ts"
export * from "./testMarket.ts"
