/** What the two sides of a deal room decide until they agree. Contract §3 Offer, §4 Offer and Deal room. */
import { DateTime, Result, Schema } from "effect"
import type { DealRoom, Offer, OfferInput, Origin, Side } from "../model/DealRoom.ts"
import { born } from "../model/Entity.ts"
import { InvalidRequest, InvalidState, OfferExpired, TermsMismatch } from "../model/Errors.ts"
import type { AgentId, DealRoomId, OfferId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import { after, hasPassed } from "../model/Instant.ts"
import { Terms, termsDigest } from "../model/Terms.ts"
import { agentOn, otherSide, permitRoom, proposer, roomActions, spans } from "./DealRooms.ts"
import type { Progress } from "./DealRoomProgress.ts"
import { advance, expire, settleOffer, standing } from "./DealRoomProgress.ts"
import { awaits, begin } from "./Funding.ts"
import type { Funding } from "./Funding.ts"
import type { MoveRefused } from "./StateTable.ts"
import { noHash } from "./Transcript.ts"

/** What a room is opened with; the rules of its origin have been judged already. */
export interface Opening {
  readonly id: DealRoomId
  readonly title: string
  readonly buyerId: AgentId
  readonly sellerId: AgentId
  readonly origin: Origin
  readonly openedBy: Side
  readonly maxRounds: number
}

/** Opens a room with nothing on the table. */
export const openRoom = ({ openedBy, ...opening }: Opening, now: Instant): Progress => {
  const blank: DealRoom = {
    ...opening,
    status: "negotiating",
    turn: null,
    round: 0,
    changesRequested: 0,
    deadlines: { offerDueBy: after(now, spans.offerDue) },
    entryCount: 0,
    headHash: noHash,
    ...born(now),
    version: 0
  }
  const { buyerId, sellerId, origin } = opening
  return advance(standing(blank), {
    changes: {},
    entry: {
      kind: "system",
      authorId: agentOn(blank, openedBy),
      body: { event: "deal_room.opened", buyerId, sellerId, origin }
    },
    event: "deal_room.opened",
    at: now,
    data: { buyerId, sellerId, origin }
  })
}

/** Puts an offer on the table; it counters the one of the other side that stood there. */
export const makeOffer = (
  progress: Progress,
  side: Side,
  id: OfferId,
  input: OfferInput,
  now: Instant
): Result.Result<Progress, MoveRefused | InvalidRequest> =>
  Result.gen(function* () {
    const { room } = progress
    yield* permitRoom(room, "offer", side)
    const validUntil = input.validUntil ?? after(now, spans.offerValid)
    if (hasPassed(validUntil, now) || !hasPassed(validUntil, after(now, spans.longestOffer)))
      return yield* Result.fail(InvalidRequest.at("payload.validUntil", "must be ahead, by at most 90 days"))
    const offer: Offer = {
      ...input,
      id,
      roomId: room.id,
      fromId: agentOn(room, side),
      termsDigest: termsDigest(input.terms),
      validUntil,
      round: room.round + 1,
      status: "pending",
      ...born(now)
    }
    return putOffer(settleOffer(progress, "countered", now), side, offer, now)
  })

/** Agrees to the other side's offer, named by its digest so that nobody agrees to what he did not see. */
export const acceptOffer = (
  progress: Progress,
  side: Side,
  offer: Offer,
  digest: string,
  funding: Funding,
  now: Instant
): Result.Result<Progress, MoveRefused | OfferExpired | TermsMismatch> =>
  Result.gen(function* () {
    yield* onTheTable(progress.room, offer, now)
    yield* permitRoom(progress.room, "accept", side)
    if (digest !== offer.termsDigest)
      return yield* Result.fail(
        new TermsMismatch({
          message: "The termsDigest is not that of the offer on the table: read its terms again.",
          termsDigest: offer.termsDigest
        })
      )
    return agree(progress, side, offer, funding, now)
  })

/** Seals the agreement on an offer; the work starts at once, or when the money is held. */
export const agree = (
  progress: Progress,
  side: Side,
  offer: Offer,
  funding: Funding,
  now: Instant
): Progress => {
  const fundBy = awaits(funding, offer.terms, now)
  const agreed = advance(settleOffer(progress, "accepted", now), {
    changes: {
      status: "agreed",
      turn: null,
      deadlines: fundBy === undefined ? {} : { fundBy },
      agreement: { offerId: offer.id, terms: offer.terms, termsDigest: offer.termsDigest, agreedAt: now },
      ...(fundBy === undefined ? {} : { funding: "awaited" })
    },
    entry: {
      kind: "system",
      authorId: agentOn(progress.room, side),
      body: { event: "deal_room.agreed", offerId: offer.id, termsDigest: offer.termsDigest }
    },
    event: "deal_room.agreed",
    at: now,
    data: { offerId: offer.id, termsDigest: offer.termsDigest }
  })
  return fundBy === undefined ? begin(agreed, now) : agreed
}

/** Takes the offer off the table: `reject` by the other side, `withdraw` by its author. The room goes on if rounds are left. */
export const clearOffer = (
  progress: Progress,
  side: Side,
  offer: Offer,
  move: "reject" | "withdraw",
  reason: string | undefined,
  now: Instant
): Result.Result<Progress, MoveRefused | OfferExpired> =>
  Result.gen(function* () {
    yield* onTheTable(progress.room, offer, now)
    yield* permitRoom(progress.room, move, side)
    const event = move === "reject" ? "deal_room.offer_rejected" : "deal_room.offer_withdrawn"
    const status = move === "reject" ? "rejected" : "withdrawn"
    const cleared = advance(settleOffer(progress, status, now), {
      changes: { turn: null, deadlines: { offerDueBy: after(now, spans.offerDue) } },
      entry: {
        kind: "system",
        authorId: agentOn(progress.room, side),
        body: { event, offerId: offer.id, ...(reason === undefined ? {} : { reason }) }
      },
      event,
      at: now,
      data: { offerId: offer.id }
    })
    return cleared.room.round >= cleared.room.maxRounds ? expire(cleared, now) : cleared
  })

/** Leaves the negotiation for good. */
export const decline = (
  progress: Progress,
  side: Side,
  reason: string | undefined,
  now: Instant
): Result.Result<Progress, MoveRefused> =>
  Result.map(permitRoom(progress.room, "decline", side), () =>
    advance(settleOffer(progress, proposer(progress.room) === side ? "withdrawn" : "rejected", now), {
      changes: { status: "declined", turn: null, deadlines: {} },
      entry: {
        kind: "system",
        authorId: agentOn(progress.room, side),
        body: { event: "deal_room.declined", ...(reason === undefined ? {} : { reason }) }
      },
      event: "deal_room.declined",
      at: now
    })
  )

/** Puts an offer down as it is: its content has been judged. */
export const putOffer = (progress: Progress, side: Side, offer: Offer, now: Instant): Progress => {
  const { id, round, terms, validUntil, message } = offer
  return advance(
    { ...progress, offers: [...progress.offers, offer] },
    {
      changes: {
        turn: otherSide(side),
        round,
        currentOffer: offer,
        deadlines: { offerExpiresAt: validUntil }
      },
      entry: {
        kind: "offer",
        authorId: offer.fromId,
        body: {
          offerId: id,
          round,
          terms: encodeTerms(terms),
          termsDigest: offer.termsDigest,
          validUntil: DateTime.formatIso(validUntil),
          ...(message === undefined ? {} : { message })
        }
      },
      event: "deal_room.offer_made",
      at: now,
      data: { offerId: id, termsDigest: offer.termsDigest }
    }
  )
}

const encodeTerms = Schema.encodeSync(Schema.toCodecJson(Terms))

const onTheTable = (
  room: DealRoom,
  offer: Offer,
  now: Instant
): Result.Result<void, InvalidState | OfferExpired> => {
  const { status } = offer.id === room.currentOffer?.id ? room.currentOffer : offer
  if (status === "pending") return Result.void
  if (status === "expired" && hasPassed(offer.validUntil, now))
    return Result.fail(new OfferExpired({ message: "The offer is no longer valid." }))
  return Result.fail(
    new InvalidState({
      message:
        status === "expired"
          ? "The deal room has expired: the quote that it negotiates can no longer be awarded."
          : `The offer is ${status}.`,
      status: room.status,
      nextActions: roomActions(room, now)
    })
  )
}
