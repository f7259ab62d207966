/** A market in memory with a seeded source of chance and a clock that the test turns, and what it takes to fill it. */
import { assert } from "@effect/vitest"
import { DateTime, Effect, Exit, Layer, Scope, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import {
  Agents,
  DealRooms,
  Market,
  MemoryStore,
  MiniSearchIndex,
  Quotes,
  Rfqs,
  Store,
  Unavailable
} from "../src/index.ts"
import type {
  AgentId,
  Commit,
  DealRoomId,
  DealRoomView,
  Event,
  Instant,
  ListingInput,
  Offer,
  QuoteInput,
  RfqId,
  RfqInput,
  Terms,
  WriteOptions
} from "../src/index.ts"

/** Chance that is the same on every run. */
export const seededRandom = (seed: number): Layer.Layer<SecureRandom.SecureRandom> =>
  Layer.sync(SecureRandom.SecureRandom, () => {
    let state = seed
    return SecureRandom.make((size) =>
      Uint8Array.from({ length: size }, () => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
        return state >>> 24
      })
    )
  })

/** No workers: nothing is swept or matched. */
const quiet: Market.MarketOptions = { sweepEverySeconds: "off", matching: "off" }

/**
 * Every service, and the store beneath them for what a test wants to see of it. Nothing is swept or matched unless the
 * test says so: reads and writes judge by the clock without it.
 */
export const market = (options: Market.MarketOptions = {}) =>
  Market.layer({ ...quiet, ...options }).pipe(
    Layer.provideMerge(Layer.mergeAll(MemoryStore.layer, MiniSearchIndex.layer, seededRandom(7)))
  )

/** A market on another process's store: what two nodes share is the store alone. */
export const nodeOn = Effect.fnUntraced(function* (seed: number, options: Market.MarketOptions = {}) {
  const store = Layer.succeed(Store, yield* Store)
  const node = Market.layer({ ...quiet, ...options }).pipe(
    Layer.provideMerge(Layer.mergeAll(store, MiniSearchIndex.layer, seededRandom(seed)))
  )
  return yield* Layer.buildWithMemoMap(node, yield* Layer.makeMemoMap, yield* Effect.scope)
})

/** A node that a test ends in the middle of whatever it is at. */
export const mortalNode = Effect.fnUntraced(function* (seed: number, options: Market.MarketOptions = {}) {
  const life = yield* Scope.make()
  const node = yield* Scope.provide(nodeOn(seed, options), life)
  return { node, die: Scope.close(life, Exit.void) }
})

/** A store that is not as near as memory: between what a command reads and what it commits, others get their turn. */
export const distantStore = Layer.effect(
  Store,
  Effect.map(Store, (store) => ({
    ...store,
    commit: (commit: Commit) => Effect.andThen(Effect.yieldNow, store.commit(commit))
  }))
).pipe(Layer.provide(MemoryStore.layer))

/** A store that other processes write to, and that gives no signal of it. */
export const sharedStore = Layer.effect(
  Store,
  Effect.map(Store, (store) => ({ ...store, events: { ...store.events, signals: Stream.never } }))
).pipe(Layer.provide(MemoryStore.layer))

/** A market whose events cannot be read a few times, once `failures` says how many. */
export const faultyFeedMarket = (failures: { left: number }) =>
  Market.layer(quiet).pipe(
    Layer.provideMerge(
      Layer.effect(
        Store,
        Effect.map(Store, (store) => ({
          ...store,
          events: {
            ...store.events,
            after: (position: number, limit: number) =>
              Effect.suspend(() =>
                failures.left-- > 0
                  ? Effect.fail(Unavailable.because("cut"))
                  : store.events.after(position, limit)
              )
          }
        }))
      ).pipe(Layer.provide(MemoryStore.layer))
    ),
    Layer.provideMerge(Layer.mergeAll(MiniSearchIndex.layer, seededRandom(13)))
  )

/** A market on a store of the test's own. */
export const marketOn = (store: Layer.Layer<Store>) =>
  Market.layer(quiet).pipe(Layer.provideMerge(Layer.mergeAll(store, MiniSearchIndex.layer, seededRandom(7))))

/** A market on a store that is not as near as memory. */
export const distantMarket = Market.layer(quiet).pipe(
  Layer.provideMerge(Layer.mergeAll(distantStore, MiniSearchIndex.layer, seededRandom(11)))
)

/** Opens an account; gives the agent and its key. */
export const register = Effect.fnUntraced(function* (handle: string) {
  const agents = yield* Agents
  const { value } = yield* agents.register({
    handle,
    name: `Agent ${handle}`,
    email: `${handle}@example.com`
  })
  return value
})

