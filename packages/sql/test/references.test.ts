/** What names an entity in PostgreSQL names one that is there, whoever writes it. */
import { assert, describe, it } from "@effect/vitest"
import { revised, Unavailable } from "@souk/core"
import type { Write } from "@souk/core"
import {
  moment,
  sampleAgent,
  sampleEntry,
  sampleEvent,
  sampleId,
  sampleKey,
  sampleListing,
  sampleMatch,
  sampleOffer,
  sampleQuote,
  sampleReply,
  sampleRequest,
  sampleReview,
  sampleRfq,
  sampleRoom,
  sampleWebhook,
  write
} from "@souk/testing"
import { Effect, Fiber, Predicate, Schedule } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { migrations } from "../src/migrations/postgres/index.ts"
import { unknown } from "../src/PostgresReferences.ts"
import * as PostgresStore from "../src/PostgresStore.ts"
import {
  commitTo,
  everyEvent,
  holdOpen,
  newSchema,
  openClient,
  openShared,
  usePostgres
} from "./fixtures/postgres.ts"
import { build } from "./fixtures/upgrades/levels.ts"

usePostgres()

const nobody = sampleId("agent", 99)
const [noRoom, noRfq] = [sampleId("deal_room", 99), sampleId("rfq", 99)]
const requested = { kind: "request", id: sampleId("request", 1) } as const

/** A row of each table that names others, and what they name, which comes last. */
const market: ReadonlyArray<Write> = [
  write.webhook(sampleWebhook(1)),
  write.match(sampleMatch(1)),
  write.match(sampleMatch(2, { demand: requested, supply: sampleMatch(1).supply })),
  write.review(sampleReview(1)),
  write.entry(sampleEntry(1)),
  write.offer(sampleOffer(1)),
  write.quote(sampleQuote(2)),
  write.room(sampleRoom(1)),
  write.rfq(sampleRfq(1, { invitees: [sampleId("agent", 2)] })),
  write.request(sampleRequest(1)),
  write.listing(sampleListing(1)),
  write.key(sampleKey(1)),
  write.agent(sampleAgent(1)),
  write.agent(sampleAgent(2))
]

/** What names nothing, each by the reference that refuses it. */
const dangling: Readonly<Record<string, Write>> = {
  api_keys_agent_id: write.key(sampleKey(11, { agentId: nobody })),
  listings_agent_id: write.listing(sampleListing(11, { agentId: nobody })),
  requests_agent_id: write.request(sampleRequest(11, { agentId: nobody })),
  rfqs_agent_id: write.rfq(sampleRfq(11, { agentId: nobody })),
  rfq_invitees_agent_id: write.rfq(sampleRfq(11, { invitees: [nobody] })),
  quotes_rfq_id: write.quote(sampleQuote(1, { rfqId: noRfq })),
  quotes_agent_id: write.quote(sampleQuote(11)),
  deal_rooms_buyer_id: write.room(sampleRoom(11, { buyerId: nobody })),
  deal_rooms_seller_id: write.room(sampleRoom(11, { sellerId: nobody })),
  offers_room_id: write.offer(sampleOffer(11, { roomId: noRoom })),
  offers_from_id: write.offer(sampleOffer(11, { fromId: nobody })),
  entries_room_id: write.entry(sampleEntry(11, { roomId: noRoom })),
  reviews_room_id: write.review(sampleReview(99)),
  reviews_by_id: write.review(sampleReview(1, { id: sampleId("review", 11), byId: nobody })),
  reviews_of_id: write.review(
    sampleReview(1, { id: sampleId("review", 11), byId: sampleId("agent", 2), ofId: nobody })
  ),
  matches_demand_id: write.match(sampleMatch(11, { supply: sampleMatch(1).supply })),
  matches_supply_id: write.match(sampleMatch(11, { demand: sampleMatch(1).demand })),
  matches_buyer_id: write.match(sampleMatch(1, { id: sampleId("match", 11), buyerId: nobody })),
  matches_seller_id: write.match(sampleMatch(1, { id: sampleId("match", 11), sellerId: nobody })),
  webhooks_agent_id: write.webhook(sampleWebhook(11, { agentId: nobody }))
}

const openMarket = Effect.gen(function* () {
  const opened = yield* openShared()
  yield* opened.migrate
  yield* commitTo(opened.store, { writes: market })
  return opened
})

