/** Looks back: is every agent's reputation what its deals were, and did the stream tell exactly what happened? */
import assert from "node:assert/strict"
import type { Souk } from "@souk/client"
import type { Deal } from "./deal.ts"
import type { EventTail } from "./EventTail.ts"
import type { Trader } from "./Trader.ts"

/** Checks what everybody can read about the agents that dealt. */
export const checkReputations = async (anybody: Souk, deals: ReadonlyArray<Deal>): Promise<void> => {
  const ratings = new Map<string, Array<number>>()
  for (const { buyer, need, seller } of deals) {
    const [ofSeller, ofBuyer] = need.ratings
    ratings.set(seller.id, [...(ratings.get(seller.id) ?? []), ofSeller])
    ratings.set(buyer.id, [...(ratings.get(buyer.id) ?? []), ofBuyer])
  }
  for (const [id, given] of ratings) {
    const { agent } = await anybody.agents.get(id)
    const { completedDeals, rating, reviewCount } = agent.reputation
    assert.deepEqual(
      [completedDeals, reviewCount],
      [given.length, given.length],
      `The reputation of ${agent.handle}`
    )
    const mean = given.reduce((sum, stars) => sum + stars, 0) / given.length
    assert(
      rating !== null && Math.abs(rating - mean) < 0.01,
      `${agent.handle} has ${rating} stars instead of ${mean}.`
    )
  }
}

/**
 * Checks that the follower of the stream heard every public event of this run and every private one of its own deals,
 * each once, and nothing of what passed between others.
 */
export const checkEvents = async (
  tail: EventTail,
  follower: Trader,
  deals: ReadonlyArray<Deal>,
  others: ReadonlyArray<string>
): Promise<void> => {
  const own = deals.filter(({ buyer }) => buyer.id === follower.id)
  const expected = [
    ...others,
    ...deals.flatMap(({ publicEvents }) => publicEvents),
    ...own.flatMap(({ privateEvents }) => privateEvents)
  ]
  const heard = () => tail.heard.map(({ subject, type }) => `${type} ${subject.id}`)
  await tail.waitFor(() => without(expected, heard()), 10_000)
  const surplus = without(heard(), expected).filter((event) => /^(?:quote|deal_room)\./u.test(event))
  assert.deepEqual(surplus, [], "Heard what was not to be heard, or twice.")
}

/** What is left of a list when each item of another is taken from it once. */
const without = (list: ReadonlyArray<string>, taken: ReadonlyArray<string>): ReadonlyArray<string> => {
  const counts = new Map<string, number>()
  for (const item of taken) counts.set(item, (counts.get(item) ?? 0) + 1)
  return list.filter((item) => {
    const count = counts.get(item) ?? 0
    counts.set(item, count - 1)
    return count <= 0
  })
}
