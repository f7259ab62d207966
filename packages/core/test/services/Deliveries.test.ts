import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Market, MemoryStore, MiniSearchIndex, Store, Webhooks } from "../../src/index.ts"
import { sha256Bytes } from "../../src/model/Canonical.ts"
import { makeId } from "../../src/model/Id.ts"
import type { Commit } from "../../src/index.ts"
import { join, mortalNode, nodeOn, seededRandom, sharedStore } from "../fixtures.ts"
import { deliveriesOf, hook, open, publish, settle, statusOf, url, World } from "./receivers.ts"

describe("an attempt that fails", () => {
  it.effect(
    "is made again after 5 s, 1 min, 5 min, 30 min, 2 h, 12 h, 24 h; then the webhook is disabled",
    () => {
      const world = new World()
      world.answers.set(url, () => 500)
      return Effect.gen(function* () {
        const seller = yield* join("seller")
        const { id } = yield* hook(seller, ["listing.published"])
        yield* publish(seller)
        yield* TestClock.adjust("3 days")
        const pauses = [5, 60, 300, 1800, 7200, 43_200, 86_400]
        const expected = pauses.reduce((moments, pause) => [...moments, (moments.at(-1) ?? 0) + pause], [0])
        assert.deepStrictEqual(
          world.got.map(({ at }) => Math.floor(at)),
          expected
        )
        assert.strictEqual(new Set(world.got.map(({ request }) => request.headers["webhook-id"])).size, 1)
        const [webhook] = yield* (yield* Webhooks).list(seller)
        const [delivery] = yield* deliveriesOf(seller, id)
        assert.strictEqual(webhook?.status, "disabled")
        assert.include(webhook?.disabledReason ?? "", delivery?.eventId ?? "?")
        assert.strictEqual(delivery?.status, "failed")
        assert.deepStrictEqual(
          delivery?.attempts.map(({ status }) => status),
          Array.from({ length: 8 }, () => 500)
        )
        yield* publish(seller)
        yield* TestClock.adjust("2 days")
        assert.strictEqual(world.got.length, 8, "a disabled webhook gets nothing")
      }).pipe(Effect.provide(open(world)))
    }
  )

  it.effect("is one without an answer too, and one whose answer takes more than 15 s", () => {
    const world = new World()
    world.answers.set(url, (count) => (["refused", "silent", 302, 200] as const)[count - 1] ?? 200)
    return Effect.gen(function* () {
      const seller = yield* join("seller")
      const { id } = yield* hook(seller, ["listing.published"])
      yield* publish(seller)
      yield* TestClock.adjust("10 minutes")
      const [delivery] = yield* deliveriesOf(seller, id)
      assert.deepStrictEqual(
        delivery?.attempts.map(({ error, status, succeeded, durationMillis }) => [
          error ?? status,
          succeeded,
          durationMillis
        ]),
        [
          ["The connection was refused.", false, 0],
          ["No answer within 15 s.", false, 15_000],
          [302, false, 0],
          [200, true, 0]
        ]
      )
      assert.strictEqual(delivery?.status, "delivered")
    }).pipe(Effect.provide(open(world)))
  })

  it.effect("with 410 disables the webhook at once, and ends all that it was still to get", () => {
    const world = new World()
    world.answers.set(url, (count) => (count <= 6 ? 503 : 410))
    return Effect.gen(function* () {
      const seller = yield* join("seller")
      const { id } = yield* hook(seller, ["listing.published"])
      for (let n = 0; n < 6; n++) yield* publish(seller)
      yield* settle
      assert.strictEqual(world.got.length, 6)
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* statusOf(seller), "disabled")
      const deliveries = yield* deliveriesOf(seller, id)
      assert.isTrue(
        deliveries.every(({ status, nextAttemptAt }) => status === "failed" && nextAttemptAt === null)
      )
      const sent = world.got.length
      yield* TestClock.adjust("3 days")
      assert.strictEqual(world.got.length, sent)
    }).pipe(Effect.provide(open(world)))
  })
})

describe("a receiver that is slow", () => {
  it.effect("delays no other, however much it is still to get", () => {
    const world = new World()
    const slow = "https://slow.example/"
    world.answers.set(slow, () => "silent")
    return Effect.gen(function* () {
      const seller = yield* join("seller")
      yield* hook(seller, ["listing.published"], slow)
      yield* hook(seller, ["listing.published"])
      for (let n = 0; n < 10; n++) yield* publish(seller)
      yield* settle
      assert.strictEqual(world.at(url).length, 10)
      assert.strictEqual(world.at(slow).length, 4)
      world.answers.set(url, (count) => (count === 11 ? 500 : 200))
      yield* publish(seller)
      yield* TestClock.adjust("7 seconds")
      assert.strictEqual(world.at(url).length, 12, "a retry is in time as well")
    }).pipe(Effect.provide(open(world)))
  })
})

