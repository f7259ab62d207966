/** What a store owes of tasks: they come due in their order, queue by queue, and are forgotten some time after their end. */
import { assert } from "@effect/vitest"
import { revised, Store, type Task } from "@souk/core"
import { epoch, moment, sampleAgent, sampleId, sampleReply, sampleTask, write } from "../fixtures.ts"
import { commit, expectSame, expectStale, obligation, put, putEach, type Obligation } from "./Obligation.ts"

const ids = (...numbers: ReadonlyArray<number>) => numbers.map((n) => sampleId("task", n))
const found = (tasks: ReadonlyArray<Task>) => tasks.map(({ id }) => id)
const range = (length: number) => Array.from({ length }, (_, i) => i + 1)

/** A delivery of a queue that is due after some seconds, or has ended. */
const delivery = (n: number, queue: string, seconds: number | null, overrides: Partial<Task> = {}): Task =>
  sampleTask(n, {
    queue,
    ...(seconds === null ? { status: "done", dueAt: null } : { dueAt: moment(seconds) }),
    ...overrides
  })

const settlement = (n: number, queue: string, seconds: number | null): Task =>
  delivery(n, queue, seconds, {
    work: {
      kind: "settlement",
      roomId: sampleId("deal_room", n),
      action: "capture",
      amount: { amount: "1", currency: "EUR" }
    }
  })

const putTasks = (...tasks: ReadonlyArray<Task>) => putEach(tasks.map((task) => write.task(task)))

/** As long after the samples as no test looks. */
const end = moment(1_000_000)

