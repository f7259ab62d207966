import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import {
  Agents,
  DealRoomId,
  DealRooms,
  Market,
  MemoryStore,
  MiniSearchIndex,
  Quotes,
  Requests,
  Rfqs,
  Settling,
  Store,
  TaskId,
  Unavailable
} from "../../src/index.ts"
import type { AgentId, Instant, RequestId, Task } from "../../src/index.ts"
import {
  agreeDeal,
  callForQuotes,
  deliverDeal,
  distantMarket,
  history,
  inSeconds,
  join,
  market,
  mortalNode,
  negotiate,
  nodeOn,
  seededRandom,
  sharedStore,
  sides,
  storyOf,
  submitQuote,
  typesOf
} from "../fixtures.ts"

const sweep = Settling.use((settling) => settling.sweep(100))
const day = 86_400

const reputationOf = (id: AgentId) =>
  Effect.map(
    Agents.use((agents) => agents.me(id)),
    ({ reputation }) => reputation
  )

/** What a sweep tells: the types and moments of the events of an entity that are new by it. */
const toldBySweep = Effect.fnUntraced(function* (id: string) {
  const before = (yield* storyOf(id)).length
  assert.strictEqual(yield* sweep, 1)
  assert.strictEqual(yield* sweep, 0, "what is written down is not written again")
  return (yield* storyOf(id)).slice(before)
})

const expectTold = (
  told: Effect.Success<ReturnType<typeof toldBySweep>>,
  types: ReadonlyArray<string>,
  at: Instant
) => {
  assert.deepStrictEqual(
    told.map(({ type }) => type),
    types
  )
  for (const event of told) assert.deepStrictEqual(event.at, at)
}

