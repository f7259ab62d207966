/** Every move of the contract as somebody makes it: what there is before it, and the call that makes it. */
import { DealRoomId, ListingId, RfqId } from "@souk/core"
import { Effect } from "effect"
import { inHours, textAt } from "../market.ts"
import { publish } from "../trade.ts"
import type { TestAgent } from "../market.ts"
import {
  agentIn,
  heldListingIn,
  heldRfq,
  listingIn,
  negotiation,
  onlyHold,
  quote,
  quotedIn,
  matched,
  requestIn,
  resolve,
  rfqIn,
  roomIn,
  terms,
  wait,
  webhookAt,
  webhookIn
} from "./stage.ts"
import type { Stage, Subject } from "./stage.ts"

/** What a move is made on, and how. */
interface Scene {
  readonly subject: Subject
  readonly act: Effect.Effect<unknown>
}

type Scenario = (stage: Stage) => Effect.Effect<Scene>

type Role = "buyer" | "seller"

/** A call by a role on the subject: `POST /api/…/{id}/{move}`. */
const call = (stage: Stage, { id }: Subject, by: TestAgent, base: string, move: string, body?: unknown) =>
  stage.post(by, `/api/${base}/${id}/${move}`, body)

const agents: Readonly<Record<string, Scenario>> = {
  "agent: active → suspended (suspend by operator)": (stage) =>
    Effect.map(agentIn(stage, "active"), (subject) => ({
      subject,
      act: Effect.orDie(stage.market.operators.suspend(stage.seller.id, "Spam."))
    })),
  "agent: suspended → active (reinstate by operator)": (stage) =>
    Effect.map(agentIn(stage, "suspended"), (subject) => ({
      subject,
      act: Effect.orDie(stage.market.operators.reinstate(stage.seller.id))
    })),
  "agent: active → closed (close by agent)": (stage) =>
    Effect.map(agentIn(stage, "active"), (subject) => ({
      // The keys of a closed account go on reading.
      subject,
      act: stage.post(stage.seller, "/api/me/close")
    }))
}

const onListing =
  (from: string, move: string): Scenario =>
  (stage) =>
    Effect.map(listingIn(stage, from), (subject) => ({
      subject,
      act:
        move === "update"
          ? stage.market.ask(`PATCH /api/listings/${subject.id}`, {
              key: stage.seller.key,
              body: { turnaroundSeconds: 60 }
            })
          : call(stage, subject, stage.seller, "listings", move)
    }))

const removal =
  (from: string): Scenario =>
  (stage) =>
    Effect.map(listingIn(stage, from), (subject) => ({
      subject,
      act: Effect.orDie(
        stage.market.operators.archiveListing(ListingId.make(subject.id), "Not allowed here.")
      )
    }))

/** The change of a listing that the moderation holds, made by the call that others would see the effect of. */
const listingHold = (from: string): Scenario => {
  if (from === "active")
    return (stage) =>
      Effect.map(listingIn(stage, from), (subject) => ({
        subject,
        act: stage.market.ask(`PATCH /api/listings/${subject.id}`, {
          key: stage.seller.key,
          body: { description: "dubious" }
        })
      }))
  return (stage) =>
    Effect.gen(function* () {
      const subject = yield* listingIn(stage, from)
      const change = { key: stage.seller.key, body: { description: "dubious" } }
      yield* stage.market.ask(`PATCH /api/listings/${subject.id}`, change)
      return { subject, act: call(stage, subject, stage.seller, "listings", "activate") }
    })
}

const release = (stage: Stage) =>
  Effect.flatMap(onlyHold(stage), (id) => Effect.orDie(stage.market.operators.releaseHold(id)))

const listingRelease =
  (from: string): Scenario =>
  (stage) =>
    Effect.map(heldListingIn(stage, from), (subject) => ({ subject, act: release(stage) }))

