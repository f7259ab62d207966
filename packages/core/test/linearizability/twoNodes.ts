/** Two nodes on one PostgreSQL database, and callers whose operations are noted as they see them. */
import { PostgresStore } from "@souk/sql/postgres"
import { Effect, Layer, Random } from "effect"
import { SecureRandom } from "effect/crypto"
import { Market, MiniSearchIndex, Store } from "../../src/index.ts"
import type { Commit } from "../../src/index.ts"
import { newSchema } from "../postgres.ts"
import type { Operation } from "./checker.ts"

/** A store from which it is at times a long way to the database, so that others come between. */
const remote = (place: PostgresStore.PostgresStoreOptions) =>
  Layer.effect(
    Store,
    Effect.map(Store, (store) => ({
      ...store,
      commit: (commit: Commit) =>
        Effect.andThen(
          Effect.flatMap(Random.nextIntBetween(0, 12), (millis) => Effect.sleep(millis)),
          store.commit(commit)
        )
    }))
  ).pipe(Layer.provide(PostgresStore.layer(place)))

const startNode = (place: PostgresStore.PostgresStoreOptions) =>
  Layer.build(
    Layer.fresh(
      Market.layer({ matching: "off" }).pipe(
        Layer.provideMerge(Layer.mergeAll(remote(place), MiniSearchIndex.layer, SecureRandom.layerWebCrypto))
      )
    )
  )

/** Two nodes on a new schema. */
export const startTwo = Effect.gen(function* () {
  const place = yield* newSchema
  return [yield* startNode(place), yield* startNode(place)] as const
})

/** Notes what callers ask and are told, in the order in which it happens. */
export const makeRecorder = <I>() => {
  const history: Array<Operation<I>> = []
  let moment = 0
  return {
    history,
    /**
     * Does something. A refusal is told by its code; a conflict is not noted, since what was refused by it did not
     * take place.
     */
    record: Effect.fnUntraced(function* <E extends { readonly code: string }, R>(
      input: I,
      act: Effect.Effect<{ readonly input?: I; readonly told: string }, E, R>
    ) {
      const called = ++moment
      const outcome = yield* Effect.match(act, {
        onFailure: ({ code }): { readonly input?: I; readonly told: string } => ({ told: code }),
        onSuccess: (done) => done
      })
      const returned = ++moment
      if (outcome.told !== "conflict")
        history.push({ input: outcome.input ?? input, told: outcome.told, called, returned })
      return outcome.input ?? input
    })
  }
}

/** Says what callers saw, for a test that failed. */
export const describeHistory = <I>(history: ReadonlyArray<Operation<I>>): string =>
  history
    .toSorted((a, b) => a.called - b.called)
    .map(({ called, input, returned, told }) => `${called}–${returned} ${JSON.stringify(input)} → ${told}`)
    .join("\n")