describe("a sweep", () => {
  it.effect("closes an RFQ at its deadline, and finds it unsuccessful at awardBy", () =>
    Effect.gen(function* () {
      const rfqs = yield* Rfqs
      const rfq = yield* callForQuotes(yield* join("buyer"))
      yield* TestClock.adjust("23 hours")
      assert.strictEqual(yield* sweep, 0)
      yield* TestClock.adjust("2 hours")
      const seen = yield* rfqs.get(undefined, rfq.id)
      expectTold(yield* toldBySweep(rfq.id), ["rfq.closed"], rfq.quoteDeadline)
      assert.deepStrictEqual(yield* rfqs.get(undefined, rfq.id), seen)
      assert.deepStrictEqual<unknown>(yield* (yield* Store).rfqs.byId(rfq.id), seen)
      yield* TestClock.adjust("8 days")
      expectTold(yield* toldBySweep(rfq.id), ["rfq.unsuccessful"], rfq.awardBy)
      assert.isUndefined(yield* (yield* Store).deadlines.next)
    }).pipe(Effect.provide(market()))
  )

  it.effect("lets a request expire at the moment that it names", () =>
    Effect.gen(function* () {
      const requests = yield* Requests
      const expiresAt = yield* inSeconds(day)
      const { value: request } = yield* requests.open(yield* join("buyer"), { title: "Translate", expiresAt })
      yield* TestClock.adjust("25 hours")
      const seen = yield* requests.get(request.agentId, request.id)
      expectTold(yield* toldBySweep(request.id), ["request.expired"], expiresAt)
      assert.deepStrictEqual(yield* (yield* Store).requests.byId(request.id), seen)
    }).pipe(Effect.provide(market()))
  )

  it.effect("lets a quote expire, for its two sides to hear of", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const rfq = yield* callForQuotes(buyer)
      const validUntil = yield* inSeconds(3600)
      const quote = yield* submitQuote(seller, rfq.id, { validUntil })
      yield* TestClock.adjust("2 hours")
      const seen = yield* (yield* Quotes).get(seller, quote.id)
      expectTold(yield* toldBySweep(quote.id), ["quote.expired"], validUntil)
      assert.deepStrictEqual(yield* (yield* Quotes).get(seller, quote.id), seen)
      const told = (yield* history).find(({ event }) => event.type === "quote.expired")
      assert.deepStrictEqual(told?.audience, [buyer, seller])
    }).pipe(Effect.provide(market()))
  )

  it.effect("lets an offer expire with its room", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const rooms = yield* DealRooms
      const room = yield* negotiate(buyer, seller)
      const lapse = yield* inSeconds(3 * day)
      yield* TestClock.adjust("4 days")
      const seen = yield* rooms.get(buyer, room.id)
      expectTold(yield* toldBySweep(room.id), ["deal_room.offer_expired", "deal_room.expired"], lapse)
      assert.deepStrictEqual(yield* rooms.get(buyer, room.id), seen)
    }).pipe(Effect.provide(market()))
  )

  it.effect(
    "lets a deal expire whose work is not delivered, and refunds a dispute that nobody resolves",
    () =>
      Effect.gen(function* () {
        const [buyer, seller] = yield* sides
        const late = yield* agreeDeal(buyer, seller)
        yield* TestClock.adjust("3 days")
        const missed = yield* toldBySweep(late.id)
        assert.deepStrictEqual(
          missed.map(({ type }) => type),
          ["deal_room.expired"]
        )
        const disputed = yield* agreeDeal(buyer, seller)
        yield* (yield* DealRooms).dispute(buyer, disputed.id, "Not what was agreed")
        const lapse = yield* inSeconds(30 * day)
        yield* TestClock.adjust("31 days")
        expectTold(yield* toldBySweep(disputed.id), ["deal_room.resolved"], lapse)
      }).pipe(Effect.provide(market()))
  )

  it.effect("completes a deal that the buyer leaves unanswered, which counts once for both sides", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const room = yield* deliverDeal(buyer, seller)
      const lapse = yield* inSeconds(3 * day)
      yield* TestClock.adjust("80 hours")
      const seen = yield* (yield* DealRooms).get(buyer, room.id)
      expectTold(yield* toldBySweep(room.id), ["deal_room.completed"], lapse)
      assert.deepStrictEqual(yield* (yield* DealRooms).get(buyer, room.id), seen)
      yield* (yield* DealRooms).review(buyer, room.id, { rating: 4 })
      assert.strictEqual((yield* reputationOf(buyer)).completedDeals, 1)
      assert.strictEqual((yield* reputationOf(seller)).completedDeals, 1)
    }).pipe(Effect.provide(market()))
  )

  it.effect("finds nothing left to count when a review came first", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const room = yield* deliverDeal(buyer, seller)
      yield* TestClock.adjust("80 hours")
      yield* (yield* DealRooms).review(buyer, room.id, { rating: 4 })
      assert.strictEqual(yield* sweep, 0)
      assert.strictEqual((yield* reputationOf(seller)).completedDeals, 1)
      const types = yield* typesOf(room.id)
      assert.strictEqual(types.filter((type) => type === "deal_room.completed").length, 1)
    }).pipe(Effect.provide(market()))
  )

  it.effect("publishes a lone review after seven days, and counts it once", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const agents = yield* Agents
      const { id } = yield* deliverDeal(buyer, seller)
      yield* (yield* DealRooms).complete(buyer, id)
      const lapse = yield* inSeconds(7 * day)
      const { value: review } = yield* (yield* DealRooms).review(buyer, id, { rating: 4 })
      yield* TestClock.adjust("6 days")
      assert.strictEqual(yield* sweep, 0)
      assert.deepStrictEqual((yield* agents.reviews("seller", {})).items, [])
      yield* TestClock.adjust("1 day")
      const seen = (yield* agents.reviews("seller", {})).items
      assert.deepStrictEqual(
        seen.map(({ version }) => version),
        [2]
      )
      expectTold(yield* toldBySweep(review.id), ["review.published"], lapse)
      assert.deepStrictEqual((yield* agents.reviews("seller", {})).items, seen)
      const { rating, reviewCount } = yield* reputationOf(seller)
      assert.deepStrictEqual({ rating, reviewCount }, { rating: 4, reviewCount: 1 })
    }).pipe(Effect.provide(market()))
  )

  it.effect("leaves reviews alone that both sides have given", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const rooms = yield* DealRooms
      const { id } = yield* deliverDeal(buyer, seller)
      yield* rooms.complete(buyer, id)
      yield* rooms.review(buyer, id, { rating: 4 })
      yield* TestClock.adjust("1 day")
      yield* rooms.review(seller, id, { rating: 5 })
      yield* TestClock.adjust("8 days")
      assert.strictEqual(yield* sweep, 0)
      assert.strictEqual((yield* reputationOf(seller)).reviewCount, 1)
      assert.strictEqual((yield* reputationOf(buyer)).reviewCount, 1)
    }).pipe(Effect.provide(market()))
  )

  it.effect("notes a deadline anew that is not the entity's own, and writes nothing", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const rfq = yield* callForQuotes(yield* join("buyer"))
      const at = yield* inSeconds(60)
      yield* store.commit({
        writes: [],
        reliesOn: [],
        events: [],
        deadlines: [{ kind: "rfq", id: rfq.id, at }]
      })
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual(yield* sweep, 0)
      assert.deepStrictEqual(yield* store.deadlines.next, rfq.quoteDeadline)
      assert.deepStrictEqual<unknown>(yield* store.rfqs.byId(rfq.id), rfq)
      assert.deepStrictEqual(yield* typesOf(rfq.id), ["rfq.opened"])
    }).pipe(Effect.provide(market()))
  )

  it.effect("is taken over within ten seconds where the node died that knew of the deadline", () =>
    Effect.gen(function* () {
      const { die, node } = yield* mortalNode(1, { sweepEverySeconds: 1 })
      const buyer = yield* Effect.provide(join("buyer"), node)
      yield* nodeOn(2, { sweepEverySeconds: 1 })
      yield* TestClock.adjust("1 second")
      const rfq = yield* Effect.provide(
        Effect.flatMap(inSeconds(60), (quoteDeadline) => callForQuotes(buyer, { quoteDeadline })),
        node
      )
      yield* die
      yield* TestClock.adjust("60 seconds")
      assert.deepStrictEqual(yield* typesOf(rfq.id), ["rfq.opened", "rfq.closed"])
    }).pipe(Effect.provide(sharedStore))
  )

  it.effect("does once what two nodes do at the same time", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const there = yield* nodeOn(21)
      const rooms = yield* Effect.forEach([1, 2, 3], () => deliverDeal(buyer, seller))
      yield* TestClock.adjust("73 hours")
      const counts = yield* Effect.all([sweep, Effect.provide(sweep, there)], { concurrency: 2 })
      const rest = yield* sweep
      assert.strictEqual(counts[0] + counts[1] + rest, 3)
      for (const { id } of rooms) {
        const types = yield* typesOf(id)
        assert.strictEqual(types.filter((type) => type === "deal_room.completed").length, 1)
      }
      assert.strictEqual((yield* reputationOf(seller)).completedDeals, 3)
    }).pipe(Effect.provide(distantMarket))
  )
})

