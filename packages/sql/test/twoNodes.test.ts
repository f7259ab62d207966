/** Two markets on one PostgreSQL database, each with its own connections, its own index and its own workers. */
import { assert, describe, it } from "@effect/vitest"
import {
  Agents,
  DealRooms,
  Events,
  Keys,
  Listings,
  Market,
  Matches,
  MiniSearchIndex,
  Quotes,
  Rfqs,
  Search,
  Settlement,
  Store,
  Webhooks,
  WebhookSender
} from "@souk/core"
import type { AgentId, SettlementCall, WebhookRequest } from "@souk/core"
import { sampleTerms } from "@souk/testing"
import {
  Clock,
  DateTime,
  Deferred,
  Effect,
  Exit,
  Fiber,
  Layer,
  Redacted,
  Schedule,
  Scope,
  Stream
} from "effect"
import { SecureRandom } from "effect/crypto"
import * as PostgresStore from "../src/PostgresStore.ts"
import { all, everyEvent, newSchema, openClient, range, url, usePostgres } from "./fixtures/postgres.ts"
import { SqlClient } from "effect/sql"

usePostgres()

// -----------------------------------------------------------------------------
// Nodes
// -----------------------------------------------------------------------------

/** A receiver and a bank, which note what a node asks of them. */
const makeWorld = () => {
  const sent: Array<WebhookRequest> = []
  const asked: Array<SettlementCall> = []
  const mood = { answers: Effect.void as Effect.Effect<void> }
  const ask = (call: SettlementCall) =>
    Effect.andThen(
      Effect.sync(() => asked.push(call)),
      mood.answers
    )
  return {
    sent,
    asked,
    mood,
    layer: Layer.merge(
      Layer.succeed(WebhookSender, {
        objection: () => undefined,
        send: (request) =>
          Effect.sync(() => sent.push(request)).pipe(Effect.andThen(mood.answers), Effect.as({ status: 204 }))
      }),
      Layer.succeed(Settlement, {
        authorise: (call) => Effect.as(ask(call), { outcome: "authorised" as const }),
        capture: ask,
        refund: ask,
        split: ask
      })
    )
  }
}
type World = ReturnType<typeof makeWorld>

/** A node that a test ends in the middle of whatever it is at. */
const startNode = Effect.fnUntraced(function* (schema: string, world: World) {
  const life = yield* Scope.fork(yield* Effect.scope)
  const market = Market.layer().pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        PostgresStore.layer({ url: yield* url, schema }),
        MiniSearchIndex.layer,
        SecureRandom.layerWebCrypto,
        world.layer
      )
    )
  )
  const context = yield* Layer.build(Layer.fresh(market)).pipe(Scope.provide(life))
  return { run: Effect.provide(context), die: Scope.close(life, Exit.void) }
})

const migrated = Effect.gen(function* () {
  const schema = yield* newSchema
  yield* PostgresStore.migrate({ schema }).pipe(
    Effect.provideService(SqlClient.SqlClient, yield* openClient())
  )
  return schema
})

/** Two nodes on a new schema, each with a world of its own. */
const startTwo = Effect.gen(function* () {
  const schema = yield* migrated
  const [hers, his] = [makeWorld(), makeWorld()]
  const [one, two] = yield* Effect.all([startNode(schema, hers), startNode(schema, his)], all)
  return { one, two, hers, his }
})

// -----------------------------------------------------------------------------
// What agents do
// -----------------------------------------------------------------------------

const register = (handle: string) =>
  Effect.map(
    Agents.use((agents) => agents.register({ handle, name: handle, email: `${handle}@example.com` })),
    ({ value }) => value
  )
const join = (handle: string) => Effect.map(register(handle), ({ agent }) => agent.id)

const call = Effect.fnUntraced(function* (buyer: AgentId) {
  const quoteDeadline = DateTime.add(yield* DateTime.now, { hours: 1 })
  const input = { title: "Translate a contract", tags: ["legal"], quoteDeadline }
  return (yield* (yield* Rfqs).create(buyer, input)).value
})

const publish = (seller: AgentId, title = "Translate legal texts") =>
  Effect.map(
    Listings.use((listings) =>
      listings.publish(seller, { title, tags: ["legal"], pricing: { model: "quote" } })
    ),
    ({ value }) => value
  )

const negotiate = (buyer: AgentId, seller: AgentId, validForSeconds: number) =>
  Effect.gen(function* () {
    const validUntil = DateTime.add(yield* DateTime.now, { seconds: validForSeconds })
    const offer = { terms: sampleTerms(), validUntil }
    return (yield* (yield* DealRooms).open(buyer, { counterparty: seller, role: "buyer", offer })).value
  })

