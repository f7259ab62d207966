import { assert, describe, it } from "@effect/vitest"
import type { Deadline, Store } from "@souk/core"
import {
  moment,
  sampleAgent,
  sampleId,
  sampleQuote,
  sampleReview,
  sampleRfq,
  sampleRoom,
  write
} from "@souk/testing"
import { Effect } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import * as SqliteClient from "../src/SqliteClient.ts"
import * as SqliteStore from "../src/SqliteStore.ts"
import { commitTo, openShared, usePostgres } from "./fixtures/postgres.ts"
import { constraintsOfPostgres, constraintsOfSqlite } from "./fixtures/takeBack.ts"

usePostgres()

/** The tables of this migration and of those after it. */
const laterTables = "bookmarks holds tasks webhooks matches request_tags requests deadlines".split(" ")
const laterIndexes = ["deal_rooms_by_buyer_and_status", "deal_rooms_by_seller_and_status"]

/** A market from before deadlines were noted. */
const former = [
  ...[1, 2].map((n) => write.agent(sampleAgent(n))),
  write.rfq(sampleRfq(1, { quoteDeadline: moment(10.001) })),
  write.rfq(sampleRfq(2, { status: "evaluating", awardBy: moment(20) })),
  write.rfq(sampleRfq(3, { status: "awarded" })),
  write.quote(sampleQuote(1, { validUntil: moment(30.999) })),
  write.quote(sampleQuote(2, { status: "declined" })),
  write.room(sampleRoom(1, { deadlines: { offerDueBy: moment(40) } })),
  write.room(sampleRoom(2, { deadlines: { offerDueBy: moment(99), offerExpiresAt: moment(50) } })),
  write.room(sampleRoom(3, { status: "in_progress", deadlines: { deliverBy: moment(60) } })),
  write.room(sampleRoom(4, { status: "delivered", deadlines: { reviewUntil: moment(70) } })),
  write.room(sampleRoom(5, { status: "disputed", deadlines: { resolveBy: moment(80) } })),
  write.room(sampleRoom(6, { status: "completed", deadlines: { reviewsDueBy: moment(90) } })),
  write.review(sampleReview(1, { publishedAt: moment(90) })),
  write.review(sampleReview(2))
]

const due = (kind: Deadline["kind"], n: number, seconds: number): Deadline => ({
  kind,
  id: sampleId(kind, n),
  at: moment(seconds)
})

const expectNoted = Effect.fnUntraced(function* (store: Store["Service"]) {
  assert.deepStrictEqual(yield* store.deadlines.due(moment(100_000), 100), [
    due("rfq", 1, 10.001),
    due("rfq", 2, 20),
    due("quote", 1, 30.999),
    due("deal_room", 1, 40),
    due("deal_room", 2, 50),
    due("deal_room", 4, 70),
    due("deal_room", 5, 80),
    due("review", 1, 90),
    due("deal_room", 3, 60 + 86_400)
  ])
})

describe("the migration to deadlines", () => {
  it.live("notes those of what a SQLite file holds", () =>
    Effect.gen(function* () {
      const sql = yield* Effect.provide(SqliteClient.make({ filename: ":memory:" }), Reactivity.layer)
      const run = Effect.provideService(SqlClient.SqlClient, sql)
      yield* run(SqliteStore.migrate)
      const store = yield* run(SqliteStore.make)
      yield* commitTo(store, { writes: former })
      // What this migration and those after it made is taken back.
      yield* constraintsOfSqlite(sql)
      for (const name of laterTables) yield* sql`DROP TABLE ${sql(name)}`
      for (const name of [...laterIndexes, "rfq_invitees_by_agent"]) yield* sql`DROP INDEX ${sql(name)}`
      yield* sql`ALTER TABLE deal_rooms DROP COLUMN updated_at`
      yield* sql`DROP TABLE feed`
      yield* sql`DELETE FROM souk_migrations WHERE migration_id >= 2`
      yield* run(SqliteStore.migrate)
      yield* expectNoted(store)
    })
  )

  it.live("notes those of what a PostgreSQL schema holds", () =>
    Effect.gen(function* () {
      const { migrate, schema, sql, store, table } = yield* openShared()
      yield* migrate
      yield* commitTo(store, { writes: former })
      yield* constraintsOfPostgres(sql, schema)
      for (const name of laterTables) yield* sql`DROP TABLE ${table(name)}`
      for (const name of laterIndexes) yield* sql`DROP INDEX ${table(name)}`
      yield* sql`ALTER TABLE ${table("deal_rooms")} DROP COLUMN updated_at`
      for (const name of ["commit_all", "moment_of"])
        yield* sql`DROP FUNCTION ${sql.literal(`${schema}.${name}`)}`
      yield* sql`ALTER TABLE ${table("feed")} DROP COLUMN forgotten`
      yield* sql`DROP TABLE ${table("rate_limits")}`
      yield* sql`DELETE FROM ${table("migrations")} WHERE migration_id >= 3`
      yield* migrate
      yield* expectNoted(store)
    })
  )
})