describe("the sweeper", () => {
  it.effect("writes down what is due at the moment at which it is", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const rfq = yield* callForQuotes(buyer)
      yield* TestClock.adjust("1 hour")
      const room = yield* negotiate(buyer, seller)
      yield* TestClock.adjust("23 hours")
      assert.deepStrictEqual(yield* typesOf(rfq.id), ["rfq.opened", "rfq.closed"])
      yield* TestClock.adjust("49 hours")
      assert.include(yield* typesOf(room.id), "deal_room.expired")
      yield* TestClock.adjust("14 days")
      assert.include(yield* typesOf(rfq.id), "rfq.unsuccessful")
      assert.isUndefined(yield* (yield* Store).deadlines.next)
    }).pipe(Effect.provide(market({ sweepEverySeconds: 1 })))
  )

  it.effect("is woken by a deadline sooner than the one that it sleeps for", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const rfq = yield* callForQuotes(buyer)
      yield* TestClock.adjust("1 minute")
      const quote = yield* submitQuote(seller, rfq.id, { validUntil: yield* inSeconds(90) })
      yield* TestClock.adjust("90 seconds")
      assert.deepStrictEqual(yield* typesOf(quote.id), ["quote.submitted", "quote.expired"])
    }).pipe(Effect.provide(market({ sweepEverySeconds: 1 })))
  )

  it.effect("goes on after a fault of the store", () => {
    const faults = { left: 3 }
    const faulty = Layer.effect(
      Store,
      Effect.map(Store, (store) => ({
        ...store,
        deadlines: {
          ...store.deadlines,
          due: (until: Instant, limit: number) =>
            Effect.suspend(() =>
              faults.left-- > 0 ? Effect.fail(Unavailable.because("cut")) : store.deadlines.due(until, limit)
            )
        }
      }))
    ).pipe(Layer.provide(MemoryStore.layer))
    return Effect.gen(function* () {
      const rfq = yield* callForQuotes(yield* join("buyer"))
      yield* TestClock.adjust("1 day")
      assert.deepStrictEqual(yield* typesOf(rfq.id), ["rfq.opened", "rfq.closed"])
      assert.isAtMost(faults.left, 0)
    }).pipe(
      Effect.provide(
        Market.layer().pipe(
          Layer.provideMerge(Layer.mergeAll(faulty, MiniSearchIndex.layer, seededRandom(17)))
        )
      )
    )
  })
})