const agree = Effect.fnUntraced(function* (buyer: AgentId, seller: AgentId) {
  const { currentOffer, id } = yield* negotiate(buyer, seller, 60)
  assert(currentOffer !== undefined)
  const { id: offerId, termsDigest } = currentOffer
  return (yield* (yield* DealRooms).accept(seller, id, offerId, { termsDigest })).value
})

const hook = (by: AgentId) =>
  Webhooks.use((webhooks) =>
    webhooks.create(by, { url: "https://atlas.example/", types: ["listing.published"] })
  )

const codeOf = <A, E extends { readonly code: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.match(effect, { onFailure: ({ code }) => code, onSuccess: () => "done" })

const typesOf = (id: string) =>
  Effect.map(Effect.flatMap(Store, everyEvent), (events) =>
    events.filter(({ event }) => event.subject.id === id).map(({ event }) => event.type)
  )

const webhookIds = ({ sent }: World) => sent.map(({ headers }) => headers["webhook-id"] ?? "")

/** Waits for something to become so, and tells how many seconds that took. */
const secondsUntil = <E, R>(is: Effect.Effect<boolean, E, R>) =>
  Effect.gen(function* () {
    const begun = yield* Clock.currentTimeMillis
    yield* Effect.repeat(is, { until: (so) => so, schedule: Schedule.spaced("50 millis") })
    return ((yield* Clock.currentTimeMillis) - begun) / 1000
  })

// -----------------------------------------------------------------------------

describe("two nodes on one database", () => {
  it.live("let one award win, and one handle, and do a request with one Idempotency-Key once", () =>
    Effect.gen(function* () {
      const { one, two } = yield* startTwo
      const nodes = [one, two]
      const buyer = yield* one.run(join("buyer"))
      const rfq = yield* one.run(call(buyer))
      const quotes = yield* Effect.forEach(
        range(8),
        (n) =>
          Effect.gen(function* () {
            const seller = yield* join(`seller-${n}`)
            return (yield* (yield* Quotes).submit(seller, rfq.id, { terms: sampleTerms() })).value
          }).pipe(n % 2 === 0 ? one.run : two.run),
        all
      )
      const awards = yield* Effect.forEach(
        quotes.flatMap(({ id }) => nodes.map((node) => ({ id, node }))),
        ({ id, node }) => codeOf(node.run(Rfqs.use((rfqs) => rfqs.award(buyer, rfq.id, { quoteId: id })))),
        all
      )
      assert.deepStrictEqual(awards.toSorted(), ["done", ...range(15).map(() => "invalid_state")])
      const types = yield* two.run(
        Effect.map(Effect.flatMap(Store, everyEvent), (events) => events.map(({ event }) => event.type))
      )
      for (const type of ["rfq.awarded", "quote.awarded", "deal_room.agreed"])
        assert.strictEqual(types.filter((each) => each === type).length, 1, type)
      assert.strictEqual(types.filter((each) => each === "quote.not_selected").length, 7)

      const handles = yield* Effect.forEach(
        range(10),
        (n) => codeOf((n % 2 === 0 ? one : two).run(register(n % 3 === 0 ? "Atlas" : "atlas"))),
        all
      )
      assert.deepStrictEqual(handles.toSorted(), ["done", ...range(9).map(() => "handle_taken")])

      const options = { idempotency: { scope: `${buyer} POST /api/listings`, key: "k", bodyDigest: "d" } }
      const input = { title: "Only once", pricing: { model: "quote" as const } }
      const made = yield* Effect.forEach(
        nodes,
        (node) => node.run(Listings.use((listings) => listings.publish(buyer, input, options))),
        all
      )
      assert.sameMembers(
        made.map(({ replayed }) => replayed),
        [true, false]
      )
      assert.deepStrictEqual(made[0]?.value, made[1]?.value)
    })
  )

  it.live("refuse a key within a second of its end on the other, and end what it was listening to", () =>
    Effect.gen(function* () {
      const { one, two } = yield* startTwo
      const { agent, apiKey } = yield* one.run(register("atlas"))
      const enter = Keys.use((keys) => keys.authenticate(Redacted.make(apiKey)))
      const { keyId } = yield* two.run(enter)
      const ended = yield* Effect.forkScoped(two.run(Keys.use((keys) => keys.awaitEnd(keyId))))
      yield* one.run(Keys.use((keys) => keys.revoke(agent.id, keyId)))
      assert.strictEqual(yield* codeOf(two.run(enter)), "key_revoked")
      yield* Effect.timeout(Fiber.join(ended), "1 second")
    })
  )

  it.live("find and tell at each what the other wrote, and match each pair once", () =>
    Effect.gen(function* () {
      const { one, two } = yield* startTwo
      const [buyer, seller] = [yield* one.run(join("buyer")), yield* two.run(join("seller"))]
      const [listens, heard] = [yield* Deferred.make<void>(), yield* Deferred.make<string>()]
      yield* two
        .run(
          Events.use((events) => events.open(undefined, { types: ["rfq.opened"] })).pipe(
            Effect.tap(() => Deferred.succeed(listens, undefined)),
            Effect.flatMap(({ items }) =>
              Stream.runForEach(items, ({ event }) => Deferred.succeed(heard, event.subject.id))
            )
          )
        )
        .pipe(Effect.forkScoped)
      yield* Deferred.await(listens)
      const listing = yield* two.run(publish(seller))
      const rfq = yield* one.run(call(buyer))
      assert.strictEqual(yield* Effect.timeout(Deferred.await(heard), "3 seconds"), rfq.id)
      const found = one.run(
        Search.use((search) => search.find(undefined, { q: "legal", types: ["listing"] }))
      )
      yield* secondsUntil(Effect.map(found, ({ items }) => items.some(({ item }) => item.id === listing.id)))
      const matches = two.run(Matches.use((matches) => matches.list(seller, {})))
      yield* secondsUntil(Effect.map(matches, ({ items }) => items.length > 0))
      // Long enough for the other to come to it as well.
      yield* Effect.sleep("2 seconds")
      const events = yield* one.run(Effect.flatMap(Store, everyEvent))
      assert.strictEqual(events.filter(({ event }) => event.type === "match.found").length, 1)
    })
  )

  it.live("send each delivery once, and give each order to the bank once", () =>
    Effect.gen(function* () {
      const { hers, his, one, two } = yield* startTwo
      const [buyer, seller] = [yield* one.run(join("buyer")), yield* two.run(join("seller"))]
      yield* one.run(hook(buyer))
      yield* Effect.forEach(range(60), (n) => (n % 2 === 0 ? one : two).run(publish(seller)), {
        concurrency: 6
      })
      const rooms = yield* Effect.forEach(
        range(12),
        (n) => (n % 2 === 0 ? one : two).run(agree(buyer, seller)),
        {
          concurrency: 4
        }
      )
      yield* secondsUntil(Effect.sync(() => hers.sent.length + his.sent.length >= 60))
      yield* Effect.forEach(rooms, ({ id }) =>
        secondsUntil(
          Effect.map(
            one.run(DealRooms.use((rooms) => rooms.get(buyer, id))),
            ({ status }) => status === "in_progress"
          )
        )
      )
      yield* Effect.sleep("1 second")
      const ids = [...webhookIds(hers), ...webhookIds(his)]
      assert.deepStrictEqual([ids.length, new Set(ids).size], [60, 60])
      const orders = [...hers.asked, ...his.asked].map(({ idempotencyKey }) => idempotencyKey)
      assert.deepStrictEqual([orders.length, new Set(orders).size], [12, 12])
    })
  )

  it.live(
    "take over within ten seconds what one had in hand when it died, and what it alone knew of",
    () =>
      Effect.gen(function* () {
        const schema = yield* migrated
        const [hers, his] = [makeWorld(), makeWorld()]
        hers.mood.answers = Effect.never
        const one = yield* startNode(schema, hers)
        const [buyer, seller] = [yield* one.run(join("buyer")), yield* one.run(join("seller"))]
        yield* one.run(hook(buyer))
        const deal = yield* one.run(agree(buyer, seller))
        yield* one.run(publish(seller))
        yield* secondsUntil(Effect.sync(() => hers.sent.length === 1 && hers.asked.length === 1))
        const two = yield* startNode(schema, his)
        // Longer than a claim that nobody renews.
        yield* Effect.sleep("9 seconds")
        assert.deepStrictEqual([his.sent, his.asked], [[], []])
        const talk = yield* one.run(negotiate(buyer, seller, 3))
        yield* one.run(publish(seller))
        yield* one.die
        const at = (id: typeof deal.id) => two.run(DealRooms.use((rooms) => rooms.get(buyer, id)))
        const [delivered, settled, swept] = yield* Effect.all(
          [
            secondsUntil(Effect.sync(() => new Set(webhookIds(his)).size === 2)),
            secondsUntil(Effect.map(at(deal.id), ({ status }) => status === "in_progress")),
            secondsUntil(
              two.run(Effect.map(typesOf(talk.id), (types) => types.includes("deal_room.expired")))
            )
          ],
          all
        )
        assert.isBelow(delivered, 10)
        assert.isBelow(settled, 10)
        assert.isBelow(swept, 3 + 10)
        assert.strictEqual(his.asked[0]?.idempotencyKey, hers.asked[0]?.idempotencyKey)
      }),
    25_000
  )
})
