import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Redacted, Schedule, Schema } from "effect"
import { Reactivity } from "effect/reactivity"
import { afterAll, beforeAll } from "vitest"
import { startPostgres } from "../../../test/Postgres.ts"
import type { Postgres } from "../../../test/Postgres.ts"
import { agentBody, ask, codeOf, follow, Identified, listingBody, register, send } from "./Caller.ts"
import { receive } from "./Receiver.ts"
import { run, start } from "./Server.ts"

let postgres: Postgres | undefined
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres?.stop())

/** One connection, as a person at a terminal has it. */
const client = Effect.suspend(() =>
  PgClient.make({ url: Redacted.make(postgres?.url ?? ""), maxConnections: 1 })
).pipe(Effect.provide(Reactivity.layer))

const oneMarket = Effect.fnUntraced(function* (
  schema: string,
  others: Readonly<Record<string, string>> = {}
) {
  const settings = { ...settingsFor(schema), ...others }
  yield* run(["migrate"], { settings })
  const [one, two] = yield* Effect.all([start(settings), start(settings)])
  return { one, two }
})

const settingsFor = (schema: string) => ({
  SOUK_DATABASE_URL: postgres?.url ?? "",
  SOUK_DATABASE_SCHEMA: schema,
  SOUK_RATE_LIMITS: "off"
})

