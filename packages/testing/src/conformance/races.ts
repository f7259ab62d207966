/** What a store must do when many write at once. */
import { assert } from "@effect/vitest"
import { revised, StaleVersion, Store, UniqueViolation, type StoredEvent, type Write } from "@souk/core"
import { Effect, Fiber } from "effect"
import {
  moment,
  sampleAgent,
  sampleEvent,
  sampleId,
  sampleListing,
  sampleReply,
  sampleRfq,
  write
} from "../fixtures.ts"
import { commit, eventsBehind, expectSame, obligation, put, type Obligation } from "./Obligation.ts"

const range = (length: number): ReadonlyArray<number> => Array.from({ length }, (_, i) => i + 1)

const all = { concurrency: "unbounded" } as const

/** Reads RFQ 1, counts one quote more, and starts again for as long as others were faster. */
const countOne = (n: number) =>
  Effect.gen(function* () {
    const store = yield* Store
    const rfq = (yield* store.rfqs.byId(sampleId("rfq", 1))) ?? assert.fail("the RFQ is there")
    yield* Effect.yieldNow
    const next = revised(rfq, { quoteCount: rfq.quoteCount + 1 }, moment(n))
    yield* commit({ writes: [write.rfq(next, rfq.version)], events: [sampleEvent(n)] })
  }).pipe(Effect.retry({ while: (error) => error instanceof StaleVersion }))

export const raceObligations: ReadonlyArray<Obligation> = [
  obligation("race.no-lost-update", "of fifty who change one entity at once, none is lost", function* () {
    const store = yield* Store
    yield* put(write.rfq(sampleRfq(1)))
    yield* Effect.forEach(range(50), countOne, all)
    const rfq = yield* store.rfqs.byId(sampleId("rfq", 1))
    expectSame([rfq?.quoteCount, rfq?.version], [50, 51])
    const events = yield* eventsBehind(0, 50)
    expectSame(new Set(events.map(({ event }) => event.id)).size, 50)
    assert.strictEqual(events.length, 50)
  }),

  obligation(
    "race.one-claim",
    "of twenty who claim one handle at once, one gets it and the others learn why not",
    function* () {
      const store = yield* Store
      const outcomes = yield* Effect.forEach(
        range(20),
        (n) =>
          Effect.yieldNow.pipe(
            Effect.andThen(
              commit({ writes: [write.agent(sampleAgent(n, { handle: "atlas" }))], events: [sampleEvent(n)] })
            ),
            Effect.result
          ),
        all
      )
      const winners = outcomes.flatMap((outcome, i) => (outcome._tag === "Success" ? [i + 1] : []))
      assert.strictEqual(winners.length, 1)
      for (const outcome of outcomes) {
        if (outcome._tag === "Success") continue
        assert.instanceOf(outcome.failure, UniqueViolation)
        expectSame(outcome.failure.constraint, "agent_handle")
      }
      const { items } = yield* store.agents.list({ limit: 100 })
      expectSame(
        items.map(({ id }) => id),
        winners.map((n) => sampleId("agent", n))
      )
      const events = yield* eventsBehind(0, 1)
      expectSame(
        events.map(({ event }) => event.id),
        winners.map((n) => sampleId("event", n))
      )
    }
  ),

  obligation(
    "race.one-reply",
    "of twenty who use one Idempotency-Key at once, one is carried out",
    function* () {
      const store = yield* Store
      const outcomes = yield* Effect.forEach(
        range(20),
        (n) =>
          Effect.yieldNow.pipe(
            Effect.andThen(
              commit({
                writes: [write.agent(sampleAgent(n))],
                idempotency: sampleReply(1, { reply: `reply ${n}` })
              })
            ),
            Effect.result
          ),
        all
      )
      const winners = outcomes.flatMap((outcome, i) => (outcome._tag === "Success" ? [i + 1] : []))
      assert.strictEqual(winners.length, 1)
      for (const outcome of outcomes) {
        if (outcome._tag === "Failure") assert.instanceOf(outcome.failure, UniqueViolation)
      }
      expectSame((yield* store.idempotency.byId(sampleReply(1).id))?.reply, `reply ${winners[0]}`)
      const { items } = yield* store.agents.list({ limit: 100 })
      assert.strictEqual(items.length, 1)
    }
  ),

  obligation(
    "race.reliance",
    "of two who each rely on what the other changes, one is refused as stale",
    function* () {
      // Each is long, so that both are under way when the second looks at what it relies upon.
      const long = (n: number) => range(100).map((i) => write.listing(sampleListing(100 * n + i)))
      for (const n of range(10)) {
        const [left, right] = [sampleAgent(2 * n), sampleAgent(2 * n + 1)]
        yield* put(write.agent(left), write.agent(right))
        const change = (changed: typeof left, relied: typeof left, writes: ReadonlyArray<Write>) =>
          Effect.yieldNow.pipe(
            Effect.andThen(
              commit({
                writes: [...writes, write.agent(revised(changed, { name: "Changed" }, moment(1)), 1)],
                reliesOn: [{ kind: "agent", id: relied.id, version: 1 }]
              })
            ),
            Effect.result
          )
        const outcomes = yield* Effect.all(
          [change(left, right, long(2 * n)), change(right, left, long(2 * n + 1))],
          all
        )
        expectSame(outcomes.map(({ _tag }) => _tag).toSorted(), ["Failure", "Success"])
        for (const outcome of outcomes) {
          if (outcome._tag === "Failure") assert.instanceOf(outcome.failure, StaleVersion)
        }
      }
    }
  ),

  obligation(
    "race.no-lost-event",
    "a reader who follows the feed while others commit misses nothing, sees nothing twice",
    function* () {
      const store = yield* Store
      const follow = Effect.gen(function* () {
        const seen: Array<StoredEvent> = []
        while (seen.length < 80) {
          seen.push(...(yield* store.events.after(seen.at(-1)?.position ?? 0, 7)))
          yield* Effect.sleep("1 millis")
        }
        return seen
      })
      const reader = yield* Effect.forkChild(follow)
      yield* Effect.forEach(
        range(40),
        (n) =>
          Effect.sleep(n % 5).pipe(
            Effect.andThen(commit({ events: [sampleEvent(2 * n), sampleEvent(2 * n + 1)] }))
          ),
        all
      )
      const seen = yield* Fiber.join(reader).pipe(Effect.timeout("10 seconds"))
      const positions = seen.map(({ position }) => position)
      expectSame(
        positions,
        positions.toSorted((a, b) => a - b)
      )
      expectSame(yield* eventsBehind(0, 80), seen)
      const places = new Map(seen.map(({ event }, i) => [event.id, i]))
      assert.strictEqual(places.size, 80)
      for (const n of range(40)) {
        const [first, second] = [2 * n, 2 * n + 1].map((id) => places.get(sampleId("event", id)) ?? -1)
        assert.isBelow(first ?? -1, second ?? -1, "a commit's events keep their order")
      }
    }
  )
]
