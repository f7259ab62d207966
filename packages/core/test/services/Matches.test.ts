import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import {
  Agents,
  DealRooms,
  Listings,
  Market,
  Matches,
  MemoryStore,
  MiniSearchIndex,
  Requests,
  Rfqs,
  Store
} from "../../src/index.ts"
import type { Commit } from "../../src/index.ts"
import {
  callForQuotes,
  codeOf,
  history,
  inSeconds,
  listingInput,
  market,
  seededRandom,
  suspend,
  typesOf
} from "../fixtures.ts"
import { ask, foundCount, idsOf, matchesOf, matchOf, offer, settle, sides, wanted } from "./matching.ts"

describe("a match", () => {
  it.effect("is found for whichever side comes last, and told to both and nobody else", () =>
    Effect.gen(function* () {
      const [buyer, seller, other] = yield* sides
      const first = yield* ask(buyer)
      const listing = yield* offer(seller)
      const rfq = yield* callForQuotes(buyer, { title: "Translate legal contracts" })
      yield* settle
      const matches = yield* matchesOf(buyer)
      assert.sameDeepMembers(
        matches.map(({ buyerId, demand, sellerId, status, supply }) => ({
          buyerId,
          demand,
          sellerId,
          status,
          supply
        })),
        [
          { kind: "request" as const, id: first.id },
          { kind: "rfq" as const, id: rfq.id }
        ].map((demand) => ({
          buyerId: buyer,
          demand,
          sellerId: seller,
          status: "suggested" as const,
          supply: { kind: "listing" as const, id: listing.id }
        }))
      )
      assert.deepStrictEqual(yield* matchesOf(seller), matches)
      assert.deepStrictEqual(yield* matchesOf(other), [])
      const told = (yield* history).filter(({ event }) => event.type === "match.found")
      assert.strictEqual(told.length, 2)
      for (const { audience, event } of told) {
        assert.deepStrictEqual(audience, [buyer, seller])
        const match = matches.find(({ id }) => id === event.subject.id)
        assert.deepStrictEqual(
          [event.data["score"], event.data["supply"], event.data["demand"]],
          [match?.score, match?.supply, match?.demand]
        )
      }
    }).pipe(Effect.provide(market()))
  )

  it.effect("has the same score and reasons, whichever side came last", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const before = yield* offer(seller, { description: "Contracts and patents, by sworn translators." })
      yield* ask(buyer)
      yield* settle
      const { pricing, ...rest } = listingInput({ tags: ["legal"] })
      const after = yield* offer(seller, {
        ...rest,
        pricing,
        description: "Contracts and patents, by sworn translators."
      })
      yield* settle
      const [a, b] = [
        yield* matchOf(buyer, { supply: before.id }),
        yield* matchOf(buyer, { supply: after.id })
      ]
      assert.deepStrictEqual([a.score, a.reasons], [b.score, b.reasons])
      assert.isAbove(a.score, 0.5)
    }).pipe(Effect.provide(market()))
  )

  it.effect("is not found with oneself, over the budget, in another currency, or on another subject", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      yield* ask(buyer)
      yield* offer(buyer)
      yield* offer(seller, { pricing: { model: "fixed", price: { amount: "50.01", currency: "EUR" } } })
      yield* offer(seller, { pricing: { model: "fixed", price: { amount: "5", currency: "USD" } } })
      yield* offer(seller, { title: "Bake a wedding cake", tags: ["food"] })
      yield* offer(seller, { status: "draft" })
      yield* settle
      assert.deepStrictEqual(yield* matchesOf(buyer), [])
      assert.strictEqual(yield* foundCount, 0)
    }).pipe(Effect.provide(market()))
  )

  it.effect("of an RFQ that is not public is found for those who are invited alone", () =>
    Effect.gen(function* () {
      const [buyer, seller, other] = yield* sides
      yield* Effect.forEach([seller, other], (by) => offer(by))
      const title = "Translate legal contracts"
      const rfq = yield* callForQuotes(buyer, { title, visibility: "invited", invitees: [seller] })
      yield* settle
      assert.deepStrictEqual(yield* matchesOf(other), [])
      const { id } = yield* matchOf(seller)
      yield* offer(other)
      yield* settle
      assert.deepStrictEqual(yield* matchesOf(other), [])
      yield* (yield* Rfqs).update(buyer, rfq.id, { invitees: [other] })
      yield* settle
      assert.deepStrictEqual(yield* idsOf(seller), [])
      assert.strictEqual(yield* codeOf((yield* Matches).dismiss(seller, id)), "not_found")
      assert.strictEqual((yield* matchesOf(other)).length, 2)
    }).pipe(Effect.provide(market()))
  )

  it.effect("is judged again when a side changes", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const request = yield* ask(buyer)
      const listing = yield* offer(seller)
      yield* settle
      const first = yield* matchOf(buyer)
      const listings = yield* Listings
      yield* listings.update(seller, listing.id, { metadata: { any: "thing" } })
      yield* settle
      assert.deepStrictEqual(yield* matchOf(buyer), first)
      yield* listings.update(seller, listing.id, {
        pricing: { model: "fixed", price: { amount: "49", currency: "EUR" } }
      })
      yield* settle
      const dearer = yield* matchOf(buyer)
      assert.strictEqual(dearer.version, 2)
      assert.isBelow(dearer.score, first.score)
      yield* (yield* Requests).update(buyer, request.id, { budget: { amount: "500", currency: "EUR" } })
      yield* settle
      assert.isAbove((yield* matchOf(buyer)).score, dearer.score)
      assert.deepStrictEqual(yield* typesOf(first.id), ["match.found"])
    }).pipe(Effect.provide(market()))
  )

  it.effect("is told of once a day at most, however often a side changes", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      yield* ask(buyer)
      const listing = yield* offer(seller)
      yield* settle
      const { id } = yield* matchOf(buyer)
      const listings = yield* Listings
      const set = Effect.fnUntraced(function* (tags: ReadonlyArray<string>) {
        yield* listings.update(seller, listing.id, { tags: [...tags] })
        yield* settle
      })
      for (let n = 0; n < 20; n++) {
        yield* set(["other"])
        yield* set(["legal"])
        yield* TestClock.adjust("1 hour")
      }
      assert.deepStrictEqual(yield* typesOf(id), ["match.found"])
      assert.isAbove((yield* matchOf(buyer)).version, 40)
      yield* set(["other"])
      yield* TestClock.adjust("1 day")
      yield* set(["legal"])
      assert.deepStrictEqual(yield* typesOf(id), ["match.found", "match.found"])
    }).pipe(Effect.provide(market()))
  )

  it.effect("is found behind any number of listings that the hard conditions leave out", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const listing = yield* offer(seller)
      const price = (amount: string, currency: string) => ({
        pricing: { model: "fixed" as const, price: { amount, currency } }
      })
      for (let n = 0; n < 100; n++) {
        yield* offer(seller, price("10", "USD"))
        yield* offer(seller, price("51", "EUR"))
        yield* offer(buyer)
      }
      yield* ask(buyer)
      yield* settle
      assert.strictEqual((yield* matchOf(buyer)).supply.id, listing.id)
    }).pipe(Effect.provide(market()))
  )

  it.effect("is found behind any number of demands that the hard conditions leave out", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const request = yield* ask(buyer)
      for (let n = 0; n < 100; n++) {
        yield* ask(buyer, { budget: { amount: "50", currency: "USD" } })
        yield* ask(buyer, { budget: { amount: "12", currency: "EUR" } })
        yield* ask(seller)
      }
      yield* settle
      yield* offer(seller)
      yield* settle
      assert.strictEqual((yield* matchOf(seller)).demand.id, request.id)
    }).pipe(Effect.provide(market()))
  )

  it.effect("of an RFQ for invited agents is found behind any number of other listings", () =>
    Effect.gen(function* () {
      const [buyer, seller, other] = yield* sides
      const listing = yield* offer(seller)
      for (let n = 0; n < 210; n++) yield* offer(other)
      const { title } = wanted
      yield* callForQuotes(buyer, { title, visibility: "invited", invitees: [seller] })
      yield* settle
      assert.strictEqual((yield* matchOf(buyer)).supply.id, listing.id)
    }).pipe(Effect.provide(market()))
  )

  it.effect("is told to nobody who is no longer invited when it is written", () => {
    let before: Effect.Effect<void> = Effect.void
    const store = Layer.effect(
      Store,
      Effect.map(Store, (store) => ({
        ...store,
        commit: (commit: Commit) => {
          const first = before
          const isMatch = commit.writes.some(({ kind }) => kind === "match")
          if (isMatch) before = Effect.void
          return isMatch ? Effect.andThen(first, store.commit(commit)) : store.commit(commit)
        }
      }))
    ).pipe(Layer.provide(MemoryStore.layer))
    const narrowing = Market.layer({ sweepEverySeconds: "off", matching: "off" }).pipe(
      Layer.provideMerge(Layer.mergeAll(store, MiniSearchIndex.layer, seededRandom(7)))
    )
    return Effect.gen(function* () {
      const [buyer, seller, other] = yield* sides
      yield* offer(seller)
      const rfq = yield* callForQuotes(buyer, { title: wanted.title })
      const rfqs = yield* Rfqs
      before = Effect.orDie(
        Effect.asVoid(rfqs.update(buyer, rfq.id, { visibility: "invited", invitees: [other] }))
      )
      yield* settle
      assert.strictEqual(yield* foundCount, 0)
    }).pipe(Effect.provide(narrowing))
  })

  it.effect("is there only while its two sides may meet, and again when they may again", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const request = yield* ask(buyer, { expiresAt: yield* inSeconds(3600) })
      const listing = yield* offer(seller)
      yield* settle
      const { id } = yield* matchOf(buyer)
      const gone = Effect.gen(function* () {
        for (const viewer of [buyer, seller]) {
          assert.deepStrictEqual(yield* idsOf(viewer), [])
          assert.strictEqual(yield* codeOf((yield* Matches).dismiss(viewer, id)), "not_found")
          assert.strictEqual(yield* codeOf((yield* DealRooms).open(viewer, { matchId: id })), "not_found")
        }
      })
      const listings = yield* Listings
      yield* listings.move(seller, listing.id, "pause")
      yield* gone
      yield* listings.move(seller, listing.id, "activate")
      yield* settle
      assert.deepStrictEqual(yield* idsOf(buyer), [id])
      const budget = (amount: string) => ({ budget: { amount, currency: "EUR" } })
      yield* (yield* Requests).update(buyer, request.id, budget("1"))
      yield* gone
      yield* (yield* Requests).update(buyer, request.id, budget("50"))
      assert.deepStrictEqual(yield* idsOf(seller), [id])
      yield* settle
      assert.deepStrictEqual(yield* typesOf(id), ["match.found"])
      yield* TestClock.adjust("1 hour")
      yield* gone
    }).pipe(Effect.provide(market()))
  )

  it.effect("that no longer fits is not shown, and is told of when it fits again", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      yield* ask(buyer)
      const listing = yield* offer(seller)
      yield* settle
      const { id } = yield* matchOf(buyer)
      const listings = yield* Listings
      yield* listings.update(seller, listing.id, { title: "Bake a wedding cake", tags: ["food"] })
      yield* settle
      assert.deepStrictEqual(yield* idsOf(buyer), [])
      assert.deepStrictEqual(yield* typesOf(id), ["match.found"])
      yield* TestClock.adjust("1 day")
      yield* listings.update(seller, listing.id, { title: "Translate legal texts", tags: ["legal"] })
      yield* settle
      assert.deepStrictEqual(yield* idsOf(buyer), [id])
      assert.deepStrictEqual(yield* typesOf(id), ["match.found", "match.found"])
    }).pipe(Effect.provide(market()))
  )

  it.effect("is not found with an agent that is suspended, before it is reinstated", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      yield* offer(seller)
      yield* suspend(seller)
      yield* ask(buyer)
      yield* settle
      assert.deepStrictEqual(yield* matchesOf(buyer), [])
      const store = yield* Store
      const agent = yield* store.agents.byId(seller)
      assert(agent !== undefined)
      const [sample] = yield* history
      assert(sample !== undefined)
      yield* store.commit({
        writes: [
          {
            kind: "agent",
            value: { ...agent, status: "active", version: agent.version + 1 },
            replaces: agent.version
          }
        ],
        reliesOn: [],
        events: [
          {
            ...sample,
            event: {
              ...sample.event,
              type: "agent.reinstated",
              subject: { kind: "agent", id: seller, version: agent.version + 1 }
            }
          }
        ]
      })
      yield* settle
      assert.strictEqual((yield* matchOf(buyer)).sellerId, seller)
    }).pipe(Effect.provide(market()))
  )

  it.effect("goes with the account of a side", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      yield* ask(buyer)
      yield* offer(seller)
      yield* settle
      assert.strictEqual((yield* matchesOf(buyer)).length, 1)
      yield* (yield* Agents).close(seller)
      assert.deepStrictEqual(yield* matchesOf(buyer), [])
    }).pipe(Effect.provide(market()))
  )
})
