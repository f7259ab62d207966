/** The rules of quotes. Contract §3 Quote, §4 Quote. */
import { Result } from "effect"
import type { Change, EventDraft, Write } from "../model/Change.ts"
import type { NextAction } from "../model/DealRoom.ts"
import { born, revised } from "../model/Entity.ts"
import { AlreadyQuoted, InvalidRequest, OfferExpired, SelfDeal } from "../model/Errors.ts"
import type { EventType } from "../model/Event.ts"
import { idBehind } from "../model/Id.ts"
import type { AgentId, QuoteId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import { after, day, earlier, hasPassed } from "../model/Instant.ts"
import type { Quote, QuoteInput, QuoteStatus, QuoteView } from "../model/Quote.ts"
import { sealQuote } from "../model/Quote.ts"
import type { Rfq } from "../model/Rfq.ts"
import { termsDigest } from "../model/Terms.ts"
import { permitRfq, rfqAsOf, tell as tellRfq } from "./Rfqs.ts"
import type { MoveRefused, StateTable } from "./StateTable.ts"
import { nextActions, permit } from "./StateTable.ts"

export type QuoteMove = "revise" | "withdraw" | "decline" | "expire" | "award" | "pass_over"

export const quoteTable: StateTable<Quote, QuoteStatus, QuoteMove> = [
  { from: ["active"], move: "revise", by: ["seller"], to: "same", event: "quote.revised" },
  { from: ["active"], move: "withdraw", by: ["seller"], to: "withdrawn", event: "quote.withdrawn" },
  { from: ["active"], move: "decline", by: ["buyer"], to: "declined", event: "quote.declined" },
  { from: ["active"], move: "expire", by: ["time"], to: "expired", event: "quote.expired" },
  { from: ["active"], move: "award", by: ["buyer"], to: "awarded", event: "quote.awarded" },
  { from: ["active"], move: "pass_over", by: ["buyer"], to: "not_selected", event: "quote.not_selected" }
]

const longestValidity = 180 * day

/** A buyer sees all quotes of his RFQ, a seller his own. */
export const mayReadQuote = (quote: Quote, rfq: Rfq, viewer: AgentId | undefined): boolean =>
  viewer !== undefined && (viewer === quote.agentId || viewer === rfq.agentId)

/**
 * A quote as a reader may see it: nobody but its author sees into a sealed one before the deadline, nor ever where the
 * quote or its RFQ ended before it: what was never to be decided upon is never opened.
 */
export const viewQuote = (quote: Quote, rfq: Rfq, viewer: AgentId, now: Instant): QuoteView =>
  quote.agentId !== viewer && (isSealed(rfq, now) || endedUnderSeal(quote, rfq)) ? sealQuote(quote) : quote

/** Tells whether an RFQ keeps its quotes sealed until its deadline. */
export const isSealed = (rfq: Rfq, now: Instant): boolean =>
  rfq.quoteMode === "sealed" && !hasPassed(rfq.quoteDeadline, now)

/** What has ended changes no more, so it ended when it last changed. */
const endedUnderSeal = (quote: Quote, rfq: Rfq): boolean =>
  rfq.quoteMode === "sealed" &&
  [quote.status !== "active" && quote, rfq.status === "cancelled" && rfq].some(
    (ended) => ended !== false && !hasPassed(rfq.quoteDeadline, ended.updatedAt)
  )

/** Judges a quote by the clock: past `validUntil` an active one is expired. `lapsed` tells that it was not before. */
export const quoteAsOf = (quote: Quote, now: Instant): { readonly quote: Quote; readonly lapsed: boolean } =>
  quote.status === "active" && hasPassed(quote.validUntil, now)
    ? { quote: revised(quote, { status: "expired" }, quote.validUntil), lapsed: true }
    : { quote, lapsed: false }

/** Since when a quote cannot be awarded any more, for its own end or for that of its RFQ; `undefined` while it can. */
export const endOf = (stored: Quote, storedRfq: Rfq, now: Instant): Instant | undefined => {
  const { quote } = quoteAsOf(stored, now)
  const { rfq } = rfqAsOf(storedRfq, now)
  const isUndecided = rfq.status === "open" || rfq.status === "evaluating"
  const ofRfq = isUndecided ? undefined : rfq.updatedAt
  if (quote.status === "active") return ofRfq
  return ofRfq === undefined ? quote.updatedAt : earlier(quote.updatedAt, ofRfq)
}

/** The moves that are open now on a quote. */
export const quoteActions = (quote: Quote): ReadonlyArray<NextAction> =>
  nextActions(quoteTable, quote, () => quote.validUntil)

type SubmitRefused = MoveRefused | SelfDeal | AlreadyQuoted | InvalidRequest

/**
 * Answers an RFQ. `latest` is the seller's last quote for it, if any: where it has expired by now and is still stored
 * as active, its expiry is part of the change. A quote's id sorts behind it, whichever node made that one: the last of
 * a seller's is the one with the greatest id.
 *
 * Each seller takes one place of `maxQuotes`, and gives it back by withdrawing: whoever quotes again after an expiry
 * or a decline takes no other.
 */
export const submit = (
  storedRfq: Rfq,
  latest: Quote | undefined,
  input: QuoteInput,
  id: QuoteId,
  sellerId: AgentId,
  now: Instant
): Result.Result<Change<Quote>, SubmitRefused> =>
  Result.gen(function* () {
    const { rfq, events } = rfqAsOf(storedRfq, now)
    if (rfq.agentId === sellerId)
      return yield* Result.fail(new SelfDeal({ message: "An agent cannot quote for its own RFQ." }))
    if (rfq.status !== "open") yield* permitRfq(rfq, "quote", "seller")
    const former = latest === undefined ? undefined : { stored: latest, ...quoteAsOf(latest, now) }
    if (former?.quote.status === "active")
      return yield* Result.fail(
        new AlreadyQuoted({ message: `This agent's quote ${former.quote.id} stands: revise it instead.` })
      )
    const taken = former === undefined || former.quote.status === "withdrawn" ? 0 : 1
    const others = { ...rfq, quoteCount: rfq.quoteCount - taken }
    yield* permitRfq(others, "quote", "seller")
    const content = yield* checkInput(input, rfq, now)
    const quote: Quote = {
      ...content,
      id: latest === undefined ? id : idBehind("quote", latest.id, id),
      rfqId: rfq.id,
      agentId: sellerId,
      revision: 1,
      status: "active",
      ...born(now)
    }
    const counted = revised(rfq, { quoteCount: others.quoteCount + 1 }, now)
    const lapsed = former?.lapsed === true ? [former] : []
    return {
      result: quote,
      writes: [
        ...lapsed.map(({ quote, stored }): Write => ({
          kind: "quote",
          value: quote,
          replaces: stored.version
        })),
        { kind: "quote", value: quote, replaces: null },
        { kind: "rfq", value: counted, replaces: storedRfq.version }
      ],
      events: [
        ...events,
        ...lapsed.map(({ quote }) => tellExpired(quote, rfq)),
        tell(quote, rfq, "quote.submitted", sellerId)
      ]
    }
  })

/** Replaces the content of a quote while its RFQ takes quotes. */
export const revise = (
  storedRfq: Rfq,
  stored: Quote,
  input: QuoteInput,
  now: Instant
): Result.Result<Change<Quote>, MoveRefused | InvalidRequest> =>
  Result.gen(function* () {
    const { rfq } = rfqAsOf(storedRfq, now)
    const { quote } = quoteAsOf(stored, now)
    yield* permit(quoteTable, quote, "revise", "seller", () => rfq.quoteDeadline)
    if (rfq.status !== "open") yield* permitRfq(rfq, "quote", "seller")
    const content = yield* checkInput(input, rfq, now)
    // A revision is a whole new text: what it does not say is gone.
    const next: Quote = {
      ...content,
      id: quote.id,
      rfqId: quote.rfqId,
      agentId: quote.agentId,
      revision: quote.revision + 1,
      status: quote.status,
      createdAt: quote.createdAt,
      updatedAt: now,
      version: quote.version + 1
    }
    return {
      result: next,
      writes: [{ kind: "quote", value: next, replaces: stored.version }],
      events: [tell(next, rfq, "quote.revised", next.agentId)],
      reliesOn: [{ kind: "rfq", id: rfq.id, version: storedRfq.version }]
    }
  })

/** Takes a quote back (its author) or turns it down (the buyer). Who takes it back gives up his place in the RFQ. */
export const end = (
  storedRfq: Rfq,
  stored: Quote,
  name: "withdraw" | "decline",
  reason: string | undefined,
  now: Instant
): Result.Result<Change<Quote>, MoveRefused> =>
  Result.gen(function* () {
    const { rfq, events } = rfqAsOf(storedRfq, now)
    const { quote } = quoteAsOf(stored, now)
    const by = name === "withdraw" ? "seller" : "buyer"
    const row = yield* permit(quoteTable, quote, name, by, () => quote.validUntil)
    const next = revised(quote, row.to === "same" ? {} : { status: row.to }, now)
    const actorId = name === "withdraw" ? quote.agentId : rfq.agentId
    const told =
      row.event === null ? [] : [tell(next, rfq, row.event, actorId, reason === undefined ? {} : { reason })]
    const write: Write = { kind: "quote", value: next, replaces: stored.version }
    const isUndecided = rfq.status === "open" || rfq.status === "evaluating"
    if (name === "decline" || !isUndecided) return { result: next, writes: [write], events: told }
    const counted = revised(rfq, { quoteCount: rfq.quoteCount - 1 }, now)
    return {
      result: next,
      writes: [write, { kind: "rfq", value: counted, replaces: storedRfq.version }],
      events: [...events, ...told]
    }
  })

/**
 * Decides an RFQ for one quote: the RFQ is awarded, the quote wins, every other active quote is passed over. The
 * room in which the deal goes on is the caller's to add to the same change.
 */
export const decideAward = (
  storedRfq: Rfq,
  storedQuote: Quote,
  others: ReadonlyArray<Quote>,
  now: Instant
): Result.Result<Change<{ readonly rfq: Rfq; readonly quote: Quote }>, MoveRefused | OfferExpired> =>
  Result.gen(function* () {
    const { rfq, events } = rfqAsOf(storedRfq, now)
    yield* permitRfq(rfq, "award", "buyer")
    const { quote } = quoteAsOf(storedQuote, now)
    if (quote.status === "expired")
      return yield* Result.fail(new OfferExpired({ message: "The quote is no longer valid." }))
    yield* permit(quoteTable, quote, "award", "buyer", () => quote.validUntil)
    const awarded = revised(rfq, { status: "awarded", awardedQuoteId: quote.id }, now)
    const won = revised(quote, { status: "awarded" }, now)
    const losers = others.filter((other) => other.id !== quote.id).map((other) => passOver(other, rfq, now))
    return {
      result: { rfq: awarded, quote: won },
      writes: [
        { kind: "rfq", value: awarded, replaces: storedRfq.version },
        { kind: "quote", value: won, replaces: storedQuote.version },
        ...losers.map((loser) => loser.write)
      ],
      events: [
        ...events,
        tellRfq(awarded, "rfq.awarded", rfq.agentId, { quoteId: quote.id }),
        tell(won, rfq, "quote.awarded", rfq.agentId),
        ...losers.flatMap((loser) => loser.events)
      ]
    }
  })

const passOver = (stored: Quote, rfq: Rfq, now: Instant) => {
  const { quote, lapsed } = quoteAsOf(stored, now)
  if (lapsed)
    return {
      write: { kind: "quote" as const, value: quote, replaces: stored.version },
      events: [tellExpired(quote, rfq)]
    }
  const value = revised(stored, { status: "not_selected" }, now)
  return {
    write: { kind: "quote" as const, value, replaces: stored.version },
    events: [tell(value, rfq, "quote.not_selected", rfq.agentId)]
  }
}

type Content = Pick<
  Quote,
  "terms" | "termsDigest" | "validUntil" | "responses" | "deviations" | "listingId" | "message"
>

const checkInput = (input: QuoteInput, rfq: Rfq, now: Instant): Result.Result<Content, InvalidRequest> => {
  const responses = input.responses ?? []
  const stray = responses.findIndex(
    (response) => !rfq.requirements.some((requirement) => requirement.id === response.requirementId)
  )
  if (stray >= 0)
    return Result.fail(
      InvalidRequest.at(`payload.responses.${stray}.requirementId`, "is not a requirement of the RFQ")
    )
  const validUntil = input.validUntil ?? rfq.awardBy
  if (hasPassed(validUntil, now) || !hasPassed(validUntil, after(now, longestValidity)))
    return Result.fail(InvalidRequest.at("payload.validUntil", "must be ahead, by at most 180 days"))
  const met = new Set(responses.filter((response) => response.met).map((response) => response.requirementId))
  const deviations = rfq.requirements.filter((need) => need.hard && !met.has(need.id)).map((need) => need.id)
  return Result.succeed({
    ...input,
    validUntil,
    responses,
    deviations,
    termsDigest: termsDigest(input.terms)
  })
}

/** Tells the two sides that a quote has expired, as of the moment at which it did. */
export const tellExpired = (quote: Quote, rfq: Rfq): EventDraft => ({
  ...tell(quote, rfq, "quote.expired"),
  at: quote.validUntil
})

const tell = (
  quote: Quote,
  rfq: Rfq,
  type: EventType,
  actorId?: AgentId,
  data: EventDraft["data"] = {}
): EventDraft => ({
  type,
  actorId,
  audience: [rfq.agentId, quote.agentId],
  subject: { kind: "quote", id: quote.id, version: quote.version },
  data: { rfqId: quote.rfqId, agentId: quote.agentId, revision: quote.revision, ...data }
})