const listings: Readonly<Record<string, Scenario>> = {
  "listing: draft → draft (update by seller)": onListing("draft", "update"),
  "listing: active → active (update by seller)": onListing("active", "update"),
  "listing: paused → paused (update by seller)": onListing("paused", "update"),
  "listing: draft → active (activate by seller)": onListing("draft", "activate"),
  "listing: paused → active (activate by seller)": onListing("paused", "activate"),
  "listing: active → paused (pause by seller)": onListing("active", "pause"),
  "listing: draft → archived (archive by seller)": onListing("draft", "archive"),
  "listing: active → archived (archive by seller)": onListing("active", "archive"),
  "listing: paused → archived (archive by seller)": onListing("paused", "archive"),
  "listing: draft → archived (archive by operator)": removal("draft"),
  "listing: active → archived (archive by operator)": removal("active"),
  "listing: paused → archived (archive by operator)": removal("paused"),
  "listing: draft → draft (hold by operator)": listingHold("draft"),
  "listing: active → paused (hold by operator)": listingHold("active"),
  "listing: paused → paused (hold by operator)": listingHold("paused"),
  "listing: draft → active (release by operator)": listingRelease("draft"),
  "listing: paused → active (release by operator)": listingRelease("paused")
}

const onRequest =
  (act: (stage: Stage, subject: Subject) => Effect.Effect<unknown>): Scenario =>
  (stage) =>
    Effect.map(requestIn(stage), (subject) => ({ subject, act: act(stage, subject) }))

const requests: Readonly<Record<string, Scenario>> = {
  "request: open → open (update by buyer)": onRequest((stage, { id }) =>
    stage.market.ask(`PATCH /api/requests/${id}`, { key: stage.buyer.key, body: { tags: ["german"] } })
  ),
  "request: open → fulfilled (fulfil by buyer)": onRequest((stage, subject) =>
    call(stage, subject, stage.buyer, "requests", "fulfil")
  ),
  "request: open → cancelled (cancel by buyer)": onRequest((stage, subject) =>
    call(stage, subject, stage.buyer, "requests", "cancel")
  ),
  "request: open → expired (expire by time)": onRequest(() => wait(24))
}

const onRfq =
  (from: string, act: (stage: Stage, subject: Subject) => Effect.Effect<unknown>): Scenario =>
  (stage) =>
    Effect.map(rfqIn(stage, from), (subject) => ({ subject, act: act(stage, subject) }))

const rfqMove = (from: string, move: string) =>
  onRfq(from, (stage, subject) => call(stage, subject, stage.buyer, "rfqs", move))

const rfqUpdate = (stage: Stage, { id }: Subject) =>
  stage.market.ask(`PATCH /api/rfqs/${id}`, { key: stage.buyer.key, body: { maxQuotes: 20 } })

const rfqAward =
  (from: string): Scenario =>
  (stage) =>
    Effect.map(quotedIn(stage, from), ({ quote, rfq }) => ({
      subject: rfq,
      act: call(stage, rfq, stage.buyer, "rfqs", "award", { quoteId: quote.id })
    }))

const rfqRemoval = (from: string) =>
  onRfq(from, (stage, { id }) =>
    Effect.orDie(stage.market.operators.cancelRfq(RfqId.make(id), "Not allowed here."))
  )

const question = { text: "Is a certified copy needed?" }

const rfqAnswer =
  (from: string): Scenario =>
  (stage) =>
    Effect.gen(function* () {
      const subject = yield* rfqIn(stage, "open")
      const data = yield* call(stage, subject, stage.seller, "rfqs", "questions", question)
      const asked = textAt(data, "question", "id")
      if (from === "evaluating") yield* call(stage, subject, stage.buyer, "rfqs", "close")
      const act = call(stage, subject, stage.buyer, "rfqs", `questions/${asked}/answer`, { text: "Yes." })
      return { subject, act }
    })

const onHeldRfq =
  (act: (stage: Stage) => Effect.Effect<unknown>): Scenario =>
  (stage) =>
    Effect.map(heldRfq(stage), (subject) => ({ subject, act: act(stage) }))

