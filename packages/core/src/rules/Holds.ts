/** What the host's moderation holds: where it waits, and what an operator makes of it. */
import { Result } from "effect"
import type { Agent } from "../model/Agent.ts"
import { digest } from "../model/Canonical.ts"
import type { Change, EventDraft, Write } from "../model/Change.ts"
import type { Entry, Message, Side } from "../model/DealRoom.ts"
import { revised } from "../model/Entity.ts"
import { InvalidState } from "../model/Errors.ts"
import { unheld } from "../model/Hold.ts"
import type { Hold, HoldStatus } from "../model/Hold.ts"
import type { AgentId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import type { Listing } from "../model/Listing.ts"
import type { Rfq } from "../model/Rfq.ts"
import { mayWrite } from "./Agents.ts"
import type { Progress } from "./DealRoomProgress.ts"
import { saying } from "./Fulfilment.ts"
import { listingTable, tell as tellListing } from "./Listings.ts"
import { checkDeadline, givenBack, permitRfq, rfqAsOf, tell as tellRfq } from "./Rfqs.ts"
import type { MoveRefused } from "./StateTable.ts"
import { permit } from "./StateTable.ts"

const written = (hold: Hold): Write => ({ kind: "hold", value: hold, replaces: null })

const heldBy = ({ id, reason }: Hold) => ({ held: { holdId: id, reason } })

// -----------------------------------------------------------------------------
// Holding
// -----------------------------------------------------------------------------

/** Keeps a new listing from being seen: it is a draft. */
export const holdNewListing = (wanted: Listing, hold: Hold): Change<Listing> => {
  const value: Listing = { ...wanted, status: "draft", ...heldBy(hold) }
  return { result: value, writes: [{ kind: "listing", value, replaces: null }, written(hold)], events: [] }
}

/** Keeps a change of a listing from being seen: one that was seen is paused, the others stay what they are. */
export const holdListing = (
  before: Listing,
  wanted: Listing,
  hold: Hold
): Result.Result<Change<Listing>, MoveRefused> =>
  Result.map(permit(listingTable, before, "hold", "operator"), ({ to }) => {
    const status = to === "same" ? before.status : to
    const value: Listing = { ...wanted, status, ...heldBy(hold) }
    const { agentId } = value
    const told =
      to === "same"
        ? tellListing(value, "listing.updated", agentId, [agentId], { changed: ["held"] })
        : tellListing(value, "listing.paused", agentId, "public")
    return {
      result: value,
      writes: [{ kind: "listing", value, replaces: before.version }, written(hold)],
      events: [told]
    }
  })

/** Keeps a new RFQ from being seen: it is a draft. */
export const holdNewRfq = (wanted: Rfq, hold: Hold): Change<Rfq> => {
  const value: Rfq = { ...wanted, status: "draft", ...heldBy(hold) }
  return { result: value, writes: [{ kind: "rfq", value, replaces: null }, written(hold)], events: [] }
}

/** Keeps a draft from being opened. */
export const holdRfq = (before: Rfq, wanted: Rfq, hold: Hold): Result.Result<Change<Rfq>, MoveRefused> =>
  Result.map(permitRfq(before, "hold", "operator"), () => {
    const value: Rfq = { ...wanted, status: "draft", ...heldBy(hold) }
    return {
      result: value,
      writes: [{ kind: "rfq", value, replaces: before.version }, written(hold)],
      events: [tellRfq(value, "rfq.updated", value.agentId, { changed: ["held"] })]
    }
  })

/** Notes in the transcript that something was said, and a salted digest of what: the text stands in the hold. */
export const holdMessage = (
  progress: Progress,
  side: Side,
  message: Message,
  salt: string,
  now: Instant
): Result.Result<{ readonly progress: Progress; readonly entry: Entry }, MoveRefused> =>
  saying(progress, side, { held: true, messageDigest: digest({ ...message, salt }) }, { held: true }, now)

// -----------------------------------------------------------------------------
// Releasing and refusing
// -----------------------------------------------------------------------------

/** Ends a hold, once. `note` says why it was refused. */
export const endHold = (
  hold: Hold,
  status: Exclude<HoldStatus, "held">,
  note: string | undefined,
  now: Instant
): Result.Result<Change<Hold>, InvalidState> => {
  if (hold.status !== "held")
    return Result.fail(
      new InvalidState({ message: `The hold was ${hold.status}.`, status: hold.status, nextActions: [] })
    )
  const value = revised(hold, { status, ...(note === undefined ? {} : { note }) }, now)
  return Result.succeed({
    result: value,
    writes: [{ kind: "hold", value, replaces: hold.version }],
    events: []
  })
}

/** Refuses to let be seen what its owner may not write. */
export const ownerMayWrite = (
  hold: Hold,
  owner: Agent,
  options?: { readonly inRoom?: boolean }
): Result.Result<void, InvalidState> =>
  Result.mapError(
    mayWrite(owner, options),
    () =>
      new InvalidState({
        message: `Its owner is ${owner.status}: what is held can be refused, not released.`,
        status: hold.status,
        nextActions: []
      })
  )

/** Puts a listing on the market as its owner wanted it. */
export const releaseListing = (stored: Listing, now: Instant): Result.Result<Change<Listing>, MoveRefused> =>
  Result.map(permit(listingTable, stored, "release", "operator"), () => {
    const listing: Listing = unheld(stored)
    const value = revised(listing, { status: "active" }, now)
    return {
      result: value,
      writes: [{ kind: "listing", value, replaces: stored.version }],
      events: [tellListing(value, "listing.published", undefined, "public")]
    }
  })

/** Opens an RFQ as its buyer wanted it; not where its deadline has come too near meanwhile. */
export const releaseRfq = (stored: Rfq, now: Instant) =>
  Result.gen(function* () {
    const { rfq } = rfqAsOf(stored, now)
    yield* permitRfq(rfq, "release", "operator")
    const free: Rfq = unheld(rfq)
    const value = revised(free, { status: "open" }, now)
    yield* checkDeadline(value, now)
    const change: Change<Rfq> = {
      result: value,
      writes: [{ kind: "rfq", value, replaces: stored.version }],
      events: [tellRfq(value, "rfq.opened")]
    }
    return change
  })

/** Says what was held, with the salt of its digest and the number of the entry that it stands for. */
export const releaseMessage = (
  progress: Progress,
  side: Side,
  { message, salt, seq }: { readonly message: Message; readonly salt?: string; readonly seq: number },
  now: Instant
): Result.Result<Progress, MoveRefused> =>
  Result.map(
    saying(
      progress,
      side,
      { ...message, ...(salt === undefined ? {} : { salt }), releases: seq },
      { releases: seq },
      now
    ),
    ({ progress }) => progress
  )

/** How many refusals a room keeps: the newest. */
const refusalsKept = 50

/** Notes with the room that a held message is never said: both sides hear of it, and its author alone reads why. */
export const refuseMessage = (
  progress: Progress,
  byId: AgentId,
  seq: number,
  reason: string,
  now: Instant
): Progress => {
  const refusals = [...(progress.room.refusals ?? []), { seq, byId, reason }].slice(-refusalsKept)
  const room = revised(progress.room, { refusals }, now)
  const told: EventDraft = {
    type: "deal_room.message",
    audience: [room.buyerId, room.sellerId],
    subject: { kind: "deal_room", id: room.id, version: room.version },
    data: { status: room.status, round: room.round, seq, refused: true }
  }
  return { ...progress, room, events: [...progress.events, told] }
}

/** Gives an RFQ back to its buyer, who can change it and open it again. */
export const returnRfq = (stored: Rfq, now: Instant): Result.Result<Change<Rfq>, MoveRefused> =>
  Result.map(permitRfq(stored, "give_back", "operator"), () => {
    const value = givenBack(stored, now)
    return {
      result: value,
      writes: [{ kind: "rfq", value, replaces: stored.version }],
      events: [tellRfq(value, "rfq.updated", undefined, { changed: ["held"] })]
    }
  })
