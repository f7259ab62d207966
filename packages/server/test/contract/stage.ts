/** A market with a buyer, a seller and somebody else, and how each entity is brought into each of its states. */
import { DealRoomId, MemoryStore, Moderation, Policy, Settlement, Store } from "@souk/core"
import type { Authorisation, Commit, Market as Core, Resolution } from "@souk/core"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type * as Market from "../../src/Market.ts"
import { at, inHours, listAt, open, textAt } from "../market.ts"
import type { TestAgent } from "../market.ts"
import {
  agreed,
  callForQuotes,
  found,
  listing,
  openRequest,
  openRoom,
  publish,
  quote,
  request,
  rfq,
  submit,
  terms
} from "../trade.ts"

/** What a test has the store do in place of what it does. */
export interface Faults {
  /** What comes before each commit. */
  beforeCommit?: (commit: Commit) => Effect.Effect<void>
  commit?: Store["Service"]["commit"]
  listings?: Store["Service"]["listings"]["list"]
  ready?: Store["Service"]["ready"]
}

/** A store in memory that does as a test says. */
const spoiled = (faults: Faults) =>
  Layer.effect(
    Store,
    Effect.map(Store, (store) => ({
      ...store,
      commit: (commit) =>
        Effect.andThen(faults.beforeCommit?.(commit) ?? Effect.void, (faults.commit ?? store.commit)(commit)),
      listings: { ...store.listings, list: (...args) => (faults.listings ?? store.listings.list)(...args) },
      ready: Effect.suspend(() => faults.ready ?? store.ready)
    }))
  ).pipe(Layer.provide(MemoryStore.layer))

/** What a test has the host say. */
interface Host {
  /** Why the policy refuses everything, where it does. */
  readonly policy?: string
  /** What the settlement answers, where there is one. */
  readonly settlement?: Authorisation["outcome"]
}

/** Holds what calls itself dubious. */
const moderation = Layer.succeed(Moderation, {
  review: (content) =>
    Effect.succeed(
      JSON.stringify(content).includes("dubious")
        ? { outcome: "held", reason: "Somebody looks at it." }
        : { outcome: "allowed" }
    )
})

const hostOf = ({ policy, settlement }: Host) =>
  Layer.mergeAll(
    moderation,
    policy === undefined
      ? Layer.empty
      : Layer.succeed(Policy, { check: () => Effect.succeed({ outcome: "refused", reason: policy }) }),
    settlement === undefined
      ? Layer.empty
      : Layer.succeed(Settlement, {
          authorise: () =>
            Effect.succeed(
              settlement === "declined" ? { outcome: settlement, reason: "No." } : { outcome: settlement }
            ),
          capture: () => Effect.void,
          refund: () => Effect.void,
          split: () => Effect.void
        })
  )

export const makeStage = Effect.fnUntraced(function* (
  host: Host = {},
  options: Market.MarketOptions = {},
  core: Core.MarketOptions = {}
) {
  const faults: Faults = {}
  const market = yield* open(options, { ...core, store: spoiled(faults), ambient: hostOf(host) })
  const [buyer, seller, stranger] = [
    yield* market.register("buyer"),
    yield* market.register("seller"),
    yield* market.register("stranger")
  ]
  const post = (by: TestAgent, path: string, body?: unknown) =>
    market.ask(`POST ${path}`, { key: by.key, body })
  return { market, buyer, seller, stranger, post, faults }
})

export type Stage = Effect.Success<ReturnType<typeof makeStage>>

/** An entity on the stage: its id, one who may read it, and its status as he sees it. */
export interface Subject {
  readonly id: string
  readonly reader: TestAgent
  readonly status: Effect.Effect<string>
}

const subject =
  (name: string, path: string) =>
  (stage: Stage, reader: TestAgent, id: string): Subject => ({
    id,
    reader,
    status: Effect.map(stage.market.ask(`GET ${path}/${id}`, { key: reader.key }), (data) =>
      textAt(data, name, "status")
    )
  })
