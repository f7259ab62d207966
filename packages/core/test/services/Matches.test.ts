import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import {
  Agents,
  DealRooms,
  Events,
  Listings,
  makeId,
  Market,
  Matches,
  Matching,
  MemoryStore,
  MiniSearchIndex,
  Requests,
  Rfqs,
  Store,
  Unavailable
} from "../../src/index.ts"
import type {
  AgentId,
  Commit,
  CursorPage,
  Listing,
  ListingInput,
  Match,
  MatchQuery,
  RequestInput
} from "../../src/index.ts"
import {
  callForQuotes,
  codeOf,
  distantMarket,
  history,
  inSeconds,
  join,
  listingInput,
  market,
  nodeOn,
  seededRandom,
  suspend,
  terms,
  typesOf
} from "../fixtures.ts"

const wanted = {
  title: "Translate legal contracts",
  tags: ["legal"],
  budget: { amount: "50", currency: "EUR" }
}

const ask = Effect.fnUntraced(function* (by: AgentId, overrides: Partial<RequestInput> = {}) {
  return (yield* (yield* Requests).open(by, { ...wanted, ...overrides })).value
})

const offer = Effect.fnUntraced(function* (by: AgentId, overrides: Partial<ListingInput> = {}) {
  const input = listingInput({ tags: ["legal"], ...overrides })
  return (yield* (yield* Listings).publish(by, input)).value
})

/** Matches until there is nothing left to match. */
const settle = Effect.gen(function* () {
  const { round } = yield* Matching
  yield* Effect.repeat(round, { while: (count) => count > 0 })
})

const matchesOf = Effect.fnUntraced(function* (viewer: AgentId, query: MatchQuery = {}) {
  return (yield* (yield* Matches).list(viewer, query)).items
})

/** The one match that an agent has. */
const matchOf = Effect.fnUntraced(function* (viewer: AgentId, query: MatchQuery = {}) {
  const [match, ...others] = yield* matchesOf(viewer, query)
  assert(match !== undefined && others.length === 0, "there is one match")
  return match
})

const idsOf = (viewer: AgentId, query: MatchQuery = {}) =>
  Effect.map(matchesOf(viewer, query), (matches) => matches.map(({ id }) => id))

const sides = Effect.all([join("buyer"), join("seller"), join("other")])

const foundCount = Effect.map(
  history,
  (events) => events.filter(({ event }) => event.type === "match.found").length
)

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

