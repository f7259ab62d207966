/** A database of each earlier version is brought up to date, and everything in it is read as it was written. */
import { assert, describe, it } from "@effect/vitest"
import {
  AgentId,
  ApiKeyId,
  DealRoomId,
  HoldId,
  ListingId,
  MatchId,
  OfferId,
  QuoteId,
  RequestId,
  revised,
  ReviewId,
  RfqId,
  TaskId,
  WebhookId
} from "@souk/core"
import type { Store } from "@souk/core"
import { moment, sampleEvent, write } from "@souk/testing"
import { Effect, Result, Schema } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import type { Statement } from "effect/sql"
import { createHash } from "node:crypto"
import { latestOf } from "../src/migrations/Migration.ts"
import type { Migration } from "../src/migrations/Migration.ts"
import { migrations as ofPostgres } from "../src/migrations/postgres/index.ts"
import { migrations as ofSqlite } from "../src/migrations/sqlite/index.ts"
import * as PostgresStore from "../src/PostgresStore.ts"
import * as SqliteClient from "../src/SqliteClient.ts"
import * as SqliteStore from "../src/SqliteStore.ts"
import { audienceDocument, eventDocument, tables } from "../src/Tables.ts"
import type { EntityOf, Kind } from "../src/Tables.ts"
import { commitTo, newSchema, openClient, usePostgres } from "./fixtures/postgres.ts"
import { build, recorded } from "./fixtures/upgrades/levels.ts"

usePostgres()

/** An upgraded database: its rows, and the store on it. */
interface Upgraded {
  readonly store: Store["Service"]
  readonly sql: SqlClient.SqlClient
  readonly table: (name: string) => Statement.Fragment
  readonly text: (column: string) => Statement.Fragment
}

const Facts = Schema.Record(Schema.String, Schema.Json)
type Facts = typeof Facts.Type
const factsOf = Schema.decodeUnknownSync(Schema.fromJsonString(Facts))
const Place = Schema.Struct({ roomId: DealRoomId, seq: Schema.Int })

/** What migrations give to documents that were written without it, for models that ask for it. */
const given: { readonly [K in Kind]?: Facts } = { rfq: { questions: [] } }

/** How each kind is found by its document. */
const found = (store: Store["Service"]) => {
  const encoded =
    <K extends Kind>(
      kind: K,
      read: (id: string, facts: Facts) => Effect.Effect<EntityOf[K] | undefined, unknown>
    ) =>
    (id: string, facts: Facts) =>
      Effect.map(read(id, facts), (entity) =>
        entity === undefined ? undefined : Result.getOrThrow(tables[kind].document.encode(entity))
      )
  const reads: { readonly [K in Kind]: ReturnType<typeof encoded> } = {
    agent: encoded("agent", (id) => store.agents.byId(AgentId.make(id))),
    key: encoded("key", (id) => store.keys.byId(ApiKeyId.make(id))),
    listing: encoded("listing", (id) => store.listings.byId(ListingId.make(id))),
    request: encoded("request", (id) => store.requests.byId(RequestId.make(id))),
    rfq: encoded("rfq", (id) => store.rfqs.byId(RfqId.make(id))),
    quote: encoded("quote", (id) => store.quotes.byId(QuoteId.make(id))),
    deal_room: encoded("deal_room", (id) => store.rooms.byId(DealRoomId.make(id))),
    offer: encoded("offer", (id) => store.rooms.offer(OfferId.make(id))),
    review: encoded("review", (id) => store.reviews.byId(ReviewId.make(id))),
    match: encoded("match", (id) => store.matches.byId(MatchId.make(id))),
    webhook: encoded("webhook", (id) => store.webhooks.byId(WebhookId.make(id))),
    task: encoded("task", (id) => store.tasks.byId(TaskId.make(id))),
    hold: encoded("hold", (id) => store.holds.byId(HoldId.make(id))),
    bookmark: encoded("bookmark", (id) => store.bookmarks.byId(id)),
    entry: encoded("entry", (_, facts) => {
      const { roomId, seq } = Schema.decodeUnknownSync(Place)(facts)
      return Effect.map(store.rooms.entries(roomId, seq - 1, 1), ([entry]) => entry)
    })
  }
  return reads
}