const ofListing = subject("listing", "/api/v1/listings")
const ofRequest = subject("request", "/api/v1/requests")
const ofRfq = subject("rfq", "/api/v1/rfqs")
const ofQuote = subject("quote", "/api/v1/quotes")
const ofRoom = subject("dealRoom", "/api/v1/deal-rooms")

/** The status of an entity that is read in a list; `otherwise` where it is not there. */
const listed = (
  stage: Stage,
  reader: TestAgent,
  id: string,
  name: string,
  paths: ReadonlyArray<string>,
  otherwise: string
) =>
  Effect.gen(function* () {
    for (const path of paths) {
      const data = yield* stage.market.ask(`GET ${path}`, { key: reader.key })
      const item = listAt(data, name).find((item) => at(item, "id") === id)
      if (item !== undefined) return textAt(item, "status")
    }
    return otherwise
  })

/** A match of the buyer's request with the seller's listing. */
export const matched = Effect.fnUntraced(function* (stage: Stage) {
  const { buyer, market, seller } = stage
  yield* openRequest(market, buyer, { ...request("Translate legal texts"), budget: undefined })
  yield* publish(market, seller)
  const id = yield* Effect.orDie(found(market, buyer))
  const paths = ["/api/v1/matches", "/api/v1/matches?status=dismissed"]
  const match: Subject = { id, reader: buyer, status: listed(stage, buyer, id, "matches", paths, "gone") }
  return match
})

/** A webhook of the seller's for what becomes of listings. */
export const webhookAt = Effect.fnUntraced(function* (stage: Stage, url: string) {
  const { post, seller } = stage
  const data = yield* post(seller, "/api/webhooks", { url, types: ["listing.*"] })
  const id = textAt(data, "webhook", "id")
  const status = listed(stage, seller, id, "webhooks", ["/api/v1/webhooks"], "deleted")
  const webhook: Subject = { id, reader: seller, status }
  return webhook
})

/** A webhook in a state, which has been told of a listing. */
export const webhookIn = Effect.fnUntraced(function* (stage: Stage, status: string) {
  const webhook = yield* webhookAt(stage, `https://${status === "disabled" ? "gone" : "here"}.example`)
  yield* publish(stage.market, stage.seller)
  yield* wait(0.1)
  return webhook
})

export const agentIn = Effect.fnUntraced(function* (stage: Stage, status: string) {
  const { seller } = stage
  if (status === "suspended") yield* Effect.orDie(stage.market.operators.suspend(seller.id, "Asked to."))
  const me: Subject = {
    id: seller.id,
    reader: seller,
    status: Effect.map(stage.market.ask("GET /api/v1/me", { key: seller.key }), (data) =>
      textAt(data, "agent", "status")
    )
  }
  return me
})

export const listingIn = Effect.fnUntraced(function* (stage: Stage, status: string) {
  const { market, post, seller } = stage
  const id = yield* publish(market, seller, { ...listing(), status: status === "draft" ? "draft" : "active" })
  if (status === "paused") yield* post(seller, `/api/listings/${id}/pause`)
  return ofListing(stage, seller, id)
})

/** A listing in a state, which the moderation holds. */
export const heldListingIn = Effect.fnUntraced(function* (stage: Stage, status: string) {
  const { market, seller } = stage
  if (status === "draft") {
    const id = yield* publish(market, seller, { ...listing(), description: "dubious" })
    return ofListing(stage, seller, id)
  }
  const held = yield* listingIn(stage, "active")
  yield* market.ask(`PATCH /api/listings/${held.id}`, { key: seller.key, body: { description: "dubious" } })
  return held
})

export const requestIn = Effect.fnUntraced(function* (stage: Stage) {
  const body = { ...request(), expiresAt: inHours(24) }
  return ofRequest(stage, stage.buyer, yield* openRequest(stage.market, stage.buyer, body))
})

