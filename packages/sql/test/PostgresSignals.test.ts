import { assert, describe, it } from "@effect/vitest"
import { EventFeed, Store } from "@souk/core"
import type { EventFeedOptions } from "@souk/core"
import { sampleEvent, sampleId } from "@souk/testing"
import { Context, Effect, Layer, Queue, Stream } from "effect"
import { commitTo, newSchema, open, openClient, range, usePostgres } from "./fixtures/postgres.ts"

usePostgres()

const never = 86_400

/** Two processes of one market, as far as their feeds go; the first commits, the second listens. */
const twoNodes = Effect.fnUntraced(function* (feed: EventFeedOptions, signals?: Stream.Stream<void>) {
  const schema = yield* newSchema
  const writer = yield* open({ schema, migrate: true })
  const reader = yield* open({ schema, applicationName: `reader of ${schema}` })
  const heard = signals === undefined ? reader : { ...reader, events: { ...reader.events, signals } }
  const feeds = EventFeed.layer(feed).pipe(Layer.provide(Layer.succeed(Store, heard)))
  const { subscribe } = Context.get(yield* Layer.build(feeds), EventFeed)
  const { events } = yield* subscribe(() => true)
  return { schema, writer, events }
})

/** Cuts the connections on which a node listens. */
const cutListening = Effect.fnUntraced(function* (schema: string) {
  const sql = yield* openClient()
  const cut = sql`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = ${`reader of ${schema}`} AND query LIKE 'LISTEN%'`
  yield* Effect.repeat(cut, { until: (rows) => rows.length > 0 })
})

describe("PostgresSignals", () => {
  it.live("wakes the other processes of a market after each commit", () =>
    Effect.gen(function* () {
      const { events, writer } = yield* twoNodes({ pollEverySeconds: never })
      for (const n of range(5)) {
        yield* commitTo(writer, { events: [sampleEvent(n)] })
        const { event } = yield* Queue.take(events)
        assert.strictEqual(event.id, sampleId("event", n))
      }
    })
  )

  it.live("wakes them again once a connection that was cut is there again", () =>
    Effect.gen(function* () {
      const { events, schema, writer } = yield* twoNodes({ pollEverySeconds: never })
      yield* cutListening(schema)
      yield* commitTo(writer, { events: [sampleEvent(1)] })
      assert.strictEqual((yield* Queue.take(events)).event.id, sampleId("event", 1))
    })
  )

  it.live("is not needed: who hears nothing looks now and then", () =>
    Effect.gen(function* () {
      const { events, writer } = yield* twoNodes({ pollEverySeconds: 0.05 }, Stream.never)
      yield* commitTo(writer, { events: [sampleEvent(1)] })
      assert.strictEqual((yield* Queue.take(events)).event.id, sampleId("event", 1))
    })
  )
})