const due: ReadonlyArray<Obligation> = [
  obligation(
    "tasks.due",
    "the tasks of a queue are due from their own millisecond on, the longest waiting first, then by id, and no more than asked for",
    function* () {
      const store = yield* Store
      yield* putTasks(
        delivery(5, "a", 20),
        delivery(1, "a", 20),
        delivery(4, "a", 10.001),
        delivery(2, "b", 5),
        delivery(3, "a", null)
      )
      expectSame(yield* store.tasks.due("a", moment(10), 9), [])
      expectSame(found(yield* store.tasks.due("a", moment(10.001), 9)), ids(4))
      expectSame(found(yield* store.tasks.due("a", moment(19.999), 9)), ids(4))
      expectSame(found(yield* store.tasks.due("a", moment(20), 9)), ids(4, 1, 5))
      expectSame(found(yield* store.tasks.due("a", moment(20), 2)), ids(4, 1))
      expectSame(yield* store.tasks.due("none", moment(20), 9), [])
    }
  ),

  obligation(
    "tasks.overdue",
    "the tasks of a kind that are due are counted over all queues, with the moment since which the first of them waits",
    function* () {
      const store = yield* Store
      yield* putTasks(
        delivery(1, "a", 20),
        delivery(2, "a", 10),
        delivery(3, "b", 15),
        delivery(4, "b", 15.001),
        delivery(5, "c", null),
        settlement(6, "a", 5)
      )
      expectSame(yield* store.tasks.overdue("delivery", moment(9.999)), { count: 0, since: undefined })
      expectSame(yield* store.tasks.overdue("delivery", moment(15)), { count: 2, since: moment(10) })
      expectSame(yield* store.tasks.overdue("settlement", moment(5)), { count: 1, since: moment(5) })
    }
  ),

  obligation(
    "tasks.list",
    "the list of a queue's tasks holds all of them, ended ones included",
    function* () {
      const store = yield* Store
      yield* putTasks(delivery(1, "a", 5), delivery(2, "a", null), delivery(3, "b", 5), settlement(4, "a", 9))
      const page = { limit: 9 }
      expectSame(found((yield* store.tasks.list("a", page)).items), ids(4, 2, 1))
      expectSame(found((yield* store.tasks.list("b", page)).items), ids(3))
      expectSame(yield* store.tasks.list("none", page), { items: [], hasMore: false })
    }
  ),

  obligation(
    "tasks.queues-due",
    "the queues of a kind that have a task due are told once each, the longest waiting first, then by name, and no more than asked for",
    function* () {
      const store = yield* Store
      yield* putTasks(
        delivery(1, "busy", 30),
        delivery(2, "busy", 1),
        delivery(3, "busy", 2),
        delivery(4, "later", 40.001),
        delivery(5, "twin b", 20),
        delivery(6, "twin a", 20),
        delivery(7, "done", null),
        settlement(8, "room", 0),
        delivery(9, "early", 0.5)
      )
      const queues = (seconds: number, limit: number) =>
        store.tasks.queuesDue("delivery", moment(seconds), [], limit)
      expectSame(yield* queues(0.499, 9), [])
      expectSame(yield* queues(0.5, 9), ["early"])
      expectSame(yield* queues(40, 9), ["early", "busy", "twin a", "twin b"])
      expectSame(yield* queues(40.001, 9), ["early", "busy", "twin a", "twin b", "later"])
      expectSame(yield* queues(40.001, 3), ["early", "busy", "twin a"])
      expectSame(yield* queues(40.001, 1), ["early"])
      expectSame(yield* store.tasks.queuesDue("settlement", moment(99), [], 9), ["room"])
    }
  ),

  obligation(
    "tasks.queues-except",
    "the queues that are named are passed over, however many there are, and do not count",
    function* () {
      const store = yield* Store
      yield* putTasks(
        delivery(1, "a", 1),
        delivery(2, "a", 5),
        delivery(3, "b", 2),
        delivery(4, "c", 3),
        delivery(5, "d", 4)
      )
      const queues = (except: ReadonlyArray<string>, limit = 2) =>
        store.tasks.queuesDue("delivery", moment(9), except, limit)
      expectSame(yield* queues([]), ["a", "b"])
      expectSame(yield* queues(["a"]), ["b", "c"])
      expectSame(yield* queues(["c", "a", "none"]), ["b", "d"])
      expectSame(yield* queues(["a", "b", "c", "d"]), [])
      const many = range(5_000).map((n) => `queue ${n}`)
      expectSame(yield* queues([...many, "b"], 9), ["a", "c", "d"])
    }
  ),

  obligation(
    "tasks.next",
    "the next task of a kind is the one that is due soonest, past or ahead, in whatever queue",
    function* () {
      const store = yield* Store
      expectSame(yield* store.tasks.next("delivery"), undefined)
      yield* putTasks(
        delivery(1, "a", 30),
        delivery(2, "b", 20),
        settlement(3, "c", 10),
        delivery(4, "d", null)
      )
      expectSame(yield* store.tasks.next("delivery"), moment(20))
      expectSame(yield* store.tasks.next("settlement"), moment(10))
      yield* put(write.task(revised(delivery(2, "b", 20), { status: "done", dueAt: null }, moment(21)), 1))
      expectSame(yield* store.tasks.next("delivery"), moment(30))
      yield* put(write.task(revised(settlement(3, "c", 10), { status: "failed", dueAt: null }, moment(9)), 1))
      expectSame(yield* store.tasks.next("settlement"), undefined)
    }
  ),

  obligation(
    "tasks.follow-changes",
    "a task that is put off, ends or is taken up again is due when it says so now, and its queue with it",
    function* () {
      const store = yield* Store
      const queues = store.tasks.queuesDue("delivery", moment(9), [], 9)
      const [first, second] = [delivery(1, "a", 1), delivery(2, "b", 2)]
      yield* putTasks(first, second)
      expectSame(yield* queues, ["a", "b"])
      const putOff = revised(first, { dueAt: moment(3) }, moment(4))
      yield* put(write.task(putOff, 1))
      expectSame(yield* queues, ["b", "a"])
      expectSame(yield* store.tasks.due("a", moment(2.999), 9), [])
      expectSame(yield* store.tasks.due("a", moment(3), 9), [putOff])
      const ended = revised(putOff, { status: "failed", dueAt: null }, moment(5))
      yield* put(write.task(ended, 2))
      expectSame(yield* queues, ["b"])
      expectSame(yield* store.tasks.due("a", end, 9), [])
      const again = revised(ended, { status: "pending", dueAt: moment(0) }, moment(6))
      yield* put(write.task(again, 3))
      expectSame(yield* queues, ["a", "b"])
      expectSame(yield* store.tasks.next("delivery"), moment(0))
    }
  ),

  obligation("tasks.atomic", "a commit that is refused makes no task, and moves none", function* () {
    const store = yield* Store
    const task = delivery(1, "a", 5)
    yield* putTasks(task)
    const agent = sampleAgent(1, { version: 2 })
    const sooner = revised(task, { dueAt: moment(1) }, moment(1))
    const stale = {
      writes: [write.task(sooner, 1), write.task(delivery(2, "b", 0)), write.agent(agent, 1)]
    }
    yield* expectStale(stale, { kind: "agent", id: agent.id })
    expectSame(yield* store.tasks.queuesDue("delivery", end, [], 9), ["a"])
    expectSame(yield* store.tasks.due("a", end, 9), [task])
    expectSame(yield* store.tasks.next("delivery"), moment(5))
  }),

  obligation(
    "tasks.many-in-a-queue",
    "a queue with thousands of tasks hides no other, whether it waits longer or is passed over",
    function* () {
      const store = yield* Store
      for (const part of range(10)) {
        yield* put(
          ...range(300).map((n) => write.task(delivery(300 * part + n, "busy", n % 7), null)),
          write.task(delivery(10_000 + part, `quiet ${part - 1}`, 100 + part))
        )
      }
      const quiet = range(10).map((n) => `quiet ${n - 1}`)
      expectSame(yield* store.tasks.queuesDue("delivery", end, [], 4), ["busy", ...quiet.slice(0, 3)])
      expectSame(yield* store.tasks.queuesDue("delivery", end, ["busy"], 100), quiet)
      assert.strictEqual((yield* store.tasks.due("busy", end, 5)).length, 5)
    }
  )
]