const rfqs: Readonly<Record<string, Scenario>> = {
  "rfq: draft → draft (update by buyer)": onRfq("draft", rfqUpdate),
  "rfq: open → open (update by buyer)": onRfq("open", rfqUpdate),
  "rfq: draft → open (open by buyer)": rfqMove("draft", "open"),
  "rfq: open → open (quote by seller)": onRfq("open", (stage, subject) =>
    call(stage, subject, stage.seller, "rfqs", "quotes", quote())
  ),
  "rfq: open → open (ask by seller)": onRfq("open", (stage, subject) =>
    call(stage, subject, stage.seller, "rfqs", "questions", question)
  ),
  "rfq: open → open (answer by buyer)": rfqAnswer("open"),
  "rfq: evaluating → evaluating (answer by buyer)": rfqAnswer("evaluating"),
  "rfq: open → evaluating (close by buyer)": rfqMove("open", "close"),
  "rfq: open → evaluating (close by time)": onRfq("open", () => wait(24)),
  "rfq: open → awarded (award by buyer)": rfqAward("open"),
  "rfq: evaluating → awarded (award by buyer)": rfqAward("evaluating"),
  "rfq: open → cancelled (cancel by buyer)": rfqMove("open", "cancel"),
  "rfq: evaluating → cancelled (cancel by buyer)": rfqMove("evaluating", "cancel"),
  "rfq: open → cancelled (cancel by operator)": rfqRemoval("open"),
  "rfq: evaluating → cancelled (cancel by operator)": rfqRemoval("evaluating"),
  "rfq: evaluating → unsuccessful (unsuccessful by buyer)": rfqMove("evaluating", "unsuccessful"),
  "rfq: evaluating → unsuccessful (unsuccessful by time)": onRfq("evaluating", () => wait(24 * 9)),
  "rfq: draft → cancelled (cancel by buyer)": rfqMove("draft", "cancel"),
  "rfq: draft → draft (hold by operator)": onRfq("draft", (stage, subject) =>
    Effect.andThen(
      stage.market.ask(`PATCH /api/rfqs/${subject.id}`, {
        key: stage.buyer.key,
        body: { description: "dubious" }
      }),
      call(stage, subject, stage.buyer, "rfqs", "open")
    )
  ),
  "rfq: draft → open (release by operator)": onHeldRfq(release),
  "rfq: draft → draft (give_back by operator)": onHeldRfq((stage) =>
    Effect.flatMap(onlyHold(stage), (id) => Effect.orDie(stage.market.operators.refuseHold(id, "Not here.")))
  ),
  "rfq: draft → draft (give_back by time)": onHeldRfq(() => wait(24))
}

const onQuote =
  (act: (stage: Stage, quote: Subject, rfq: Subject) => Effect.Effect<unknown>): Scenario =>
  (stage) =>
    Effect.map(quotedIn(stage, "open"), ({ quote, rfq }) => ({ subject: quote, act: act(stage, quote, rfq) }))

const quotes: Readonly<Record<string, Scenario>> = {
  "quote: active → active (revise by seller)": onQuote((stage, subject) =>
    call(stage, subject, stage.seller, "quotes", "revise", quote("390.00"))
  ),
  "quote: active → withdrawn (withdraw by seller)": onQuote((stage, subject) =>
    call(stage, subject, stage.seller, "quotes", "withdraw")
  ),
  "quote: active → declined (decline by buyer)": onQuote((stage, subject) =>
    call(stage, subject, stage.buyer, "quotes", "decline", { reason: "Over our budget." })
  ),
  "quote: active → expired (expire by time)": (stage) =>
    Effect.gen(function* () {
      const { quote: subject } = yield* quotedIn(stage, "open")
      const body = { ...quote(), validUntil: inHours(2) }
      yield* call(stage, subject, stage.seller, "quotes", "revise", body)
      return { subject, act: wait(2) }
    }),
  "quote: active → awarded (award by buyer)": onQuote((stage, { id }, rfq) =>
    call(stage, rfq, stage.buyer, "rfqs", "award", { quoteId: id })
  ),
  "quote: active → not_selected (pass_over by buyer)": (stage) =>
    Effect.gen(function* () {
      const { quote: subject, rfq } = yield* quotedIn(stage, "open")
      const other = yield* stage.market.ask(`POST /api/rfqs/${rfq.id}/quotes`, {
        key: stage.stranger.key,
        body: quote("10.00")
      })
      const quoteId = textAt(other, "quote", "id")
      return { subject, act: call(stage, rfq, stage.buyer, "rfqs", "award", { quoteId }) }
    })
}

