import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import {
  Agents,
  DealRooms,
  keyDigest,
  Keys,
  Listings,
  MemoryStore,
  Quotes,
  Rfqs,
  Store,
  Unavailable,
  WebhookSender,
  Webhooks,
  writeKey
} from "../../src/index.ts"
import type { ApiKey, Commit } from "../../src/index.ts"
import { endedAtOnce } from "../../src/services/closing.ts"
import {
  agreeDeal,
  callForQuotes,
  codeOf,
  history,
  inSeconds,
  join,
  listingInput,
  market,
  marketOn,
  negotiate,
  register,
  submitQuote,
  terms,
  typesOf
} from "../fixtures.ts"

const receiver = Layer.succeed(WebhookSender, {
  objection: () => undefined,
  send: () => Effect.succeed({ status: 204 })
})

describe("an account", () => {
  it.effect("has a handle that is unique regardless of case", () =>
    Effect.gen(function* () {
      const agents = yield* Agents
      const { agent } = yield* register("Atlas")
      assert.strictEqual(agent.handle, "atlas")
      assert.strictEqual(yield* codeOf(register("ATLAS")), "handle_taken")
      assert.strictEqual((yield* agents.profile("aTlAs")).id, agent.id)
      yield* agents.close(agent.id)
      assert.strictEqual(yield* codeOf(register("atlas")), "handle_taken")
    }).pipe(Effect.provide(market()))
  )

  it.effect("may share its address with another", () =>
    Effect.gen(function* () {
      const agents = yield* Agents
      const email = "desk@example.com"
      yield* agents.register({ handle: "one", name: "One", email })
      assert.strictEqual(yield* codeOf(agents.register({ handle: "two", name: "Two", email })), "done")
    }).pipe(Effect.provide(market()))
  )

  it.effect("is changed field by field, and cleared with null", () =>
    Effect.gen(function* () {
      const seller = yield* join("seller")
      const agents = yield* Agents
      yield* agents.update(seller, { description: "Texts", metadata: { a: 1 }, skills: [] })
      const { value } = yield* agents.update(seller, { description: null, metadata: null })
      assert.isFalse("description" in value || "metadata" in value)
      assert.deepStrictEqual([value.skills, value.version, value.name], [[], 3, "Agent seller"])
    }).pipe(Effect.provide(market()))
  )

  it.effect("tells everybody of its new profile, and itself alone of its new address", () =>
    Effect.gen(function* () {
      const seller = yield* join("seller")
      const agents = yield* Agents
      yield* agents.update(seller, { email: "new@example.com" })
      yield* agents.update(seller, { email: "newer@example.com", name: "New" })
      const updates = (yield* history).filter(({ event }) => event.type === "agent.updated")
      assert.deepStrictEqual(
        updates.map(({ audience, event }) => [audience, event.data["changed"]]),
        [
          [[seller], ["email"]],
          ["public", ["name"]]
        ]
      )
    }).pipe(Effect.provide(market()))
  )
})

describe("a key", () => {
  it.effect("is recognised, and any other is refused for the reason that is true of it", () =>
    Effect.gen(function* () {
      const { agent, apiKey } = yield* register("seller")
      const [keys, store] = [yield* Keys, yield* Store]
      const authenticate = (key: string) => keys.authenticate(Redacted.make(key))
      assert.strictEqual((yield* authenticate(apiKey)).agentId, agent.id)
      const unknown = writeKey(new Uint8Array(20).fill(9))
      for (const bad of ["", "agent_", `${apiKey}x`, apiKey.toUpperCase(), ` ${apiKey}`, unknown])
        assert.strictEqual(yield* codeOf(authenticate(bad)), "key_invalid", bad)
      const key = yield* store.keys.byDigest(keyDigest(apiKey))
      assert(key !== undefined)
      assert.strictEqual(key.hint, apiKey.slice(-4))
      const put = (value: ApiKey, replaces: number) =>
        store.commit({ writes: [{ kind: "key", value, replaces }], reliesOn: [], events: [] })
      assert.isNotNull(key.lastUsedAt)
      yield* put({ ...key, version: 3, expiresAt: yield* inSeconds(0) }, 2)
      assert.strictEqual(yield* codeOf(authenticate(apiKey)), "key_expired")
      yield* put({ ...key, version: 4, expiresAt: yield* inSeconds(1) }, 3)
      assert.strictEqual(yield* codeOf(authenticate(apiKey)), "done")
      yield* put({ ...key, version: 5, revokedAt: yield* inSeconds(0) }, 4)
      assert.strictEqual(yield* codeOf(authenticate(apiKey)), "key_revoked")
    }).pipe(Effect.provide(market()))
  )

  it.effect("is never named in a refusal", () =>
    Effect.gen(function* () {
      const { apiKey } = yield* register("seller")
      const typo = `${apiKey.slice(0, -1)}${apiKey.endsWith("0") ? "1" : "0"}`
      const refusal = yield* Effect.flip((yield* Keys).authenticate(Redacted.make(typo)))
      assert.isFalse(`${JSON.stringify(refusal)} ${String(refusal)} ${refusal.stack}`.includes(typo.slice(6)))
    }).pipe(Effect.provide(market()))
  )
})

