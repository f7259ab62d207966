/** What the stores of two processes on one database must do: be one market. */
import { assert } from "@effect/vitest"
import { revised, Store } from "@souk/core"
import { Deferred, Effect, Stream } from "effect"
import { moment, sampleAgent, sampleEvent, sampleId, sampleReply, sampleRfq, write } from "../fixtures.ts"
import { commit, eventsBehind, expectSame, expectStale, expectTaken, put } from "./Obligation.ts"

/** One thing that two stores on one database must do: its name, the sentence that says it, and the check. */
export interface SharedObligation {
  readonly id: string
  readonly sentence: string
  readonly check: (one: Store["Service"], two: Store["Service"]) => Effect.Effect<void, unknown>
}

const obligation = (
  id: string,
  sentence: string,
  check: (one: Process, two: Process) => Generator<Effect.Effect<unknown, unknown>, void, never>
): SharedObligation => ({
  id,
  sentence,
  check: (one, two) =>
    Effect.gen(() => check(Effect.provideService(Store, one), Effect.provideService(Store, two)))
})

/** Does something in a process. */
type Process = <A, E>(work: Effect.Effect<A, E, Store>) => Effect.Effect<A, E>

const range = (length: number): ReadonlyArray<number> => Array.from({ length }, (_, i) => i + 1)

const all = { concurrency: "unbounded" } as const

export const sharedObligations: ReadonlyArray<SharedObligation> = [
  obligation("processes.reads", "what one has committed, the other reads", function* (one, two) {
    const agent = sampleAgent(1)
    yield* one(put(write.agent(agent)))
    expectSame(yield* two(Store.use((store) => store.agents.byId(agent.id))), agent)
    const changed = revised(agent, { name: "Changed" }, moment(1))
    yield* two(put(write.agent(changed, 1)))
    expectSame(yield* one(Store.use((store) => store.agents.byHandle(agent.handle))), changed)
  }),

  obligation(
    "processes.refusals",
    "a version that one has replaced is stale at the other, and what one has taken is taken",
    function* (one, two) {
      const agent = sampleAgent(1)
      yield* one(commit({ writes: [write.agent(agent)], idempotency: sampleReply(1) }))
      yield* one(put(write.agent(revised(agent, { name: "Changed" }, moment(1)), 1)))
      const late = write.agent(revised(agent, { name: "Late" }, moment(2)), 1)
      yield* two(expectStale({ writes: [late] }, { kind: "agent", id: agent.id }))
      const relied = { kind: "agent", id: agent.id, version: 1 } as const
      yield* two(expectStale({ writes: [write.rfq(sampleRfq(1))], reliesOn: [relied] }, relied))
      const same = write.agent(sampleAgent(2, { handle: agent.handle }))
      yield* two(expectTaken({ writes: [same] }, "agent_handle"))
      yield* two(expectTaken({ idempotency: sampleReply(1) }, "idempotency"))
    }
  ),

  obligation(
    "processes.one-winner",
    "of ten at each who claim one handle at once, one gets it",
    function* (one, two) {
      const claim = (n: number) =>
        Effect.result(put(write.agent(sampleAgent(n, { handle: "atlas" })))).pipe(n % 2 === 0 ? one : two)
      const outcomes = yield* Effect.forEach(range(20), claim, all)
      assert.strictEqual(outcomes.filter(({ _tag }) => _tag === "Success").length, 1)
    }
  ),

  obligation(
    "processes.one-history",
    "both read the events of both in one order, each once, while both commit",
    function* (one, two) {
      const tell = (n: number) => commit({ events: [sampleEvent(n)] }).pipe(n % 2 === 0 ? one : two)
      const read = Effect.map(eventsBehind(0, 100, 7), (events) => events.map(({ event }) => event.id))
      const [, first, second] = yield* Effect.all(
        [Effect.forEach(range(100), tell, all), one(read), two(read)],
        all
      )
      expectSame(first, second)
      expectSame(
        first.toSorted(),
        range(100)
          .map((n) => sampleId("event", n))
          .toSorted()
      )
    }
  ),

  obligation(
    "processes.signals",
    "commits of one are signalled to the other, which finds their events when it looks then",
    function* (one, two) {
      const found = yield* Deferred.make<void>()
      let seen = 0
      let times = 0
      const look = two(Store.use((store) => store.events.latest)).pipe(
        Effect.andThen((position) => {
          if (position > seen) times += 1
          seen = Math.max(seen, position)
          // The first may be told to whoever begins to listen, and not by a commit.
          return times < 3 ? Effect.void : Deferred.succeed(found, undefined)
        })
      )
      const { signals } = (yield* two(Store)).events
      if (signals === undefined) return assert.fail("a store that others write to as well has signals")
      const listen = Stream.runForEach(signals, () => look)
      let n = 0
      const tell = one(Effect.suspend(() => commit({ events: [sampleEvent(++n)] })))
      const keepTelling = Effect.forever(Effect.andThen(tell, Effect.sleep("100 millis")))
      yield* Deferred.await(found).pipe(
        Effect.raceFirst(keepTelling),
        Effect.raceFirst(Effect.andThen(listen, Effect.never))
      )
    }
  )
]
