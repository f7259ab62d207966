/** Stores that show what a host does with the work behind a request. */
import { born, MemoryStore, Store } from "@souk/core"
import { epoch, sampleEvent } from "@souk/testing"
import { Effect, Layer } from "effect"
import { eventCount } from "./Host.ts"

/** A list of listings that is never there, and word of who waits for it and who was stopped. */
export const hanging = () => {
  const seen = { started: 0, stopped: 0, taken: 0 }
  const wait = Effect.sync(() => seen.started++).pipe(
    Effect.andThen(Effect.never),
    Effect.onInterrupt(() => Effect.sync(() => seen.stopped++))
  )
  const store = Layer.effect(
    Store,
    Effect.map(Store, ({ listings, ...store }) => {
      let reads = 0
      // The first read is that of the search index, when the market starts.
      const list: typeof listings.list = (filter, page) =>
        reads++ === 0 ? listings.list(filter, page) : wait
      return Store.of({ ...store, listings: { ...listings, list } })
    })
  ).pipe(Layer.provide(MemoryStore.layer))
  return { store, seen }
}

/**
 * More events than fit between a server and a caller who does not read, and word of how many were taken. The market's
 * own workers have read them all before.
 */
export const flooded = () => {
  const seen = { started: 0, stopped: 0, taken: 0 }
  const after = (position: number, limit: number) =>
    Effect.sync(() => {
      const count = Math.max(0, Math.min(limit, eventCount - position))
      seen.taken += count
      return Array.from({ length: count }, (_, index) => ({
        ...sampleEvent(position + index + 1),
        position: position + index + 1
      }))
    })
  const store = Layer.effect(
    Store,
    Effect.map(Store, (store) =>
      Store.of({
        ...store,
        events: { ...store.events, after, latest: Effect.succeed(eventCount) },
        bookmarks: { byId: (id) => Effect.succeed({ id, position: eventCount, ...born(epoch) }) }
      })
    )
  ).pipe(Layer.provide(MemoryStore.layer))
  return { store, seen }
}
