/** What callers do while nodes and databases die: trades from a listing to a completed deal, and talks that lapse. */
import { DateTime, Effect, Schema } from "effect"
import { agentBody, dataOf, Identified, registered } from "../Caller.ts"
import type { Call } from "../Caller.ts"
import type { Cluster } from "./Cluster.ts"

/** A buyer and a seller with their keys. */
export interface Pair {
  readonly name: string
  readonly buyer: Party
  readonly seller: Party
}

export interface Party {
  readonly id: string
  readonly key: string
}

/** What must have come of all that was answered. */
export interface Outcome {
  /** The types of the events of each entity, in their order. */
  readonly told: Map<string, ReadonlyArray<string>>
  /** RFQs and the listings that fit them. */
  readonly fitting: Array<{ readonly rfq: string; readonly listing: string; readonly buyer: Party }>
}

const terms = {
  total: { amount: "400.00", currency: "EUR" },
  deliverWithinSeconds: 86_400,
  revisions: 1,
  acceptance: ["all pages"]
}

const inSeconds = (seconds: number) =>
  Effect.map(DateTime.now, (now) => DateTime.formatIso(DateTime.add(now, { seconds })))

/** Sends what a caller wants done, each time under a key that nobody else uses. */
const makeCaller = (cluster: Cluster, name: string) => {
  let calls = 0
  return <const F extends { readonly [field: string]: Schema.Codec<unknown, unknown> }>(
    call: Call,
    fields: F
  ) =>
    Effect.flatMap(
      cluster.place({ ...call, headers: { "idempotency-key": `${name}-${calls++}` } }),
      (reply) => dataOf(reply, fields)
    )
}

const room = { dealRoom: Identified }
const done: Call["body"] = {}

/** Opens the accounts of a pair; the buyer has a webhook. */
export const openPair = Effect.fnUntraced(function* (
  cluster: Cluster,
  outcome: Outcome,
  name: string,
  webhook: { readonly url: string; readonly types: ReadonlyArray<string> }
) {
  const ask = makeCaller(cluster, `${name}-opens`)
  const open = Effect.fnUntraced(function* (handle: string) {
    const { agent, apiKey } = yield* ask({ path: "/api/agents", body: agentBody(handle) }, registered)
    outcome.told.set(agent.id, ["agent.registered"])
    return { id: agent.id, key: apiKey }
  })
  const pair: Pair = {
    name,
    buyer: yield* open(`buyer-${name}`),
    seller: yield* open(`seller-${name}`)
  }
  const hooked = yield* ask(
    { path: "/api/webhooks", key: pair.buyer.key, body: { ...webhook } },
    { webhook: Identified }
  )
  return { ...pair, webhookId: hooked.webhook.id }
})

/** Trades once: something is offered and found, and a deal is made and completed. At first there are talks that lapse. */
export const trade = Effect.fnUntraced(function* (
  cluster: Cluster,
  { fitting, told }: Outcome,
  { buyer, name, seller }: Pair,
  n: number
) {
  const ask = makeCaller(cluster, `${name}-${n}`)
  const word = `${name}word${n}`
  // A word that nothing else has: what has it fits, and nothing else does.
  const about = { title: word, tags: [word] }

  const { listing } = yield* ask(
    { path: "/api/listings", key: seller.key, body: { ...about, pricing: { model: "quote" } } },
    { listing: Identified }
  )
  told.set(listing.id, ["listing.published"])

  const call = Effect.fnUntraced(function* () {
    const body = { ...about, quoteDeadline: yield* inSeconds(3600) }
    return (yield* ask({ path: "/api/rfqs", key: buyer.key, body }, { rfq: Identified })).rfq.id
  })
  const standing = yield* call()
  told.set(standing, ["rfq.opened"])
  fitting.push({ rfq: standing, listing: listing.id, buyer })

  const rfq = yield* call()
  const { quote } = yield* ask(
    { path: `/api/rfqs/${rfq}/quotes`, key: seller.key, body: { terms } },
    { quote: Identified }
  )
  const award = { path: `/api/rfqs/${rfq}/award`, key: buyer.key, body: { quoteId: quote.id } }
  const { dealRoom } = yield* ask(award, room)
  told.set(rfq, ["rfq.opened", "rfq.awarded"])
  told.set(quote.id, ["quote.submitted", "quote.awarded"])

  const at = `/api/deal-rooms/${dealRoom.id}`
  yield* ask({ path: `${at}/messages`, key: buyer.key, body: { text: "By Friday?" } }, room)
  yield* ask({ path: `${at}/deliver`, key: seller.key, body: { note: "All pages." } }, room)
  yield* ask({ path: `${at}/complete`, key: buyer.key, body: done }, room)
  told.set(dealRoom.id, completed)

  if (n > 3 || n % 3 > 0) return
  // Later than the longest that a call may take, and soon enough to lapse before the test ends.
  const offer = { terms, validUntil: yield* inSeconds(12) }
  const talk = { counterparty: seller.id, role: "buyer", offer }
  const talked = yield* ask({ path: "/api/deal-rooms", key: buyer.key, body: talk }, room)
  told.set(talked.dealRoom.id, lapsed)
})

const completed = ["opened", "offer_made", "agreed", "started", "message", "delivered", "completed"].map(
  (name) => `deal_room.${name}`
)
const lapsed = ["opened", "offer_made", "offer_expired", "expired"].map((name) => `deal_room.${name}`)