export const rfqIn = Effect.fnUntraced(function* (stage: Stage, status: string) {
  const { buyer, market, post } = stage
  const id = yield* callForQuotes(market, buyer, { ...rfq(), status: status === "draft" ? "draft" : "open" })
  if (status === "evaluating") yield* post(buyer, `/api/rfqs/${id}/close`)
  return ofRfq(stage, buyer, id)
})

/** A draft that the moderation holds. */
export const heldRfq = Effect.fnUntraced(function* (stage: Stage) {
  const { buyer, market } = stage
  return ofRfq(stage, buyer, yield* callForQuotes(market, buyer, { ...rfq(), description: "dubious" }))
})

/** The hold that waits for the operator. */
export const onlyHold = ({ market }: Stage) =>
  Effect.orDie(
    Effect.flatMap(market.operators.holds("held", {}), ({ items }) => Effect.fromNullishOr(items[0]?.id))
  )

/** An RFQ in a state with the seller's quote for it. */
export const quotedIn = Effect.fnUntraced(function* (stage: Stage, status: string) {
  const { buyer, market, post, seller } = stage
  const id = yield* callForQuotes(market, buyer)
  const quoteId = yield* submit(market, seller, id)
  if (status === "evaluating") yield* post(buyer, `/api/rfqs/${id}/close`)
  return { rfq: ofRfq(stage, buyer, id), quote: ofQuote(stage, seller, quoteId) }
})

/** A negotiation in which an agent's offer lies on the table, or nobody's. */
export const negotiation = Effect.fnUntraced(function* (stage: Stage, by: TestAgent | undefined) {
  const { buyer, market, seller } = stage
  const proposer = by ?? buyer
  const id = yield* openRoom(market, proposer, {
    counterparty: proposer === buyer ? seller.id : buyer.id,
    role: proposer === buyer ? "buyer" : "seller",
    ...(by === undefined ? {} : { offer: { terms: terms("90.00") } })
  })
  const room = ofRoom(stage, buyer, id)
  const data = yield* market.ask(`GET /api/v1/deal-rooms/${id}`, { key: buyer.key })
  const offerPath = (move: string) =>
    `/api/deal-rooms/${id}/offers/${String(at(data, "dealRoom", "currentOffer", "id"))}/${move}`
  const termsDigest = at(data, "dealRoom", "currentOffer", "termsDigest")
  return { room, offerPath, termsDigest }
})

/** A room in a state. */
export const roomIn = Effect.fnUntraced(function* (stage: Stage, status: string) {
  const { buyer, market, post, seller } = stage
  if (status === "negotiating") return (yield* negotiation(stage, undefined)).room
  if (status === "agreed") {
    // Where a settlement is asked, an agreed deal waits for its money.
    const { offerPath, room, termsDigest } = yield* negotiation(stage, seller)
    yield* post(buyer, offerPath("accept"), { termsDigest })
    return room
  }
  const id = yield* agreed(market, buyer, seller)
  const say = (by: TestAgent, move: string, body?: unknown) => post(by, `/api/deal-rooms/${id}/${move}`, body)
  if (["delivered", "changes_requested", "completed"].includes(status))
    yield* say(seller, "deliver", { note: "All pages." })
  if (status === "changes_requested") yield* say(buyer, "request-changes", { reason: "Page 12 is missing." })
  if (status === "completed") yield* say(buyer, "complete")
  if (status === "disputed") yield* say(buyer, "dispute", { reason: "Nothing came." })
  return ofRoom(stage, buyer, id)
})

/** Lets time pass. */
export const wait = (hours: number) => TestClock.adjust(`${hours} hours`)

/** Resolves a dispute as the operator. */
export const resolve = ({ market }: Stage, id: string, outcome: Resolution["outcome"]) =>
  Effect.orDie(
    market.operators.resolveDispute(
      DealRoomId.make(id),
      outcome === "split" ? { outcome, refunded: { amount: "100.00", currency: "EUR" } } : { outcome }
    )
  )

export { quote, terms }
