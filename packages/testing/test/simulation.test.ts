import { assert, describe, it } from "@effect/vitest"
import { DealRooms, MemoryStore, Rfqs, Quotes, Agents } from "@souk/core"
import { DateTime, Effect } from "effect"
import { buyerManners, MarketTest, sellerManners, simulate, simulation } from "../src/index.ts"
import { observed } from "../src/observed.ts"
import { brokenInvariants } from "../src/simulation/invariants.ts"
import { makeLedger } from "../src/simulation/Ledger.ts"

const manner = <A extends { readonly name: string }>(manners: ReadonlyArray<A>, name: string): A => {
  const found = manners.find((one) => one.name === name)
  assert(found !== undefined, `there is a manner ${name}`)
  return found
}

describe("simulate", () => {
  it("plays fourteen days of thirty agents, and tells how the market fared", async () => {
    const report = await simulate({ seed: 7 })
    const { deals, expiries, manners, matches, prices, quotes, rfqs, secondsToDeal } = report
    assert.deepInclude(report, { agents: 30, days: 14, checks: 14, endsAt: "2026-01-19T09:00:00.000Z" })
    assert.isAbove(rfqs.opened, 20)
    assert.strictEqual(quotes.perRfq.count, rfqs.opened)
    assert.isAbove(deals.agreed, 20)
    assert.isAbove(deals.completed, 10)
    assert.isAtLeast(deals.rooms, deals.agreed + deals.declined + deals.lapsed)
    assert.strictEqual(secondsToDeal.count, deals.agreed)
    assert.isAbove(secondsToDeal.p90 ?? 0, secondsToDeal.median ?? 0)
    assert.isAtMost(prices.ofBudget.p90 ?? 2, 1, "nobody pays more than his budget")
    assert.isAbove(matches.told, matches.engaged)
    assert.isAbove(matches.engaged, 0)
    assert.isAbove(expiries.quotes, 0)
    for (const side of ["buyer", "seller"])
      assert.strictEqual(
        manners.filter((one) => one.side === side).reduce((sum, { agreed }) => sum + agreed, 0),
        deals.agreed
      )
    assert.isEmpty(Object.keys(report.refusals).filter((code) => code === "invalid_request"))
  })

  it("gives the same report for the same seed, and another for another", async () => {
    const options = { agents: 12, days: 5 }
    const first = await simulate({ ...options, seed: "a" })
    assert.deepStrictEqual(await simulate({ ...options, seed: "a" }), first)
    assert.notDeepEqual(await simulate({ ...options, seed: "b" }), { ...first, seed: "b" })
  })

  it.effect("is an effect as well, on a clock of its own", () =>
    Effect.gen(function* () {
      const { endsAt } = yield* simulation({ agents: 4, days: 1, startsAt: "2026-03-01T00:00:00Z" })
      assert.strictEqual(endsAt, "2026-03-02T00:00:00.000Z")
      assert.strictEqual((yield* DateTime.now).epochMilliseconds, 0)
    })
  )

  it("holds what a market promises, whatever the seed", { timeout: 60_000 }, async () => {
    for (let seed = 100; seed < 110; seed++) await simulate({ seed, agents: 16, days: 10 })
  })

  it("shows what manners lead to", async () => {
    const buyers = [manner(buyerManners, "eager")]
    const of = (name: string) =>
      simulate({ seed: 3, agents: 10, days: 10, buyers, sellers: [manner(sellerManners, name)] })
    const [eager, ghost, dishonest] = [await of("eager"), await of("ghost"), await of("dishonest")]
    assert.strictEqual(ghost.deals.completed, 0)
    assert.isAbove(ghost.deals.expired, 0)
    assert.isAbove(eager.deals.completed, 0)
    const rating = ({ manners }: typeof eager) =>
      manners.find(({ side }) => side === "seller")?.meanRating ?? 0
    assert.isAbove(rating(eager), rating(dishonest))
    const idle = await simulate({ agents: 10, days: 20, buyers: [manner(buyerManners, "ghost")] })
    assert.strictEqual(idle.rfqs.awarded, 0)
    assert.isAbove(idle.rfqs.unsuccessful, 0)
  })

  it("refuses options that make no sense, by their name", async () => {
    const refused: ReadonlyArray<readonly [sentence: string, options: unknown]> = [
      ["agents must be a whole number, 2 or more.", { agents: 1 }],
      ["days must be a whole number, 1 or more.", { days: 0 }],
      ["days must be a whole number, 1 or more.", { days: 1.5 }],
      ["buyers must be a list of manners", { buyers: [] }],
      ["startsAt must be a Date, or a time like", { startsAt: "yesterday" }],
      ["agent is not an option. There are seed, startsAt, agents, ", { agent: 30 }]
    ]
    for (const [sentence, options] of refused)
      assert.include(
        String(await Reflect.apply(simulate, undefined, [options]).catch(String)),
        `TypeError: ${sentence}`
      )
  })
})

