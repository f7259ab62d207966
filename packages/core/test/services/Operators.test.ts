import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import {
  Agents,
  DealRooms,
  Events,
  ListingId,
  Listings,
  Operators,
  Rfqs,
  Search,
  Settling,
  verifyTranscript
} from "../../src/index.ts"
import type { AgentId, EventType } from "../../src/index.ts"
import {
  agreeDeal,
  callForQuotes,
  codeOf,
  history,
  listingInput,
  market,
  sides,
  transcriptOf
} from "../fixtures.ts"

/** What a reader hears of one type: the data of each event. */
const heard = (viewer: AgentId | undefined, type: EventType) =>
  Effect.gen(function* () {
    const page = yield* (yield* Events).page(viewer, { after: "earliest", types: [type], limit: 100 })
    return page.items.map(({ event }) => event.data)
  })

/** A deal that the buyer disputes. */
const dispute = Effect.fnUntraced(function* (buyer: AgentId, seller: AgentId) {
  const { id } = yield* agreeDeal(buyer, seller)
  return (yield* (yield* DealRooms).dispute(buyer, id, "Not what was agreed")).value
})

const dealsOf = (id: AgentId) =>
  Effect.map(
    Agents.use((agents) => agents.me(id)),
    ({ reputation }) => reputation
  )

