/** Two nodes on one PostgreSQL database, and callers whose operations are noted as they see them. */
import { PostgresStore } from "@souk/sql/postgres"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Random, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { afterAll, beforeAll } from "vitest"
import { startPostgres } from "../../../../test/Postgres.ts"
import type { Postgres } from "../../../../test/Postgres.ts"
import { Market, MiniSearchIndex, Store } from "../../src/index.ts"
import type { Commit } from "../../src/index.ts"
import type { Operation } from "./checker.ts"

let server: Postgres | undefined

/** Starts a server for the tests of a file. */
export const usePostgres = (): void => {
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server?.stop())
}

/** A store from which it is at times a long way to the database, so that others come between. */
const remote = (url: Redacted.Redacted) =>
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
  ).pipe(Layer.provide(PostgresStore.layer({ url })))

const startNode = (url: Redacted.Redacted) =>
  Layer.build(
    Layer.fresh(
      Market.layer({ matching: "off" }).pipe(
        Layer.provideMerge(Layer.mergeAll(remote(url), MiniSearchIndex.layer, SecureRandom.layerWebCrypto))
      )
    )
  )

/** Two nodes on a new database. */
export const startTwo = Effect.gen(function* () {
  const url = Redacted.make(server?.url ?? "")
  yield* Effect.provide(PostgresStore.migrate(), PgClient.layer({ url }))
  return [yield* startNode(url), yield* startNode(url)] as const
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
