/** What the event feed must do: one order, no gap, nothing of it invented. */
import { assert } from "@effect/vitest"
import { Store, type Audience } from "@souk/core"
import { moment, sampleAgent, sampleEvent, sampleId, write } from "../fixtures.ts"
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
  })
]
