/** The whole market as one layer: every service over a store, a search index and a source of chance. */
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Unavailable } from "./model/Errors.ts"
import type { Page, PageRequest } from "./model/Page.ts"
import { Ids } from "./ports/Ids.ts"
import { SearchIndex } from "./ports/SearchIndex.ts"
import type { SearchDocument } from "./ports/SearchIndex.ts"
import { Store } from "./ports/Store.ts"
import { Agents } from "./services/Agents.ts"
import { Alarm } from "./services/Alarm.ts"
import { Commands } from "./services/Commands.ts"
import { DealRooms } from "./services/DealRooms.ts"
import { EventFeed } from "./services/EventFeed.ts"
import type { EventFeedOptions } from "./services/EventFeed.ts"
import { Events } from "./services/Events.ts"
import { Inbox } from "./services/Inbox.ts"
import { Keys } from "./services/Keys.ts"
import { Listings } from "./services/Listings.ts"
import { agentDocument, listingDocument, requestDocument, rfqDocument } from "./services/Projection.ts"
import { Quotes } from "./services/Quotes.ts"
import { Requests } from "./services/Requests.ts"
import { Rfqs } from "./services/Rfqs.ts"
import { SealedReply } from "./services/SealedReply.ts"
import { Search } from "./services/Search.ts"
import { Settling } from "./services/Settling.ts"
import * as Sweeper from "./workers/Sweeper.ts"

export type MarketServices =
  | Agents
  | DealRooms
  | Events
  | Inbox
  | Keys
  | Listings
  | Quotes
  | Requests
  | Rfqs
  | Search
  | Settling

export interface MarketOptions extends Sweeper.SweeperOptions {
  readonly feed?: EventFeedOptions | undefined
}

/** Fills the index with what the store holds; a market answers searches from its first moment on. */
const fillIndex = Effect.gen(function* () {
  const store = yield* Store
  const index = yield* SearchIndex
  const fill = Effect.fnUntraced(function* <A extends { readonly id: string }, E>(
    read: (page: PageRequest) => Effect.Effect<Page<A>, E>,
    document: (entity: A) => SearchDocument
  ) {
    let before: string | undefined
    for (;;) {
      const page: Page<A> = yield* read({ limit: 500, before })
      yield* index.apply(page.items.map((entity) => ({ _tag: "Put", document: document(entity) })))
      before = page.items.at(-1)?.id
      if (!page.hasMore) return
    }
  })
  yield* fill((page) => store.listings.list({ status: "active" }, page), listingDocument)
  yield* fill((page) => store.requests.list({ states: [{ status: "open" }] }, page), requestDocument)
  yield* fill(
    (page) => store.rfqs.list({ states: [{ status: "open" }], viewer: "market" }, page),
    rfqDocument
  )
  yield* fill((page) => store.agents.list(page), agentDocument)
})

/** Builds every service. The store, the index and the randomness are the host's to choose. */
export const layer = (
  options: MarketOptions = {}
): Layer.Layer<MarketServices, Unavailable, Store | SearchIndex | SecureRandom.SecureRandom> =>
  Layer.mergeAll(
    Agents.layer,
    DealRooms.layer,
    Events.layer,
    Inbox.layer,
    Keys.layer,
    Listings.layer,
    Quotes.layer,
    Requests.layer,
    Rfqs.layer,
    Search.layer,
    Layer.provideMerge(Sweeper.layer(options), Settling.layer)
  ).pipe(
    Layer.provide(Commands.layer),
    Layer.provide([
      Alarm.layer,
      Ids.layer,
      SealedReply.layer,
      EventFeed.layer(options.feed),
      Layer.effectDiscard(fillIndex)
    ])
  )
