import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Market, MiniSearchIndex, Quotes, Store, Webhooks } from "../../src/index.ts"
import {
  callForQuotes,
  codeOf,
  distantStore,
  join,
  market,
  nodeOn,
  seededRandom,
  submitQuote
} from "../fixtures.ts"
import { decodeEvent, deliveriesOf, hook, open, publish, settle, url, World } from "./receivers.ts"

describe("a webhook", () => {
  it.effect("gets the events of its types that its agent may hear, from its creation on, each once", () => {
    const world = new World()
    return Effect.gen(function* () {
      const [buyer, seller, other] = yield* Effect.all([join("buyer"), join("seller"), join("other")])
      yield* publish(seller)
      const { id } = yield* hook(buyer, ["listing.*", "quote.submitted"])
      yield* hook(other, ["listing.published", "quote.*"], "https://other.example/")
      yield* publish(seller)
      const rfq = yield* callForQuotes(buyer)
      const quote = yield* submitQuote(seller, rfq.id)
      yield* (yield* Quotes).withdraw(seller, quote.id, undefined)
      yield* settle
      assert.sameMembers(world.typesAt(url), ["listing.published", "quote.submitted"])
      assert.deepStrictEqual(world.typesAt("https://other.example/"), ["listing.published"])
      const deliveries = yield* deliveriesOf(buyer, id)
      assert.deepStrictEqual(
        deliveries.map(({ status, nextAttemptAt, attempts }) => [status, nextAttemptAt, attempts.length]),
        [
          ["delivered", null, 1],
          ["delivered", null, 1]
        ]
      )
      assert.sameMembers(
        world.at(url).map(({ request }) => request.headers["webhook-id"] ?? ""),
        deliveries.map(({ eventId }) => eventId)
      )
      yield* TestClock.adjust("2 days")
      assert.strictEqual(world.got.length, 3)
    }).pipe(Effect.provide(open(world)))
  })
})

