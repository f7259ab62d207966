/** @souk/testing: what it takes to test a market. The suite for stores is at `@souk/testing/conformance`. */
export * from "./fixtures.ts"
export * as MarketTest from "./MarketTest.ts"
export * as SeededRandom from "./SeededRandom.ts"
export type { TestAgent, TestAgentProfile, TestFetch } from "./TestAgent.ts"
export type { TakeEventOptions, TestEventQuery, TestEvents } from "./TestEvents.ts"
export type { SentWebhook, TakeWebhookOptions, TestWebhooks, WebhookAnswer } from "./TestWebhooks.ts"
export * from "./testMarket.ts"
