import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { TestClock } from "effect/testing"
import { Agents, DealRooms, Requests, Search } from "../../src/index.ts"
import type { AgentId, RequestId, RequestQuery } from "../../src/index.ts"
import { codeOf, inSeconds, join, market, nodeOn, suspend, terms, typesOf } from "../fixtures.ts"

type Viewer = AgentId | undefined

const input = { title: "Translate contracts", tags: ["legal"], budget: { amount: "50", currency: "EUR" } }

const ask = Effect.fnUntraced(function* (by: AgentId, seconds?: number) {
  const until = seconds === undefined ? {} : { expiresAt: yield* inSeconds(seconds) }
  return (yield* (yield* Requests).open(by, { ...input, ...until })).value
})

/** Where a reader comes upon a request: by its id, in the list, in the list by words, in the search. */
const seen = Effect.fnUntraced(function* (viewer: Viewer, id: RequestId) {
  const requests = yield* Requests
  return yield* Effect.all([
    Effect.map(codeOf(requests.get(viewer, id)), (code) => code === "done"),
    Effect.map(requests.list(viewer, {}), ({ items }) => items.some((item) => item.id === id)),
    Effect.map(requests.list(viewer, { q: "translate" }), ({ items }) =>
      items.some((item) => item.id === id)
    ),
    Effect.map((yield* Search).find(viewer, { q: "translate", types: ["request"] }), ({ items }) =>
      items.some(({ item }) => item.id === id)
    )
  ])
})

const everywhere = [true, true, true, true]
const nowhere = [false, false, false, false]
const byIdAlone = [true, false, false, false]

describe("a request", () => {
  it.effect("is everybody's while it is open, and its owner's afterwards", () =>
    Effect.gen(function* () {
      const [buyer, other] = yield* Effect.all([join("buyer"), join("other")])
      const requests = yield* Requests
      const views = (id: RequestId) => Effect.forEach([buyer, other, undefined], (viewer) => seen(viewer, id))
      const made = [yield* ask(buyer), yield* ask(buyer), yield* ask(buyer, 60)] as const
      for (const { id } of made)
        assert.deepStrictEqual(yield* views(id), [everywhere, everywhere, everywhere])
      yield* requests.end(buyer, made[0].id, "fulfil")
      yield* requests.end(buyer, made[1].id, "cancel")
      yield* TestClock.adjust("60 seconds")
      for (const { id } of made) assert.deepStrictEqual(yield* views(id), [byIdAlone, nowhere, nowhere])
      const statuses = yield* Effect.forEach(made, ({ id }) => requests.get(buyer, id))
      assert.deepStrictEqual(
        statuses.map(({ status }) => status),
        ["fulfilled", "cancelled", "expired"]
      )
      assert.deepStrictEqual(yield* typesOf(made[0].id), ["request.opened", "request.fulfilled"])
      assert.deepStrictEqual(yield* typesOf(made[1].id), ["request.opened", "request.cancelled"])
    }).pipe(Effect.provide(market()))
  )

  it.effect("that is another's is forbidden while it is seen, and not found while it is not", () =>
    Effect.gen(function* () {
      const [buyer, other] = yield* Effect.all([join("buyer"), join("other")])
      const requests = yield* Requests
      const { id } = yield* ask(buyer)
      const attempts = () =>
        Effect.all([
          codeOf(requests.update(other, id, { title: "Mine" })),
          codeOf(requests.end(other, id, "fulfil")),
          codeOf(requests.end(other, id, "cancel"))
        ])
      assert.deepStrictEqual(yield* attempts(), ["forbidden", "forbidden", "forbidden"])
      yield* requests.end(buyer, id, "fulfil")
      assert.deepStrictEqual(yield* attempts(), ["not_found", "not_found", "not_found"])
      assert.strictEqual(yield* codeOf(requests.end(buyer, id, "cancel")), "invalid_state")
    }).pipe(Effect.provide(market()))
  )

  it.effect("of one's own is listed in whatever status, and another's is not", () =>
    Effect.gen(function* () {
      const [buyer, other] = yield* Effect.all([join("buyer"), join("other")])
      const requests = yield* Requests
      yield* requests.end(buyer, (yield* ask(buyer)).id, "cancel")
      yield* ask(buyer, 60)
      yield* ask(buyer)
      yield* TestClock.adjust("1 minute")
      const statuses = (viewer: Viewer, query: RequestQuery) =>
        Effect.map(requests.list(viewer, query), ({ items }) => items.map(({ status }) => status))
      const all = ["open", "expired", "cancelled"]
      assert.deepStrictEqual(yield* statuses(buyer, { agent: "me" }), all)
      assert.deepStrictEqual(yield* statuses(buyer, { agent: "me", q: "contracts" }), all)
      assert.deepStrictEqual(yield* statuses(buyer, { agent: "me", q: "patents" }), [])
      assert.deepStrictEqual(yield* statuses(buyer, { agent: buyer, status: "expired" }), ["expired"])
      assert.deepStrictEqual(yield* statuses(other, { agent: buyer }), ["open"])
      assert.deepStrictEqual(yield* statuses(undefined, { q: "contracts", maxPrice: "50" }), ["open"])
      assert.deepStrictEqual(yield* statuses(undefined, { q: "contracts", maxPrice: "49" }), [])
      for (const viewer of [other, undefined]) {
        const hidden = requests.list(viewer, { agent: buyer, status: "cancelled" })
        assert.strictEqual(yield* codeOf(hidden), "invalid_request")
      }
      assert.strictEqual(yield* codeOf(requests.list(undefined, { agent: "me" })), "key_missing")
    }).pipe(Effect.provide(market()))
  )

  it.effect("is changed on the version that was read, by an agent that may write", () =>
    Effect.gen(function* () {
      const buyer = yield* join("buyer")
      const requests = yield* Requests
      const { id } = yield* ask(buyer)
      const { value } = yield* requests.update(buyer, id, { title: "Translate patents" }, { ifMatch: 1 })
      assert.deepStrictEqual([value.title, value.version], ["Translate patents", 2])
      const stale = requests.update(buyer, id, { title: "Translate all" }, { ifMatch: 1 })
      assert.strictEqual(yield* codeOf(stale), "version_conflict")
      assert.strictEqual(yield* codeOf(requests.end(buyer, id, "fulfil", { ifMatch: 1 })), "version_conflict")
      yield* suspend(buyer)
      assert.strictEqual(yield* codeOf(requests.end(buyer, id, "fulfil")), "agent_suspended")
      assert.strictEqual(yield* codeOf(requests.open(buyer, input)), "agent_suspended")
    }).pipe(Effect.provide(market()))
  )

  it.effect("is found by a market that starts on the store that holds it", () =>
    Effect.gen(function* () {
      const { id } = yield* ask(yield* join("buyer"))
      const node = Context.get(yield* nodeOn(8), Search)
      const { items } = yield* node.find(undefined, { q: "translate", currency: "EUR" })
      assert.deepStrictEqual(
        items.map(({ item, type }) => [type, item.id]),
        [["request", id]]
      )
    }).pipe(Effect.scoped, Effect.provide(market()))
  )

  it.effect("is cancelled with the account, if it is still open", () =>
    Effect.gen(function* () {
      const buyer = yield* join("buyer")
      const [kept, expired] = [yield* ask(buyer), yield* ask(buyer, 60)]
      yield* TestClock.adjust("1 minute")
      yield* (yield* Agents).close(buyer)
      assert.deepStrictEqual(yield* typesOf(kept.id), ["request.opened", "request.cancelled"])
      assert.deepStrictEqual(yield* typesOf(expired.id), ["request.opened"])
    }).pipe(Effect.provide(market()))
  )
})

