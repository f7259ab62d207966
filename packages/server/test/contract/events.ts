/** Every event of the contract: what causes it, and who hears of it. */
import { Effect } from "effect"
import { textAt } from "../market.ts"
import type { TestAgent } from "../market.ts"
import { listing, openRequest, publish, request } from "../trade.ts"
import { scenarios } from "./moves.ts"
import { matched, negotiation, rfqIn, quote, roomIn, wait } from "./stage.ts"
import type { Stage } from "./stage.ts"

/** `public`: everybody hears of it, also without a key; `parties`: those whom it concerns, and nobody else. */
export interface Happening {
  readonly readers: "public" | "parties"
  /** Brings it about, and tells what it is about and who must hear of it. */
  readonly play: (
    stage: Stage
  ) => Effect.Effect<{ readonly id: string; readonly heardBy: ReadonlyArray<TestAgent> }>
}

/** An event that a move of the contract causes. */
const byMove = (readers: Happening["readers"], move: string): Happening => ({
  readers,
  play: (stage) =>
    Effect.gen(function* () {
      const scenario = scenarios[move]
      if (scenario === undefined) return yield* Effect.die(`There is no ${move}`)
      const { act, subject } = yield* scenario(stage)
      yield* act
      const isShared = /^(?:deal_room|quote|match):/u.test(move)
      return { id: subject.id, heardBy: isShared ? [stage.buyer, stage.seller] : [subject.reader] }
    })
})

const happens = (
  readers: Happening["readers"],
  play: (stage: Stage) => Effect.Effect<{ readonly id: string; readonly heardBy: ReadonlyArray<TestAgent> }>
): Happening => ({ readers, play })

const agents: Readonly<Record<string, Happening>> = {
  "agent.registered": happens("public", (stage) =>
    Effect.map(stage.market.register("newcomer"), (agent) => ({ id: agent.id, heardBy: [agent] }))
  ),
  "agent.updated": happens("public", (stage) =>
    Effect.as(stage.market.ask("PATCH /api/me", { key: stage.seller.key, body: { name: "Atlas" } }), {
      id: stage.seller.id,
      heardBy: [stage.seller]
    })
  ),
  "agent.suspended": byMove("public", "agent: active → suspended (suspend by operator)"),
  "agent.reinstated": byMove("public", "agent: suspended → active (reinstate by operator)"),
  "agent.closed": byMove("public", "agent: active → closed (close by agent)")
}

const listings: Readonly<Record<string, Happening>> = {
  "listing.published": happens("public", (stage) =>
    Effect.map(publish(stage.market, stage.seller, listing()), (id) => ({ id, heardBy: [stage.seller] }))
  ),
  "listing.updated": byMove("public", "listing: active → active (update by seller)"),
  "listing.paused": byMove("public", "listing: active → paused (pause by seller)"),
  "listing.archived": byMove("public", "listing: active → archived (archive by operator)")
}

const requests: Readonly<Record<string, Happening>> = {
  "request.opened": happens("public", (stage) =>
    Effect.map(openRequest(stage.market, stage.buyer, request()), (id) => ({ id, heardBy: [stage.buyer] }))
  ),
  "request.updated": byMove("public", "request: open → open (update by buyer)"),
  "request.fulfilled": byMove("public", "request: open → fulfilled (fulfil by buyer)"),
  "request.cancelled": byMove("public", "request: open → cancelled (cancel by buyer)"),
  "request.expired": byMove("public", "request: open → expired (expire by time)")
}

const rfqs: Readonly<Record<string, Happening>> = {
  "rfq.opened": byMove("public", "rfq: draft → open (open by buyer)"),
  "rfq.updated": byMove("public", "rfq: open → open (update by buyer)"),
  "rfq.question_asked": byMove("public", "rfq: open → open (ask by seller)"),
  "rfq.question_answered": byMove("public", "rfq: open → open (answer by buyer)"),
  "rfq.closed": byMove("public", "rfq: open → evaluating (close by time)"),
  "rfq.awarded": byMove("public", "rfq: evaluating → awarded (award by buyer)"),
  "rfq.unsuccessful": byMove("public", "rfq: evaluating → unsuccessful (unsuccessful by time)"),
  "rfq.cancelled": byMove("public", "rfq: open → cancelled (cancel by buyer)")
}

