/** What becomes of a market whose line to PostgreSQL is dead, and nobody says so: nothing passes and nothing is closed. */
import { assert, describe, it } from "@effect/vitest"
import { EventFeed, Store, Unavailable } from "@souk/core"
import { sampleAgent, sampleEvent, sampleId, write } from "@souk/testing"
import { Context, Effect, Exit, Latch, Layer, Queue, Redacted, Result, Scope, Stream } from "effect"
import { makeLine } from "../../../test/Line.ts"
import type { PostgresStoreOptions } from "../src/PostgresStore.ts"
import {
  all,
  commitTo,
  everyEvent,
  idsOf,
  newSchema,
  open,
  range,
  url,
  usePostgres
} from "./fixtures/postgres.ts"

usePostgres()

const put = (n: number) => ({ writes: [write.agent(sampleAgent(n))], events: [sampleEvent(n)] })

/** A store over a line, and one beside it in the same schema. */
const overLine = Effect.fnUntraced(function* (options: Omit<PostgresStoreOptions, "schema" | "url"> = {}) {
  const schema = yield* newSchema
  const beside = yield* open({ schema, migrate: true })
  const direct = new URL(Redacted.value(yield* url))
  const line = yield* makeLine(Number(direct.port))
  direct.port = String(line.port)
  const store = yield* open({
    schema,
    url: Redacted.make(direct.href),
    answerWithin: "300 millis",
    connectTimeout: "300 millis",
    ...options
  })
  return { beside, line, store }
})

/** The bound, the time in which the driver gives a line up, and some more on a machine that is busy. */
const soon = "15 seconds"

/** Calls until it succeeds: the pool finds one dead connection after the other. */
const healed = <A, E>(call: Effect.Effect<A, E>) =>
  Effect.timeout(Effect.retry(call, { while: (error) => error instanceof Unavailable }), soon)

describe("a line to PostgreSQL that is dead", () => {
  it.live("ends every call as unavailable in time, and is replaced", () =>
    Effect.gen(function* () {
      const { beside, line, store } = yield* overLine({ maxConnections: 4 })
      yield* Effect.forEach(range(4), (n) => commitTo(store, put(n)), all)
      yield* line.goDead()
      const outcomes = yield* Effect.forEach(
        range(12),
        (n) =>
          Effect.timeout(
            Effect.result<unknown, unknown, never>(
              n % 2 === 0 ? commitTo(store, put(n + 10)) : store.agents.list({ limit: 1 })
            ),
            soon
          ),
        all
      )
      const failures = outcomes.flatMap((outcome) => (Result.isFailure(outcome) ? [outcome.failure] : []))
      assert.isAbove(failures.length, 0)
      for (const failure of failures) assert.instanceOf(failure, Unavailable)
      yield* healed(store.ready)
      yield* healed(commitTo(store, put(100)))
      const agents = yield* beside.agents.list({ limit: 100 })
      const told = idsOf(yield* everyEvent(beside))
      assert.sameMembers(
        agents.items.map(({ id }) => id),
        [...range(22), 100]
          .filter((n) => told.includes(sampleId("event", n)))
          .map((n) => sampleId("agent", n))
      )
    })
  )

  it.live("and stays dead for whoever connects anew ends every call too, until it is mended", () =>
    Effect.gen(function* () {
      const { line, store } = yield* overLine({ maxConnections: 2 })
      yield* commitTo(store, put(1))
      yield* line.stayDead
      for (const call of [
        store.ready,
        store.agents.list({ limit: 1 }),
        store.forget(nothing, 1),
        store.deadlines.next
      ])
        assert.instanceOf(
          yield* Effect.timeout(Effect.flip<unknown, unknown, never>(call), soon),
          Unavailable
        )
      yield* line.mend
      yield* healed(commitTo(store, put(2)))
    })
  )

  it.live("does not keep the store from closing", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { line, store } = yield* Scope.provide(overLine(), scope)
      const { signals } = store.events
      assert.isDefined(signals)
      const listens = yield* Latch.make()
      yield* Effect.forkIn(
        Stream.runForEach(signals, () => listens.open),
        scope
      )
      yield* listens.await
      yield* commitTo(store, put(1))
      yield* line.stayDead
      yield* Effect.timeout(Scope.close(scope, Exit.void), soon)
    })
  )
})

describe("a line on which a node listens, and which is dead,", () => {
  const listening = Effect.fnUntraced(function* (pollEverySeconds: number) {
    const { beside, line, store } = yield* overLine()
    const feeds = EventFeed.layer({ pollEverySeconds }).pipe(Layer.provide(Layer.succeed(Store, store)))
    const { events } = yield* Context.get(yield* Layer.build(feeds), EventFeed).subscribe(() => true)
    const hears = Effect.fnUntraced(function* (n: number) {
      yield* commitTo(beside, { events: [sampleEvent(n)] })
      assert.strictEqual((yield* Effect.timeout(Queue.take(events), soon)).event.id, sampleId("event", n))
    })
    return { line, hears }
  })

  it.live("lets it look by itself", () =>
    Effect.gen(function* () {
      const { hears, line } = yield* listening(0.05)
      yield* hears(1)
      yield* line.goDead("LISTEN")
      for (const n of range(5)) yield* hears(n + 1)
    })
  )

  it.live("is replaced, and it is woken again", () =>
    Effect.gen(function* () {
      const { hears, line } = yield* listening(86_400)
      yield* hears(1)
      yield* line.goDead("LISTEN")
      for (const n of range(5)) yield* hears(n + 1)
    })
  )
})

const nothing = { repliesUntil: sampleAgent(1).createdAt, tasksUntil: sampleAgent(1).createdAt }
