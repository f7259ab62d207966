/** What the event feed must do: one order, no gap, nothing of it invented. */
import { assert } from "@effect/vitest"
import { Store, type Audience, type Expired } from "@souk/core"
import { epoch, moment, sampleAgent, sampleEvent, sampleId, sampleReply, write } from "../fixtures.ts"
import {
  commit,
  eventsBehind,
  expectPosition,
  expectSame,
  obligation,
  type Obligation
} from "./Obligation.ts"

export const feedObligations: ReadonlyArray<Obligation> = [
  obligation("events.empty", "a market without events is at position 0", function* () {
    const store = yield* Store
    assert.strictEqual(yield* store.events.latest, 0)
    assert.strictEqual(yield* store.events.forgotten, 0)
    expectSame(yield* store.events.after(0, 10), [])
    const { position } = yield* commit({ writes: [write.agent(sampleAgent(1))] })
    assert.strictEqual(position, 0)
  }),

  obligation(
    "events.order",
    "events are read in the order of the commits, and within one as it lists them",
    function* () {
      const store = yield* Store
      // Ids and moments run the other way: neither orders the feed.
      const groups = [[9, 8], [7], [6, 5, 4]].map((group) => group.map((n) => sampleEvent(n)))
      const positions: Array<number> = []
      for (const events of groups) positions.push((yield* commit({ events })).position)
      const events = yield* eventsBehind(0, 6)
      expectSame(
        events.map(({ event, audience }) => ({ event, audience })),
        groups.flat()
      )
      const places = events.map(({ position }) => position)
      expectSame(
        places,
        places.toSorted((a, b) => a - b)
      )
      assert.strictEqual(new Set(places).size, 6)
      assert.isTrue(places.every((place) => Number.isSafeInteger(place) && place > 0))
      expectSame(positions, [places[1], places[2], places[5]])
      yield* expectPosition(store.events.latest, places[5] ?? 0)
      assert.isBelow(yield* store.events.forgotten, places[0] ?? 0)
    }
  ),

  obligation(
    "events.after",
    "reading from any position gives what lies behind it, at most so many, without a gap",
    function* () {
      const store = yield* Store
      const written = [1, 2, 3, 4, 5, 6, 7].map((n) => sampleEvent(n))
      yield* commit({ events: written.slice(0, 3) })
      for (const event of written.slice(3)) yield* commit({ events: [event] })
      const all = yield* eventsBehind(0, 7)
      for (const size of [1, 2, 3, 100]) expectSame(yield* eventsBehind(0, 7, size), all, `pages of ${size}`)
      for (const [i, { position }] of all.entries()) {
        expectSame(yield* store.events.after(position, 100), all.slice(i + 1))
        expectSame(yield* store.events.after(position, 2), all.slice(i + 1, i + 3))
      }
    }
  ),

  obligation(
    "events.receipt",
    "a commit without events tells the position of the newest event",
    function* () {
      const store = yield* Store
      const first = yield* commit({ events: [sampleEvent(1), sampleEvent(2)] })
      yield* expectPosition(store.events.latest, first.position)
      const second = yield* commit({ writes: [write.agent(sampleAgent(1))] })
      assert.strictEqual(second.position, first.position)
      const third = yield* commit({ events: [sampleEvent(3)] })
      assert.isAbove(third.position, first.position)
      const events = yield* eventsBehind(first.position, 1)
      expectSame(
        events.map(({ position, event }) => ({ position, id: event.id })),
        [{ position: third.position, id: sampleId("event", 3) }]
      )
    }
  ),

  obligation("events.exact", "an event is read as it was written, its audience included", function* () {
    const audiences: ReadonlyArray<Audience> = [
      "public",
      [],
      [sampleId("agent", 2)],
      [sampleId("agent", 3), sampleId("agent", 1), sampleId("agent", 2)]
    ]
    const events = audiences.map((audience, i) =>
      sampleEvent(
        i,
        {
          type: "deal_room.agreed",
          at: moment(i + 0.001),
          ...(i % 2 === 0 ? { actorId: sampleId("agent", 7) } : {}),
          subject: { kind: "deal_room", id: sampleId("deal_room", 5), version: 12 },
          data: {
            total: { amount: "999999999999.999999", currency: "EUR" },
            note: "漢字 🚀 \u2028",
            list: [1, null, {}]
          }
        },
        audience
      )
    )
    yield* commit({ events })
    const read = yield* eventsBehind(0, events.length)
    expectSame(
      read.map(({ event, audience }) => ({ event, audience })),
      events
    )
  }),

  obligation(
    "events.forgotten",
    "events are forgotten from the oldest on, up to the first that is younger or behind the bound, and no more than asked for",
    function* () {
      const store = yield* Store
      // The third is older than the second: it goes when that one goes, and not before.
      const moments = [1, 20, 10, 30, 40]
      for (const [n, at] of moments.entries()) yield* commit({ events: [eventAt(n, at)] })
      const all = yield* eventsBehind(0, 5)
      const [first = 0, second = 0, third = 0, fourth = 0] = all.map(({ position }) => position)
      const forget = (seconds: number, position: number, limit = 100) =>
        forgetEvents({ at: moment(seconds), position }, limit)
      const expectForgotten = function* (position: number, left: number) {
        assert.strictEqual(yield* store.events.forgotten, position)
        expectSame(yield* store.events.after(0, 100), all.slice(-left))
        expectSame(yield* store.events.after(position, 100), all.slice(-left))
        assert.strictEqual(yield* store.events.latest, all.at(-1)?.position)
      }
      assert.strictEqual(yield* forget(0.999, fourth), 0)
      assert.strictEqual(yield* forget(100, first - 1), 0)
      assert.strictEqual(yield* forgetEvents(undefined, 100), 0)
      assert.strictEqual(yield* store.events.forgotten, 0)
      assert.strictEqual(yield* forget(10, fourth), 1)
      yield* expectForgotten(first, 4)
      assert.strictEqual(yield* forget(100, fourth, 1), 1)
      yield* expectForgotten(second, 3)
      assert.strictEqual(yield* forget(29.999, fourth), 1)
      yield* expectForgotten(third, 2)
      assert.strictEqual(yield* forget(100, fourth), 1)
      yield* expectForgotten(fourth, 1)
      assert.strictEqual(yield* forget(100, third), 0)
      yield* expectForgotten(fourth, 1)
    }
  ),

  obligation(
    "events.all-forgotten",
    "where every event is forgotten the feed stays where it was, and what comes is behind it",
    function* () {
      const store = yield* Store
      const { position } = yield* commit({ events: [sampleEvent(1), sampleEvent(2)] })
      yield* eventsBehind(0, 2)
      assert.strictEqual(yield* forgetEvents({ at: moment(1_000_000), position }, 100), 2)
      assert.strictEqual(yield* store.events.forgotten, position)
      assert.strictEqual(yield* store.events.latest, position)
      expectSame(yield* store.events.after(0, 100), [])
      const without = yield* commit({ writes: [write.agent(sampleAgent(1))] })
      assert.strictEqual(without.position, position)
      const behind = yield* commit({ events: [sampleEvent(3)] })
      assert.isAbove(behind.position, position)
      const ids = (yield* eventsBehind(position, 1)).map(({ event }) => event.id)
      expectSame(ids, [sampleId("event", 3)])
      assert.strictEqual(yield* store.events.forgotten, position)
    }
  ),

  obligation(
    "events.forgotten-last",
    "replies and tasks are forgotten before events, within the same bound",
    function* () {
      const store = yield* Store
      yield* commit({ idempotency: sampleReply(1, { expiresAt: moment(1) }) })
      const { position } = yield* commit({ events: [sampleEvent(1), sampleEvent(2)] })
      yield* eventsBehind(0, 2)
      const expired = {
        repliesUntil: moment(9),
        tasksUntil: moment(9),
        eventsUntil: { at: moment(1_000_000), position }
      }
      assert.strictEqual(yield* store.forget(expired, 2), 2)
      assert.isUndefined(yield* store.idempotency.byId(sampleReply(1).id))
      assert.strictEqual((yield* store.events.after(0, 9)).length, 1)
      assert.strictEqual(yield* store.forget(expired, 2), 1)
      assert.strictEqual(yield* store.forget(expired, 2), 0)
    }
  )
]

const eventAt = (n: number, seconds: number) => sampleEvent(n, { at: moment(seconds) })

const forgetEvents = (eventsUntil: Expired["eventsUntil"], limit: number) =>
  Store.use((store) => store.forget({ repliesUntil: epoch, tasksUntil: epoch, eventsUntil }, limit))