describe("the invariants of a simulation", () => {
  const ledger = makeLedger()
  const market = MarketTest.layerOn(observed(MemoryStore.layer, ledger.note))

  it.effect("find what does not hold", () =>
    Effect.gen(function* () {
      const register = (handle: string) =>
        Agents.use((agents) => agents.register({ handle, name: handle, email: `${handle}@example.com` }))
      const { agent: buyer } = (yield* register("buyer")).value
      const { agent: seller } = (yield* register("seller")).value
      const { value: rfq } = yield* (yield* Rfqs).create(buyer.id, {
        title: "Translate a contract",
        quoteDeadline: DateTime.add(yield* DateTime.now, { days: 1 })
      })
      const terms = {
        total: { amount: "450.00", currency: "EUR" },
        deliverWithinSeconds: 172_800,
        revisions: 1,
        acceptance: []
      }
      const { value: quote } = yield* (yield* Quotes).submit(seller.id, rfq.id, { terms })
      const { value: award } = yield* (yield* Rfqs).award(buyer.id, rfq.id, { quoteId: quote.id })
      const room = award.dealRoom
      assert.deepStrictEqual(yield* brokenInvariants(ledger, 0), [
        `${buyer.id} has not consented to the agreement of ${room.id}`,
        `${seller.id} has not consented to the agreement of ${room.id}`
      ])
      for (const { id } of [buyer, seller]) ledger.consent(quote.id, id, quote.termsDigest)
      assert.deepStrictEqual(yield* brokenInvariants(ledger, 0), [])
      yield* (yield* DealRooms).deliver(seller.id, room.id, { note: "Done" })
      assert.deepStrictEqual(yield* brokenInvariants(ledger, 0), [])

      const { agents, quotes, rooms } = ledger
      const [agent, won, delivered] = [agents.get(seller.id), quotes.get(quote.id), rooms.get(room.id)]
      assert(agent !== undefined && won !== undefined && delivered !== undefined)
      const late = DateTime.add(rfq.quoteDeadline, { days: 30 })
      const reputation = { ...agent.reputation, completedDeals: 1 }
      const entities = [
        { kind: "agent", value: { ...agent, reputation }, replaces: agent.version },
        { kind: "quote", value: { ...won, status: "active", createdAt: late }, replaces: won.version },
        { kind: "deal_room", value: { ...delivered, headHash: "0".repeat(64) }, replaces: delivered.version }
      ] as const
      ledger.note({ writes: entities, events: [] })
      assert.deepStrictEqual(yield* brokenInvariants(ledger, 0), [
        `the transcript of ${room.id} does not verify`,
        `${rfq.id} is awarded, with 0 quotes that won and 1 agreements`,
        `${quote.id} came after the deadline`,
        "the reputation of seller is not what its deals and reviews give"
      ])
    }).pipe(Effect.provide(market))
  )
})