describe("the owner of a webhook", () => {
  it.effect("enables it again: it hears what happens from then on", () => {
    const world = new World()
    world.answers.set(url, (count) => (count === 1 ? 410 : 200))
    return Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const seller = yield* join("seller")
      const { id } = yield* hook(seller, ["listing.published"])
      assert.strictEqual(yield* codeOf(webhooks.enable(seller, id)), "invalid_state")
      yield* publish(seller)
      yield* settle
      yield* publish(seller)
      yield* settle
      const { value } = yield* webhooks.enable(seller, id)
      assert.deepInclude(value, { status: "active", disabledReason: null })
      const heard = yield* publish(seller)
      yield* settle
      assert.deepStrictEqual(
        world.got.slice(1).map(({ request }) => decodeEvent(request.body).subject.id),
        [heard.id]
      )
    }).pipe(Effect.provide(open(world)))
  })

  it.effect("has an event sent again, under the same webhook-id and with all its retries", () => {
    const world = new World()
    return Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const seller = yield* join("seller")
      const { id } = yield* hook(seller, ["listing.published"])
      yield* publish(seller)
      yield* settle
      world.answers.set(url, (count) => (count < 9 ? 500 : 200))
      const [first] = yield* deliveriesOf(seller, id)
      assert(first !== undefined)
      yield* TestClock.adjust("1 minute")
      const { value } = yield* webhooks.replay(seller, id, first.id)
      assert.strictEqual(value.status, "pending")
      yield* TestClock.adjust("2 days")
      const [again] = yield* deliveriesOf(seller, id)
      assert.strictEqual(again?.status, "delivered")
      assert.strictEqual(again?.attempts.length, 9)
      assert.strictEqual(new Set(world.got.map(({ request }) => request.headers["webhook-id"])).size, 1)
    }).pipe(Effect.provide(open(world)))
  })

  it.effect("deletes it: nothing is sent any more, and it is gone", () => {
    const world = new World()
    world.answers.set(url, () => 500)
    return Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const seller = yield* join("seller")
      const { id } = yield* hook(seller, ["listing.published"])
      yield* publish(seller)
      yield* settle
      assert.strictEqual((yield* webhooks.remove(seller, id)).value.status, "deleted")
      assert.deepStrictEqual(yield* webhooks.list(seller), [])
      assert.strictEqual(yield* codeOf(webhooks.remove(seller, id)), "not_found")
      assert.isUndefined(yield* (yield* Store).tasks.next("delivery"))
      yield* TestClock.adjust("1 day")
      assert.strictEqual(world.got.length, 1)
    }).pipe(Effect.provide(open(world)))
  })

  it.effect("rotates its secret: for the grace there are two signatures, then one", () => {
    const world = new World()
    return Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const seller = yield* join("seller")
      const { value: first } = yield* webhooks.create(seller, { url, types: ["listing.published"] })
      const { id } = first.webhook
      const { value: second } = yield* webhooks.rotate(seller, id, { graceSeconds: 60 })
      assert.notStrictEqual(second.secret, first.secret)
      yield* publish(seller)
      yield* TestClock.adjust("1 minute")
      yield* publish(seller)
      yield* settle
      yield* webhooks.rotate(seller, id, { graceSeconds: 0 })
      yield* publish(seller)
      yield* settle
      const counts = world.got.map(({ request }) => request.headers["webhook-signature"]?.split(" ").length)
      assert.deepStrictEqual(counts, [2, 1, 1])
    }).pipe(Effect.provide(open(world)))
  })

  it.effect("is alone in seeing it, has twenty at most, and is told what is wrong with a URL", () => {
    const world = new World()
    return Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const [seller, other] = yield* Effect.all([join("seller"), join("other")])
      const { id } = yield* hook(seller, ["listing.published"])
      yield* publish(seller)
      yield* settle
      const [delivery] = yield* deliveriesOf(seller, id)
      assert(delivery !== undefined)
      assert.deepStrictEqual(yield* webhooks.list(other), [])
      const { id: mine } = yield* hook(other, ["listing.published"])
      const codes = yield* Effect.all([
        codeOf(webhooks.rotate(other, id, {})),
        codeOf(webhooks.enable(other, id)),
        codeOf(webhooks.remove(other, id)),
        codeOf(webhooks.deliveries(other, id, {})),
        codeOf(webhooks.replay(other, id, delivery.id)),
        codeOf(webhooks.replay(other, mine, delivery.id))
      ])
      assert.deepStrictEqual(new Set(codes), new Set(["not_found"]))
      assert.strictEqual(yield* codeOf(hook(seller, ["rfq.*"], "http://a.example")), "invalid_request")
      for (let n = 1; n < 20; n++) yield* hook(seller, ["rfq.*"])
      assert.strictEqual(yield* codeOf(hook(seller, ["rfq.*"])), "limit_reached")
    }).pipe(Effect.provide(open(world)))
  })
})

describe("a market without a sender", () => {
  it.effect("has no webhooks", () =>
    Effect.gen(function* () {
      const seller = yield* join("seller")
      assert.strictEqual(yield* codeOf(hook(seller, ["rfq.*"])), "policy_refused")
    }).pipe(Effect.provide(market()))
  )
})

describe("a limit of twenty", () => {
  it.effect("holds when two nodes are asked at once", () => {
    const world = new World()
    return Effect.gen(function* () {
      const me = yield* join("me")
      const other = Context.get(yield* nodeOn(9), Webhooks)
      for (let n = 0; n < 19; n++) yield* hook(me, ["rfq.*"], `https://atlas.example/${n}`)
      const both = [yield* Webhooks, other].map(({ create }) => codeOf(create(me, { url, types: ["rfq.*"] })))
      const codes = yield* Effect.all(both, { concurrency: 2 })
      assert.deepStrictEqual(codes.toSorted(), ["done", "limit_reached"])
      assert.strictEqual((yield* other.list(me)).length, 20)
    }).pipe(
      Effect.provide(
        Market.layer({ sweepEverySeconds: "off", matching: "off" }).pipe(
          Layer.provideMerge(Layer.mergeAll(distantStore, MiniSearchIndex.layer, seededRandom(7))),
          Layer.provideMerge(world.layer)
        )
      )
    )
  })
})
