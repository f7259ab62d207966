/** Quotes: answering RFQs. Contract §3 Quote, §5. */
import { Context, DateTime, Effect, Layer } from "effect"
import { sha256Hex } from "../model/Canonical.ts"
import { AlreadyQuoted, InvalidRequest } from "../model/Errors.ts"
import type { InvalidCursor, NotFound, SelfDeal, Unavailable, VersionConflict } from "../model/Errors.ts"
import type { AgentId, QuoteId, RfqId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import type { CursorPage, PageQuery, PageRequest } from "../model/Page.ts"
import { Quote, QuoteView } from "../model/Quote.ts"
import type { QuoteInput } from "../model/Quote.ts"
import type { Rfq } from "../model/Rfq.ts"
import { Ids } from "../ports/Ids.ts"
import { Store } from "../ports/Store.ts"
import * as rules from "../rules/Quotes.ts"
import { mayRead, rfqAsOf } from "../rules/Rfqs.ts"
import { rankOf, viewRfq } from "../rules/Seals.ts"
import type { MoveRefused } from "../rules/StateTable.ts"
import { Commands } from "./Commands.ts"
import type { WriteOptions, WriteRefused, Written } from "./Commands.ts"
import { paged, scattered } from "./Cursors.ts"
import { gate } from "./Gate.ts"
import type { GateRefused } from "./Gate.ts"
import { bindingOf, readAll } from "./lists.ts"
import { foreign, matchVersion, notFound, reliesOnAgent } from "./reads.ts"
import { endedTalks } from "./rooms.ts"

export type QuoteWriteRefused =
  | WriteRefused
  | MoveRefused
  | InvalidRequest
  | GateRefused
  | NotFound
  | VersionConflict

export class Quotes extends Context.Service<
  Quotes,
  {
    readonly submit: (
      by: AgentId,
      rfqId: RfqId,
      input: QuoteInput,
      options?: WriteOptions
    ) => Effect.Effect<Written<Quote>, Exclude<QuoteWriteRefused, VersionConflict> | SelfDeal | AlreadyQuoted>
    readonly get: (viewer: AgentId, id: QuoteId) => Effect.Effect<QuoteView, NotFound | Unavailable>
    /**
     * Quotes of an RFQ: all for the buyer, one's own for a seller. Newest first, but for the sealed ones: the buyer gets
     * them in an order that hides who came first, and which from the deadline on is `sealedOrder` of the RFQ's seed.
     */
    readonly ofRfq: (
      viewer: AgentId,
      rfqId: RfqId,
      query: PageQuery
    ) => Effect.Effect<CursorPage<QuoteView>, InvalidCursor | NotFound | Unavailable>
    /** The caller's own quotes. */
    readonly mine: (
      viewer: AgentId,
      query: PageQuery
    ) => Effect.Effect<CursorPage<QuoteView>, InvalidCursor | Unavailable>
    readonly revise: (
      by: AgentId,
      id: QuoteId,
      input: QuoteInput,
      options?: WriteOptions
    ) => Effect.Effect<Written<Quote>, QuoteWriteRefused>
    readonly withdraw: (
      by: AgentId,
      id: QuoteId,
      reason: string | undefined,
      options?: WriteOptions
    ) => Effect.Effect<Written<Quote>, QuoteWriteRefused>
    readonly decline: (
      by: AgentId,
      id: QuoteId,
      reason: string | undefined,
      options?: WriteOptions
    ) => Effect.Effect<Written<QuoteView>, QuoteWriteRefused>
  }
>()("@souk/core/Quotes") {
  static readonly layer: Layer.Layer<Quotes, never, Store | Commands | Ids> = Layer.effect(
    Quotes,
    Effect.gen(function* () {
      const store = yield* Store
      const commands = yield* Commands
      const ids = yield* Ids
      const actor = yield* gate

      const rfqOf = Effect.fnUntraced(function* (viewer: AgentId, id: RfqId) {
        const rfq = yield* store.rfqs.byId(id)
        if (rfq === undefined || !mayRead(rfq, viewer)) return yield* notFound("RFQ")
        return rfq
      })

      /** Reads a quote and its RFQ for one who may see both; to anybody else neither exists. */
      const readable = Effect.fnUntraced(function* (viewer: AgentId, id: QuoteId) {
        const quote = yield* store.quotes.byId(id)
        const rfq = quote === undefined ? undefined : yield* store.rfqs.byId(quote.rfqId)
        if (quote === undefined || rfq === undefined || !rules.mayReadQuote(quote, rfq, viewer))
          return yield* notFound("quote")
        return { quote, rfq }
      })

      /** Reads a quote for its author, or for the buyer, to change. */
      const changeable = Effect.fnUntraced(function* (
        by: AgentId,
        id: QuoteId,
        move: "revise" | "withdraw" | "decline",
        now: Instant,
        options: WriteOptions | undefined
      ) {
        const agent = yield* actor(by, `quote.${move}`, { subject: id })
        const { quote, rfq } = yield* readable(by, id)
        if (by !== (move === "decline" ? rfq.agentId : quote.agentId)) return yield* foreign("quote")
        yield* matchVersion(rules.quoteAsOf(quote, now).quote, options)
        return { quote, rfq, reliesOnActor: reliesOnAgent(agent) }
      })

      const view = (quote: Quote, rfq: Rfq, viewer: AgentId, now: Instant): QuoteView => {
        const judged = rfqAsOf(rfq, now).rfq
        return rules.viewQuote(rules.quoteAsOf(quote, now).quote, judged, viewer, now)
      }

      const submit = Effect.fn("Quotes.submit")(function* (
        by: AgentId,
        rfqId: RfqId,
        input: QuoteInput,
        options?: WriteOptions
      ) {
        const decide = Effect.fnUntraced(function* (now: Instant) {
          const agent = yield* actor(by, "quote.submit", { subject: rfqId })
          yield* ownListing(by, input)
          const { latest, rfq } = yield* placesOf(by, rfqId)
          const change = yield* Effect.fromResult(
            rules.submit(rfq, latest, input, yield* ids.next("quote"), by, now)
          )
          return { ...change, reliesOn: [reliesOnAgent(agent)] }
        })
        const taken = {
          active_quote: () =>
            new AlreadyQuoted({ message: "This agent has quoted already: revise the quote instead." })
        }
        return yield* commands.run({ on: rfqId, result: Quote, decide, taken }, options)
      })

      /**
       * Reads an RFQ and a seller's latest quote for it as they were at one moment: otherwise one who is just giving up
       * his place would be told that none is left, since it is counted and he no longer has it. A place that is taken
       * or given up is a new version of the RFQ.
       */
      const placesOf = Effect.fnUntraced(function* (seller: AgentId, rfqId: RfqId) {
        for (let rfq = yield* rfqOf(seller, rfqId); ;) {
          const [latest] = (yield* store.quotes.list({ rfqId, agentId: seller }, { limit: 1 })).items
          if (rfq.quoteCount < rfq.maxQuotes) return { rfq, latest }
          const present = yield* rfqOf(seller, rfqId)
          if (present.version === rfq.version) return { rfq, latest }
          rfq = present
        }
      })

      /** A quote may point to a listing of its author. */
      const ownListing = Effect.fnUntraced(function* (by: AgentId, input: QuoteInput) {
        if (input.listingId === undefined) return
        const listing = yield* store.listings.byId(input.listingId)
        if (listing?.agentId !== by)
          return yield* InvalidRequest.at("payload.listingId", "must be a listing of the seller's own")
      })

      const get = Effect.fn("Quotes.get")(function* (viewer: AgentId, id: QuoteId) {
        const now = yield* DateTime.now
        const { quote, rfq } = yield* readable(viewer, id)
        return view(quote, rfq, viewer, now)
      })

      const ofRfq = Effect.fn("Quotes.ofRfq")(function* (viewer: AgentId, rfqId: RfqId, query: PageQuery) {
        const now = yield* DateTime.now
        const rfq = yield* rfqOf(viewer, rfqId)
        const isBuyer = rfq.agentId === viewer
        const agentId = isBuyer ? undefined : viewer
        const read = (page: PageRequest) => store.quotes.list({ rfqId, agentId }, page)
        const seed = viewRfq(rfq, viewer, now).seal?.seed
        const order = seed === undefined ? "" : " in the order of its seed"
        const binding = bindingOf(`quotes of ${rfqId}${order}`, viewer, {})
        // Before the deadline there is an order too, but none that tells anything of the one to come.
        const digestOf = ({ id }: Quote) => (seed === undefined ? sha256Hex(id) : rankOf(seed, id))
        const page =
          isBuyer && rfq.quoteMode === "sealed"
            ? yield* Effect.fromResult(scattered(binding, query, yield* readAll(read), digestOf))
            : yield* paged(binding, query, read)
        return { ...page, items: page.items.map((quote) => view(quote, rfq, viewer, now)) }
      })

      const mine = Effect.fn("Quotes.mine")(function* (viewer: AgentId, query: PageQuery) {
        const now = yield* DateTime.now
        const page = yield* paged(bindingOf("own quotes", viewer, {}), query, (page) =>
          store.quotes.list({ agentId: viewer }, page)
        )
        return { ...page, items: page.items.map((quote) => rules.quoteAsOf(quote, now).quote) }
      })

      const revise = Effect.fn("Quotes.revise")(function* (
        by: AgentId,
        id: QuoteId,
        input: QuoteInput,
        options?: WriteOptions
      ) {
        const decide = Effect.fnUntraced(function* (now: Instant) {
          const { quote, rfq, reliesOnActor } = yield* changeable(by, id, "revise", now, options)
          yield* ownListing(by, input)
          const change = yield* Effect.fromResult(rules.revise(rfq, quote, input, now))
          return { ...change, reliesOn: [...(change.reliesOn ?? []), reliesOnActor] }
        })
        return yield* commands.run({ on: id, result: Quote, decide }, options)
      })

      const withdraw = Effect.fn("Quotes.withdraw")(function* (
        by: AgentId,
        id: QuoteId,
        reason: string | undefined,
        options?: WriteOptions
      ) {
        const decide = Effect.fnUntraced(function* (now: Instant) {
          const { quote, rfq, reliesOnActor } = yield* changeable(by, id, "withdraw", now, options)
          const change = yield* Effect.fromResult(rules.end(rfq, quote, "withdraw", reason, now))
          const deadlines = yield* endedTalks(store, rfq, now, { quoteId: id })
          return { ...change, reliesOn: [reliesOnActor], deadlines }
        })
        return yield* commands.run({ on: id, result: Quote, decide }, options)
      })

      const decline = Effect.fn("Quotes.decline")(function* (
        by: AgentId,
        id: QuoteId,
        reason: string | undefined,
        options?: WriteOptions
      ) {
        const decide = Effect.fnUntraced(function* (now: Instant) {
          const { quote, rfq, reliesOnActor } = yield* changeable(by, id, "decline", now, options)
          const change = yield* Effect.fromResult(rules.end(rfq, quote, "decline", reason, now))
          const deadlines = yield* endedTalks(store, rfq, now, { quoteId: id })
          return {
            ...change,
            result: view(change.result, rfq, by, now),
            reliesOn: [reliesOnActor],
            deadlines
          }
        })
        return yield* commands.run({ on: id, result: QuoteView, decide }, options)
      })

      return Quotes.of({ submit, get, ofRfq, mine, revise, withdraw, decline })
    })
  )
}
