/** What a store owes of deadlines: they come in their order, one for each entity, with the commit that notes them. */
import { Store, type DeadlineNote } from "@souk/core"
import { moment, sampleAgent, sampleId, write } from "../fixtures.ts"
import { commit, expectSame, expectStale, obligation, type Obligation } from "./Obligation.ts"

const note = (kind: DeadlineNote["kind"], n: number, seconds: number | null): DeadlineNote => ({
  kind,
  id: sampleId(kind, n),
  at: seconds === null ? null : moment(seconds)
})

export const deadlineObligations: ReadonlyArray<Obligation> = [
  obligation(
    "deadlines.due",
    "deadlines are due from their own millisecond on, the soonest first and at one moment by id, and no more than asked for",
    function* () {
      const store = yield* Store
      const [late, early] = [note("rfq", 1, 20), note("quote", 1, 10.001)]
      const [first, second] = [note("review", 1, 20), note("review", 2, 20)].toSorted((a, b) =>
        a.id < b.id ? -1 : 1
      )
      yield* commit({ deadlines: [late, early] })
      yield* commit({ deadlines: [note("review", 2, 20), note("review", 1, 20)] })
      expectSame(yield* store.deadlines.due(moment(10), 10), [])
      expectSame(yield* store.deadlines.due(moment(10.001), 10), [early])
      expectSame(yield* store.deadlines.due(moment(19.999), 10), [early])
      expectSame(yield* store.deadlines.due(moment(20), 10), [early, first, second, late])
      expectSame(yield* store.deadlines.due(moment(20), 2), [early, first])
    }
  ),

  obligation(
    "deadlines.replaced",
    "an entity has one deadline: the one that was noted last, and none once it is cleared",
    function* () {
      const store = yield* Store
      yield* commit({ deadlines: [note("deal_room", 1, 30), note("quote", 1, 40)] })
      yield* commit({ deadlines: [note("deal_room", 1, 50)] })
      expectSame(yield* store.deadlines.due(moment(100), 10), [
        note("quote", 1, 40),
        note("deal_room", 1, 50)
      ])
      yield* commit({ deadlines: [note("deal_room", 1, 20), note("quote", 1, null), note("rfq", 1, null)] })
      expectSame(yield* store.deadlines.due(moment(100), 10), [note("deal_room", 1, 20)])
      yield* commit({ deadlines: [note("deal_room", 1, null)] })
      expectSame(yield* store.deadlines.due(moment(100), 10), [])
    }
  ),

  obligation("deadlines.next", "the next deadline is the soonest of all, past or ahead", function* () {
    const store = yield* Store
    expectSame(yield* store.deadlines.next, undefined)
    yield* commit({ deadlines: [note("rfq", 1, 20), note("quote", 1, 30)] })
    expectSame(yield* store.deadlines.next, moment(20))
    yield* commit({ deadlines: [note("rfq", 1, null)] })
    expectSame(yield* store.deadlines.next, moment(30))
  }),

  obligation(
    "deadlines.overdue",
    "the overdue deadlines are counted, with the moment since which the soonest of them waits",
    function* () {
      const store = yield* Store
      yield* commit({ deadlines: [note("rfq", 1, 20), note("quote", 1, 30), note("review", 1, 40)] })
      expectSame(yield* store.deadlines.overdue(moment(19.999)), { count: 0, since: undefined })
      expectSame(yield* store.deadlines.overdue(moment(30)), { count: 2, since: moment(20) })
    }
  ),

  obligation("deadlines.atomic", "a commit that is refused notes no deadline", function* () {
    const store = yield* Store
    yield* commit({ deadlines: [note("rfq", 1, 20)] })
    const agent = sampleAgent(1, { version: 2 })
    const stale = { writes: [write.agent(agent, 1)], deadlines: [note("rfq", 1, 10), note("quote", 1, 10)] }
    yield* expectStale(stale, { kind: "agent", id: agent.id })
    expectSame(yield* store.deadlines.due(moment(100), 10), [note("rfq", 1, 20)])
  })
]