describe("what is no longer kept", () => {
  const reply = (n: number, expiresAt: Instant) => ({
    id: `reply-${n}`,
    bodyDigest: "body",
    reply: "sealed",
    createdAt: DateTime.subtract(expiresAt, { days: 1 }),
    expiresAt
  })
  const nothing = { writes: [], reliesOn: [], events: [] }

  /** A task that ended when it was written, and one that is still to be done. */
  const tasks = (now: Instant): ReadonlyArray<Task> => {
    const task = {
      queue: "somewhere",
      work: {
        kind: "settlement",
        roomId: DealRoomId.make("room_01jd8wq0z7f3mbk5r2v6txn4ce"),
        action: "capture",
        amount: { amount: "1", currency: "EUR" }
      },
      attempts: [],
      createdAt: now,
      updatedAt: now,
      version: 1
    } as const
    return [
      { ...task, id: TaskId.make("tsk_01jd8wq0z7f3mbk5r2v6txn4ce"), status: "done", dueAt: null },
      { ...task, id: TaskId.make("tsk_01jd8wq0z7f3mbk5r2v6txn4cf"), status: "pending", dueAt: now }
    ]
  }

  it.effect("is dropped in the background, without another write", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const inADay = yield* inSeconds(day)
      yield* store.commit({ ...nothing, idempotency: reply(999, yield* inSeconds(2 * day)) })
      for (let n = 0; n < 250; n++) yield* store.commit({ ...nothing, idempotency: reply(n, inADay) })
      const kept = Effect.map(
        Effect.forEach([0, 249, 999], (n) => store.idempotency.byId(`reply-${n}`)),
        (records) => records.map((record) => record !== undefined)
      )
      yield* TestClock.adjust("1439 minutes")
      assert.deepStrictEqual(yield* kept, [true, true, true])
      yield* TestClock.adjust("7 minutes")
      assert.deepStrictEqual(yield* kept, [false, false, true])
      yield* TestClock.adjust("1 day")
      assert.deepStrictEqual(yield* kept, [false, false, false])
    }).pipe(Effect.provide(market({ sweepEverySeconds: 1 })))
  )

  it.effect("are tasks that ended thirty days ago, and none that is to be done", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const written = tasks(yield* DateTime.now)
      yield* store.commit({
        ...nothing,
        writes: written.map((value) => ({ kind: "task", value, replaces: null }))
      })
      const kept = Effect.map(store.tasks.list("somewhere", { limit: 10 }), ({ items }) =>
        items.map(({ status }) => status)
      )
      yield* TestClock.adjust("29 days")
      assert.deepStrictEqual(yield* kept, ["pending", "done"])
      yield* TestClock.adjust("25 hours")
      assert.deepStrictEqual(yield* kept, ["pending"])
    }).pipe(Effect.provide(market({ sweepEverySeconds: 1 })))
  )

  it.effect("is left to the host where nothing is swept, so many at a time as he says", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const inADay = yield* inSeconds(day)
      for (let n = 0; n < 5; n++) yield* store.commit({ ...nothing, idempotency: reply(n, inADay) })
      yield* TestClock.adjust("3 days")
      const forget = Settling.use((settling) => settling.forget(3))
      assert.deepStrictEqual([yield* forget, yield* forget, yield* forget], [3, 2, 0])
    }).pipe(Effect.provide(market()))
  )
})

describe("what cannot be settled", () => {
  it.effect("is in nobody's way, however few are settled at a time, and is tried again", () => {
    const broken: { id?: string } = {}
    const store = Layer.effect(
      Store,
      Effect.map(Store, (store) => ({
        ...store,
        requests: {
          ...store.requests,
          byId: (id: RequestId) =>
            Effect.suspend(() =>
              id === broken.id ? Effect.die(new Error("unreadable")) : store.requests.byId(id)
            )
        }
      }))
    ).pipe(Layer.provide(MemoryStore.layer))
    const services = Market.layer({ sweepEverySeconds: "off", matching: "off" }).pipe(
      Layer.provideMerge(Layer.mergeAll(store, MiniSearchIndex.layer, seededRandom(7)))
    )
    return Effect.gen(function* () {
      const buyer = yield* join("buyer")
      const requests = yield* Requests
      const { sweep } = yield* Settling
      const first = yield* requests.open(buyer, { title: "First", expiresAt: yield* inSeconds(3600) })
      yield* requests.open(buyer, { title: "Second", expiresAt: yield* inSeconds(3601) })
      broken.id = first.value.id
      yield* TestClock.adjust("2 hours")
      assert.strictEqual(yield* sweep(1), 0)
      assert.strictEqual(yield* sweep(1), 1)
      delete broken.id
      assert.strictEqual(yield* sweep(1), 0)
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual(yield* sweep(1), 1)
    }).pipe(Effect.provide(services))
  })
})