describe("a round of matching", () => {
  it.effect("goes on where a former process stopped, and does nothing twice", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      yield* ask(buyer)
      yield* offer(seller)
      yield* settle
      const bookmark = yield* (yield* Store).bookmarks.byId("matcher")
      const later = yield* ask(buyer)
      const there = yield* nodeOn(31)
      yield* Effect.provide(settle, there)
      assert.strictEqual(yield* foundCount, 2)
      assert.strictEqual((yield* matchesOf(seller, { demand: later.id })).length, 1)
      const moved = yield* (yield* Store).bookmarks.byId("matcher")
      assert.isAbove(moved?.position ?? 0, bookmark?.position ?? 0)
      yield* settle
      assert.strictEqual(yield* foundCount, 2)
      assert.deepStrictEqual(yield* (yield* Store).bookmarks.byId("matcher"), moved)
    }).pipe(Effect.scoped, Effect.provide(market()))
  )

  it.effect("finds each pair once when two nodes are at it", () =>
    Effect.gen(function* () {
      const [buyer, seller, other] = yield* sides
      for (const n of [1, 2, 3, 4]) {
        yield* ask(buyer, { title: `Translate contracts ${n}` })
        yield* offer(n % 2 === 0 ? seller : other)
      }
      const there = yield* nodeOn(32)
      yield* Effect.all([settle, Effect.provide(settle, there)], { concurrency: 2 })
      const matches = yield* matchesOf(buyer, { limit: 100 })
      assert.strictEqual(matches.length, 16)
      assert.isTrue(matches.every(({ version }) => version === 1))
      assert.strictEqual(yield* foundCount, 16)
    }).pipe(Effect.scoped, Effect.provide(distantMarket))
  )

  it.effect("writes nothing for what is not new, and remembers it after many events", () =>
    Effect.gen(function* () {
      const [buyer] = yield* sides
      const store = yield* Store
      yield* settle
      assert.isUndefined(yield* store.bookmarks.byId("matcher"))
      const agents = yield* Agents
      for (let n = 0; n < 1000; n++) yield* agents.update(buyer, { name: `Name ${n}` })
      yield* settle
      const bookmark = yield* store.bookmarks.byId("matcher")
      assert.strictEqual(bookmark?.version, 1)
      assert.isAtLeast(bookmark?.position ?? 0, 1000)
    }).pipe(Effect.provide(market()))
  )

  it.effect("does again what was not committed, and nothing else", () => {
    const faults = { at: 2 }
    const faulty = Layer.effect(
      Store,
      Effect.map(Store, (store) => ({
        ...store,
        commit: (commit: Parameters<typeof store.commit>[0]) =>
          Effect.suspend(() =>
            commit.writes.some(({ kind }) => kind === "bookmark") && --faults.at === 0
              ? Effect.fail(Unavailable.because("cut"))
              : store.commit(commit)
          )
      }))
    ).pipe(Layer.provide(MemoryStore.layer))
    return Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      yield* ask(buyer)
      yield* ask(buyer, { title: "Translate patents" })
      for (const n of [1, 2, 3]) yield* offer(seller, { title: `Translate contracts ${n}` })
      assert.strictEqual(yield* codeOf(settle), "unavailable")
      assert.strictEqual(yield* foundCount, 3)
      yield* settle
      assert.strictEqual((yield* matchesOf(buyer)).length, 6)
      assert.strictEqual(yield* foundCount, 6)
    }).pipe(
      Effect.provide(
        Market.layer({ matching: "off", sweepEverySeconds: "off" }).pipe(
          Layer.provideMerge(Layer.mergeAll(faulty, MiniSearchIndex.layer, seededRandom(19)))
        )
      )
    )
  })
})

describe("the matcher", () => {
  it.effect("tells both sides by itself, a moment after something has come or changed", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const { items } = yield* (yield* Events).open(buyer, { types: ["match.*"] })
      const request = yield* ask(buyer)
      yield* offer(seller)
      assert.strictEqual(yield* foundCount, 0)
      yield* TestClock.adjust("2 seconds")
      const [heard] = yield* Stream.runCollect(Stream.take(items, 1))
      const match = yield* matchOf(seller, { demand: request.id })
      assert.deepStrictEqual([heard?.event.type, heard?.event.subject.id], ["match.found", match.id])
      yield* offer(seller, { title: "Translate patents" })
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* matchesOf(buyer)).length, 2)
    }).pipe(Effect.scoped, Effect.provide(market({ matching: {} })))
  )

  it.effect("matches what was there before it", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      yield* ask(buyer)
      yield* offer(seller)
      const store = Layer.succeed(Store, yield* Store)
      const node = Market.layer({ sweepEverySeconds: "off" }).pipe(
        Layer.provideMerge(Layer.mergeAll(store, MiniSearchIndex.layer, seededRandom(23)))
      )
      yield* Layer.buildWithMemoMap(node, yield* Layer.makeMemoMap, yield* Effect.scope)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* matchesOf(buyer)).length, 1)
    }).pipe(Effect.scoped, Effect.provide(market()))
  )

  it.effect("goes on after a fault of the store", () => {
    const faults = { left: 2 }
    const faulty = Layer.effect(
      Store,
      Effect.map(Store, (store) => ({
        ...store,
        bookmarks: {
          byId: (id: string) =>
            Effect.suspend(() =>
              faults.left-- > 0 ? Effect.fail(Unavailable.because("cut")) : store.bookmarks.byId(id)
            )
        }
      }))
    ).pipe(Layer.provide(MemoryStore.layer))
    return Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      yield* ask(buyer)
      yield* offer(seller)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* matchesOf(buyer)).length, 1)
      assert.isAtMost(faults.left, 0)
    }).pipe(
      Effect.provide(
        Market.layer().pipe(
          Layer.provideMerge(Layer.mergeAll(faulty, MiniSearchIndex.layer, seededRandom(29)))
        )
      )
    )
  })
})
