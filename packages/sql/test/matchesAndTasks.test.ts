import { assert, describe, it } from "@effect/vitest"
import { revised } from "@souk/core"
import type { Store } from "@souk/core"
import {
  moment,
  sampleAgent,
  sampleId,
  sampleReply,
  sampleRfq,
  sampleRoom,
  sampleTask,
  write
} from "@souk/testing"
import { Effect } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import * as SqliteClient from "../src/SqliteClient.ts"
import * as SqliteStore from "../src/SqliteStore.ts"
import { commitTo, holdOpen, openShared, usePostgres } from "./fixtures/postgres.ts"
import { constraintsOfPostgres, constraintsOfSqlite } from "./fixtures/takeBack.ts"

usePostgres()

const openSqlite = Effect.gen(function* () {
  const sql = yield* Effect.provide(SqliteClient.make({ filename: ":memory:" }), Reactivity.layer)
  const run = Effect.provideService(SqlClient.SqlClient, sql)
  return { sql, migrate: run(SqliteStore.migrate), store: yield* run(SqliteStore.make) }
})

/** What this migration made is taken back. */
const tables = ["bookmarks", "holds", "tasks", "webhooks", "matches"]
const indexes = ["deal_rooms_by_buyer_and_status", "deal_rooms_by_seller_and_status"]

const rfq = sampleRfq(1, { title: "“Questions” \\ \u2028 {}", quoteDeadline: moment(10.001) })
const former = [
  ...[1, 2].map((n) => write.agent(sampleAgent(n))),
  write.rfq(rfq),
  write.room(sampleRoom(1, { updatedAt: moment(5.001) })),
  write.room(sampleRoom(2, { updatedAt: moment(4) }))
]

const expectKept = Effect.fnUntraced(function* (store: Store["Service"]) {
  assert.deepStrictEqual(yield* store.rfqs.byId(rfq.id), rfq)
  const filter = { participant: sampleId("agent", 1), updatedSince: moment(5.001) }
  const rooms = yield* store.rooms.list(filter, { limit: 9 })
  assert.deepStrictEqual(
    rooms.items.map(({ id }) => id),
    [sampleId("deal_room", 1)]
  )
})

describe("the migration to matches and tasks", () => {
  it.live("gives the RFQs of a SQLite file questions, and its rooms the moment of their last change", () =>
    Effect.gen(function* () {
      const { migrate, sql, store } = yield* openSqlite
      yield* migrate
      yield* commitTo(store, { writes: former })
      yield* constraintsOfSqlite(sql)
      for (const name of tables) yield* sql`DROP TABLE ${sql(name)}`
      for (const name of [...indexes, "rfq_invitees_by_agent"]) yield* sql`DROP INDEX ${sql(name)}`
      yield* sql`ALTER TABLE deal_rooms DROP COLUMN updated_at`
      yield* sql`DROP TABLE feed`
      yield* sql`DELETE FROM souk_migrations WHERE migration_id >= 4`
      yield* migrate
      yield* expectKept(store)
      const questions = sql`SELECT json_extract(document, '$.questions') FROM rfqs`.values
      assert.deepStrictEqual(yield* questions, [["[]"]])
    })
  )

  it.live("does so in a PostgreSQL schema", () =>
    Effect.gen(function* () {
      const { migrate, schema, sql, store, table } = yield* openShared()
      yield* migrate
      yield* commitTo(store, { writes: former })
      yield* constraintsOfPostgres(sql, schema)
      for (const name of tables) yield* sql`DROP TABLE ${table(name)}`
      for (const name of indexes) yield* sql`DROP INDEX ${table(name)}`
      yield* sql`ALTER TABLE ${table("deal_rooms")} DROP COLUMN updated_at`
      yield* sql`DROP FUNCTION ${sql.literal(`${schema}.moment_of`)}`
      yield* sql`ALTER TABLE ${table("feed")} DROP COLUMN forgotten`
      yield* sql`DROP TABLE ${table("rate_limits")}`
      yield* sql`DELETE FROM ${table("migrations")} WHERE migration_id >= 5`
      yield* migrate
      yield* expectKept(store)
      const questions = sql`SELECT document ->> 'questions' FROM ${table("rfqs")}`.values
      assert.deepStrictEqual(yield* questions, [["[]"]])
    })
  )
})

describe("forgetting on PostgreSQL", () => {
  it.live("neither waits for what others have in hand nor takes it away", () =>
    Effect.gen(function* () {
      const { migrate, sql, store } = yield* openShared()
      yield* migrate
      const ended = [1, 2].map((n) => sampleTask(n, { status: "failed", dueAt: null, updatedAt: moment(n) }))
      yield* commitTo(store, { writes: ended.map((task) => write.task(task)) })
      for (const n of [1, 2])
        yield* commitTo(store, { idempotency: sampleReply(n, { expiresAt: moment(n) }) })
      const [task] = ended
      if (task === undefined) return assert.fail("there is a task")
      const again = revised(task, { status: "pending", dueAt: moment(9) }, moment(9))
      const next = sampleReply(1, { createdAt: moment(1.5), reply: "next" })
      const held = yield* holdOpen(
        sql,
        commitTo(store, { writes: [write.task(again, 1)], idempotency: next })
      )
      const all = { repliesUntil: moment(50), tasksUntil: moment(50) }
      assert.strictEqual(yield* Effect.timeout(store.forget(all, 100), "5 seconds"), 2)
      yield* held.commit
      assert.strictEqual(yield* store.forget(all, 100), 0)
      assert.deepStrictEqual(yield* store.tasks.byId(task.id), again)
      assert.strictEqual((yield* store.idempotency.byId(next.id))?.reply, "next")
    })
  )
})
