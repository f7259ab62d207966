import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { DealRooms, Listings, makeId, Matches, Requests, Store } from "../../src/index.ts"
import type { CursorPage, Listing, Match } from "../../src/index.ts"
import { callForQuotes, codeOf, history, market, terms, typesOf } from "../fixtures.ts"
import { ask, idsOf, matchesOf, matchOf, offer, settle, sides } from "./matching.ts"

describe("a dismissed match", () => {
  it.effect("takes no place among the best ten", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      yield* Effect.forEach(Array.from({ length: 14 }), () => offer(seller))
      yield* settle
      const request = yield* ask(buyer)
      yield* settle
      const first = yield* idsOf(buyer)
      assert.strictEqual(first.length, 10)
      for (const id of first) yield* (yield* Matches).dismiss(buyer, id)
      yield* (yield* Requests).update(buyer, request.id, { description: "please" })
      yield* settle
      assert.strictEqual((yield* idsOf(buyer)).length, 4)
    }).pipe(Effect.provide(market()))
  )

  it.effect("is dismissed for both sides and for good, whatever changes", () =>
    Effect.gen(function* () {
      const [buyer, seller, other] = yield* sides
      yield* ask(buyer)
      const listing = yield* offer(seller)
      yield* settle
      const { id } = yield* matchOf(buyer)
      const matches = yield* Matches
      assert.strictEqual(yield* codeOf(matches.dismiss(other, id)), "not_found")
      assert.strictEqual(yield* codeOf(matches.dismiss(seller, id, { ifMatch: 7 })), "version_conflict")
      const { value } = yield* matches.dismiss(seller, id, { ifMatch: 1 })
      assert.deepStrictEqual([value.status, value.version], ["dismissed", 2])
      for (const viewer of [buyer, seller]) {
        assert.strictEqual(yield* codeOf(matches.dismiss(viewer, id)), "invalid_state")
        assert.strictEqual(yield* codeOf((yield* DealRooms).open(viewer, { matchId: id })), "invalid_state")
      }
      yield* (yield* Listings).update(seller, listing.id, { title: "Translate legal contracts" })
      yield* settle
      for (const viewer of [buyer, seller]) {
        assert.deepStrictEqual(yield* idsOf(viewer), [])
        assert.deepStrictEqual(yield* matchOf(viewer, { status: "dismissed" }), value)
      }
      assert.deepStrictEqual(yield* typesOf(id), ["match.found", "match.dismissed"])
      const told = (yield* history).find(({ event }) => event.type === "match.dismissed")
      assert.deepStrictEqual([told?.audience, told?.event.actorId], [[buyer, seller], seller])
    }).pipe(Effect.provide(market()))
  )
})

describe("a deal room from a match", () => {
  it.effect("is opened by either side, once, and engages the match in the same commit", () =>
    Effect.gen(function* () {
      const [buyer, seller, other] = yield* sides
      yield* ask(buyer)
      const rfq = yield* callForQuotes(buyer, { title: "Translate legal contracts" })
      yield* offer(seller)
      yield* settle
      const rooms = yield* DealRooms
      for (const [by, demandId] of [
        [seller, (yield* matchesOf(buyer)).find(({ demand }) => demand.kind === "request")?.demand.id],
        [buyer, rfq.id]
      ] as const) {
        const match = yield* matchOf(by, { demand: demandId })
        assert.strictEqual(yield* codeOf(rooms.open(other, { matchId: match.id })), "not_found")
        const rehearsed = { matchId: match.id, offer: { terms: terms("40") } }
        yield* rooms.open(by, rehearsed, { validateOnly: true })
        const { value } = yield* rooms.open(by, rehearsed)
        assert.deepStrictEqual(
          [value.buyerId, value.sellerId, value.origin, value.currentOffer?.fromId],
          [buyer, seller, { kind: "match", id: match.id }, by]
        )
        const engaged = yield* matchOf(by === buyer ? seller : buyer, { demand: demandId })
        assert.deepStrictEqual([engaged.status, engaged.version], ["engaged", 2])
        assert.strictEqual(yield* codeOf(rooms.open(by, { matchId: match.id })), "invalid_state")
        assert.strictEqual(yield* codeOf((yield* Matches).dismiss(by, match.id)), "invalid_state")
        assert.deepStrictEqual(yield* typesOf(match.id), ["match.found"])
      }
    }).pipe(Effect.provide(market()))
  )

  it.effect("is shown to its sides also when they could not meet any more", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const request = yield* ask(buyer)
      yield* offer(seller)
      yield* settle
      const { id } = yield* matchOf(buyer)
      yield* (yield* DealRooms).open(buyer, { matchId: id })
      yield* (yield* Requests).end(buyer, request.id, "fulfil")
      assert.deepStrictEqual(yield* idsOf(seller), [id])
    }).pipe(Effect.provide(market()))
  )
})

describe("the list of matches", () => {
  it.effect("has those of a demand or a supply, a page at a time, newest first", () =>
    Effect.gen(function* () {
      const [buyer, seller, other] = yield* sides
      const request = yield* ask(buyer)
      const listings: Array<Listing> = []
      for (const by of [seller, other, seller, seller, other, seller, seller]) {
        yield* TestClock.adjust("1 second")
        listings.push(yield* offer(by))
      }
      yield* settle
      const all = yield* idsOf(buyer, { demand: request.id })
      assert.strictEqual(all.length, 7)
      assert.deepStrictEqual(all, all.toSorted().toReversed())
      const paused = listings[5]
      assert(paused !== undefined)
      yield* (yield* Listings).move(seller, paused.id, "pause")
      const seen: Array<string> = []
      let cursor: string | null | undefined
      while (cursor !== null) {
        const page: CursorPage<Match> = yield* (yield* Matches).list(buyer, { limit: 2, cursor })
        seen.push(...page.items.map(({ id }) => id))
        cursor = page.nextCursor
      }
      assert.deepStrictEqual(
        seen,
        all.filter((_, index) => index !== 1)
      )
      assert.strictEqual((yield* matchesOf(other, { demand: request.id })).length, 2)
      assert.deepStrictEqual(yield* idsOf(other, { supply: listings[0]?.id }), [])
      assert.strictEqual((yield* matchesOf(seller, { supply: listings[0]?.id })).length, 1)
    }).pipe(Effect.provide(market()))
  )
})

describe("a list with many matches that no longer stand", () => {
  it.effect("ends a page early, and goes on behind them", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const kept = yield* ask(buyer)
      const listing = yield* offer(seller)
      yield* settle
      const { id } = yield* matchOf(buyer)
      const ended = (yield* (yield* Requests).end(buyer, (yield* ask(buyer)).id, "cancel")).value
      const template = yield* matchOf(buyer)
      const dead = Array.from({ length: 1500 }, (_, n) => ({
        ...template,
        id: makeId("match", { millis: 9e11 + n, ordinal: 0, bytes: new Uint8Array(8) }),
        demand: { kind: "request" as const, id: ended.id }
      }))
      const writes = dead.map((value) => ({ kind: "match" as const, value, replaces: null }))
      yield* (yield* Store).commit({ writes, reliesOn: [], events: [] })
      const matches = yield* Matches
      const first = yield* matches.list(buyer, { supply: listing.id })
      assert.deepStrictEqual(first.items, [])
      const second = yield* matches.list(buyer, { supply: listing.id, cursor: first.nextCursor ?? "" })
      assert.deepStrictEqual([second.items.map((match) => match.id), second.nextCursor], [[id], null])
      assert.strictEqual(second.items[0]?.demand.id, kept.id)
    }).pipe(Effect.provide(market()))
  )
})
