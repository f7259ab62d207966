/** What becomes of a market when its database cannot be asked as it should be: calls wait, fail or go on, none hangs. */
import { assert, describe, it } from "@effect/vitest"
import { revised, Unavailable } from "@souk/core"
import { moment, sampleAgent, sampleEvent, sampleId, write } from "@souk/testing"
import { Deferred, Effect, Fiber, Result } from "effect"
import {
  all,
  commitTo,
  crash,
  everyEvent,
  idsOf,
  newSchema,
  open,
  openClient,
  openNew,
  openShared,
  range,
  restart,
  usePostgres
} from "./fixtures/postgres.ts"

usePostgres()

const put = (n: number) => ({ writes: [write.agent(sampleAgent(n))], events: [sampleEvent(n)] })

/** Cuts all connections of an application as an administrator does, and tells how many that were. */
const cut = Effect.fnUntraced(function* (application: string) {
  const sql = yield* openClient()
  const rows = yield* sql`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = ${application}`
  return rows.length
}, Effect.scoped)

describe("a pool", () => {
  it.live("of one connection serves everybody, and listens beside", () =>
    Effect.gen(function* () {
      const store = yield* open({ schema: yield* newSchema, migrate: true, maxConnections: 1 })
      const { signals } = store.events
      assert.isDefined(signals)
      yield* Effect.forEach(
        range(50),
        (n) => Effect.andThen(commitTo(store, put(n)), store.agents.byId(sampleId("agent", n))),
        all
      )
      assert.strictEqual((yield* everyEvent(store)).length, 50)
    })
  )

  it.live("of which all are taken makes calls wait; who gives up is free at once, and the rest go on", () =>
    Effect.gen(function* () {
      const { migrate, sql, store } = yield* openShared({ maxConnections: 2 })
      yield* migrate
      const free = yield* Deferred.make<void>()
      const taken = yield* Effect.forEach(range(2), () =>
        Effect.gen(function* () {
          const has = yield* Deferred.make<void>()
          const hold = Effect.andThen(Deferred.succeed(has, undefined), Deferred.await(free))
          const fiber = yield* Effect.forkScoped(sql.withTransaction(hold))
          yield* Deferred.await(has)
          return fiber
        })
      )
      const waiting = yield* Effect.forEach(range(20), (n) =>
        Effect.forkScoped(n % 2 === 0 ? commitTo(store, put(n)) : store.agents.list({ limit: 1 }))
      )
      const impatient = yield* Effect.timeoutOption(store.agents.list({ limit: 1 }), "50 millis")
      assert.strictEqual(impatient._tag, "None")
      yield* Deferred.succeed(free, undefined)
      yield* Effect.forEach([...taken, ...waiting], (fiber) => Fiber.join<unknown, unknown>(fiber))
      assert.strictEqual((yield* everyEvent(store)).length, 10)
    })
  )
})

describe("connections", () => {
  it.live("that are cut amid commits lose none that was acknowledged, and are made anew", () =>
    Effect.gen(function* () {
      const application = "souk that is cut"
      const store = yield* open({ schema: yield* newSchema, migrate: true, applicationName: application })
      const work = Effect.fnUntraced(function* (n: number) {
        const outcome = yield* Effect.result(commitTo(store, put(n)))
        if (Result.isSuccess(outcome)) return [sampleId("event", n)]
        assert.instanceOf(outcome.failure, Unavailable)
        return []
      })
      const workers = yield* Effect.forkScoped(Effect.forEach(range(1000), work, { concurrency: 8 }))
      let cuts = 0
      for (const _ of range(5)) {
        yield* Effect.sleep("20 millis")
        cuts += yield* cut(application)
      }
      assert.isAbove(cuts, 0)
      const acknowledged = (yield* Fiber.join(workers)).flat()
      // One that was cut while nobody used it is known to be so by its next use.
      yield* Effect.retry(commitTo(store, put(2000)), { times: 10 })
      assert.isAbove(acknowledged.length, 0)
      assert.includeMembers(idsOf(yield* everyEvent(store)), acknowledged)
    })
  )

  it.live("to a server that dies under callers end their calls, and all is well when it is back", () =>
    Effect.gen(function* () {
      const store = yield* openNew
      yield* commitTo(store, put(1))
      const commits = yield* Effect.forEach(range(20), (n) => Effect.forkScoped(commitTo(store, put(n + 1))))
      const reads = yield* Effect.forEach(range(20), () => Effect.forkScoped(store.agents.list({ limit: 9 })))
      yield* crash
      for (const fiber of [...commits, ...reads]) {
        const outcome = yield* Effect.result(Fiber.join<unknown, unknown>(fiber))
        if (Result.isFailure(outcome)) assert.instanceOf(outcome.failure, Unavailable)
      }
      assert.instanceOf(yield* Effect.flip(store.ready), Unavailable)
      yield* restart
      yield* store.ready
      yield* commitTo(store, put(100))
    })
  )
})

describe("a database", () => {
  it.live("that takes no writes is read on, is not ready and refuses commits", () =>
    Effect.gen(function* () {
      const schema = yield* newSchema
      const primary = yield* open({ schema, migrate: true })
      yield* commitTo(primary, put(1))
      const replica = yield* open({ schema, startupParameters: { default_transaction_read_only: "on" } })
      assert.strictEqual((yield* replica.agents.byId(sampleId("agent", 1)))?.handle, sampleAgent(1).handle)
      assert.strictEqual((yield* everyEvent(replica)).length, 1)
      const refused = yield* Effect.flip(replica.ready)
      assert.instanceOf(refused, Unavailable)
      assert.include(refused.message, "takes no writes")
      assert.instanceOf(yield* Effect.flip(commitTo(replica, put(2))), Unavailable)
      yield* primary.ready
    })
  )

  it.live("that ends what takes too long ends a commit which waits for another, and takes it later", () =>
    Effect.gen(function* () {
      const { migrate, store, table } = yield* openShared({
        startupParameters: { statement_timeout: "200ms" }
      })
      yield* migrate
      const agent = sampleAgent(1)
      yield* commitTo(store, { writes: [write.agent(agent)] })
      const change = { writes: [write.agent(revised(agent, { name: "Changed" }, moment(1)), 1)] }
      const host = yield* openClient()
      yield* host.withTransaction(
        Effect.gen(function* () {
          yield* host`SELECT 1 FROM ${table("agents")} WHERE id = ${agent.id} FOR UPDATE`
          const failure = yield* Effect.timeout(Effect.flip(commitTo(store, change)), "5 seconds")
          assert.instanceOf(failure, Unavailable)
        })
      )
      yield* commitTo(store, change)
      assert.strictEqual((yield* store.agents.byId(agent.id))?.name, "Changed")
    })
  )
})
