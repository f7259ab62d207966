/** Awarding an RFQ: by its quote, or by an offer accepted in a room that a quote opened. Contract §4. */
import { Result } from "effect"
import type { Change } from "../model/Change.ts"
import type { DealRoom, Offer } from "../model/DealRoom.ts"
import { born } from "../model/Entity.ts"
import { RequirementUnmet, TermsMismatch } from "../model/Errors.ts"
import type { OfferExpired } from "../model/Errors.ts"
import type { DealRoomId, OfferId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import type { Quote } from "../model/Quote.ts"
import type { Rfq } from "../model/Rfq.ts"
import { writesOf } from "./DealRoomProgress.ts"
import type { Funding } from "./Funding.ts"
import { agree, openRoom, putOffer } from "./Negotiation.ts"
import { decideAward } from "./Quotes.ts"
import type { MoveRefused } from "./StateTable.ts"

/** An RFQ, the quote that is to win, and every quote that is stored as active. */
export interface Candidates {
  readonly rfq: Rfq
  readonly quote: Quote
  readonly others: ReadonlyArray<Quote>
}

export interface AwardCommand {
  readonly roomId: DealRoomId
  readonly offerId: OfferId
  /** The digest of the terms that the buyer has read. */
  readonly termsDigest?: string | undefined
  readonly acceptDeviations: boolean
  readonly funding: Funding
}

/** Awards a quote as it stands: its terms become the agreement of a new room. */
export const award = (
  candidates: Candidates,
  command: AwardCommand,
  now: Instant
): Result.Result<
  Change<{ readonly rfq: Rfq; readonly quote: Quote; readonly room: DealRoom }>,
  MoveRefused | OfferExpired | RequirementUnmet | TermsMismatch
> =>
  Result.gen(function* () {
    const decided = yield* decideAward(candidates.rfq, candidates.quote, candidates.others, now)
    const { rfq, quote } = decided.result
    yield* namesTerms(quote, command.termsDigest)
    yield* acceptsDeviations(quote, command.acceptDeviations)
    const opened = openRoom(
      {
        id: command.roomId,
        title: rfq.title,
        buyerId: rfq.agentId,
        sellerId: quote.agentId,
        origin: { kind: "rfq", id: rfq.id, quoteId: quote.id },
        openedBy: "buyer",
        maxRounds: 1
      },
      now
    )
    const offer: Offer = {
      id: command.offerId,
      roomId: command.roomId,
      fromId: quote.agentId,
      terms: quote.terms,
      termsDigest: quote.termsDigest,
      ...(quote.message === undefined ? {} : { message: quote.message }),
      validUntil: quote.validUntil,
      round: 1,
      status: "pending",
      ...born(now)
    }
    const agreed = agree(putOffer(opened, "seller", offer, now), "buyer", offer, command.funding, now)
    return {
      result: { rfq, quote, room: agreed.room },
      writes: [...decided.writes, ...writesOf(agreed, null, undefined)],
      events: [...decided.events, ...agreed.events]
    }
  })

/**
 * Nobody agrees to an amount that he did not see. A quote that was never revised has but one text; of any other, the
 * buyer says which he means, since a revision can arrive just before the award.
 */
const namesTerms = (quote: Quote, digest: string | undefined): Result.Result<void, TermsMismatch> =>
  digest === quote.termsDigest || (digest === undefined && quote.revision === 1)
    ? Result.void
    : Result.fail(
        new TermsMismatch({
          message: "The quote was revised: read its terms again, and name their termsDigest.",
          termsDigest: quote.termsDigest
        })
      )

/** A quote that leaves hard requirements unmet is taken only by somebody who says that he knows. */
export const acceptsDeviations = (quote: Quote, accepted: boolean): Result.Result<void, RequirementUnmet> =>
  quote.deviations.length === 0 || accepted
    ? Result.void
    : Result.fail(
        new RequirementUnmet({
          message:
            "The quote leaves hard requirements unmet. Send acceptDeviations: true to take it all the same.",
          deviations: quote.deviations
        })
      )
