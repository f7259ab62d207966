/** What a market does when PostgreSQL has a trouble of its own: no room, no right to write, others who come first. */
import { assert, describe, it } from "@effect/vitest"
import { EventFeed, revised, Store, Unavailable } from "@souk/core"
import { moment, sampleAgent, sampleEvent, sampleId, write } from "@souk/testing"
import { Context, Deferred, Effect, Fiber, Layer, Queue } from "effect"
import { rename, symlink, unlink } from "node:fs/promises"
import { join } from "node:path"
import { inspect } from "node:util"
import {
  commitTo,
  crash,
  everyEvent,
  newSchema,
  open,
  openClient,
  openShared,
  range,
  replica,
  restart,
  usePostgres
} from "./fixtures/postgres.ts"

usePostgres()

const put = (n: number) => ({ writes: [write.agent(sampleAgent(n))], events: [sampleEvent(n)] })

/** Puts the file of an empty table where every write finds the disk full. */
const fillUp = Effect.fnUntraced(function* (table: string) {
  const sql = yield* openClient()
  const [row] = yield* sql<{ readonly folder: string; readonly file: string }>`
    SELECT current_setting('data_directory') AS folder, pg_relation_filepath(${table}::regclass) AS file`
  const file = join(row?.folder ?? "", row?.file ?? "")
  yield* Effect.promise(async () => {
    await rename(file, `${file}.aside`)
    await symlink("/dev/full", file)
  })
  return Effect.promise(async () => {
    await unlink(file)
    await rename(`${file}.aside`, file)
  })
}, Effect.scoped)

describe("a disk that is full", () => {
  it.live(
    "refuses commits as unavailable and keeps nothing of them; reads go on, and all is well with room",
    () =>
      Effect.gen(function* () {
        const schema = yield* newSchema
        yield* Effect.scoped(open({ schema, migrate: true }))
        const makeRoom = yield* fillUp(`${schema}.events`)
        const store = yield* open({ schema })
        for (const n of range(3)) {
          const failure = yield* Effect.flip(commitTo(store, put(n)))
          assert.instanceOf(failure, Unavailable)
          assert.include(inspect(failure, { depth: 9 }), "No space left on device")
        }
        // What needs no room there is taken still.
        yield* commitTo(store, { writes: [write.agent(sampleAgent(9))] })
        const { items } = yield* store.agents.list({ limit: 9 })
        assert.deepStrictEqual(
          items.map(({ id }) => id),
          [sampleId("agent", 9)]
        )
        yield* store.ready
        // Those who have the file open look for it anew.
        yield* crash
        yield* makeRoom
        yield* restart
        yield* commitTo(store, put(1))
        assert.strictEqual((yield* everyEvent(store)).length, 1)
      })
  )
})

describe("a replica", () => {
  it.live("is read and followed, is not ready and refuses commits", () =>
    Effect.gen(function* () {
      const schema = yield* newSchema
      const primary = yield* open({ schema, migrate: true })
      yield* commitTo(primary, put(1))
      const url = yield* replica
      const store = yield* open({ schema, url })
      assert.strictEqual((yield* store.agents.byId(sampleId("agent", 1)))?.handle, sampleAgent(1).handle)
      const refused = yield* Effect.flip(store.ready)
      assert.instanceOf(refused, Unavailable)
      assert.include(refused.message, "takes no writes")
      assert.instanceOf(yield* Effect.flip(commitTo(store, put(2))), Unavailable)
      // It takes no LISTEN: its nodes look by themselves.
      const feeds = EventFeed.layer({ pollEverySeconds: 0.05 }).pipe(
        Layer.provide(Layer.succeed(Store, store))
      )
      const { events } = yield* Context.get(yield* Layer.build(feeds), EventFeed).subscribe(() => true)
      yield* Effect.retry(commitTo(primary, put(3)), { times: 10 })
      assert.strictEqual((yield* Queue.take(events)).event.id, sampleId("event", 3))
    })
  )
})

describe("a pool", () => {
  it.live("of which all are taken refuses calls as unavailable in time, and serves when one is free", () =>
    Effect.gen(function* () {
      const { migrate, sql, store } = yield* openShared({ maxConnections: 1 }, { answerWithin: "200 millis" })
      yield* migrate
      const [taken, free] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const holder = yield* Effect.forkScoped(
        sql.withTransaction(Effect.andThen(Deferred.succeed(taken, undefined), Deferred.await(free)))
      )
      yield* Deferred.await(taken)
      assert.instanceOf(yield* Effect.flip(commitTo(store, put(1))), Unavailable)
      assert.instanceOf(yield* Effect.flip(store.agents.list({ limit: 1 })), Unavailable)
      yield* Deferred.succeed(free, undefined)
      yield* Fiber.join(holder)
      yield* commitTo(store, put(1))
      assert.strictEqual((yield* everyEvent(store)).length, 1)
    })
  )
})

describe("a commit", () => {
  it.live("that cannot be put in one order with another is tried again", () =>
    Effect.gen(function* () {
      const { migrate, store, table } = yield* openShared({
        startupParameters: { default_transaction_isolation: "repeatable read" }
      })
      yield* migrate
      const agent = sampleAgent(1)
      yield* commitTo(store, { writes: [write.agent(agent)] })
      const host = yield* openClient()
      const fiber = yield* host.withTransaction(
        Effect.gen(function* () {
          // Changes nothing that the market knows, and yet the row.
          yield* host`UPDATE ${table("agents")} SET handle = handle WHERE id = ${agent.id}`
          const fiber = yield* Effect.forkScoped(
            commitTo(store, { writes: [write.agent(revised(agent, { name: "Done" }, moment(1)), 1)] })
          )
          const waits = host`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'`
          yield* Effect.repeat(waits, { until: (rows) => rows.length > 0 })
          return fiber
        })
      )
      yield* Fiber.join(fiber)
      assert.strictEqual((yield* store.agents.byId(agent.id))?.name, "Done")
    })
  )
})
