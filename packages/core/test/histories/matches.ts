/** Matches: one for each pair, seen by its two sides, and only while the two may meet over it. Contract §3 Match. */
import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { Matches } from "../../src/index.ts"
import type { AgentId, Match } from "../../src/index.ts"
import type { World } from "./world.ts"

/** Expects of what is written of matches that pairs have one, with its right sides, and dismissed ones stay dismissed. */
export const expectPairs = (world: World): void => {
  const { listings, matches, requests, rfqs } = world.ledger
  for (const { before, write } of world.deeds.flatMap(({ written }) => written)) {
    if (write.kind !== "match") continue
    const { buyerId, demand, id, score, sellerId, supply } = write.value
    const wanted = rfqs.get(demand.id) ?? requests.get(demand.id)
    assert.strictEqual(buyerId, wanted?.agentId, `whose demand ${id} is`)
    assert.strictEqual(sellerId, listings.get(supply.id)?.agentId, `whose supply ${id} is`)
    assert.notStrictEqual(buyerId, sellerId, `nobody is matched with himself by ${id}`)
    assert(score >= 0 && score <= 1, `the score of ${id}`)
    if (before !== undefined && "supply" in before)
      assert.strictEqual(before.status, "suggested", `${id} stays what it is once it is ${before.status}`)
    const pair = [...matches.values()].filter(
      (match) => match.demand.id === demand.id && match.supply.id === supply.id
    )
    assert.strictEqual(pair.length, 1, `the matches of ${demand.id} with ${supply.id}`)
  }
}

/** Expects of the matches that an agent is listed that the two sides may meet over each, as both are now. */
export const expectMatches = Effect.fnUntraced(function* (world: World, viewer: AgentId) {
  const service = yield* Matches
  const now = yield* DateTime.now
  for (const status of ["suggested", "dismissed", "engaged"] as const) {
    const { items } = yield* service.list(viewer, { status, limit: 100 })
    for (const match of items) {
      assert.strictEqual(match.status, status)
      assert.include([match.buyerId, match.sellerId], viewer, `a side of ${match.id}`)
      if (status !== "engaged") expectStands(world, match, now)
    }
  }
})

const expectStands = (
  world: World,
  { buyerId, demand, id, sellerId, supply }: Match,
  now: DateTime.Utc
): void => {
  const { agents, listings, requests, rfqs } = world.ledger
  const isAhead = (moment: DateTime.Utc | undefined) =>
    moment === undefined || DateTime.isGreaterThan(moment, now)
  const listing = listings.get(supply.id)
  const rfq = rfqs.get(demand.id)
  const request = requests.get(demand.id)
  assert.strictEqual(listing?.status, "active", `the supply of ${id}`)
  assert.strictEqual((rfq ?? request)?.status, "open", `the demand of ${id}`)
  assert(isAhead(rfq?.quoteDeadline) && isAhead(request?.expiresAt), `the demand of ${id} is in time`)
  for (const side of [buyerId, sellerId])
    assert.strictEqual(agents.get(side)?.status, "active", `a side of ${id}`)
  if (rfq?.visibility === "invited") assert.include([...rfq.invitees], sellerId, `whom ${demand.id} is for`)
  const budget = (rfq ?? request)?.budget
  const price = listing?.pricing.price
  if (budget === undefined || price === undefined) return
  assert.strictEqual(price.currency, budget.currency, `the currency of ${id}`)
  assert.isAtMost(Number(price.amount), Number(budget.amount), `the budget of ${id}`)
}
