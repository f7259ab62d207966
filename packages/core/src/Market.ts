/** The whole market as one layer: every service over a store, a search index and a source of chance. */
import { Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import type { SchemaOutOfDate, Unavailable } from "./model/Errors.ts"
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

/** Builds every service. The store, the index and the randomness are the host's to choose. */
export const layer = (
  options: MarketOptions = {}
): Layer.Layer<
  MarketServices,
  Unavailable | SchemaOutOfDate,
  Store | SearchIndex | SecureRandom.SecureRandom
> =>
  Layer.mergeAll(
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
    Retention.layer(options),
    Layer.provideMerge(Settlements.layer(options), SettlementOrders.layer),
    Layer.provideMerge(Sweeper.layer(options), Settling.layer),
    Layer.provideMerge(Matcher.layer(options.matching), Matching.layer),
    Layer.provide(
      Layer.merge(Courier.layer(options.webhooks), Webhooks.layer),
      Deliveries.layer(options.webhooks)
    )
  ).pipe(
    Layer.provide(Layer.provide(Metering.commands, Commands.layer)),
    Layer.provide([Alarm.layer, Ids.layer, SealedReply.layer, EventFeed.layer(options.feed), Indexing.layer]),
    // What is older than this version of the market is told as such, before anything is read from it.
    Layer.provide(Layer.effectDiscard(Store.use((store) => store.ready))),
    Layer.provide([Metering.store, Metering.searchIndex]),
    Layer.provideMerge(Metrics.layer(options.metrics))
  )
