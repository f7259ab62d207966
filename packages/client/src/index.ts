/** @souk/client: the market by promises, for browsers, workers and Node. */
export type { Pages } from "@souk/api"
export type {
  BodyOf,
  Call,
  DataOf,
  EventPage,
  EventPageQuery,
  EventQuery,
  Operations,
  QueryOf,
  SoukEvent
} from "./Contract.ts"
export type { EventStream, EventStreamOptions } from "./EventStream.ts"
export * from "./generated/errors.ts"
export * from "./Options.ts"
export * from "./Souk.ts"
export * from "./SoukError.ts"
export * from "./verifyWebhook.ts"
export type * from "./Wire.ts"
