import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { Agents, DealRooms, Keys, Listings, Quotes, Rfqs, Search, Store } from "../../src/index.ts"
import type { Listing, WriteOptions } from "../../src/index.ts"
import { recordId, SealedReply } from "../../src/services/SealedReply.ts"
import {
  agreeDeal,
  callForQuotes,
  codeOf,
  distantMarket,
  history,
  join,
  listingInput,
  market,
  negotiate,
  offerIn,
  register,
  seededRandom,
  submitQuote,
  suspend,
  terms
} from "../fixtures.ts"

const scope = "agt_1 POST /api/agents"

const withKey = (key: string, body: string): WriteOptions => ({
  idempotency: { scope, key, bodyDigest: body }
})

const input = { handle: "atlas", name: "Atlas", email: "desk@atlas.example" }

describe("an Idempotency-Key", () => {
  it.effect("gives the first reply again, the API key that is shown once included", () =>
    Effect.gen(function* () {
      const agents = yield* Agents
      const first = yield* agents.register(input, withKey("k1", "body"))
      const again = yield* agents.register(input, withKey("k1", "body"))
      assert.deepStrictEqual(again.value, first.value)
      assert.deepStrictEqual([first.replayed, again.replayed], [false, true])
      assert.strictEqual(
        (yield* (yield* Keys).authenticate(Redacted.make(again.value.apiKey))).agentId,
        first.value.agent.id
      )
      assert.strictEqual((yield* history).filter(({ event }) => event.type === "agent.registered").length, 1)
    }).pipe(Effect.provide(market()))
  )

  it.effect("is refused with another body, and is another key in another scope", () =>
    Effect.gen(function* () {
      const agents = yield* Agents
      yield* agents.register(input, withKey("k1", "body"))
      assert.strictEqual(
        yield* codeOf(agents.register(input, withKey("k1", "other"))),
        "idempotency_key_reused"
      )
      const elsewhere = { idempotency: { scope: "other", key: "k1", bodyDigest: "body" } }
      assert.strictEqual(yield* codeOf(agents.register(input, elsewhere)), "handle_taken")
      assert.strictEqual(yield* codeOf(agents.register({ ...input, handle: "borea" }, elsewhere)), "done")
    }).pipe(Effect.provide(market()))
  )

  it.effect("is refused while the first request runs", () =>
    Effect.gen(function* () {
      const agents = yield* Agents
      const codes = yield* Effect.all(
        [
          codeOf(agents.register(input, withKey("k", "b"))),
          codeOf(agents.register(input, withKey("k", "b")))
        ],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(codes, ["done", "idempotency_in_flight"])
      assert.isTrue((yield* agents.register(input, withKey("k", "b"))).replayed)
    }).pipe(Effect.provide(distantMarket))
  )

  it.effect("is free again when the first request was given up", () =>
    Effect.gen(function* () {
      const agents = yield* Agents
      const now = { startImmediately: true }
      const rival = yield* Effect.forkChild(agents.register(input), now)
      // Waits behind the rival for the handle.
      const waiting = yield* Effect.forkChild(agents.register(input, withKey("k", "b")), now)
      assert.strictEqual(yield* codeOf(agents.register(input, withKey("k", "b"))), "idempotency_in_flight")
      yield* Fiber.interrupt(waiting)
      yield* Fiber.join(rival)
      assert.strictEqual(yield* codeOf(agents.register(input, withKey("k", "b"))), "handle_taken")
    }).pipe(Effect.provide(distantMarket))
  )

  it.effect("is kept for 24 hours", () =>
    Effect.gen(function* () {
      const agents = yield* Agents
      yield* agents.register(input, withKey("k", "b"))
      yield* TestClock.adjust("86399 seconds")
      assert.isTrue((yield* agents.register(input, withKey("k", "b"))).replayed)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* codeOf(agents.register(input, withKey("k", "b"))), "handle_taken")
      const other = { ...input, handle: "borea" }
      assert.isFalse((yield* agents.register(other, withKey("k", "c"))).replayed)
    }).pipe(Effect.provide(market()))
  )

  it.effect("keeps nothing of a refused request", () =>
    Effect.gen(function* () {
      const agents = yield* Agents
      yield* join("atlas")
      assert.strictEqual(yield* codeOf(agents.register(input, withKey("k", "b"))), "handle_taken")
      assert.isFalse((yield* agents.register({ ...input, handle: "borea" }, withKey("k", "c"))).replayed)
    }).pipe(Effect.provide(market()))
  )

  it.effect("replays every kind of reply as it was", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* Effect.all([join("buyer"), join("seller")])
      const [rfqs, quotes, rooms] = [yield* Rfqs, yield* Quotes, yield* DealRooms]
      const key = (name: string) => withKey(name, name)
      const twice = Effect.fnUntraced(function* <A, E>(
        write: Effect.Effect<{ readonly value: A; readonly replayed: boolean }, E>
      ) {
        const first = yield* write
        yield* TestClock.adjust("1 minute")
        const second = yield* write
        assert.deepStrictEqual(second.value, first.value)
        assert.deepStrictEqual([first.replayed, second.replayed], [false, true])
        return first.value
      })
      const rfq = yield* callForQuotes(buyer, { quoteMode: "sealed" })
      yield* twice(rfqs.update(buyer, rfq.id, { title: "Translate all" }, key("update")))
      const quote = yield* twice(quotes.submit(seller, rfq.id, { terms: terms("5") }, key("quote")))
      const sealed = yield* twice(quotes.decline(buyer, quote.id, "no", key("decline")))
      assert.isFalse("terms" in sealed)
      const open = yield* callForQuotes(buyer)
      const won = yield* submitQuote(seller, open.id)
      const { dealRoom } = yield* twice(rfqs.award(buyer, open.id, { quoteId: won.id }, key("award")))
      yield* twice(rooms.say(seller, dealRoom.id, { text: "hello", data: { n: 1 } }, key("say")))
      yield* twice(rooms.deliver(seller, dealRoom.id, { note: "done" }, key("deliver")))
      yield* twice(rooms.complete(buyer, dealRoom.id, key("complete")))
      yield* twice(rooms.review(buyer, dealRoom.id, { rating: 4 }, key("review")))
      assert.strictEqual(
        (yield* rooms.entries(buyer, dealRoom.id, {})).items.filter((e) => e.kind === "message").length,
        1
      )
    }).pipe(Effect.provide(market()))
  )

  it.effect("leaves no secret in the store: neither in a record, nor in an event, nor in a key", () =>
    Effect.gen(function* () {
      const agents = yield* Agents
      const store = yield* Store
      const { value } = yield* agents.register(input, withKey("k1", "body"))
      const record = yield* store.idempotency.byId(recordId({ scope, key: "k1" }))
      assert(record !== undefined)
      const kept = JSON.stringify([record, yield* history, yield* store.agents.byId(value.agent.id)])
      const secret = value.apiKey.slice("agent_".length)
      assert.isFalse(kept.includes(secret))
      assert.isFalse(kept.includes(Buffer.from(value.apiKey).toString("base64").slice(0, 20)))
      assert.isFalse(JSON.stringify(yield* history).includes("desk@atlas.example"))
    }).pipe(Effect.provide(market()))
  )
})