/** What the server says that has refused something. */
const refusalIn = (error: SqlError.SqlError) => {
  const { cause } = error.reason
  return Predicate.hasProperty(cause, "code") && Predicate.hasProperty(cause, "constraint")
    ? [cause.code, cause.constraint]
    : []
}

/** A schema as an earlier version left it. */
const leftBy = Effect.fnUntraced(function* (level: number) {
  const schema = yield* newSchema
  const sql = yield* openClient()
  const run = Effect.provideService(SqlClient.SqlClient, sql)
  yield* sql`CREATE SCHEMA ${sql(schema)}`
  yield* sql`SET LOCAL search_path TO ${sql(schema)}`.pipe(
    Effect.andThen(run(build(migrations, `${schema}.migrations`, level, { dialect: "postgres", level }))),
    sql.withTransaction
  )
  const store = yield* run(PostgresStore.make({ schema }))
  return { schema, sql, store, migrate: run(PostgresStore.migrate({ schema })) }
})

describe("a reference", () => {
  it.live("refuses whoever changes it by hand to what is not there, in every table that has one", () =>
    Effect.gen(function* () {
      const { schema, sql } = yield* openMarket
      const columns = yield* sql<{ readonly table: string; readonly column: string }>`
        SELECT relname AS table, attname AS column FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
        WHERE relnamespace = ${schema}::regnamespace AND relkind = 'r' AND NOT attisdropped
          AND atttypid = 'text'::regtype AND right(attname, 3) = '_id' ORDER BY 1, 2`
      assert.isAtLeast(columns.length, Object.keys(dangling).length)
      for (const { column, table } of columns) {
        const change = sql`UPDATE ${sql(`${schema}.${table}`)} SET ${sql(column)} = 'none'`
        const refused = yield* Effect.result(change)
        assert.strictEqual(refused._tag, "Failure", `${table}.${column}`)
        if (refused._tag === "Failure") assert.strictEqual(refusalIn(refused.failure)[0], "23503")
      }
    })
  )

  it.live("keeps what is named from being deleted", () =>
    Effect.gen(function* () {
      const { sql, table } = yield* openMarket
      for (const name of ["quotes", "rfq_invitees", "rfq_tags", "request_tags"])
        yield* sql`DELETE FROM ${table(name)}`
      for (const name of ["agents", "listings", "deal_rooms", "rfqs", "requests"]) {
        const [code] = refusalIn(yield* Effect.flip(sql`DELETE FROM ${table(name)}`))
        assert.strictEqual(code, "23503", name)
      }
      yield* sql`DELETE FROM ${table("matches")}`
      for (const name of ["rfqs", "requests"]) yield* sql`DELETE FROM ${table(name)}`
    })
  )

  it.live("that a commit leaves dangling makes it unavailable, by its name, and nothing of it is there", () =>
    Effect.gen(function* () {
      const { store } = yield* openMarket
      const renamed = revised(sampleAgent(1), { name: "Renamed" }, moment(1))
      for (const [name, wrong] of Object.entries(dangling)) {
        const commit = {
          writes: [write.agent(renamed, 1), wrong],
          events: [sampleEvent(1)],
          idempotency: sampleReply(1)
        }
        const error = yield* Effect.flip(commitTo(store, commit))
        assert.instanceOf(error, Unavailable)
        const cause = error instanceof Unavailable ? error.cause : undefined
        assert.isTrue(SqlError.isSqlError(cause), name)
        if (SqlError.isSqlError(cause)) assert.deepStrictEqual(refusalIn(cause), ["23503", name])
      }
      assert.strictEqual((yield* store.agents.byId(renamed.id))?.version, 1)
      assert.isUndefined(yield* store.idempotency.byId(sampleReply(1).id))
      assert.deepStrictEqual(yield* everyEvent(store), [])
      yield* commitTo(store, { writes: [write.agent(renamed, 1)] })
    })
  )

  it.live("may come before what it names in a transaction that says so, as a dump is loaded", () =>
    Effect.gen(function* () {
      const { migrate, sql, table } = yield* openShared()
      yield* migrate
      const key = { id: "k", agent_id: "a", digest: "d", version: 1, document: "{}" }
      const agent = { id: "a", handle: "h", status: "active", version: 1, document: "{}" }
      const add = (agents: ReadonlyArray<typeof agent>) =>
        sql`SET CONSTRAINTS ALL DEFERRED`.pipe(
          Effect.andThen(sql`INSERT INTO ${table("api_keys")} ${sql.insert(key)}`),
          Effect.andThen(
            Effect.forEach(agents, (agent) => sql`INSERT INTO ${table("agents")} ${sql.insert(agent)}`)
          ),
          sql.withTransaction
        )
      assert.deepStrictEqual(refusalIn(yield* Effect.flip(add([]))), ["23503", "api_keys_agent_id"])
      yield* add([agent])
    })
  )
})