const forgetting: ReadonlyArray<Obligation> = [
  obligation(
    "forget.replies",
    "replies that have expired by a moment are forgotten, and no others",
    function* () {
      const store = yield* Store
      for (const [n, seconds] of [
        [1, 10],
        [2, 20.001],
        [3, 20]
      ] as const) {
        yield* commit({ idempotency: sampleReply(n, { expiresAt: moment(seconds) }) })
      }
      const forget = (seconds: number) =>
        store.forget({ repliesUntil: moment(seconds), tasksUntil: epoch }, 100)
      const kept = (n: number) => store.idempotency.byId(sampleReply(n).id)
      assert.strictEqual(yield* forget(9.999), 0)
      assert.strictEqual(yield* forget(20), 2)
      expectSame([yield* kept(1), yield* kept(3)], [undefined, undefined])
      assert.strictEqual((yield* kept(2))?.id, sampleReply(2).id)
      yield* commit({ idempotency: sampleReply(1) })
      assert.strictEqual(yield* forget(20), 0)
      assert.strictEqual((yield* kept(1))?.id, sampleReply(1).id)
    }
  ),

  obligation(
    "forget.tasks",
    "tasks that ended and did not change after a moment are forgotten, those to be done never",
    function* () {
      const store = yield* Store
      const ended = (n: number, seconds: number) => delivery(n, "a", null, { updatedAt: moment(seconds) })
      const pending = delivery(4, "a", 5, { updatedAt: moment(1) })
      const failed: Task = { ...ended(5, 9), status: "failed" }
      yield* putTasks(ended(1, 10), ended(2, 20), ended(3, 20.001), pending, failed)
      const forget = (seconds: number) =>
        store.forget({ repliesUntil: epoch, tasksUntil: moment(seconds) }, 100)
      assert.strictEqual(yield* forget(8.999), 0)
      assert.strictEqual(yield* forget(20), 3)
      expectSame(found((yield* store.tasks.list("a", { limit: 9 })).items), ids(4, 3))
      for (const n of [1, 2, 5]) assert.isUndefined(yield* store.tasks.byId(sampleId("task", n)))
      expectSame(yield* store.tasks.due("a", end, 9), [pending])
      // What is gone can neither be replaced nor relied upon, and its id is free.
      const gone = ended(1, 10)
      yield* expectStale({ writes: [write.task({ ...gone, version: 2 }, 1)] }, { kind: "task", id: gone.id })
      yield* putTasks(gone)
      expectSame(yield* store.tasks.byId(gone.id), gone)
    }
  ),

  obligation(
    "forget.taken-up-again",
    "a task that had ended and is to be done again is kept, and its last change counts when it ends once more",
    function* () {
      const store = yield* Store
      const task = delivery(1, "a", null, { updatedAt: moment(1) })
      const again = revised(task, { status: "pending", dueAt: moment(2) }, moment(2))
      yield* put(write.task(task), write.task(again, 1))
      const forget = (seconds: number) =>
        store.forget({ repliesUntil: epoch, tasksUntil: moment(seconds) }, 100)
      assert.strictEqual(yield* forget(100), 0)
      yield* put(write.task(revised(again, { status: "done", dueAt: null }, moment(50)), 2))
      assert.strictEqual(yield* forget(49.999), 0)
      assert.strictEqual(yield* forget(50), 1)
    }
  ),

  obligation(
    "forget.bounded",
    "no more is forgotten at once than asked for: replies first, then tasks, the oldest of each first",
    function* () {
      const store = yield* Store
      for (const n of [3, 1, 2]) {
        yield* commit({ idempotency: sampleReply(n, { expiresAt: moment(n) }) })
        yield* putTasks(delivery(n, "a", null, { updatedAt: moment(n) }))
      }
      const left = function* () {
        const replies: Array<number> = []
        for (const n of [1, 2, 3]) {
          if ((yield* store.idempotency.byId(sampleReply(n).id)) !== undefined) replies.push(n)
        }
        return [replies, found((yield* store.tasks.list("a", { limit: 9 })).items)]
      }
      const forget = (limit: number) =>
        store.forget({ repliesUntil: moment(9), tasksUntil: moment(9) }, limit)
      assert.strictEqual(yield* forget(2), 2)
      expectSame(yield* left(), [[3], ids(3, 2, 1)])
      assert.strictEqual(yield* forget(2), 2)
      expectSame(yield* left(), [[], ids(3, 2)])
      assert.strictEqual(yield* forget(1), 1)
      expectSame(yield* left(), [[], ids(3)])
      assert.strictEqual(yield* forget(9), 1)
      expectSame(yield* left(), [[], []])
      assert.strictEqual(yield* forget(9), 0)
    }
  )
]

export const taskObligations: ReadonlyArray<Obligation> = [...due, ...forgetting]