describe("a sealed reply", () => {
  const layer = SealedReply.layer.pipe(Layer.provide(seededRandom(5)))

  it.effect("opens with its key in its scope, and with no other", () =>
    Effect.gen(function* () {
      const { open, seal } = yield* SealedReply
      const sealed = yield* seal({ scope: "a", key: "b" }, "secret")
      assert.strictEqual(yield* open({ scope: "a", key: "b" }, sealed), "secret")
      for (const other of [
        { scope: "a", key: "B" },
        { scope: "b", key: "b" },
        { scope: "a\nb", key: "" }
      ])
        assert.strictEqual((yield* Effect.exit(open(other, sealed)))._tag, "Failure")
      assert.notStrictEqual(yield* seal({ scope: "a", key: "b" }, "secret"), sealed)
    }).pipe(Effect.provide(layer))
  )

  it("has another name for every scope and key", () => {
    const names = [
      ["a", "b"],
      ["a\nb", ""],
      ["", "a\nb"],
      ["a", "b\n"],
      ["a\n", "b"]
    ].map(([scope = "", key = ""]) => recordId({ scope, key }))
    assert.strictEqual(new Set(names).size, names.length)
  })
})

describe("validateOnly", () => {
  const dry: WriteOptions = { validateOnly: true }

  it.effect("shows what would be and changes nothing: no event, nothing to find, no id that exists", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* Effect.all([join("buyer"), join("seller")])
      const [listings, rfqs, quotes, rooms] = [yield* Listings, yield* Rfqs, yield* Quotes, yield* DealRooms]
      const rfq = yield* callForQuotes(buyer)
      const quote = yield* submitQuote(seller, rfq.id)
      const room = yield* negotiate(buyer, seller)
      const before = yield* history
      const published = yield* listings.publish(seller, listingInput({ title: "Phantom" }), dry)
      assert.strictEqual(published.value.title, "Phantom")
      assert.strictEqual(yield* codeOf(listings.get(seller, published.value.id)), "not_found")
      assert.deepStrictEqual((yield* (yield* Search).find(seller, { q: "phantom" })).items, [])
      const asked = yield* rfqs.create(buyer, { title: "Phantom", quoteDeadline: rfq.quoteDeadline }, dry)
      assert.strictEqual(yield* codeOf(rfqs.get(buyer, asked.value.id)), "not_found")
      const awarded = yield* rfqs.award(buyer, rfq.id, { quoteId: quote.id }, dry)
      assert.strictEqual(awarded.value.rfq.status, "awarded")
      assert.strictEqual(yield* codeOf(rooms.get(buyer, awarded.value.dealRoom.id)), "not_found")
      const { id, termsDigest } = offerIn(room)
      assert.strictEqual(
        (yield* rooms.accept(seller, room.id, id, { termsDigest }, dry)).value.status,
        "in_progress"
      )
      yield* rooms.say(buyer, room.id, { text: "x" }, dry)
      yield* quotes.revise(seller, quote.id, { terms: terms("1") }, dry)
      yield* quotes.withdraw(seller, quote.id, undefined, dry)
      yield* (yield* Agents).register({ handle: "ghost", name: "x", email: "a@b.example" }, dry)
      yield* (yield* Agents).close(buyer, dry)
      assert.strictEqual(yield* codeOf((yield* Agents).profile("ghost")), "not_found")
      assert.deepStrictEqual(yield* rooms.get(buyer, room.id), room)
      assert.deepStrictEqual(yield* quotes.get(seller, quote.id), quote)
      assert.strictEqual((yield* rfqs.get(buyer, rfq.id)).status, "open")
      assert.strictEqual((yield* (yield* Agents).me(buyer)).status, "active")
      assert.deepStrictEqual(yield* history, before)
    }).pipe(Effect.provide(market()))
  )

  it.effect("checks everything that the write would be refused for", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* Effect.all([join("buyer"), join("seller")])
      const rfq = yield* callForQuotes(buyer)
      const quotes = yield* Quotes
      assert.strictEqual(yield* codeOf(quotes.submit(buyer, rfq.id, { terms: terms("1") }, dry)), "self_deal")
      yield* submitQuote(seller, rfq.id)
      assert.strictEqual(
        yield* codeOf(quotes.submit(seller, rfq.id, { terms: terms("1") }, dry)),
        "already_quoted"
      )
      assert.strictEqual(
        yield* codeOf((yield* Agents).register({ ...input, handle: "BUYER" }, dry)),
        "handle_taken"
      )
      const stale = { ...dry, ifMatch: 7 }
      assert.strictEqual(
        yield* codeOf((yield* Rfqs).move(buyer, rfq.id, "cancel", stale)),
        "version_conflict"
      )
    }).pipe(Effect.provide(market()))
  )

  it.effect("neither uses up an Idempotency-Key nor asks for one", () =>
    Effect.gen(function* () {
      const agents = yield* Agents
      yield* agents.register(input, { ...withKey("k", "b"), ...dry })
      assert.isFalse((yield* agents.register(input, withKey("k", "b"))).replayed)
      const checked = yield* Effect.flip(agents.register(input, { ...withKey("k", "b"), ...dry }))
      assert.strictEqual(checked.code, "handle_taken")
    }).pipe(Effect.provide(market()))
  )
})

