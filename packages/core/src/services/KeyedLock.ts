/** One at a time for each key: commands on one aggregate queue in their process instead of racing to a conflict. */
import { Effect, Semaphore } from "effect"

export interface KeyedLock {
  readonly withLock: (key: string) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** Makes a lock that keeps a semaphore for a key only while somebody holds it or waits for it. */
export const make: Effect.Effect<KeyedLock> = Effect.sync(() => {
  const held = new Map<string, { readonly semaphore: Semaphore.Semaphore; users: number }>()
  const enter = (key: string) => {
    const entry = held.get(key) ?? { semaphore: Semaphore.makeUnsafe(1), users: 0 }
    entry.users++
    held.set(key, entry)
    return entry
  }
  const leave = (key: string) => {
    const entry = held.get(key)
    if (entry !== undefined && --entry.users === 0) held.delete(key)
  }
  return {
    withLock: (key) => (effect) =>
      Effect.acquireUseRelease(
        Effect.sync(() => enter(key)),
        ({ semaphore }) => semaphore.withPermit(effect),
        () => Effect.sync(() => leave(key))
      )
  }
})