describe("the migration to references", () => {
  it.live("knows them to hold where they do", () =>
    Effect.gen(function* () {
      const { migrate, schema, sql } = yield* leftBy(8)
      yield* migrate
      assert.deepStrictEqual(yield* unknown(sql, schema), [])
    })
  )

  it.live("leaves what names nothing as it was, refuses more of it, and knows when it was made whole", () =>
    Effect.gen(function* () {
      // This recording has a match and a webhook of agents who never were.
      const { migrate, schema, sql, store } = yield* leftBy(7)
      yield* migrate
      yield* store.ready
      assert.deepStrictEqual(yield* unknown(sql, schema), [
        "matches_buyer_id",
        "matches_demand_id",
        "matches_seller_id",
        "matches_supply_id",
        "webhooks_agent_id"
      ])
      yield* commitTo(store, {
        writes: [
          write.webhook(revised(sampleWebhook(1), { status: "disabled" }, moment(1)), 1),
          write.match(revised(sampleMatch(1), { status: "dismissed" }, moment(1)), 1)
        ]
      })
      const another = commitTo(store, { writes: [write.webhook(sampleWebhook(2))] })
      assert.instanceOf(yield* Effect.flip(another), Unavailable)
      const missing = [1, 2].map((n) => write.agent(sampleAgent(n)))
      yield* commitTo(store, {
        writes: [...missing, write.listing(sampleListing(1)), write.rfq(sampleRfq(1))]
      })
      assert.deepStrictEqual(yield* migrate, [])
      assert.deepStrictEqual(yield* unknown(sql, schema), [])
      yield* another
    })
  )

  it.live("lets others write while what was there is looked through", () =>
    Effect.gen(function* () {
      const { migrate, schema, sql, store } = yield* leftBy(7)
      yield* migrate
      const before = yield* unknown(sql, schema)
      const host = yield* openClient()
      const matches = host(`${schema}.matches`)
      const held = yield* holdOpen(host, host`LOCK TABLE ${matches} IN SHARE UPDATE EXCLUSIVE MODE`)
      const looking = yield* Effect.forkScoped(migrate)
      yield* waitsFor(sql, `${schema}.matches`)
      const missing = [1, 2].map((n) => write.agent(sampleAgent(n)))
      yield* commitTo(store, { writes: [...missing, write.webhook(sampleWebhook(2))] })
      assert.deepStrictEqual(yield* unknown(sql, schema), before)
      yield* held.commit
      yield* Fiber.join(looking)
      assert.deepStrictEqual(yield* unknown(sql, schema), ["matches_demand_id", "matches_supply_id"])
    })
  )

  it.live("is tried again where it and a transaction of another wait for each other", () =>
    Effect.gen(function* () {
      const { migrate, schema, sql, store } = yield* leftBy(8)
      // The other never gives way, so it goes on only when the migration did.
      const other = yield* openClient({ startupParameters: { deadlock_timeout: "1min" } })
      const change = (name: string) => other`UPDATE ${other(`${schema}.${name}`)} SET version = version + 1`
      const migrating = yield* other.withTransaction(
        Effect.gen(function* () {
          yield* change("webhooks")
          const migrating = yield* Effect.forkScoped(migrate)
          yield* waitsFor(sql, `${schema}.webhooks`)
          yield* change("agents")
          return migrating
        })
      )
      assert.deepStrictEqual(yield* Fiber.join(migrating), [[9, "references"]])
      yield* store.ready
    })
  )
})

/** Waits until somebody waits for a table. */
const waitsFor = (sql: SqlClient.SqlClient, table: string) =>
  sql`SELECT 1 FROM pg_locks WHERE NOT granted AND relation = ${table}::regclass`.pipe(
    Effect.repeat({ until: (rows) => rows.length > 0, schedule: Schedule.spaced("10 millis") })
  )
