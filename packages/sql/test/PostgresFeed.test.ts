import { assert, describe, it } from "@effect/vitest"
import { SchemaOutOfDate, Unavailable } from "@souk/core"
import type { StoredEvent } from "@souk/core"
import { epoch, moment, sampleEvent, sampleId } from "@souk/testing"
import { Effect, Fiber } from "effect"
import {
  commitTo,
  everyEvent,
  holdOpen,
  idsOf,
  open,
  openNew,
  openShared,
  range,
  usePostgres
} from "./fixtures/postgres.ts"

usePostgres()

describe("PostgresFeed", () => {
  it.live("has places for 4096 events of a transaction, and refuses more", () =>
    Effect.gen(function* () {
      const store = yield* openNew
      const events = range(4097).map((n) => sampleEvent(n))
      assert.instanceOf(yield* Effect.flip(commitTo(store, { events })), Unavailable)
      assert.deepStrictEqual(yield* everyEvent(store), [])
      yield* commitTo(store, { events: events.slice(1) })
      yield* commitTo(store, { events: events.slice(0, 1) })
      const ids = idsOf(yield* everyEvent(store))
      assert.deepStrictEqual([ids.length, ids.at(-1)], [4097, sampleId("event", 1)])
    })
  )

  it.live("keeps a place for a transaction that commits late", () =>
    Effect.gen(function* () {
      const { migrate, sql, store } = yield* openShared()
      yield* migrate
      const before = yield* commitTo(store, { events: [sampleEvent(1)] })
      const late = yield* holdOpen(sql, commitTo(store, { events: [sampleEvent(2)] }))
      const early = yield* commitTo(store, { events: [sampleEvent(3)] })
      assert.deepStrictEqual(idsOf(yield* everyEvent(store)), [sampleId("event", 1)])
      assert.strictEqual(yield* store.events.latest, before.position)
      const { position } = yield* late.commit
      assert.isBelow(position, early.position)
      const behind = yield* everyEvent(store, before.position)
      assert.deepStrictEqual(idsOf(behind), [sampleId("event", 2), sampleId("event", 3)])
      assert.strictEqual(yield* store.events.latest, early.position)
    })
  )

  it.live("is the same for all readers while transactions end in any order, and loses nothing", () =>
    Effect.gen(function* () {
      const { migrate, schema, sql, store } = yield* openShared({ maxConnections: 20 })
      yield* migrate
      const count = 600
      // Every fifth is rolled back.
      const commits = range(count).map((n) =>
        commitTo(store, { events: [sampleEvent(2 * n), sampleEvent(2 * n + 1)] }).pipe(
          Effect.tap(() => Effect.sleep((n * 7919) % 23)),
          Effect.andThen(n % 5 === 0 ? Effect.fail("rolled back") : Effect.void),
          sql.withTransaction,
          Effect.ignore
        )
      )
      const expected = (count - count / 5) * 2
      const follow = Effect.fnUntraced(function* (size: number) {
        const node = yield* open({ schema })
        const seen: Array<StoredEvent> = []
        while (seen.length < expected) {
          const page = yield* node.events.after(seen.at(-1)?.position ?? 0, size)
          seen.push(...page)
          if (page.length === 0) yield* Effect.sleep(1)
        }
        return seen
      })
      const readers = yield* Effect.forEach([1, 7, 100], (size) => Effect.forkScoped(follow(size)))
      yield* Effect.all(commits, { concurrency: 16 })
      const [first, ...others] = yield* Effect.forEach(readers, Fiber.join)
      const settled = yield* everyEvent(store)
      assert.strictEqual(settled.length, expected)
      assert.strictEqual(new Set(idsOf(settled)).size, expected)
      for (const seen of [first, ...others]) assert.deepStrictEqual(seen, settled)
    })
  )

  it.live("is forgotten by several at once, each event once, and nothing is left before what is noted", () =>
    Effect.gen(function* () {
      const { migrate, schema, sql, store, table } = yield* openShared()
      yield* migrate
      const stores = [store, yield* open({ schema })]
      const commits = range(40).map((n) => range(10).map((m) => sampleEvent(n * 10 + m)))
      const receipts = yield* Effect.forEach(commits, (events) => commitTo(store, { events }), {
        concurrency: 4
      })
      const last = Math.max(...receipts.map(({ position }) => position))
      let gone = 0
      const forget = Effect.fnUntraced(function* (of: typeof store, limit: number) {
        // Some forget less, and leave what others then forget.
        const eventsUntil = { at: moment(1_000_000), position: last - (limit % 2) * 4096 }
        while ((yield* store.events.forgotten) < last) {
          const dropped = yield* of.forget({ repliesUntil: epoch, tasksUntil: epoch, eventsUntil }, limit)
          gone += dropped
        }
      })
      const left = sql`SELECT position FROM ${table("events")}, ${table("feed")} WHERE position <= forgotten`
      const watcher = yield* Effect.forkScoped(
        Effect.forever(Effect.tap(left, (rows) => Effect.sync(() => assert.deepStrictEqual(rows, []))))
      )
      yield* Effect.forEach(range(8), (n) => forget(stores[n % 2] ?? store, n), { concurrency: "unbounded" })
      assert.strictEqual(gone, 400)
      assert.strictEqual(yield* store.events.forgotten, last)
      assert.isUndefined(watcher.pollUnsafe())
    })
  )

  it.live("goes on behind its newest event where that is forgotten and the server counts from anew", () =>
    Effect.gen(function* () {
      const { migrate, sql, store, table } = yield* openShared()
      yield* migrate
      const { position } = yield* commitTo(store, { events: [sampleEvent(1)] })
      const eventsUntil = { at: moment(1_000_000), position }
      yield* store.forget({ repliesUntil: epoch, tasksUntil: epoch, eventsUntil }, 9)
      yield* sql`UPDATE ${table("feed")} SET origin = origin + 100000`
      assert.include((yield* Effect.flip(store.ready)).message, "restored")
      yield* migrate
      yield* store.ready
      assert.strictEqual(yield* store.events.latest, position)
      const next = yield* commitTo(store, { events: [sampleEvent(2)] })
      assert.isAbove(next.position, position)
      assert.deepStrictEqual(idsOf(yield* everyEvent(store, position)), [sampleId("event", 2)])
    })
  )

  it.live("goes on behind its newest event where the server counts from anew", () =>
    Effect.gen(function* () {
      const { migrate, sql, store, table } = yield* openShared()
      yield* migrate
      yield* commitTo(store, { events: [sampleEvent(1)] })
      yield* commitTo(store, { events: [sampleEvent(2)] })
      // What a restored dump looks like: its transactions are yet to come.
      yield* sql`UPDATE ${table("feed")} SET origin = origin + 100000`
      const restored = yield* Effect.flip(store.ready)
      assert.instanceOf(restored, SchemaOutOfDate)
      assert.include(restored.message, "restored")
      assert.deepStrictEqual(yield* migrate, [])
      yield* store.ready
      yield* commitTo(store, { events: [sampleEvent(3)] })
      const events = yield* everyEvent(store)
      assert.deepStrictEqual(
        idsOf(events),
        [1, 2, 3].map((n) => sampleId("event", n))
      )
      // Whoever read on at the server that was lost comes with a cursor from there, and finds what is new.
      const lost = (events[1]?.position ?? 0) + 4096 * 1_000_000
      assert.deepStrictEqual(idsOf(yield* everyEvent(store, lost)), [sampleId("event", 3)])
    })
  )
})