describe("an operator", () => {
  it.effect("keeps an agent from writing, and lets it write again", () =>
    Effect.gen(function* () {
      const [operators, listings] = yield* Effect.all([Operators, Listings])
      const [buyer, seller] = yield* sides
      const listing = (yield* listings.publish(seller, listingInput())).value
      assert.strictEqual((yield* operators.suspend(seller, "Sold fakes")).status, "suspended")
      assert.strictEqual(yield* codeOf(listings.publish(seller, listingInput())), "agent_suspended")
      assert.deepStrictEqual(yield* listings.get(buyer, listing.id), listing, "what it has stays")
      assert.strictEqual((yield* (yield* Agents).me(seller)).status, "suspended", "it reads on")
      assert.strictEqual(yield* codeOf(operators.suspend(seller, "Again")), "invalid_state")
      assert.strictEqual((yield* operators.reinstate(seller)).status, "active")
      assert.strictEqual(yield* codeOf(listings.publish(seller, listingInput())), "done")
    }).pipe(Effect.provide(market()))
  )

  it.effect("lets the agent that it concerns read why, and nobody else, and tells it once", () =>
    Effect.gen(function* () {
      const operators = yield* Operators
      const [buyer, seller] = yield* sides
      const listing = (yield* (yield* Listings).publish(seller, listingInput())).value
      const rfq = yield* callForQuotes(buyer)
      yield* operators.archiveListing(listing.id, "A fake")
      yield* operators.cancelRfq(rfq.id, "Not a real need")
      yield* operators.suspend(seller, "Sold fakes")
      const stories = [
        ["agent.suspended", { handle: "seller" }],
        ["listing.archived", { agentId: seller }],
        ["rfq.cancelled", { agentId: buyer }]
      ] as const
      for (const [type, facts] of stories)
        for (const reader of [undefined, buyer, seller])
          assert.deepStrictEqual(yield* heard(reader, type), [facts], type)
      const [agents, listings, rfqs] = yield* Effect.all([Agents, Listings, Rfqs])
      assert.deepStrictEqual((yield* agents.me(seller)).suspension, { reason: "Sold fakes" })
      assert.deepStrictEqual((yield* listings.get(seller, listing.id)).removal, { reason: "A fake" })
      assert.deepStrictEqual((yield* rfqs.get(buyer, rfq.id)).removal, { reason: "Not a real need" })
      const found = yield* rfqs.list(seller, { status: "cancelled" })
      assert.strictEqual(found.items.length, 1)
      const seen = JSON.stringify([
        yield* agents.profile("seller"),
        yield* agents.list({}),
        yield* rfqs.get(seller, rfq.id),
        yield* rfqs.get(undefined, rfq.id),
        found,
        yield* rfqs.list(undefined, { status: "cancelled" }),
        yield* (yield* Search).find(undefined, { q: "seller" }),
        yield* history
      ])
      for (const reason of ["Sold fakes", "A fake", "Not a real need"]) assert.notInclude(seen, reason)
      assert.isUndefined((yield* operators.reinstate(seller)).suspension)
      const actors = (yield* history).filter(({ event }) => stories.some(([type]) => type === event.type))
      for (const { event } of actors) assert.isUndefined(event.actorId)
    }).pipe(Effect.provide(market()))
  )

  it.effect("takes a listing and an RFQ off the market", () =>
    Effect.gen(function* () {
      const [operators, listings, rfqs] = yield* Effect.all([Operators, Listings, Rfqs])
      const [buyer, seller] = yield* sides
      const listing = (yield* listings.publish(seller, listingInput())).value
      const rfq = yield* callForQuotes(buyer)
      yield* operators.archiveListing(listing.id, "A fake")
      yield* operators.cancelRfq(rfq.id, "Not a real need")
      assert.strictEqual(yield* codeOf(listings.get(buyer, listing.id)), "not_found")
      assert.strictEqual((yield* rfqs.get(seller, rfq.id)).status, "cancelled")
      assert.isEmpty((yield* (yield* Search).find(undefined, { q: "translate" })).items)
      assert.strictEqual(yield* codeOf(operators.archiveListing(listing.id, "Twice")), "invalid_state")
      assert.strictEqual(yield* codeOf(operators.cancelRfq(rfq.id, "Twice")), "invalid_state")
    }).pipe(Effect.provide(market()))
  )

  it.effect("resolves a dispute, which counts as it was resolved", () =>
    Effect.gen(function* () {
      const operators = yield* Operators
      const [buyer, seller] = yield* sides
      const won = yield* dispute(buyer, seller)
      const lost = yield* dispute(buyer, seller)
      const shared = yield* dispute(buyer, seller)
      const refunded = { amount: "40", currency: "EUR" }
      yield* operators.resolveDispute(won.id, { outcome: "completed", note: "It was as agreed." })
      yield* operators.resolveDispute(lost.id, { outcome: "refunded" })
      const split = yield* operators.resolveDispute(shared.id, { outcome: "split", refunded })
      assert.deepStrictEqual(split.refunded, refunded)
      for (const id of [buyer, seller]) {
        const { completedDeals, disputedDeals } = yield* dealsOf(id)
        assert.deepStrictEqual({ completedDeals, disputedDeals }, { completedDeals: 1, disputedDeals: 3 })
      }
      assert.deepStrictEqual(
        (yield* heard(seller, "deal_room.resolved")).map(({ outcome, refunded }) => [outcome, refunded]),
        [
          ["completed", undefined],
          ["refunded", undefined],
          ["split", refunded]
        ]
      )
      for (const { id } of [won, lost, shared])
        assert.isTrue(Result.isSuccess(verifyTranscript(yield* transcriptOf(buyer, id))))
      const rooms = yield* DealRooms
      assert.strictEqual(yield* codeOf(rooms.review(buyer, won.id, { rating: 3 })), "done")
      assert.strictEqual(yield* codeOf(rooms.review(buyer, shared.id, { rating: 3 })), "invalid_state")
    }).pipe(Effect.provide(market()))
  )

  it.effect("comes too late for a dispute that time has refunded", () =>
    Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const { id } = yield* dispute(buyer, seller)
      yield* TestClock.adjust("30 days")
      const late = (yield* Operators).resolveDispute(id, { outcome: "completed" })
      assert.strictEqual(yield* codeOf(late), "invalid_state")
      assert.strictEqual(yield* (yield* Settling).sweep(100), 1)
      assert.strictEqual((yield* (yield* DealRooms).get(buyer, id)).status, "refunded")
    }).pipe(Effect.provide(market()))
  )

  it.effect("is refused what makes no sense, with the field", () =>
    Effect.gen(function* () {
      const operators = yield* Operators
      const [buyer, seller] = yield* sides
      const { id } = yield* dispute(buyer, seller)
      for (const reason of ["", "  ", "x".repeat(2001), "\u0000"])
        assert.strictEqual(yield* codeOf(operators.suspend(buyer, reason)), "invalid_request")
      for (const amount of ["0", "100", "100.000001", "-1", "half"]) {
        const refunded = { amount, currency: "EUR" }
        const split = operators.resolveDispute(id, { outcome: "split", refunded })
        assert.strictEqual(yield* codeOf(split), "invalid_request", amount)
      }
      const nowhere = ListingId.make("lst_01jd8wq0z7f3mbk5r2v6txn4ce")
      assert.strictEqual(yield* codeOf(operators.archiveListing(nowhere, "Why")), "not_found")
      assert.strictEqual((yield* (yield* DealRooms).get(buyer, id)).status, "disputed")
    }).pipe(Effect.provide(market()))
  )
})