/** Opens an account; gives the agent's id. */
export const join = (handle: string) => Effect.map(register(handle), ({ agent }) => agent.id)

/** A buyer and a seller, new on the market. */
export const sides = Effect.all([join("buyer"), join("seller")])

/** The moment some seconds from now. */
export const inSeconds = (seconds: number): Effect.Effect<Instant> =>
  Effect.map(DateTime.now, (now) => DateTime.add(now, { seconds }))

const day = 86_400

/** Terms of a total in euros, without lines. */
export const terms = (amount: string, overrides: Partial<Terms> = {}): Terms => ({
  total: { amount, currency: "EUR" },
  deliverWithinSeconds: day,
  revisions: 1,
  acceptance: ["all pages"],
  ...overrides
})

export const listingInput = (overrides: Partial<ListingInput> = {}): ListingInput => ({
  title: "Translate legal texts",
  pricing: { model: "fixed", price: { amount: "12.50", currency: "EUR" } },
  ...overrides
})

/** Asks for quotes within a day. */
export const callForQuotes = Effect.fnUntraced(function* (buyer: AgentId, overrides: Partial<RfqInput> = {}) {
  const input = { title: "Translate a contract", quoteDeadline: yield* inSeconds(day), ...overrides }
  const { value } = yield* (yield* Rfqs).create(buyer, input)
  return value
})

/** Answers an RFQ. */
export const submitQuote = Effect.fnUntraced(function* (
  seller: AgentId,
  rfqId: RfqId,
  overrides: Partial<QuoteInput> = {}
) {
  const { value } = yield* (yield* Quotes).submit(seller, rfqId, { terms: terms("400"), ...overrides })
  return value
})

/** The offer that lies on a room's table. */
export const offerIn = (room: DealRoomView): Offer => {
  const offer = room.currentOffer
  assert(offer !== undefined, "an offer lies on the table")
  return offer
}

/** Opens a room in which the buyer has made an offer. */
export const negotiate = Effect.fnUntraced(function* (
  buyer: AgentId,
  seller: AgentId,
  overrides: Partial<Terms> = {}
) {
  const { value } = yield* (yield* DealRooms).open(buyer, {
    counterparty: seller,
    role: "buyer",
    offer: { terms: terms("100", overrides) }
  })
  return value
})

/** Agrees to what lies on the table. */
export const acceptOffer = Effect.fnUntraced(function* (
  by: AgentId,
  room: DealRoomView,
  options?: WriteOptions
) {
  const { id, termsDigest } = offerIn(room)
  return (yield* (yield* DealRooms).accept(by, room.id, id, { termsDigest }, options)).value
})

/** A deal on which both sides have agreed. */
export const agreeDeal = Effect.fnUntraced(function* (
  buyer: AgentId,
  seller: AgentId,
  overrides: Partial<Terms> = {}
) {
  return yield* acceptOffer(seller, yield* negotiate(buyer, seller, overrides))
})

/** A deal whose work has been handed over. */
export const deliverDeal = Effect.fnUntraced(function* (
  buyer: AgentId,
  seller: AgentId,
  overrides: Partial<Terms> = {}
) {
  const { id } = yield* agreeDeal(buyer, seller, overrides)
  return (yield* (yield* DealRooms).deliver(seller, id, { note: "done" })).value
})

/** Every event of the market with its readers, oldest first. */
export const history = Effect.gen(function* () {
  return yield* (yield* Store).events.after(0, 10_000)
})

/** The events about an entity. */
export const storyOf = (id: string) =>
  Effect.map(history, (events) => events.map(({ event }) => event).filter(({ subject }) => subject.id === id))

/** The types of the events about an entity, oldest first. */
export const typesOf = (id: string) =>
  Effect.map(storyOf(id), (events: ReadonlyArray<Event>) => events.map(({ type }) => type))

/** Names a refusal by its code, and fails when there is none. */
export const codeOf = <A, E extends { readonly code: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.match(effect, { onFailure: ({ code }) => code, onSuccess: () => "done" })

/** Suspends an agent, as the operator of the market would. */
export const suspend = Effect.fnUntraced(function* (id: AgentId) {
  const store = yield* Store
  const agent = yield* store.agents.byId(id)
  assert(agent !== undefined)
  const value = { ...agent, status: "suspended" as const, version: agent.version + 1 }
  yield* store.commit({
    writes: [{ kind: "agent", value, replaces: agent.version }],
    reliesOn: [],
    events: []
  })
})

/** The whole transcript of a room as one side reads it. */
export const transcriptOf = Effect.fnUntraced(function* (viewer: AgentId, id: DealRoomId) {
  return (yield* (yield* DealRooms).entries(viewer, id, { limit: 100 })).items
})