describe("a deal room from a request", () => {
  it.effect("has the one who asks as its buyer, and who answers as its seller", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* Effect.all([join("buyer"), join("seller")])
      const request = yield* ask(buyer)
      const rooms = yield* DealRooms
      const { value } = yield* rooms.open(seller, { requestId: request.id, offer: { terms: terms("40") } })
      assert.deepStrictEqual(
        [value.title, value.buyerId, value.sellerId, value.turn],
        [request.title, buyer, seller, "buyer"]
      )
      assert.deepStrictEqual(value.origin, { kind: "request", id: request.id })
      assert.strictEqual(value.currentOffer?.fromId, seller)
      assert.strictEqual((yield* (yield* Requests).get(buyer, request.id)).status, "open")
    }).pipe(Effect.provide(market()))
  )

  it.effect("starts while the request is open, and not with oneself", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* Effect.all([join("buyer"), join("seller")])
      const rooms = yield* DealRooms
      const [ended, expired] = [yield* ask(buyer), yield* ask(buyer, 60)]
      assert.strictEqual(yield* codeOf(rooms.open(buyer, { requestId: ended.id })), "self_deal")
      assert.strictEqual(yield* codeOf(rooms.open(seller, { requestId: expired.id })), "done")
      yield* (yield* Requests).end(buyer, ended.id, "fulfil")
      yield* TestClock.adjust("1 minute")
      for (const { id } of [ended, expired])
        assert.strictEqual(yield* codeOf(rooms.open(seller, { requestId: id })), "not_found")
      assert.strictEqual(yield* codeOf(rooms.open(buyer, { requestId: ended.id })), "self_deal")
    }).pipe(Effect.provide(market()))
  )
})