const quotes: Readonly<Record<string, Happening>> = {
  "quote.submitted": happens("parties", (stage) =>
    Effect.gen(function* () {
      const rfq = yield* rfqIn(stage, "open")
      const data = yield* stage.post(stage.seller, `/api/rfqs/${rfq.id}/quotes`, quote())
      return { id: textAt(data, "quote", "id"), heardBy: [stage.buyer, stage.seller] }
    })
  ),
  "quote.revised": byMove("parties", "quote: active → active (revise by seller)"),
  "quote.withdrawn": byMove("parties", "quote: active → withdrawn (withdraw by seller)"),
  "quote.declined": byMove("parties", "quote: active → declined (decline by buyer)"),
  "quote.expired": byMove("parties", "quote: active → expired (expire by time)"),
  "quote.awarded": byMove("parties", "quote: active → awarded (award by buyer)"),
  "quote.not_selected": byMove("parties", "quote: active → not_selected (pass_over by buyer)")
}

const matches: Readonly<Record<string, Happening>> = {
  "match.found": happens("parties", (stage) =>
    Effect.map(matched(stage), ({ id }) => ({ id, heardBy: [stage.buyer, stage.seller] }))
  ),
  "match.dismissed": byMove("parties", "match: suggested → dismissed (dismiss by seller)")
}

const rooms: Readonly<Record<string, Happening>> = {
  "deal_room.opened": happens("parties", (stage) =>
    Effect.map(roomIn(stage, "negotiating"), ({ id }) => ({ id, heardBy: [stage.buyer, stage.seller] }))
  ),
  "deal_room.message": byMove("parties", "deal_room: in_progress → in_progress (message by buyer)"),
  "deal_room.offer_made": byMove("parties", "deal_room: negotiating → negotiating (offer by seller)"),
  "deal_room.offer_rejected": byMove("parties", "deal_room: negotiating → negotiating (reject by buyer)"),
  "deal_room.offer_withdrawn": byMove("parties", "deal_room: negotiating → negotiating (withdraw by buyer)"),
  "deal_room.offer_expired": happens("parties", (stage) =>
    Effect.gen(function* () {
      const { room } = yield* negotiation(stage, stage.buyer)
      yield* wait(72)
      return { id: room.id, heardBy: [stage.buyer, stage.seller] }
    })
  ),
  "deal_room.agreed": byMove("parties", "deal_room: negotiating → agreed (accept by seller)"),
  "deal_room.started": byMove("parties", "deal_room: agreed → in_progress (start by operator)"),
  "deal_room.delivered": byMove("parties", "deal_room: in_progress → delivered (deliver by seller)"),
  "deal_room.changes_requested": byMove(
    "parties",
    "deal_room: delivered → changes_requested (request_changes by buyer)"
  ),
  "deal_room.completed": byMove("parties", "deal_room: delivered → completed (complete by time)"),
  "deal_room.disputed": byMove("parties", "deal_room: delivered → disputed (dispute by seller)"),
  "deal_room.resolved": byMove("parties", "deal_room: disputed → split (split by operator)"),
  "deal_room.cancelled": byMove("parties", "deal_room: in_progress → cancelled (cancel by seller)"),
  "deal_room.declined": byMove("parties", "deal_room: negotiating → declined (decline by seller)"),
  "deal_room.expired": byMove("parties", "deal_room: in_progress → expired (expire by time)")
}

const keysAndReviews: Readonly<Record<string, Happening>> = {
  "review.published": happens("public", (stage) =>
    Effect.gen(function* () {
      const { id } = yield* roomIn(stage, "completed")
      const data = yield* stage.post(stage.buyer, `/api/deal-rooms/${id}/reviews`, { rating: 5 })
      yield* stage.post(stage.seller, `/api/deal-rooms/${id}/reviews`, { rating: 4 })
      return { id: textAt(data, "review", "id"), heardBy: [stage.buyer, stage.seller] }
    })
  ),
  "key.created": happens("parties", (stage) =>
    Effect.map(stage.post(stage.seller, "/api/me/keys", { label: "laptop" }), (data) => ({
      id: textAt(data, "key", "id"),
      heardBy: [stage.seller]
    }))
  ),
  "key.rotated": happens("parties", (stage) =>
    Effect.gen(function* () {
      const created = yield* stage.post(stage.seller, "/api/me/keys", { label: "laptop" })
      const id = textAt(created, "key", "id")
      yield* stage.post(stage.seller, `/api/me/keys/${id}/rotate`, { graceSeconds: 60 })
      return { id, heardBy: [stage.seller] }
    })
  ),
  "key.revoked": happens("parties", (stage) =>
    Effect.gen(function* () {
      const created = yield* stage.post(stage.seller, "/api/me/keys", { label: "laptop" })
      const id = textAt(created, "key", "id")
      yield* stage.market.ask(`DELETE /api/me/keys/${id}`, { key: stage.seller.key })
      return { id, heardBy: [stage.seller] }
    })
  )
}

/** What brings an event about, by its type. */
export const happenings: Readonly<Record<string, Happening>> = {
  ...agents,
  ...listings,
  ...requests,
  ...rfqs,
  ...quotes,
  ...matches,
  ...rooms,
  ...keysAndReviews
}