describe("souk on PostgreSQL", () => {
  it.live("does not serve a database that was not migrated, and says what to do", () =>
    Effect.gen(function* () {
      const settings = settingsFor("not_yet")
      const { code, stderr, stdout } = yield* run(["serve"], { settings: { PORT: "0", ...settings } })
      assert.deepStrictEqual([code, stdout], [1, ""])
      assert.include(stderr, "run `souk migrate`")
      assert.notInclude(stderr, "souk:souk")
    })
  )

  it.live("migrates once, and says where to without the password", () =>
    Effect.gen(function* () {
      const settings = settingsFor("migrated")
      const first = yield* run(["migrate"], { settings })
      assert.deepInclude(first, { code: 0, stderr: "" })
      assert.match(first.stdout, /^Applied 1 market\n/u)
      assert.match(
        first.stdout,
        /The schema migrated of postgres:\/\/127\.0\.0\.1:\d+\/postgres is up to date\n$/u
      )
      const second = yield* run(["migrate"], { settings })
      assert.notInclude(second.stdout, "Applied")
    })
  )

  it.live("tells what is pending and changes nothing", () =>
    Effect.gen(function* () {
      const settings = settingsFor("planned")
      assert.match(
        (yield* run(["migrate", "status"], { settings })).stdout,
        /^The schema planned of postgres:.* is at version 0; this souk needs \d+\.\nPending: 1 market, /u
      )
      assert.match((yield* run(["migrate", "plan"], { settings })).stdout, /^Would apply 1 market \(/u)
      const sql = yield* client
      assert.deepStrictEqual(yield* sql`SELECT 1 FROM pg_namespace WHERE nspname = 'planned'`, [])
    })
  )

  it.live("prints SQL that leaves a database as migrate does when it is run by hand", () =>
    Effect.gen(function* () {
      const settings = settingsFor("by_hand")
      const { stdout } = yield* run(["migrate", "sql"], { settings })
      const sql = yield* client
      for (const statement of stdout.split(/;\n\n(?=\S)/u)) yield* sql.unsafe(statement).unprepared
      const done = yield* run(["migrate"], { settings })
      assert.deepInclude(done, { code: 0, stderr: "" })
      assert.notInclude(done.stdout, "Applied")
      yield* start(settings)
    })
  )

  it.live("is one market on two nodes: what one writes, the other reads, finds and tells", () =>
    Effect.gen(function* () {
      const settings = settingsFor("two_nodes")
      yield* run(["migrate"], { settings })
      const [one, two] = yield* Effect.all([start(settings), start(settings)])
      const events = yield* follow(two.url, "/api/v1/events?types=listing.*")
      assert.strictEqual((yield* events.next)?.event, "stream.ready")
      const seller = yield* register(one.url, "atlas")
      const { listing } = yield* ask(
        one.url,
        { path: "/api/listings", key: seller.apiKey, body: listingBody("Sworn translations") },
        { listing: Identified }
      )
      const told = yield* events.next
      assert.strictEqual(told?.event, "listing.published")
      assert.include(told?.data, listing.id)
      const read = yield* ask(two.url, { path: `/api/v1/listings/${listing.id}` }, { listing: Identified })
      assert.strictEqual(read.listing.id, listing.id)
      const taken = yield* send(two.url, {
        path: "/api/agents",
        body: { handle: "ATLAS", name: "Another", email: "desk@example.com" }
      })
      assert.strictEqual(codeOf(taken), "handle_taken")
      const search = { path: "/api/v1/search?q=sworn" }
      const found = Effect.map(send(two.url, search), ({ text }) => text.includes(listing.id))
      yield* Effect.repeat(found, { until: (isFound) => isFound })
    })
  )

  it.live("has one rate limit on two nodes", () =>
    Effect.gen(function* () {
      const { one, two } = yield* oneMarket("limited", { SOUK_RATE_LIMITS: "on" })
      const statuses: Array<number> = []
      for (const n of Array.from({ length: 12 }).keys()) {
        const { status } = yield* send(n % 2 === 0 ? one.url : two.url, {
          path: "/api/agents",
          body: agentBody(`agent-${n}`)
        })
        statuses.push(status)
      }
      assert.deepStrictEqual(statuses, [...Array.from({ length: 10 }, () => 201), 429, 429])
    })
  )

  it.live(
    "refuses on every node a key that was revoked on one, and ends its streams there within a second",
    () =>
      Effect.gen(function* () {
        const { one, two } = yield* oneMarket("revoked")
        const { apiKey: owner } = yield* register(one.url, "atlas")
        const issue = ask(
          one.url,
          { path: "/api/me/keys", key: owner, body: { label: "laptop" } },
          { key: Identified, apiKey: Schema.String }
        )
        const streamOf = (key: string) => follow(two.url, "/api/v1/events?mine=true", { "x-agent-key": key })
        const kept = yield* streamOf(owner)
        assert.strictEqual((yield* kept.next)?.event, "stream.ready")
        for (const _ of range(5)) {
          const { apiKey, key } = yield* issue
          assert.strictEqual((yield* kept.next)?.event, "key.created")
          const streams = yield* Effect.all(range(5).map(() => streamOf(apiKey)))
          for (const { next } of streams) assert.strictEqual((yield* next)?.event, "stream.ready")
          const me = { path: "/api/v1/me", key: apiKey }
          assert.strictEqual((yield* send(two.url, me)).status, 200)
          const revoke = { method: "DELETE", path: `/api/me/keys/${key.id}`, key: owner } as const
          assert.strictEqual((yield* send(one.url, revoke)).status, 200)
          const revoked = performance.now()
          assert.strictEqual(codeOf(yield* send(two.url, me)), "key_revoked")
          // What was told before the stream ended may still arrive, and then nothing more does.
          for (const { next } of streams)
            yield* Effect.repeat(next, { until: (message) => message === undefined })
          assert.isBelow(performance.now() - revoked, 1000)
          assert.strictEqual((yield* kept.next)?.event, "key.revoked")
        }
      })
  )

  it.live("refuses on both nodes what was revoked on one, and does once what is asked of both", () =>
    Effect.gen(function* () {
      const settings = settingsFor("two_doors")
      yield* run(["migrate"], { settings })
      const nodes = yield* Effect.all([start(settings), start(settings)], { concurrency: 2 })
      const [one, two] = nodes
      const seller = yield* register(one.url, "atlas")
      const order = {
        path: "/api/listings",
        key: seller.apiKey,
        headers: { "idempotency-key": "once" },
        body: listingBody("Sworn translations")
      }
      const replies = yield* Effect.forEach(nodes, ({ url }) => send(url, order), { concurrency: 2 })
      assert.strictEqual(replies[0]?.text, replies[1]?.text)
      assert.sameMembers(
        replies.map(({ headers }) => headers.get("idempotent-replayed")),
        [null, "true"]
      )
      const listings = { path: "/api/v1/listings?agent=me", key: seller.apiKey }
      const [{ id }] = (yield* ask(two.url, { path: "/api/v1/me/keys", key: seller.apiKey }, keys)).keys
      const gone = yield* send(one.url, { method: "DELETE", path: `/api/me/keys/${id}`, key: seller.apiKey })
      assert.strictEqual(gone.status, 200)
      assert.strictEqual(codeOf(yield* send(two.url, listings)), "key_revoked")
    })
  )

  it.live("delivers within ten seconds what a node had in hand that was killed", () =>
    Effect.gen(function* () {
      const settings = { ...settingsFor("killed"), SOUK_WEBHOOK_HOSTS: "127.0.0.1" }
      yield* run(["migrate"], { settings })
      const receiver = yield* receive
      receiver.answer(false)
      const one = yield* start(settings)
      const seller = yield* register(one.url, "atlas")
      const key = seller.apiKey
      const webhook = { url: receiver.url, types: ["listing.published"] }
      yield* ask(one.url, { path: "/api/webhooks", key, body: webhook }, { webhook: Identified })
      const publish = send(one.url, { path: "/api/listings", key, body: listingBody("Sworn translations") })
      yield* publish
      yield* until(() => receiver.got.length === 1)
      yield* start(settings)
      yield* publish
      yield* one.kill
      receiver.answer(true)
      const begun = yield* Clock.currentTimeMillis
      const afterwards = () => receiver.got.slice(1).map(({ id }) => id)
      yield* until(() => new Set(afterwards()).size === 2)
      assert.isBelow((yield* Clock.currentTimeMillis) - begun, 10_000)
      assert.include(afterwards(), receiver.got[0]?.id)
    })
  )
})

const keys = { keys: Schema.NonEmptyArray(Identified) }

const until = (is: () => boolean) =>
  Effect.repeat(Effect.sync(is), { until: (so) => so, schedule: Schedule.spaced("20 millis") })

const range = (length: number) => Array.from({ length }, (_, i) => i + 1)
