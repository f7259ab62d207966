/** The buying agent: asks for quotes, takes or negotiates them within its budget, checks what is delivered. */
import { isDeepStrictEqual } from "node:util"
import { centsOf } from "../market/Money.ts"
import { can, inbox, work } from "./Agent.ts"
import type { Agent } from "./Agent.ts"
import { haggle, priced, review } from "./haggle.ts"
import { priceAt } from "./limits.ts"
import type { Limits } from "./limits.ts"

/** Buys one translation, and gives the room of the deal. */
export const buy = async (agent: Agent, limits: Limits): Promise<string> => {
  const { say, souk } = agent
  const { rfq } = await souk.rfqs.create({
    title: "Translate a contract",
    tags: ["translation", "legal"],
    requirements: [{ id: "sworn", text: "By a sworn translator", hard: true }],
    quoteDeadline: new Date(Date.now() + 3_600_000).toISOString()
  })
  say(`asks for quotes for "${rfq.title}"`)
  let dealId: string | undefined

  const consider = async (quoteId: string) => {
    const { quote } = await souk.quotes.get(quoteId)
    const { deviations, rfqId, terms, termsDigest } = quote
    // Sealed quotes show their terms at the deadline.
    if (terms === undefined || termsDigest === undefined) return
    if (deviations === undefined || deviations.length > 0) return void (await souk.quotes.decline(quoteId))
    const opening = priceAt(limits, 0)
    if (centsOf(terms.total) <= opening) {
      await souk.rfqs.award(rfqId, { quoteId, termsDigest })
      return say(`awards ${terms.total.amount}`)
    }
    // A quote stays in the inbox while it is negotiated. One key for each quote: one room for each.
    const offer = { terms: priced(terms, opening), message: "For this we would sign today." }
    await souk.dealRooms.start({ quoteId, offer }, { idempotencyKey: `negotiate-${quoteId}` })
  }

  const check = async (roomId: string, acceptance: ReadonlyArray<string>) => {
    let fulfilled: unknown
    for await (const { body, kind } of souk.dealRooms.entries(roomId))
      if (kind === "delivery") fulfilled = Object(body["data"])["fulfilled"]
    if (isDeepStrictEqual(fulfilled, acceptance)) await souk.dealRooms.complete(roomId)
    else await souk.dealRooms.requestChanges(roomId, { reason: `Wanted: ${acceptance.join("; ")}` })
  }

  await work(agent, async () => {
    await inbox(agent, async (item) => {
      if (item.subject.kind === "quote") return consider(item.subject.id)
      if (item.subject.kind !== "deal_room") return
      const { dealRoom } = await souk.dealRooms.get(item.subject.id)
      if (can(item, "accept")) await haggle(agent, dealRoom, limits)
      if (can(item, "complete")) await check(dealRoom.id, dealRoom.agreement?.terms.acceptance ?? [])
      if (can(item, "review")) {
        await review(agent, dealRoom)
        dealId = dealRoom.id
      }
    })
    return dealId !== undefined
  })
  return dealId ?? ""
}
