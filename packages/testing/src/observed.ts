/** A store whose commits are looked at as soon as they are made. */
import { Store } from "@souk/core"
import type { Commit } from "@souk/core"
import { Effect, Layer } from "effect"

/** Tells of each commit of a store, and of none that was refused. */
export const observed = <E, R>(
  store: Layer.Layer<Store, E, R>,
  tell: (commit: Commit) => void
): Layer.Layer<Store, E, R> =>
  Layer.effect(
    Store,
    Effect.map(Store, (inner) =>
      Store.of({
        ...inner,
        commit: (commit) => Effect.tap(inner.commit(commit), () => Effect.sync(() => tell(commit)))
      })
    )
  ).pipe(Layer.provide(store))