/** Who makes the offer that a move is about, and the body of the move. */
const onOffer =
  (by: Role, move: string, proposer: Role): Scenario =>
  (stage) =>
    Effect.map(negotiation(stage, stage[proposer]), ({ offerPath, room, termsDigest }) => ({
      subject: room,
      act: stage.post(stage[by], offerPath(move), move === "accept" ? { termsDigest } : undefined)
    }))

const onRoom =
  (from: string, act: (stage: Stage, subject: Subject) => Effect.Effect<unknown>): Scenario =>
  (stage) =>
    Effect.map(roomIn(stage, from), (subject) => ({ subject, act: act(stage, subject) }))

const roomMove = (from: string, by: Role, move: string, body?: unknown) =>
  onRoom(from, (stage, subject) => call(stage, subject, stage[by], "deal-rooms", move, body))

/** A deal is cancelled when the second side asks for it. */
const secondCancel = (from: string, by: Role): Scenario =>
  onRoom(from, (stage, subject) =>
    Effect.andThen(
      call(stage, subject, by === "buyer" ? stage.seller : stage.buyer, "deal-rooms", "cancel"),
      call(stage, subject, stage[by], "deal-rooms", "cancel")
    )
  )

const sides: ReadonlyArray<Role> = ["buyer", "seller"]
const other = (side: Role): Role => (side === "buyer" ? "seller" : "buyer")
const reason = { reason: "It is not what was agreed." }

const bySides: ReadonlyArray<readonly [string, Scenario]> = sides.flatMap((by) => [
  [
    `deal_room: negotiating → negotiating (offer by ${by})`,
    roomMove("negotiating", by, "offers", { terms: terms("80.00") })
  ],
  [`deal_room: negotiating → agreed (accept by ${by})`, onOffer(by, "accept", other(by))],
  [`deal_room: negotiating → negotiating (reject by ${by})`, onOffer(by, "reject", other(by))],
  [`deal_room: negotiating → negotiating (withdraw by ${by})`, onOffer(by, "withdraw", by)],
  [`deal_room: negotiating → declined (decline by ${by})`, roomMove("negotiating", by, "decline")],
  [`deal_room: in_progress → cancelled (cancel by ${by})`, secondCancel("in_progress", by)],
  [`deal_room: changes_requested → cancelled (cancel by ${by})`, secondCancel("changes_requested", by)],
  [`deal_room: in_progress → disputed (dispute by ${by})`, roomMove("in_progress", by, "dispute", reason)],
  [`deal_room: delivered → disputed (dispute by ${by})`, roomMove("delivered", by, "dispute", reason)],
  [
    `deal_room: changes_requested → disputed (dispute by ${by})`,
    roomMove("changes_requested", by, "dispute", reason)
  ],
  [`deal_room: completed → completed (review by ${by})`, roomMove("completed", by, "reviews", { rating: 5 })],
  ...["negotiating", "agreed", "in_progress", "delivered", "changes_requested", "disputed"].map(
    (status): readonly [string, Scenario] => [
      `deal_room: ${status} → ${status} (message by ${by})`,
      roomMove(status, by, "messages", { text: "Hello." })
    ]
  )
])

const resolution = (outcome: "completed" | "refunded" | "split"): Scenario =>
  onRoom("disputed", (stage, { id }) => resolve(stage, id, outcome))

