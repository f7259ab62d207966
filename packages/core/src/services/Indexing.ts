/**
 * The search index as a projection of the store: filled when the market starts, and told of what others commit.
 *
 * What this process commits it tells the index itself, before the caller has his answer. Where other processes write to
 * the same store, their events say what has changed. Each entity is read as it is now, so that what arrives late, or
 * twice, does no harm.
 */
import { Context, Effect, Layer, Semaphore } from "effect"
import type { Unavailable } from "../model/Errors.ts"
import type { StoredEvent } from "../model/Event.ts"
import { AgentId, ListingId, RequestId, RfqId } from "../model/Id.ts"
import type { Page, PageRequest } from "../model/Page.ts"
import { SearchIndex } from "../ports/SearchIndex.ts"
import type { DocumentKind, IndexChange, SearchDocument } from "../ports/SearchIndex.ts"
import { Store } from "../ports/Store.ts"
import { agentDocument, indexChanges, listingDocument, requestDocument, rfqDocument } from "./Projection.ts"

const batch = 500

export class Indexing extends Context.Service<
  Indexing,
  {
    /** Brings into the index what others have committed by now. */
    readonly catchUp: Effect.Effect<void, Unavailable>
    /** Whether others may commit at all. */
    readonly isShared: boolean
  }
>()("@souk/core/Indexing") {
  /** Fills the index first: a market answers searches from its first moment on. */
  static readonly layer: Layer.Layer<Indexing, Unavailable, Store | SearchIndex> = Layer.effect(
    Indexing,
    Effect.gen(function* () {
      const store = yield* Store
      const index = yield* SearchIndex
      const lock = yield* Semaphore.make(1)
      // Read first, so that what is committed while the index is filled is told of once more.
      let position = yield* store.events.latest
      yield* fill(store, index)

      const catchUp: Effect.Effect<void, Unavailable> = Effect.flatMap(
        Effect.suspend(() => store.events.after(position, batch)),
        Effect.fnUntraced(function* (events) {
          const last = events.at(-1)
          if (last === undefined) return
          yield* index.apply(yield* changesOf(store, events))
          position = last.position
          if (events.length === batch) yield* catchUp
        })
      )

      const isShared = store.events.signals !== undefined
      return Indexing.of({ isShared, catchUp: isShared ? lock.withPermit(catchUp) : Effect.void })
    })
  )
}

// -----------------------------------------------------------------------------

/** Fills the index with what the store holds. */
const fill = Effect.fnUntraced(function* (store: Store["Service"], index: SearchIndex["Service"]) {
  const pages = Effect.fnUntraced(function* <A extends { readonly id: string }, E>(
    read: (page: PageRequest) => Effect.Effect<Page<A>, E>,
    document: (entity: A) => SearchDocument
  ) {
    let before: string | undefined
    for (;;) {
      const page: Page<A> = yield* read({ limit: batch, before })
      yield* index.apply(page.items.map((entity) => ({ _tag: "Put", document: document(entity) })))
      before = page.items.at(-1)?.id
      if (!page.hasMore) return
    }
  })
  yield* pages((page) => store.listings.list({ status: "active" }, page), listingDocument)
  yield* pages((page) => store.requests.list({ states: [{ status: "open" }] }, page), requestDocument)
  yield* pages(
    (page) => store.rfqs.list({ states: [{ status: "open" }], viewer: "market" }, page),
    rfqDocument
  )
  yield* pages((page) => store.agents.list(page), agentDocument)
})

/** What the index learns of events: the present state of what they are about. */
const changesOf = Effect.fnUntraced(function* (store: Store["Service"], events: ReadonlyArray<StoredEvent>) {
  const idsOf = (kind: DocumentKind) => [
    ...new Set(events.flatMap(({ event: { subject } }) => (subject.kind === kind ? [subject.id] : [])))
  ]
  const [agents, listings, requests, rfqs] = yield* Effect.all([
    store.agents.byIds(idsOf("agent").map((id) => AgentId.make(id))),
    store.listings.byIds(idsOf("listing").map((id) => ListingId.make(id))),
    store.requests.byIds(idsOf("request").map((id) => RequestId.make(id))),
    store.rfqs.byIds(idsOf("rfq").map((id) => RfqId.make(id)))
  ])
  const changes: ReadonlyArray<IndexChange> = indexChanges([
    ...agents.map((value) => ({ kind: "agent" as const, value, replaces: null })),
    ...listings.map((value) => ({ kind: "listing" as const, value, replaces: null })),
    ...requests.map((value) => ({ kind: "request" as const, value, replaces: null })),
    ...rfqs.map((value) => ({ kind: "rfq" as const, value, replaces: null }))
  ])
  return changes
})