interface Row {
  readonly id: string
  readonly document: string
}

const rowsOf = ({ sql, table, text }: Omit<Upgraded, "store">, name: string) =>
  sql<Row>`SELECT id, ${text("document")} AS document FROM ${table(name)}`

/** Reads the rows as they stand before the upgrade, for the tables that are there already. */
const rowsBefore = Effect.fnUntraced(function* (database: Omit<Upgraded, "store">) {
  const rows = new Map<string, ReadonlyArray<Row>>()
  for (const { name } of [...Object.values(tables), { name: "idempotency" }]) {
    rows.set(name, yield* Effect.orElseSucceed(rowsOf(database, name), () => []))
  }
  const { sql, table, text } = database
  const events = yield* sql<Row & { readonly position: number | bigint; readonly audience: string }>`
    SELECT id, position, ${text("audience")} AS audience, ${text("document")} AS document
    FROM ${table("events")} ORDER BY position`
  return { rows, events }
})

const kinds = (Object.keys(tables) satisfies ReadonlyArray<string>).filter(
  (kind): kind is Kind => kind in tables
)

const check = Effect.fnUntraced(function* (
  { store }: Upgraded,
  { rows, events }: Effect.Success<ReturnType<typeof rowsBefore>>
) {
  yield* store.ready
  const read = found(store)
  for (const kind of kinds) {
    for (const { document, id } of rows.get(tables[kind].name) ?? []) {
      const facts = factsOf(document)
      const now = yield* read[kind](id, facts)
      assert.deepStrictEqual(now && { ...given[kind], ...now }, { ...given[kind], ...facts }, `${kind} ${id}`)
    }
  }
  assert.deepStrictEqual(
    (yield* store.events.after(0, 1000)).map(({ audience, event, position }) => [
      position,
      Result.getOrThrow(eventDocument.encode(event)),
      Result.getOrThrow(audienceDocument.encode(audience))
    ]),
    events.map(({ audience, document, position }) => [
      Number(position),
      factsOf(document),
      JSON.parse(audience)
    ])
  )
  for (const { id } of rows.get("idempotency") ?? [])
    assert.strictEqual((yield* store.idempotency.byId(id))?.id, id)
})

/** What a recorded market holds, found as callers find it. */
const checkLists = Effect.fnUntraced(function* (store: Store["Service"]) {
  const page = { limit: 100 }
  const [buyer, seller] = [yield* store.agents.byHandle("buyer"), yield* store.agents.byHandle("seller")]
  if (buyer === undefined || seller === undefined) return assert.fail("The agents are gone")
  assert.strictEqual((yield* store.agents.list(page)).items.length, 3)
  assert.strictEqual((yield* store.keys.ofAgent(buyer.id)).length, 2)
  assert.strictEqual((yield* store.listings.list({ status: "active", tag: "legal" }, page)).items.length, 1)
  const open = { states: [{ status: "open" as const }] }
  const invited = yield* store.rfqs.list({ ...open, invitee: seller.id, viewer: seller.id }, page)
  assert.strictEqual(invited.items.length, 1)
  assert.strictEqual((yield* store.quotes.list({ agentId: seller.id }, page)).items.length, 2)
  const rooms = { participant: buyer.id, updatedSince: moment(0) }
  assert.strictEqual((yield* store.rooms.list(rooms, page)).items.length, 4)
  assert.strictEqual((yield* store.reviews.publishedOf(seller.id, far, page)).items.length, 1)
  const due = Object.groupBy(yield* store.deadlines.due(far, 100), ({ kind }) => kind)
  assert.deepStrictEqual(
    [due.rfq?.length, due.quote?.length, due.deal_room?.length, due.review?.length],
    dueByKind
  )

  const latest = yield* store.events.latest
  const changed = revised(buyer, { name: "Another" }, moment(0))
  const change = { writes: [write.agent(changed, buyer.version)], events: [sampleEvent(1)] }
  const { position } = yield* commitTo(store, change)
  assert.isAbove(position, latest)
  assert.strictEqual((yield* store.agents.byId(buyer.id))?.name, "Another")
})

