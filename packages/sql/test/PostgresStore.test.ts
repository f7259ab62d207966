import { assert, describe, it } from "@effect/vitest"
import { revised, SchemaOutOfDate, StaleVersion, Unavailable } from "@souk/core"
import type { Agent } from "@souk/core"
import { moment, sampleAgent, sampleEvent, sampleId, sampleListing, sampleReply, write } from "@souk/testing"
import { Effect, Fiber, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { connect } from "node:net"
import * as PostgresStore from "../src/PostgresStore.ts"
import {
  all,
  commitTo,
  crash,
  everyEvent,
  holdOpen,
  idsOf,
  newSchema,
  open,
  openClient,
  openNew,
  openShared,
  range,
  restart,
  url,
  usePostgres
} from "./fixtures/postgres.ts"

usePostgres()

describe("PostgresStore", () => {
  describe("url", () => {
    it.live("may be a text", () =>
      Effect.gen(function* () {
        const text = Redacted.value(yield* url)
        yield* (yield* open({ schema: yield* newSchema, migrate: true, url: text })).ready
      })
    )

    it("is refused at once where it is none, and never shown", () => {
      for (const wrong of ["//souk:secret@localhost", Redacted.make("souk:secret@"), 5, null]) {
        const open = () => void Reflect.apply(PostgresStore.layer, undefined, [{ url: wrong }])
        assert.throws(open, TypeError, /^url must be a URL that begins with postgres:, like \S+\.$/u)
      }
    })
  })

  describe("schema", () => {
    it.live("is not ready, and answers nothing, before it is migrated", () =>
      Effect.gen(function* () {
        const store = yield* open({ schema: yield* newSchema })
        const error = yield* Effect.flip(store.ready)
        assert.instanceOf(error, SchemaOutOfDate)
        assert.match(error.message, /has version 0 .* needs \d+: run `souk migrate`/)
        assert.instanceOf(yield* Effect.flip(store.agents.byHandle("atlas")), Unavailable)
        assert.instanceOf(yield* Effect.flip(store.events.latest), Unavailable)
        assert.instanceOf(yield* Effect.flip(commitTo(store, { events: [sampleEvent(1)] })), Unavailable)
      })
    )

    it.live("brings itself up to date when it is asked to", () =>
      Effect.gen(function* () {
        const store = yield* open({ schema: yield* newSchema })
        const migrate = store.migrate ?? Effect.succeed([])
        assert.strictEqual((yield* migrate)[0], "market")
        yield* store.ready
        assert.deepStrictEqual(yield* migrate, [])
      })
    )

    it.live("is not ready when it is older than the code, and is when it is newer", () =>
      Effect.gen(function* () {
        const { migrate, sql, store, table } = yield* openShared()
        const done = yield* migrate
        assert.deepStrictEqual(done[0], [1, "market"])
        yield* store.ready
        yield* sql`INSERT INTO ${table("migrations")} ${sql.insert({ migration_id: 9999, name: "later" })}`
        yield* store.ready
        yield* sql`DELETE FROM ${table("migrations")} WHERE migration_id >= ${done.length}`
        assert.include((yield* Effect.flip(store.ready)).message, "run `souk migrate`")
      })
    )

    it.live("is migrated once by those who start together", () =>
      Effect.gen(function* () {
        const schema = yield* newSchema
        const migrate = Effect.gen(function* () {
          const sql = yield* openClient()
          return yield* PostgresStore.migrate({ schema }).pipe(
            Effect.provideService(SqlClient.SqlClient, sql)
          )
        })
        const done = yield* Effect.all(
          range(8).map(() => migrate),
          all
        )
        const [first, ...others] = done.toSorted((a, b) => b.length - a.length)
        assert.isAbove(first?.length ?? 0, 0)
        assert.deepStrictEqual(others.flat(), [])
        yield* (yield* open({ schema })).ready
      })
    )

    it.live("does not meet that of another market in the same database", () =>
      Effect.gen(function* () {
        const [left, right] = [yield* openNew, yield* openNew]
        yield* commitTo(left, {
          writes: [write.agent(sampleAgent(1, { handle: "atlas" })), write.listing(sampleListing(1))],
          events: [sampleEvent(1)],
          idempotency: sampleReply(1)
        })
        assert.isUndefined(yield* right.agents.byHandle("atlas"))
        assert.deepStrictEqual(yield* right.listings.list({}, { limit: 9 }), { items: [], hasMore: false })
        assert.deepStrictEqual(yield* everyEvent(right), [])
        yield* commitTo(right, {
          writes: [write.agent(sampleAgent(1, { handle: "atlas", name: "Another" }))],
          events: [sampleEvent(1)],
          idempotency: sampleReply(1)
        })
        assert.strictEqual((yield* left.agents.byHandle("atlas"))?.name, "Agent 1")
        assert.strictEqual((yield* everyEvent(left)).length, 1)
      })
    )

    it.live("has a name that is safe", () =>
      Effect.gen(function* () {
        for (const schema of ["", "Souk", "a.b", 'a"b', "pg_souk", "information_schema", "s".repeat(64)]) {
          assert.strictEqual((yield* Effect.flip(open({ schema })))._tag, "InvalidSchemaName")
        }
      })
    )

    it.live("refuses what no rule would write", () =>
      Effect.gen(function* () {
        const store = yield* openNew
        const pricing = { model: "fixed" } as const
        const negative = { ...pricing, price: { amount: "-1", currency: "EUR" } }
        yield* commitTo(store, { writes: [write.agent(sampleAgent(1))] })
        for (const refused of [
          write.agent({ ...sampleAgent(2), version: 0 }),
          write.listing(sampleListing(1, { pricing })),
          write.listing(sampleListing(1, { pricing: negative }))
        ]) {
          assert.instanceOf(yield* Effect.flip(commitTo(store, { writes: [refused] })), Unavailable)
        }
      })
    )
  })

  describe("commit", () => {
    it.live("is one round trip", () =>
      Effect.gen(function* () {
        let sent = 0
        const address = yield* url
        const { migrate, store } = yield* openShared({
          stream: () => {
            const { hostname, port } = new URL(Redacted.value(address))
            const socket = connect(Number(port), hostname)
            const send = socket.write.bind(socket)
            return Object.assign(socket, {
              write: (chunk: Uint8Array) => {
                sent += 1
                return send(chunk)
              }
            })
          }
        })
        yield* migrate
        const agent = sampleAgent(1)
        yield* commitTo(store, { writes: [write.agent(agent)], events: [sampleEvent(1)] })
        sent = 0
        yield* commitTo(store, {
          writes: [
            write.agent(revised(agent, { name: "Changed" }, moment(1)), 1),
            write.listing(sampleListing(1))
          ],
          reliesOn: [{ kind: "agent", id: agent.id, version: 1 }],
          events: [sampleEvent(2), sampleEvent(3)],
          idempotency: sampleReply(1)
        })
        assert.strictEqual(sent, 1)
      })
    )

    it.live("never waits in a circle, in whatever order it names what it touches", () =>
      Effect.gen(function* () {
        // Nobody looks for circles: one would end as Unavailable, when the wait for a lock takes too long.
        const { migrate, store } = yield* openShared({ startupParameters: { deadlock_timeout: "1min" } })
        yield* migrate
        const agents = range(4).map((n) => sampleAgent(n))
        yield* commitTo(store, { writes: agents.map((agent) => write.agent(agent)) })
        const attempt = Effect.fnUntraced(function* (n: number) {
          const found = yield* store.agents.byIds(agents.map(({ id }) => id))
          const [relied, ...written] = n % 2 === 0 ? found : found.toReversed()
          yield* commitTo(store, {
            writes: written.map((agent) =>
              write.agent(revised(agent, { name: `${n}` }, moment(n)), agent.version)
            ),
            reliesOn: relied === undefined ? [] : [{ kind: "agent", id: relied.id, version: relied.version }]
          })
        })
        yield* Effect.forEach(
          range(60),
          (n) => Effect.retry(attempt(n), { while: (error) => error instanceof StaleVersion }),
          all
        )
        const versions = (yield* store.agents.byIds(agents.map(({ id }) => id))).map(({ version }) => version)
        assert.strictEqual(
          versions.reduce((sum, version) => sum + version - 1, 0),
          180
        )
      })
    )

    it.live("is refused where what it relied upon changes beside it", () =>
      Effect.gen(function* () {
        const { migrate, sql, store } = yield* openShared()
        yield* migrate
        const [left, right] = [sampleAgent(1), sampleAgent(2)]
        yield* commitTo(store, { writes: [write.agent(left), write.agent(right)] })
        const change = (changed: Agent, relied: Agent, reply: number) =>
          commitTo(store, {
            writes: [write.agent(revised(changed, { name: "Changed" }, moment(1)), 1)],
            reliesOn: [{ kind: "agent", id: relied.id, version: 1 }],
            idempotency: sampleReply(reply)
          })
        // Holds both back behind their checks: each waits to learn what becomes of a record with its key.
        const held = yield* holdOpen(
          sql,
          Effect.forEach([1, 2], (n) => commitTo(store, { idempotency: sampleReply(n) }))
        )
        const changes = yield* Effect.forEach([change(left, right, 1), change(right, left, 2)], (commit) =>
          Effect.forkScoped(Effect.result(commit))
        )
        yield* Effect.sleep("100 millis")
        yield* held.rollBack
        const outcomes = yield* Effect.forEach(changes, Fiber.join)
        assert.deepStrictEqual(outcomes.map(({ _tag }) => _tag).toSorted(), ["Failure", "Success"])
        for (const outcome of outcomes) {
          if (outcome._tag === "Failure") assert.instanceOf(outcome.failure, StaleVersion)
        }
      })
    )

    it.live("that the database undoes for another's sake is tried again", () =>
      Effect.gen(function* () {
        const { migrate, store, table } = yield* openShared({
          startupParameters: { deadlock_timeout: "200ms" }
        })
        yield* migrate
        // The host never gives way, so it goes on only when the commit did.
        const host = yield* openClient({ startupParameters: { deadlock_timeout: "1min" } })
        const [first, second] = [sampleAgent(1), sampleAgent(2)]
        yield* commitTo(store, { writes: [write.agent(first), write.agent(second)] })
        const lock = (id: string) => host`SELECT 1 FROM ${table("agents")} WHERE id = ${id} FOR UPDATE`
        const commit = commitTo(store, {
          writes: [first, second].map((agent) => write.agent(revised(agent, { name: "Done" }, moment(1)), 1))
        })
        const fiber = yield* host.withTransaction(
          Effect.gen(function* () {
            yield* lock(second.id)
            const fiber = yield* Effect.forkScoped(commit)
            yield* Effect.sleep("50 millis")
            yield* lock(first.id)
            return fiber
          })
        )
        yield* Fiber.join(fiber)
        assert.strictEqual((yield* store.agents.byId(second.id))?.name, "Done")
      })
    )

    it.live("holds all or nothing when it is interrupted, and the connections serve on", () =>
      Effect.gen(function* () {
        const store = yield* open({ schema: yield* newSchema, migrate: true, maxConnections: 2 })
        for (const n of range(60)) {
          const fiber = yield* Effect.forkScoped(
            commitTo(store, { writes: [write.agent(sampleAgent(n))], events: [sampleEvent(n)] })
          )
          yield* Effect.sleep((n % 20) / 5)
          yield* Fiber.interrupt(fiber)
        }
        const { items } = yield* store.agents.list({ limit: 100 })
        const events = yield* everyEvent(store)
        assert.deepStrictEqual(
          items.map(({ id }) => id).toSorted(),
          range(60)
            .filter((n) => idsOf(events).includes(sampleId("event", n)))
            .map((n) => sampleId("agent", n))
        )
      })
    )

    it.live("joins a host's transaction: several are seen together or not at all", () =>
      Effect.gen(function* () {
        const { migrate, sql, store } = yield* openShared()
        yield* migrate
        const two = (n: number) =>
          Effect.andThen(
            commitTo(store, { writes: [write.agent(sampleAgent(n))], events: [sampleEvent(n)] }),
            commitTo(store, { writes: [write.agent(sampleAgent(n + 1))], events: [sampleEvent(n + 1)] })
          )
        yield* sql.withTransaction(Effect.andThen(two(1), Effect.fail("no"))).pipe(Effect.flip)
        assert.deepStrictEqual(yield* everyEvent(store), [])
        const { position } = yield* sql.withTransaction(two(3))
        const events = yield* everyEvent(store)
        assert.deepStrictEqual(idsOf(events), [sampleId("event", 3), sampleId("event", 4)])
        assert.strictEqual(events[1]?.position, position)
      })
    )
  })

  describe("connections", () => {
    it.live("lose nothing that was acknowledged when the server dies amid commits, and heal", () =>
      Effect.gen(function* () {
        const store = yield* openNew
        const attempts = 2000
        const acknowledged: Array<number> = []
        let refusals = 0
        const work = Effect.fnUntraced(function* (n: number) {
          const outcome = yield* Effect.result(
            commitTo(store, { writes: [write.agent(sampleAgent(n))], events: [sampleEvent(n)] })
          )
          if (outcome._tag === "Success") return void acknowledged.push(n)
          assert.instanceOf(outcome.failure, Unavailable)
          refusals += 1
          yield* Effect.sleep("5 millis")
        })
        const workers = yield* Effect.forkScoped(
          Effect.forEach(range(attempts), work, { concurrency: 8, discard: true })
        )
        yield* Effect.sleep("100 millis")
        yield* crash
        yield* restart
        yield* Fiber.join(workers)
        assert.isAbove(refusals, 0)
        assert.isAbove(acknowledged.length, 0)
        const events = new Set(idsOf(yield* everyEvent(store)))
        const agents = yield* store.agents.byIds(range(attempts).map((n) => sampleId("agent", n)))
        const stored = new Set(agents.map(({ id }) => id))
        for (const n of acknowledged) assert.isTrue(stored.has(sampleId("agent", n)))
        assert.strictEqual(events.size, stored.size)
      })
    )

    it.live("heal when the server was restarted, and keep what was acknowledged", () =>
      Effect.gen(function* () {
        const store = yield* openNew
        const put = (n: number) => commitTo(store, { writes: [write.agent(sampleAgent(n))] })
        yield* Effect.forEach(range(20), put, all)
        yield* crash
        assert.instanceOf(yield* Effect.flip(put(21)), Unavailable)
        assert.instanceOf(yield* Effect.flip(store.agents.list({ limit: 1 })), Unavailable)
        assert.instanceOf(yield* Effect.flip(store.ready), Unavailable)
        yield* restart
        yield* store.ready
        yield* Effect.forEach(range(20), (n) => put(n + 30), all)
        assert.strictEqual((yield* store.agents.list({ limit: 100 })).items.length, 40)
      })
    )
  })
})