describe("If-Match", () => {
  it.effect("lets only the present version be changed, and names it in the refusal", () =>
    Effect.gen(function* () {
      const seller = yield* join("seller")
      const listings = yield* Listings
      const { value: listing } = yield* listings.publish(seller, listingInput())
      const rename = (title: string, ifMatch: number) =>
        listings.update(seller, listing.id, { title }, { ifMatch })
      const { value: renamed } = yield* rename("Second", 1)
      assert.strictEqual(renamed.version, 2)
      const refused = yield* Effect.flip(rename("Third", 1))
      assert(refused._tag === "VersionConflict")
      assert.strictEqual(refused.version, 2)
      assert.strictEqual((yield* listings.get(undefined, listing.id)).title, "Second")
    }).pipe(Effect.provide(market()))
  )

  it.effect("takes the version that a reader sees after time has moved, and the write goes on from it", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* Effect.all([join("buyer"), join("seller")])
      const rfqs = yield* Rfqs
      const rfq = yield* callForQuotes(buyer)
      yield* TestClock.adjust("2 days")
      const seen = yield* rfqs.get(buyer, rfq.id)
      assert.deepStrictEqual([seen.status, seen.version], ["evaluating", rfq.version + 1])
      assert.strictEqual(
        yield* codeOf(rfqs.move(buyer, rfq.id, "cancel", { ifMatch: rfq.version })),
        "version_conflict"
      )
      const cancelled = yield* rfqs.move(buyer, rfq.id, "cancel", { ifMatch: seen.version })
      assert.strictEqual(cancelled.value.version, seen.version + 1)

      const rooms = yield* DealRooms
      const room = yield* negotiate(buyer, seller)
      yield* TestClock.adjust("4 days")
      const lapsed = yield* rooms.get(buyer, room.id)
      assert.strictEqual(lapsed.status, "expired")
      assert.isAbove(lapsed.version, room.version)
      assert.strictEqual(
        yield* codeOf(rooms.decline(buyer, room.id, undefined, { ifMatch: lapsed.version })),
        "invalid_state"
      )
      const deal = yield* agreeDeal(buyer, seller)
      yield* rooms.deliver(seller, deal.id, { note: "done" })
      yield* TestClock.adjust("4 days")
      const completed = yield* rooms.get(seller, deal.id)
      yield* rooms.review(seller, deal.id, { rating: 5 }, { ifMatch: completed.version })
      const reviewed = yield* rooms.get(seller, deal.id)
      assert.deepStrictEqual([reviewed.status, reviewed.version], ["completed", completed.version + 1])
      assert.strictEqual(reviewed.headHash, completed.headHash)
    }).pipe(Effect.provide(market()))
  )

  it.effect("keeps one of two changes that were made upon the same version", () =>
    Effect.gen(function* () {
      const seller = yield* join("seller")
      const listings = yield* Listings
      const { value } = yield* listings.publish(seller, listingInput())
      const codes = yield* Effect.forEach(
        ["a", "b", "c"],
        (tag) => codeOf(listings.update(seller, value.id, { tags: [tag] }, { ifMatch: 1 })),
        { concurrency: "unbounded" }
      )
      assert.sameMembers(codes, ["done", "version_conflict", "version_conflict"])
    }).pipe(Effect.provide(market()))
  )
})

