import { assert, describe, it } from "@effect/vitest"
import { Store } from "@souk/core"
import type { Commit, StoredEvent } from "@souk/core"
import { sampleAgent, sampleEvent, sampleListing, write } from "@souk/testing"
import { Context, Effect, Exit, Fiber, Layer, Scheduler } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as SqliteClient from "../src/SqliteClient.ts"
import * as SqliteStore from "../src/SqliteStore.ts"

const databaseFile = Effect.map(
  Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "souk-store-"))),
    (directory) => Effect.promise(() => rm(directory, { recursive: true }))
  ),
  (directory) => join(directory, "souk.db")
)

const open = (options: SqliteStore.SqliteStoreOptions) =>
  Effect.map(Layer.build(Layer.fresh(SqliteStore.layer(options))), (context) => Context.get(context, Store))

const openClient = (options: SqliteClient.SqliteClientOptions) =>
  Effect.provide(SqliteClient.make(options), Reactivity.layer)

const commitTo = (store: Store["Service"], part: Partial<Commit>) =>
  store.commit({ writes: [], reliesOn: [], events: [], ...part })

const commitForEver = new URL("fixtures/commitForEver.ts", import.meta.url)
const migrateDatabase = new URL("fixtures/migrateDatabase.ts", import.meta.url)

/** Starts a process on a fixture; its whole output is there when it has ended. */
const start = (fixture: URL, filename: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, ["--conditions=source", fileURLToPath(fixture), filename], {
          stdio: ["ignore", "pipe", "inherit"]
        })
      ),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    ),
    (child) => {
      let output = ""
      child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text))
      const closed = once(child, "close")
      const linesSoFar = () => output.split("\n").slice(0, -1)
      return {
        /** Waits until so many lines were printed. */
        printed: (count: number) =>
          Effect.promise(async () => {
            while (linesSoFar().length < count && child.exitCode === null) await once(child.stdout, "data")
          }),
        kill: Effect.sync(() => child.kill("SIGKILL")),
        lines: Effect.promise(async () => {
          await closed
          return linesSoFar()
        })
      }
    }
  )

const everyEvent = Effect.fnUntraced(function* (store: Store["Service"]) {
  const events: Array<StoredEvent> = []
  for (;;) {
    const page = yield* store.events.after(events.length, 1000)
    if (page.length === 0) return events
    events.push(...page)
  }
})

