/**
 * Reads the feed of two nodes as agents do, cut off and resumed, while transactions end in another order than they began.
 *
 * `SOUK_FEED_SEED` repeats the choices of a run; who of the readers is how fast is the machine's.
 */
import { assert, describe, it } from "@effect/vitest"
import { EventFeed, Events, Store } from "@souk/core"
import type { NewEvent } from "@souk/core"
import { sampleEvent } from "@souk/testing"
import { Context, Duration, Effect, Fiber, Layer, Random, Stream } from "effect"
import type { SqlClient } from "effect/sql"
import * as PostgresStore from "../src/PostgresStore.ts"
import {
  all,
  commitTo,
  everyEvent,
  holdOpen,
  idsOf,
  openShared,
  range,
  url,
  usePostgres
} from "./fixtures/postgres.ts"

usePostgres()

const seed = process.env["SOUK_FEED_SEED"] ?? String(Date.now())

/** How many events of transactions that are held open, and of commits that are not. */
const held = 8000
const quick = 2000
const heldAtOnce = 12
const readersOfAll = 6

/** Gives out new events, and remembers them by their ids once they are committed. */
const makeSource = () => {
  let made = 0
  const committed = new Set<string>()
  return {
    committed,
    take: (size: number): ReadonlyArray<NewEvent> => range(size).map(() => sampleEvent(++made)),
    keep: (events: ReadonlyArray<NewEvent>) => events.forEach(({ event }) => committed.add(event.id))
  }
}
type Source = ReturnType<typeof makeSource>

/** Begins and ends transactions in an order that chance chooses. Every eighth is rolled back. */
const writeHeld = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  store: Store["Service"],
  source: Source
) {
  const open: Array<{ readonly end: Effect.Effect<unknown, unknown> }> = []
  let written = 0
  while (written < held || open.length > 0) {
    const mayBegin = written < held && open.length < heldAtOnce
    if (mayBegin && (open.length === 0 || (yield* Random.nextBoolean))) {
      const events = source.take(Math.min(yield* Random.nextIntBetween(1, 40), held - written))
      const { commit, rollBack } = yield* holdOpen(sql, commitTo(store, { events }))
      const isKept = (yield* Random.nextIntBetween(1, 8)) > 1
      if (isKept) written += events.length
      open.push({ end: isKept ? Effect.tap(commit, () => Effect.sync(() => source.keep(events))) : rollBack })
    } else {
      const [one] = open.splice(yield* Random.nextIntBetween(0, open.length - 1), 1)
      if (one !== undefined) yield* one.end
    }
  }
})

/** Commits through a node, which signals the others. */
const writeQuick = Effect.fnUntraced(function* (stores: ReadonlyArray<Store["Service"]>, source: Source) {
  let written = 0
  while (written < quick) {
    const events = source.take(Math.min(yield* Random.nextIntBetween(1, 8), quick - written))
    yield* commitTo(yield* Random.choice(stores), { events })
    source.keep(events)
    written += events.length
    yield* Effect.sleep(yield* Random.nextIntBetween(0, 4))
  }
})

const openNode = Effect.fnUntraced(function* (schema: string, bufferSize: number) {
  const store = PostgresStore.layer({ url: yield* url, schema })
  const feed = EventFeed.layer({ bufferSize, pollEverySeconds: 0.05 })
  return yield* Layer.build(Layer.fresh(Events.layer.pipe(Layer.provide(feed), Layer.provideMerge(store))))
})

/** Reads from the first event to one that is the last, at one node and then another, and tells the ids that came. */
const read = Effect.fnUntraced(function* (
  nodes: ReadonlyArray<Events["Service"]>,
  isLast: (id: string) => boolean
) {
  const seen: Array<string> = []
  let after = "earliest"
  while (!isLast(seen.at(-1) ?? "")) {
    const node = yield* Random.choice(nodes)
    const some = yield* Random.nextIntBetween(1, 600)
    const span = Duration.millis(yield* Random.nextIntBetween(1, 250))
    yield* Effect.flatMap(node.open(undefined, { after }), ({ items }) =>
      Stream.runForEach(Stream.take(items, some), ({ cursor, event }) =>
        Effect.sync(() => {
          seen.push(event.id)
          after = cursor
        })
      )
    ).pipe(Effect.scoped, Effect.timeoutOption(span))
  }
  return seen
})

describe("PostgresFeed", () => {
  it.live(
    `gives ten thousand events once and in one order to readers that are cut and resumed (seed ${seed})`,
    () =>
      Effect.gen(function* () {
        const { migrate, schema, sql, store } = yield* openShared({ maxConnections: heldAtOnce + 4 })
        yield* migrate
        // The second cuts off whoever has forty events before him.
        const nodes = [yield* openNode(schema, 1024), yield* openNode(schema, 40)]
        const source = makeSource()
        let last: string | undefined = "yet to come"
        const readers = yield* Effect.forEach(range(readersOfAll), (n) =>
          read(
            nodes.map((node) => Context.get(node, Events)),
            (id) => id === last
          ).pipe(Random.withSeed(`${seed} reader ${n}`), Effect.forkScoped)
        )
        yield* Effect.all(
          [
            writeHeld(sql, store, source).pipe(Random.withSeed(`${seed} held`)),
            writeQuick(
              nodes.map((node) => Context.get(node, Store)),
              source
            ).pipe(Random.withSeed(`${seed} quick`))
          ],
          all
        )
        const order = idsOf(yield* everyEvent(store))
        last = order.at(-1)
        assert.strictEqual(order.length, held + quick)
        assert.sameMembers(order, [...source.committed])
        for (const seen of yield* Effect.forEach(readers, Fiber.join)) assert.deepStrictEqual(seen, order)
      })
  )
})