describe("a suspended agent", () => {
  it.effect("reads, and is refused every write", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* Effect.all([join("buyer"), join("seller")])
      const [agents, listings, rfqs, quotes, rooms] = [
        yield* Agents,
        yield* Listings,
        yield* Rfqs,
        yield* Quotes,
        yield* DealRooms
      ]
      const { value: listing } = yield* listings.publish(seller, listingInput())
      const rfq = yield* callForQuotes(buyer)
      const ownRfq = yield* callForQuotes(seller)
      const quote = yield* submitQuote(seller, rfq.id)
      const room = yield* negotiate(buyer, seller)
      const deal = yield* agreeDeal(buyer, seller)
      const { id, termsDigest } = offerIn(room)
      yield* suspend(seller)
      const codes = yield* Effect.all([
        codeOf(agents.update(seller, { name: "x" })),
        codeOf(agents.close(seller)),
        codeOf(listings.publish(seller, listingInput())),
        codeOf(listings.update(seller, listing.id, { title: "Other" })),
        codeOf(listings.move(seller, listing.id, "pause")),
        codeOf(rfqs.create(seller, { title: "Other", quoteDeadline: rfq.quoteDeadline })),
        codeOf(rfqs.update(seller, ownRfq.id, { title: "Other" })),
        codeOf(rfqs.move(seller, ownRfq.id, "cancel")),
        codeOf(quotes.submit(seller, rfq.id, { terms: terms("1") })),
        codeOf(quotes.revise(seller, quote.id, { terms: terms("1") })),
        codeOf(quotes.withdraw(seller, quote.id, undefined)),
        codeOf(rooms.open(seller, { counterparty: buyer, role: "seller" })),
        codeOf(rooms.say(seller, room.id, { text: "x" })),
        codeOf(rooms.offer(seller, room.id, { terms: terms("1") })),
        codeOf(rooms.accept(seller, room.id, id, { termsDigest })),
        codeOf(rooms.clearOffer(seller, room.id, id, "reject", undefined)),
        codeOf(rooms.decline(seller, room.id, undefined)),
        codeOf(rooms.deliver(seller, deal.id, { note: "x" })),
        codeOf(rooms.cancel(seller, deal.id, undefined)),
        codeOf(rooms.dispute(seller, deal.id, "x"))
      ])
      assert.deepStrictEqual(new Set(codes), new Set(["agent_suspended"]))
      assert.strictEqual((yield* rooms.get(seller, room.id)).id, room.id)
      assert.strictEqual((yield* quotes.mine(seller, {})).items.length, 1)
      assert.strictEqual((yield* agents.me(seller)).status, "suspended")
    }).pipe(Effect.provide(market()))
  )
})