describe("SqliteStore", () => {
  describe("durability", () => {
    it.effect("finds everything again after closing", () =>
      Effect.gen(function* () {
        const filename = yield* databaseFile
        const commit: Commit = {
          writes: [write.agent(sampleAgent(1)), write.listing(sampleListing(1))],
          reliesOn: [],
          events: [sampleEvent(1)]
        }
        yield* Effect.scoped(
          Effect.flatMap(open({ filename, migrate: true }), (store) => store.commit(commit))
        )
        const store = yield* open({ filename })
        assert.deepStrictEqual(yield* store.agents.byId(sampleAgent(1).id), sampleAgent(1))
        assert.deepStrictEqual(yield* store.listings.list({ tag: "translation" }, { limit: 1 }), {
          items: [sampleListing(1)],
          hasMore: false
        })
        assert.deepStrictEqual(yield* everyEvent(store), [{ ...sampleEvent(1), position: 1 }])
        assert.deepStrictEqual(yield* commitTo(store, { events: [sampleEvent(2)] }), { position: 2 })
      })
    )

    it.live("loses no acknowledged commit when the process is killed, and half of none", () =>
      Effect.gen(function* () {
        const filename = yield* databaseFile
        let known = 0
        for (const more of [1, 50, 250]) {
          // Each round commits agents 1, 2, 3 … on a file of its own.
          const file = `${filename}-${more}`
          const child = yield* start(commitForEver, file)
          yield* child.printed(more)
          yield* child.kill
          const acknowledged = yield* child.lines
          assert.isAtLeast(acknowledged.length, more)
          known += acknowledged.length

          const sql = yield* openClient({ filename: file })
          assert.deepStrictEqual(yield* sql`PRAGMA integrity_check`.values, [["ok"]])
          const store = yield* SqliteStore.make.pipe(Effect.provideService(SqlClient.SqlClient, sql))
          const events = yield* everyEvent(store)
          for (const n of acknowledged) {
            assert.strictEqual((yield* store.agents.byHandle(`agent-${n}`))?.name, `Agent ${n}`)
          }
          assert.isAtLeast(events.length, acknowledged.length)
          assert.deepStrictEqual(
            events.map(({ event, position }) => [event.data["n"], position]),
            events.map((_, i) => [i + 1, i + 1])
          )
          assert.deepStrictEqual(yield* sql`SELECT count(*) FROM agents`.values, [[events.length]])
        }
        assert.isAtLeast(known, 301)
      })
    )

    it.live("holds all or nothing of a commit that is interrupted, wherever that is", () =>
      Effect.gen(function* () {
        const store = yield* open({ filename: ":memory:" })
        let interruptions = 0
        // A fiber that yields every few steps gets one turn more in each round, until its commit comes through.
        for (let round = 1; ; round++) {
          const agents = [sampleAgent(3 * round), sampleAgent(3 * round + 1), sampleAgent(3 * round + 2)]
          const before = yield* store.events.latest
          const fiber = yield* commitTo(store, {
            writes: agents.map((agent) => write.agent(agent)),
            events: [sampleEvent(round)]
          }).pipe(Effect.provideService(Scheduler.MaxOpsBeforeYield, 3), Effect.forkChild)
          for (let step = 0; step < round; step++) yield* Effect.yieldNow
          yield* Fiber.interrupt(fiber)
          const exit = yield* Fiber.await(fiber)
          const found = yield* store.agents.byIds(agents.map(({ id }) => id))
          assert.strictEqual(found.length, 3 * ((yield* store.events.latest) - before))
          if (Exit.isSuccess(exit)) {
            assert.strictEqual(found.length, 3)
            break
          }
          interruptions += 1
        }
        assert.isAbove(interruptions, 50)
      })
    )
  })

  describe("one process at a time", () => {
    it.live("refuses a second process and says what to do", () =>
      Effect.gen(function* () {
        const filename = yield* databaseFile
        const child = yield* start(commitForEver, filename)
        yield* child.printed(1)
        const error = yield* Effect.flip(open({ filename }))
        assert.strictEqual(error._tag, "DatabaseInUse")
        assert.strictEqual(
          error.message,
          `The database ${filename} is in use and allows only one process at a time: ` +
            "stop the other process, or choose a different file."
        )
        yield* child.kill
        yield* child.lines
        const store = yield* open({ filename })
        yield* store.ready
      })
    )

    it.effect("can be opted out of; a commit that waits too long is Unavailable", () =>
      Effect.gen(function* () {
        const filename = yield* databaseFile
        const store = yield* open({ filename, exclusive: false, migrate: true, busyTimeoutMillis: 20 })
        const other = yield* openClient({ filename })
        const commit = commitTo(store, { writes: [write.agent(sampleAgent(1))] })
        const error = yield* other.withTransaction(Effect.flip(commit))
        assert.strictEqual(error._tag, "Unavailable")
        yield* commit
      })
    )
  })

  describe("options", () => {
    it("are refused at once, by their name", () => {
      const refused: ReadonlyArray<readonly [sentence: string, options: unknown]> = [
        ["filename must be the path of a file", undefined],
        ["filename must be the path of a file", {}],
        ["filename must be the path of a file", { filename: "" }],
        ["filename must be the path of a file", { filename: null }],
        [
          "migrated is not an option. There are filename, migrate, ",
          { filename: "market.db", migrated: true }
        ]
      ]
      for (const [sentence, options] of refused)
        // As hosts call it that are not written in TypeScript.
        assert.throws(() => void Reflect.apply(SqliteStore.layer, undefined, [options]), TypeError, sentence)
    })
  })

  describe("schema", () => {
    it.effect("is not ready, and answers nothing, before it is migrated", () =>
      Effect.gen(function* () {
        const store = yield* open({ filename: yield* databaseFile })
        const error = yield* Effect.flip(store.ready)
        assert.strictEqual(error._tag, "SchemaOutOfDate")
        assert.match(error.message, /has version 0 .* needs \d+: run `souk migrate`/)
        for (const call of [
          store.agents.byHandle("atlas"),
          store.events.latest,
          commitTo(store, { events: [sampleEvent(1)] })
        ]) {
          assert.strictEqual(
            (yield* Effect.flip<unknown, { readonly _tag: string }, never>(call))._tag,
            "Unavailable"
          )
        }
      })
    )

    it.effect("is not ready when it is older than the code, and is when it is newer", () =>
      Effect.gen(function* () {
        const sql = yield* openClient({ filename: yield* databaseFile })
        const store = yield* SqliteStore.make.pipe(Effect.provideService(SqlClient.SqlClient, sql))
        const migrated = yield* SqliteStore.migrate.pipe(Effect.provideService(SqlClient.SqlClient, sql))
        yield* store.ready
        yield* sql`INSERT INTO souk_migrations ${sql.insert({ migration_id: 9999, name: "later" })}`
        yield* store.ready
        yield* sql`DELETE FROM souk_migrations WHERE migration_id >= ${migrated.length}`
        assert.include((yield* Effect.flip(store.ready)).message, "run `souk migrate`")
      })
    )

    it.effect("brings itself up to date when it is asked to", () =>
      Effect.gen(function* () {
        const store = yield* open({ filename: yield* databaseFile })
        const migrate = store.migrate ?? Effect.succeed([])
        assert.strictEqual((yield* migrate)[0], "market")
        yield* store.ready
        assert.deepStrictEqual(yield* migrate, [])
      })
    )

    it.effect("is migrated once", () =>
      Effect.gen(function* () {
        const filename = yield* databaseFile
        const migrate = Effect.provide(SqliteStore.migrate, SqliteClient.layer({ filename }))
        assert.deepStrictEqual((yield* migrate)[0], [1, "market"])
        assert.deepStrictEqual(yield* migrate, [])
        yield* (yield* open({ filename, migrate: true })).ready
      })
    )

    it.live("is migrated once by processes that start together", () =>
      Effect.gen(function* () {
        const filename = yield* databaseFile
        const children = yield* Effect.all(Array.from({ length: 4 }, () => start(migrateDatabase, filename)))
        const outputs = yield* Effect.forEach(children, ({ lines }) => lines)
        const [done, ...others] = outputs.map(([line = ""]) => line).toSorted()
        assert.match(done ?? "", /^\[\[1,"market"\]/u)
        assert.deepStrictEqual(others, ["[]", "[]", "[]"])
        yield* (yield* open({ filename })).ready
      })
    )

    it.effect("refuses what no rule would write", () =>
      Effect.gen(function* () {
        const store = yield* open({ filename: ":memory:" })
        const { version: _, ...agent } = sampleAgent(1)
        const pricing = { model: "fixed" } as const
        for (const writes of [
          [write.agent({ ...agent, version: 0 })],
          [write.listing(sampleListing(1, { pricing }))],
          [
            write.listing(
              sampleListing(1, { pricing: { ...pricing, price: { amount: "-1", currency: "EUR" } } })
            )
          ]
        ]) {
          assert.strictEqual((yield* Effect.flip(commitTo(store, { writes })))._tag, "Unavailable")
        }
      })
    )
  })

  describe("documents", () => {
    it.effect("stay readable and changeable when a limit is tightened", () =>
      Effect.gen(function* () {
        const store = yield* open({ filename: ":memory:" })
        const listing = sampleListing(1, { title: "x".repeat(10_000) })
        yield* commitTo(store, { writes: [write.listing(listing)] })
        assert.deepStrictEqual(yield* store.listings.byId(listing.id), listing)
      })
    )

    it.effect("that cannot be read make the store Unavailable, and the cause names the row", () =>
      Effect.gen(function* () {
        const sql = yield* openClient({ filename: ":memory:" })
        yield* SqliteStore.migrate.pipe(Effect.provideService(SqlClient.SqlClient, sql))
        const store = yield* SqliteStore.make.pipe(Effect.provideService(SqlClient.SqlClient, sql))
        const { id } = sampleAgent(1)
        yield* commitTo(store, { writes: [write.agent(sampleAgent(1))], events: [sampleEvent(1)] })
        for (const document of ["{", "null", `{"id":"${id}"}`]) {
          yield* sql`UPDATE agents SET document = ${document}`
          const error = yield* Effect.flip(store.agents.byId(id))
          assert.strictEqual(error._tag, "Unavailable")
          assert.include(String(error.cause), id)
        }
        yield* sql`UPDATE events SET audience = '1'`
        assert.strictEqual((yield* Effect.flip(store.events.after(0, 1)))._tag, "Unavailable")
      })
    )
  })
})