describe("a market that stops", () => {
  const node = Effect.fnUntraced(function* (seed: number, world: World) {
    const store = Layer.succeed(Store, yield* Store)
    return Market.layer({ sweepEverySeconds: "off" }).pipe(
      Layer.provideMerge(Layer.mergeAll(store, MiniSearchIndex.layer, seededRandom(seed), world.layer))
    )
  })

  it.effect(
    "delivers when it is up again what it had not delivered: nothing is lost, nothing told twice",
    () => {
      const [before, after] = [new World(), new World()]
      before.answers.set(url, (count) => (count === 1 ? 200 : "silent"))
      return Effect.gen(function* () {
        const seller = yield* Effect.gen(function* () {
          const seller = yield* join("seller")
          yield* hook(seller, ["listing.published"])
          for (let n = 0; n < 3; n++) {
            yield* publish(seller)
            yield* settle
          }
          // The commit is the last that this node does: nobody has made a delivery of it.
          yield* publish(seller)
          return seller
        }).pipe(Effect.provide(yield* node(1, before)))
        assert.strictEqual(before.got.length, 2)
        yield* Effect.gen(function* () {
          yield* settle
          assert.strictEqual(after.got.length, 2, "what was under way is left alone until its lease ends")
          yield* TestClock.adjust("8 seconds")
          const [webhook] = yield* (yield* Webhooks).list(seller)
          assert(webhook !== undefined)
          const deliveries = yield* deliveriesOf(seller, webhook.id)
          assert.deepStrictEqual(
            deliveries.map(({ status }) => status),
            ["delivered", "delivered", "delivered", "delivered"]
          )
          assert.strictEqual(after.got.length, 3)
        }).pipe(Effect.provide(yield* node(2, after)))
      }).pipe(Effect.provide(MemoryStore.layer))
    }
  )

  it.effect("has others beside it: each event is sent by one of them", () => {
    const world = new World()
    return Effect.gen(function* () {
      const seller = yield* join("seller")
      yield* Effect.provide(nodeOn(5), world.layer)
      yield* hook(seller, ["listing.published"])
      for (let n = 0; n < 20; n++) {
        yield* publish(seller)
        if (n % 3 === 0) yield* TestClock.adjust("4 seconds")
      }
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(world.got.length, 20)
    }).pipe(Effect.provide(open(world)), Effect.scoped)
  })
})

describe("two nodes", () => {
  /** A node of its own, which lives until the scope ends. */
  const nodeIn = (seed: number, world: World) => Effect.provide(nodeOn(seed), world.layer)

  it.effect("leave a delivery to whoever is at it, for as long as the receiver takes", () => {
    const [one, two] = [new World(), new World()]
    one.answers.set(url, () => "silent")
    return Effect.gen(function* () {
      const node = yield* nodeIn(1, one)
      const seller = yield* Effect.provide(join("seller"), node)
      yield* Effect.provide(hook(seller, ["listing.published"]), node)
      yield* Effect.provide(publish(seller), node)
      yield* settle
      yield* nodeIn(2, two)
      yield* TestClock.adjust("14 seconds")
      assert.deepStrictEqual([one.got.length, two.got.length], [1, 0])
    }).pipe(Effect.provide(sharedStore))
  })

  it.effect("take over within ten seconds what a dead one had in hand, and what it had not begun", () => {
    const [one, two] = [new World(), new World()]
    one.answers.set(url, () => "silent")
    return Effect.gen(function* () {
      const { die, node } = yield* Effect.provide(mortalNode(1), one.layer)
      const seller = yield* Effect.provide(join("seller"), node)
      yield* Effect.provide(hook(seller, ["listing.published"]), node)
      for (let n = 0; n < 6; n++) yield* Effect.provide(publish(seller), node)
      yield* settle
      assert.strictEqual(one.got.length, 4, "so many are under way at a time")
      yield* nodeIn(2, two)
      yield* TestClock.adjust("4 seconds")
      yield* Effect.provide(publish(seller), node)
      yield* die
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(two.got.length, 7)
      assert.strictEqual(new Set(two.got.map(({ request }) => request.headers["webhook-id"])).size, 7)
    }).pipe(Effect.provide(sharedStore))
  })
})