const rooms: Readonly<Record<string, Scenario>> = {
  ...Object.fromEntries(bySides),
  "deal_room: negotiating → expired (expire by time)": onRoom("negotiating", () => wait(24 * 7)),
  "deal_room: agreed → in_progress (start by operator)": onRoom("agreed", (stage, { id }) =>
    Effect.orDie(stage.market.operators.confirmFunding(DealRoomId.make(id)))
  ),
  "deal_room: agreed → cancelled (cancel by time)": onRoom("agreed", () => wait(24)),
  "deal_room: in_progress → delivered (deliver by seller)": roomMove("in_progress", "seller", "deliver", {
    note: "All pages."
  }),
  "deal_room: changes_requested → delivered (deliver by seller)": roomMove(
    "changes_requested",
    "seller",
    "deliver",
    { note: "All pages." }
  ),
  "deal_room: in_progress → expired (expire by time)": onRoom("in_progress", () => wait(72)),
  "deal_room: changes_requested → expired (expire by time)": onRoom("changes_requested", () => wait(72)),
  "deal_room: delivered → completed (complete by buyer)": roomMove("delivered", "buyer", "complete"),
  "deal_room: delivered → completed (complete by time)": onRoom("delivered", () => wait(72)),
  "deal_room: delivered → changes_requested (request_changes by buyer)": roomMove(
    "delivered",
    "buyer",
    "request-changes",
    reason
  ),
  "deal_room: disputed → completed (complete by operator)": resolution("completed"),
  "deal_room: disputed → refunded (refund by operator)": resolution("refunded"),
  "deal_room: disputed → refunded (refund by time)": onRoom("disputed", () => wait(24 * 30)),
  "deal_room: disputed → split (split by operator)": resolution("split")
}

const onMatch =
  (act: (stage: Stage, subject: Subject) => Effect.Effect<unknown>): Scenario =>
  (stage) =>
    Effect.map(matched(stage), (subject) => ({ subject, act: act(stage, subject) }))

const matches: Readonly<Record<string, Scenario>> = Object.fromEntries(
  sides.flatMap((by) => [
    [
      `match: suggested → dismissed (dismiss by ${by})`,
      onMatch((stage, { id }) => stage.post(stage[by], `/api/matches/${id}/dismiss`))
    ],
    [
      `match: suggested → engaged (engage by ${by})`,
      onMatch((stage, { id }) => stage.post(stage[by], "/api/deal-rooms", { matchId: id }))
    ]
  ])
)

const onWebhook =
  (from: string, act: (stage: Stage, id: string) => Effect.Effect<unknown>): Scenario =>
  (stage) =>
    Effect.map(webhookIn(stage, from), (subject) => ({ subject, act: act(stage, subject.id) }))

const webhookMove = (from: string, move: string) =>
  onWebhook(from, (stage, id) => stage.post(stage.seller, `/api/webhooks/${id}/${move}`))

const unhook = (from: string) =>
  onWebhook(from, (stage, id) => stage.market.ask(`DELETE /api/webhooks/${id}`, { key: stage.seller.key }))

const webhooks: Readonly<Record<string, Scenario>> = {
  "webhook: active → disabled (disable by time)": (stage) =>
    Effect.map(webhookAt(stage, "https://gone.example"), (subject) => ({
      subject,
      act: Effect.andThen(publish(stage.market, stage.seller), wait(0.1))
    })),
  "webhook: disabled → active (enable by agent)": webhookMove("disabled", "enable"),
  "webhook: active → active (rotate by agent)": webhookMove("active", "rotate"),
  "webhook: disabled → disabled (rotate by agent)": webhookMove("disabled", "rotate"),
  "webhook: active → active (replay by agent)": onWebhook("active", (stage, id) =>
    Effect.gen(function* () {
      const path = `/api/v1/webhooks/${id}/deliveries`
      const data = yield* stage.market.ask(`GET ${path}`, { key: stage.seller.key })
      const delivery = textAt(data, "deliveries", 0, "id")
      yield* stage.post(stage.seller, `/api/webhooks/${id}/deliveries/${delivery}/replay`)
    })
  ),
  "webhook: active → deleted (delete by agent)": unhook("active"),
  "webhook: disabled → deleted (delete by agent)": unhook("disabled")
}

/** A scene for each move, by the move's name. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  ...agents,
  ...listings,
  ...requests,
  ...rfqs,
  ...quotes,
  ...matches,
  ...rooms,
  ...webhooks
}
