/** The selling agent: publishes what it does, quotes where the market finds a match, negotiates, delivers. */
import type { Match, Terms } from "@souk/client"
import { euros } from "../market/Money.ts"
import { can, inbox, work } from "./Agent.ts"
import type { Agent } from "./Agent.ts"
import { haggle, review } from "./haggle.ts"
import type { Limits } from "./limits.ts"

/** Sells until so many deals are completed and reviewed. */
export const sell = async (agent: Agent, limits: Limits, deals: number): Promise<void> => {
  const { say, souk } = agent
  await souk.listings.publish({
    title: "Sworn translation of contracts",
    tags: ["translation", "legal"],
    pricing: { model: "fixed", price: euros(limits.opening) }
  })
  const answered = new Set<string>()
  let done = 0

  const quote = async ({ demand, id, supply }: Match) => {
    const { rfq } = await souk.rfqs.get(demand.id)
    const terms: Terms = {
      total: euros(limits.opening),
      deliverWithinSeconds: 3600,
      revisions: 1,
      acceptance: rfq.requirements.map(({ text }) => text)
    }
    const responses = rfq.requirements.map((requirement) => ({ requirementId: requirement.id, met: true }))
    // Sent again after a restart, it is the same quote: the key of a write says which one it is.
    const options = { idempotencyKey: `quote-${id}` }
    await souk.quotes.submit(rfq.id, { listingId: supply.id, terms, responses }, options)
    say(`quotes ${terms.total.amount} for "${rfq.title}"`)
  }

  await work(agent, async () => {
    for await (const match of souk.matches.list()) {
      if (answered.has(match.id) || match.sellerId !== agent.id || match.demand.kind !== "rfq") continue
      await quote(match)
      answered.add(match.id)
    }
    await inbox(agent, async (item) => {
      if (item.subject.kind !== "deal_room") return
      const { dealRoom } = await souk.dealRooms.get(item.subject.id)
      if (can(item, "accept")) await haggle(agent, dealRoom, limits)
      if (can(item, "deliver")) {
        const fulfilled = dealRoom.agreement?.terms.acceptance ?? []
        await souk.dealRooms.deliver(dealRoom.id, { note: "Translated and sworn.", data: { fulfilled } })
        say("delivers")
      }
      if (can(item, "review")) {
        await review(agent, dealRoom)
        done++
      }
    })
    return done >= deals
  })
}
