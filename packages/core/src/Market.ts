/** The whole market as one layer: every service over a store, a search index and a source of chance. */
import { Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import type { SchemaOutOfDate, Unavailable } from "./model/Errors.ts"
import { day, must, options, or, refuse, span, whole } from "./Options.ts"
import type { Rule } from "./Options.ts"
import { Ids } from "./ports/Ids.ts"
import type { SearchIndex } from "./ports/SearchIndex.ts"
import { Store } from "./ports/Store.ts"
import { Agents } from "./services/Agents.ts"
import { Alarm } from "./services/Alarm.ts"
import { Commands } from "./services/Commands.ts"
import { DealRooms } from "./services/DealRooms.ts"
import { Deliveries } from "./services/Deliveries.ts"
import type { DeliveryOptions } from "./services/Deliveries.ts"
import { EventFeed } from "./services/EventFeed.ts"
import type { EventFeedOptions } from "./services/EventFeed.ts"
import { Events } from "./services/Events.ts"
import { Inbox } from "./services/Inbox.ts"
import { Indexing } from "./services/Indexing.ts"
import { Keys } from "./services/Keys.ts"
import { Listings } from "./services/Listings.ts"
import { Matches } from "./services/Matches.ts"
import { Matching } from "./services/Matching.ts"
import * as Metering from "./services/metering.ts"
import { Metrics } from "./services/Metrics.ts"
import type { MetricsOptions } from "./services/Metrics.ts"
import { Operators } from "./services/Operators.ts"
import { Quotes } from "./services/Quotes.ts"
import { Requests } from "./services/Requests.ts"
import { Rfqs } from "./services/Rfqs.ts"
import { SealedReply } from "./services/SealedReply.ts"
import { Search } from "./services/Search.ts"
import { SettlementOrders } from "./services/SettlementOrders.ts"
import { Settling } from "./services/Settling.ts"
import * as Indexer from "./workers/Indexer.ts"
import * as Matcher from "./workers/Matcher.ts"
import { Webhooks } from "./services/Webhooks.ts"
import * as Courier from "./workers/Courier.ts"
import * as Settlements from "./workers/Settlements.ts"
import * as Retention from "./workers/Retention.ts"
import * as Sweeper from "./workers/Sweeper.ts"

export type MarketServices =
  | Agents
  | DealRooms
  | Events
  | Inbox
  | Keys
  | Listings
  | Matches
  | Matching
  | Metrics
  | Operators
  | Quotes
  | Requests
  | Rfqs
  | Search
  | SettlementOrders
  | Settling
  | Webhooks

export interface MarketOptions
  extends Sweeper.SweeperOptions, Settlements.SettlementsOptions, Retention.RetentionOptions {
  readonly feed?: EventFeedOptions | undefined
  /** How what is new is matched. `"off"` leaves it to the host to call `Matching.round`, and to other nodes. */
  readonly matching?: Matcher.MatcherOptions | "off" | undefined
  /** How webhooks are delivered, where a `WebhookSender` is provided. */
  readonly webhooks?: DeliveryOptions | undefined
  readonly metrics?: MetricsOptions | undefined
}

/** What each option must be; `createMarketplace` has the same. */
export const optionRules: { readonly [Name in Exclude<keyof MarketOptions, "webhooks">]-?: Rule } = {
  feed: options<EventFeedOptions>({
    bufferSize: whole("events", 1),
    pollEverySeconds: span("seconds", 0.001, day)
  }),
  sweepEverySeconds: or(["off"], span("seconds", 0.001, day)),
  matching: or(["off"], options<Matcher.MatcherOptions>({ everySeconds: span("seconds", 0.001, day) })),
  settlementOrders: must(`be "off"`, (value) => value === "off"),
  retainEventsSeconds: span("seconds", 3600, 100 * 365 * day),
  metrics: options<MetricsOptions>({
    registry: must("be a Map, for a MetricRegistry of effect", (value) => value instanceof Map)
  })
}

/** What each option of the delivery of webhooks must be. */
export const deliveryRules: { readonly [Name in keyof DeliveryOptions]-?: Rule } = {
  timeoutSeconds: span("seconds", 0.001, 3600),
  lookUpEverySeconds: span("seconds", 0.001, day)
}

const judge = options<MarketOptions>({ ...optionRules, webhooks: options<DeliveryOptions>(deliveryRules) })

/**
 * Builds every service. The store, the index and the randomness are the host's to choose.
 *
 * Throws a `TypeError` that names the option when one makes no sense, or does not exist.
 */
export const layer = (
  given: MarketOptions = {}
): Layer.Layer<
  MarketServices,
  Unavailable | SchemaOutOfDate,
  Store | SearchIndex | SecureRandom.SecureRandom
> => {
  refuse(judge(given, ""))
  return Layer.mergeAll(
    Agents.layer,
    DealRooms.layer,
    Layer.provide(Metering.events, Events.layer),
    Inbox.layer,
    Keys.layer,
    Listings.layer,
    Matches.layer,
    Operators.layer,
    Quotes.layer,
    Requests.layer,
    Rfqs.layer,
    Search.layer,
    Indexer.layer,
    Retention.layer(given),
    Layer.provideMerge(Settlements.layer(given), SettlementOrders.layer),
    Layer.provideMerge(Sweeper.layer(given), Settling.layer),
    Layer.provideMerge(Matcher.layer(given.matching), Matching.layer),
    Layer.provide(
      Layer.merge(Courier.layer(given.webhooks), Webhooks.layer),
      Deliveries.layer(given.webhooks)
    )
  ).pipe(
    Layer.provide(Layer.provide(Metering.commands, Commands.layer)),
    Layer.provide([Alarm.layer, Ids.layer, SealedReply.layer, EventFeed.layer(given.feed), Indexing.layer]),
    // What is older than this version of the market is told as such, before anything is read from it.
    Layer.provide(Layer.effectDiscard(Store.use((store) => store.ready))),
    Layer.provide([Metering.store, Metering.searchIndex]),
    Layer.provideMerge(Metrics.layer(given.metrics))
  )
}