describe("closing an account", () => {
  it.effect("ends what it has on the market, in one commit, and leaves what is agreed", () =>
    Effect.gen(function* () {
      const [seller, buyer] = yield* Effect.all([join("seller"), join("buyer")])
      const [agents, listings, rfqs, quotes, rooms] = [
        yield* Agents,
        yield* Listings,
        yield* Rfqs,
        yield* Quotes,
        yield* DealRooms
      ]
      const made = yield* Effect.forEach(["active", "draft"] as const, (status) =>
        listings.publish(seller, listingInput({ status }))
      )
      const own = yield* callForQuotes(seller)
      const rfq = yield* callForQuotes(buyer)
      const quote = yield* submitQuote(seller, rfq.id)
      const [offered, received] = [yield* negotiate(seller, buyer), yield* negotiate(buyer, seller)]
      const deal = yield* agreeDeal(buyer, seller)
      const before = (yield* history).length
      const { value } = yield* agents.close(seller)
      assert.strictEqual(value.status, "closed")
      for (const { value: listing } of made)
        assert.strictEqual((yield* listings.get(seller, listing.id)).status, "archived")
      assert.strictEqual((yield* rfqs.get(buyer, own.id)).status, "cancelled")
      assert.strictEqual((yield* quotes.get(buyer, quote.id)).status, "withdrawn")
      assert.strictEqual((yield* rfqs.get(buyer, rfq.id)).quoteCount, 0)
      const talks = [yield* rooms.get(buyer, offered.id), yield* rooms.get(buyer, received.id)]
      assert.deepStrictEqual(
        talks.map(({ status, currentOffer }) => [status, currentOffer?.status]),
        [
          ["declined", "withdrawn"],
          ["declined", "rejected"]
        ]
      )
      assert.deepStrictEqual(
        (yield* history)
          .slice(before)
          .map(({ event }) => event.type)
          .toSorted(),
        [
          "agent.closed",
          "deal_room.declined",
          "deal_room.declined",
          "listing.archived",
          "listing.archived",
          "quote.withdrawn",
          "rfq.cancelled"
        ]
      )
      assert.strictEqual((yield* rooms.get(seller, deal.id)).status, "in_progress")
      yield* rooms.deliver(seller, deal.id, { note: "as agreed" })
      yield* rooms.complete(buyer, deal.id)
      yield* rooms.review(seller, deal.id, { rating: 5 })
    }).pipe(Effect.provide(market()))
  )

  it.effect("is not hindered by what time has ended already", () =>
    Effect.gen(function* () {
      const [seller, buyer] = yield* Effect.all([join("seller"), join("buyer")])
      const rfq = yield* callForQuotes(buyer)
      const quote = yield* submitQuote(seller, rfq.id, { validUntil: yield* inSeconds(60) })
      const own = yield* callForQuotes(seller, { awardBy: yield* inSeconds(2 * 86_400) })
      const talk = yield* negotiate(seller, buyer)
      yield* TestClock.adjust("5 days")
      yield* (yield* Agents).close(seller)
      assert.strictEqual((yield* (yield* Quotes).get(buyer, quote.id)).status, "expired")
      assert.strictEqual((yield* (yield* Rfqs).get(buyer, own.id)).status, "unsuccessful")
      assert.strictEqual((yield* (yield* DealRooms).get(buyer, talk.id)).status, "expired")
    }).pipe(Effect.provide(market()))
  )

  it.effect("ends also what fills more than a page", () =>
    Effect.gen(function* () {
      const seller = yield* join("seller")
      const listings = yield* Listings
      yield* Effect.forEach(Array.from({ length: 230 }), () => listings.publish(seller, listingInput()))
      yield* (yield* Agents).close(seller)
      assert.deepStrictEqual((yield* listings.list(undefined, {})).items, [])
    }).pipe(Effect.provide(market()))
  )

  it.effect("ends any number of things, in commits of bounded size", () => {
    const sizes: Array<number> = []
    const counting = Layer.effect(
      Store,
      Effect.map(Store, (store) => ({
        ...store,
        commit: (commit: Commit) =>
          Effect.andThen(
            Effect.sync(() => sizes.push(commit.events.length)),
            store.commit(commit)
          )
      }))
    ).pipe(Layer.provide(MemoryStore.layer))
    return Effect.gen(function* () {
      const seller = yield* join("seller")
      const listings = yield* Listings
      yield* Effect.forEach(Array.from({ length: 1000 }), () => listings.publish(seller, listingInput()))
      sizes.length = 0
      yield* (yield* Agents).close(seller, { validateOnly: true })
      assert.strictEqual((yield* (yield* Agents).me(seller)).status, "active")
      assert.isEmpty(sizes)
      yield* (yield* Agents).close(seller)
      assert.isEmpty((yield* listings.list(seller, { agent: "me", status: "active" })).items)
      assert.isAtMost(Math.max(...sizes), 201)
    }).pipe(Effect.provide(marketOn(counting)))
  })

  it.effect("ends a negotiation at once also where the RFQ that it is about ended in an earlier commit", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* Effect.all([join("buyer"), join("seller")])
      const listings = yield* Listings
      yield* Effect.forEach(Array.from({ length: 2 * endedAtOnce - 1 }), () =>
        listings.publish(buyer, listingInput())
      )
      const quote = yield* submitQuote(seller, (yield* callForQuotes(buyer)).id)
      const { value: room } = yield* (yield* DealRooms).open(seller, {
        quoteId: quote.id,
        offer: { terms: terms("390") }
      })
      yield* (yield* Agents).close(buyer)
      assert.deepStrictEqual((yield* typesOf(room.id)).slice(-2), [
        "deal_room.offer_expired",
        "deal_room.expired"
      ])
      assert.strictEqual((yield* (yield* Store).rooms.byId(room.id))?.status, "expired")
    }).pipe(Effect.provide(market()))
  )

  it.effect("is cut off where the store fails, and the next call ends what is left", () => {
    const failing = { after: Number.POSITIVE_INFINITY }
    const spoiled = Layer.effect(
      Store,
      Effect.map(Store, (store) => ({
        ...store,
        commit: (commit: Commit) =>
          Effect.suspend(() =>
            failing.after-- > 0 ? store.commit(commit) : Effect.fail(Unavailable.because("cut"))
          )
      }))
    ).pipe(Layer.provide(MemoryStore.layer))
    return Effect.gen(function* () {
      const [agents, listings] = yield* Effect.all([Agents, Listings])
      const seller = yield* join("seller")
      yield* Effect.forEach(Array.from({ length: 500 }), () => listings.publish(seller, listingInput()))
      failing.after = 1
      assert.strictEqual(yield* codeOf(agents.close(seller)), "unavailable")
      failing.after = Number.POSITIVE_INFINITY
      assert.strictEqual((yield* agents.me(seller)).status, "active", "nobody is closed by halves")
      yield* agents.close(seller)
      assert.isEmpty((yield* listings.list(seller, { agent: "me", status: "active" })).items)
    }).pipe(Effect.provide(marketOn(spoiled)))
  })

  it.effect("leaves the keys that there are, and makes no key and no webhook any more", () =>
    Effect.gen(function* () {
      const id = yield* join("seller")
      const keys = yield* Keys
      const [first] = yield* keys.list(id)
      assert(first !== undefined)
      yield* (yield* Agents).close(id)
      assert.strictEqual(yield* codeOf(keys.create(id, { label: "another" })), "forbidden")
      const hook = { url: "https://seller.example/", types: ["rfq.*"] as const }
      assert.strictEqual(yield* codeOf((yield* Webhooks).create(id, hook)), "forbidden")
      const { value } = yield* keys.rotate(id, first.id, {})
      assert.strictEqual(yield* codeOf(keys.revoke(id, value.key.id)), "done")
    }).pipe(Effect.provide(Layer.provide(market(), receiver)))
  )

  it.effect("is for good: nothing is begun any more, and the account is not closed twice", () =>
    Effect.gen(function* () {
      const [seller, buyer] = yield* Effect.all([join("seller"), join("buyer")])
      const agents = yield* Agents
      const rfq = yield* callForQuotes(buyer)
      const talk = yield* negotiate(buyer, seller)
      yield* agents.close(seller)
      assert.deepStrictEqual(
        yield* Effect.all([
          codeOf((yield* Listings).publish(seller, listingInput())),
          codeOf(callForQuotes(seller)),
          codeOf(submitQuote(seller, rfq.id)),
          codeOf(negotiate(seller, buyer)),
          codeOf(agents.update(seller, { name: "x" })),
          codeOf((yield* DealRooms).offer(seller, talk.id, { terms: terms("1") }))
        ]),
        Array.from({ length: 6 }, () => "forbidden")
      )
      assert.strictEqual(yield* codeOf(agents.close(seller)), "invalid_state")
      assert.deepStrictEqual(yield* typesOf(seller), ["agent.registered", "agent.closed"])
    }).pipe(Effect.provide(market()))
  )
})