describe("a refusal", () => {
  it.effect("leaves everything as it was", () =>
    Effect.gen(function* () {
      const { agent: buyer } = yield* register("buyer")
      const { agent: seller } = yield* register("seller")
      const listings = yield* Listings
      const rooms = yield* DealRooms
      const { value } = yield* listings.publish(seller.id, listingInput())
      const room = yield* negotiate(buyer.id, seller.id)
      const before = yield* history
      const offer = offerIn(room)
      const codes = yield* Effect.all([
        codeOf(listings.update(buyer.id, value.id, { title: "Mine" })),
        codeOf(listings.move(seller.id, value.id, "activate")),
        codeOf(rooms.accept(buyer.id, room.id, offer.id, { termsDigest: offer.termsDigest })),
        codeOf(rooms.accept(seller.id, room.id, offer.id, { termsDigest: `sha256:${"0".repeat(64)}` })),
        codeOf(rooms.deliver(seller.id, room.id, { note: "x" })),
        codeOf(rooms.deliver(buyer.id, room.id, { note: "x" })),
        codeOf(rooms.open(buyer.id, { counterparty: buyer.id, role: "seller" }))
      ])
      assert.deepStrictEqual(codes, [
        "forbidden",
        "invalid_state",
        "not_your_turn",
        "terms_mismatch",
        "invalid_state",
        "forbidden",
        "self_deal"
      ])
      const untouched: Listing = yield* listings.get(undefined, value.id)
      assert.deepStrictEqual(untouched, value)
      assert.deepStrictEqual(yield* rooms.get(buyer.id, room.id), room)
      assert.deepStrictEqual(yield* history, before)
    }).pipe(Effect.provide(market()))
  )
})