describe("the courier of a market with many webhooks", () => {
  const silent = "https://silent.example/"

  it.effect(
    "serves an honest receiver within seconds, however many others are silent",
    () => {
      const world = new World()
      return Effect.gen(function* () {
        for (let n = 0; n < 25; n++) {
          const stranger = yield* join(`stranger${n}`)
          for (let k = 0; k < 20; k++) {
            const to = `${silent}${n}/${k}`
            world.answers.set(to, () => "silent")
            yield* hook(stranger, ["listing.published"], to)
          }
        }
        const [honest, seller] = yield* Effect.all([join("honest"), join("seller")])
        yield* hook(honest, ["listing.published"])
        for (let n = 0; n < 10; n++) yield* publish(seller)
        const seconds = Effect.repeat(TestClock.adjust("500 millis"), { times: 7 })
        yield* seconds
        assert.strictEqual(world.at(url).length, 10)
        yield* TestClock.adjust("20 seconds")
        yield* publish(seller)
        yield* seconds
        assert.strictEqual(world.at(url).length, 11)
        const busiest = world.got.filter(({ at, url }) => at === 0 && url.startsWith(`${silent}0/`))
        assert.isAtMost(new Set(busiest.map(({ url }) => url)).size, 5, "a few of one agent at a time")
      }).pipe(Effect.provide(open(world)))
    },
    60_000
  )

  it.effect("tries a receiver that gave no answer with one event at a time, until it answers", () => {
    const world = new World()
    return Effect.gen(function* () {
      const [me, seller] = yield* Effect.all([join("me"), join("seller")])
      world.answers.set(url, () => "silent")
      yield* hook(me, ["listing.published"])
      for (let n = 0; n < 12; n++) yield* publish(seller)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(world.got.length, 4)
      yield* TestClock.adjust("15 seconds")
      assert.strictEqual(world.got.length, 5)
      world.answers.clear()
      yield* TestClock.adjust("20 seconds")
      assert.isAtLeast(new Set(world.got.map(({ request }) => request.body)).size, 12)
    }).pipe(Effect.provide(open(world)))
  })

  it.effect(
    "makes an event that thousands want into deliveries in parts, each once",
    () => {
      const world = new World()
      const commits: Array<number> = []
      const counting = Layer.effect(
        Store,
        Effect.map(Store, (store) => ({
          ...store,
          commit: (commit: Commit) =>
            Effect.suspend(() => {
              commits.push(commit.writes.length)
              return store.commit(commit)
            })
        }))
      ).pipe(Layer.provide(MemoryStore.layer))
      return Effect.gen(function* () {
        const everybody: Array<string> = []
        for (let n = 0; n < 60; n++) {
          const agent = yield* join(`agent${n}`)
          for (let k = 0; k < 20; k++) {
            everybody.push(`https://atlas.example/${n}/${k}`)
            yield* hook(agent, ["listing.published"], `https://atlas.example/${n}/${k}`)
          }
        }
        const seller = yield* join("seller")
        commits.length = 0
        yield* publish(seller)
        yield* publish(seller)
        yield* settle
        yield* settle
        assert.sameMembers(
          world.got.map(({ url }) => url),
          [...everybody, ...everybody]
        )
        assert.isAtMost(Math.max(...commits), 502, "five hundred and the bookmarks")
        assert.isAtLeast(Math.max(...commits), 500)
      }).pipe(
        Effect.provide(
          Market.layer({ sweepEverySeconds: "off", matching: "off" }).pipe(
            Layer.provideMerge(Layer.mergeAll(counting, MiniSearchIndex.layer, seededRandom(7))),
            Layer.provideMerge(world.layer)
          )
        )
      )
    },
    60_000
  )

  it.effect(
    "disables a webhook for which ten thousand deliveries wait, and says why",
    () => {
      const world = new World()
      world.answers.set(url, () => "silent")
      return Effect.gen(function* () {
        const [me, seller] = yield* Effect.all([join("me"), join("seller")])
        const store = yield* Store
        yield* hook(me, ["listing.published"])
        yield* publish(seller)
        const told = (yield* store.events.after(0, 100)).find(
          ({ event }) => event.type === "listing.published"
        )
        assert(told !== undefined)
        const { audience, event } = told
        for (let n = 0; n < 11_000; n += 1000) {
          const events = Array.from({ length: 1000 }, (_, k) => ({
            audience,
            event: {
              ...event,
              id: makeId("event", { millis: 1, ordinal: 0, bytes: sha256Bytes(`${n + k}`) })
            }
          }))
          yield* store.commit({ writes: [], reliesOn: [], events })
        }
        yield* publish(seller)
        yield* TestClock.adjust("30 seconds")
        const [webhook] = yield* (yield* Webhooks).list(me)
        assert.deepStrictEqual(
          [webhook?.status, webhook?.disabledReason],
          ["disabled", "10000 deliveries waited for it."]
        )
        assert.isUndefined(yield* store.tasks.next("delivery"), "nothing waits any more")
      }).pipe(Effect.provide(open(world)))
    },
    60_000
  )
})