const far = moment(10 * 365 * 86_400)
const dueByKind = [1, 1, 3, 1]

const earlier = (migrations: ReadonlyArray<Migration>) =>
  migrations.map(({ id }) => id).filter((id) => id < latestOf(migrations))

describe("an upgrade", () => {
  for (const level of earlier(ofSqlite)) {
    it.live(`keeps all that version ${level} left in a SQLite file`, () =>
      Effect.gen(function* () {
        const sql = yield* Effect.provide(SqliteClient.make({ filename: ":memory:" }), Reactivity.layer)
        const run = Effect.provideService(SqlClient.SqlClient, sql)
        yield* run(build(ofSqlite, "souk_migrations", level, { dialect: "sqlite", level }))
        const table = (name: string) => sql`${sql(name)}`
        const database = { sql, table, text: (column: string) => sql.literal(column) }
        const before = yield* rowsBefore(database)
        yield* run(SqliteStore.migrate)
        const store = yield* run(SqliteStore.make)
        yield* check({ ...database, store }, before)
        yield* checkLists(store)
      })
    )
  }

  for (const level of earlier(ofPostgres)) {
    it.live(`keeps all that version ${level} left in a PostgreSQL schema`, () =>
      Effect.gen(function* () {
        const [schema, sql] = [yield* newSchema, yield* openClient()]
        const run = Effect.provideService(SqlClient.SqlClient, sql)
        // The first two came together: nobody wrote to the first alone.
        const recording = { dialect: "postgres", level: Math.max(level, 2) } as const
        yield* sql`CREATE SCHEMA ${sql(schema)}`
        yield* sql`SET LOCAL search_path TO ${sql(schema)}`.pipe(
          Effect.andThen(run(build(ofPostgres, `${schema}.migrations`, level, recording))),
          sql.withTransaction
        )
        const table = (name: string) => sql`${sql(`${schema}.${name}`)}`
        const database = { sql, table, text: (column: string) => sql.literal(`${column}::text`) }
        const before = yield* rowsBefore(database)
        yield* run(PostgresStore.migrate({ schema }))
        const store = yield* run(PostgresStore.make({ schema }))
        yield* check({ ...database, store }, before)
        yield* checkLists(store)
      })
    )
  }

  it("is recorded for each version: before a migration is added, record.ts writes down what is there", () => {
    assert.includeMembers([...recorded("sqlite")], earlier(ofSqlite))
    assert.includeMembers([1, ...recorded("postgres")], earlier(ofPostgres))
  })

  it("is by migrations that never change once they are released", () => {
    const digestsOf = (migrations: ReadonlyArray<Migration>) =>
      migrations.map(({ statements }) =>
        createHash("sha256").update(JSON.stringify(statements)).digest("hex").slice(0, 16)
      )
    assert.deepStrictEqual(digestsOf(ofSqlite), released.sqlite)
    assert.deepStrictEqual(digestsOf(ofPostgres), released.postgres)
  })
})

/** The digests of the migrations, in their order: a new one adds a line. */
const released = {
  sqlite: [
    "933f9222e757fa17",
    "eab5cb5a69cd5c45",
    "201f7ad8970ee699",
    "78a6b3897421d6bf",
    "b95b7ed61b9ab322",
    "a6dfa5c4875231a7"
  ],
  postgres: [
    "e142497f68a77125",
    "abcfb0be0322addc",
    "1a0d4249e6f2cee7",
    "09bb84277832dac5",
    "e8efca73f72f1b47",
    "26ee2e20533ec1c7",
    "6bf29f1936b8e1c0",
    "b4fa5bcae97a01cd",
    "0d116215b0e369b9"
  ]
}
