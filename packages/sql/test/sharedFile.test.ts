/** Two markets on one SQLite file, each with a connection, an index and a feed of its own. */
import { assert, describe, it } from "@effect/vitest"
import { Agents, Events, Listings, Market, MiniSearchIndex, Rfqs, Search } from "@souk/core"
import { DateTime, Deferred, Effect, Layer, Schedule, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as SqliteStore from "../src/SqliteStore.ts"

const directory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "souk-shared-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true }))
)

const startNode = (filename: string) =>
  Layer.build(
    Layer.fresh(
      Market.layer().pipe(
        Layer.provide(SqliteStore.layer({ filename, exclusive: false, migrate: true })),
        Layer.provide([MiniSearchIndex.layer, SecureRandom.layerWebCrypto])
      )
    )
  )

const enter = (handle: string) =>
  Effect.map(
    Agents.use((agents) => agents.register({ handle, name: handle, email: `${handle}@example.com` })),
    ({ value }) => value.agent.id
  )

describe("two processes on one SQLite file that is not claimed", () => {
  it.live("are one market: what one commits, the other tells and finds", () =>
    Effect.gen(function* () {
      const filename = join(yield* directory, "souk.db")
      const [one, two] = [yield* startNode(filename), yield* startNode(filename)]
      const heard = yield* Deferred.make<string>()
      yield* Events.use((events) => events.open(undefined, { types: ["rfq.opened"] })).pipe(
        Effect.flatMap(({ items }) =>
          Stream.runForEach(items, ({ event }) => Deferred.succeed(heard, event.subject.id))
        ),
        Effect.provide(two),
        Effect.forkScoped
      )
      const rfq = yield* Effect.gen(function* () {
        const quoteDeadline = DateTime.add(yield* DateTime.now, { hours: 1 })
        const input = { title: "Translate a contract", tags: ["legal"], quoteDeadline }
        return (yield* (yield* Rfqs).create(yield* enter("buyer"), input)).value
      }).pipe(Effect.provide(one))
      assert.strictEqual(yield* Deferred.await(heard), rfq.id)

      const publish = Effect.gen(function* () {
        const input = { title: "Translate legal texts", pricing: { model: "quote" } } as const
        return (yield* (yield* Listings).publish(yield* enter("seller"), input)).value
      })
      const listing = yield* Effect.provide(publish, two)
      const search = Search.use((search) => search.find(undefined, { q: "legal", types: ["listing"] }))
      yield* Effect.repeat(Effect.provide(search, one), {
        until: ({ items }) => items.some(({ item }) => item.id === listing.id),
        schedule: Schedule.spaced("20 millis")
      })
    })
  )
})
