/** What the host's moderation holds: where it waits, and what an operator makes of it. */
import { Result } from "effect"
import { digest } from "../model/Canonical.ts"
import type { Change, Write } from "../model/Change.ts"
import type { Entry, Message, Side } from "../model/DealRoom.ts"
import { revised } from "../model/Entity.ts"
import { InvalidState } from "../model/Errors.ts"
import type { Hold, HoldStatus } from "../model/Hold.ts"
import type { Instant } from "../model/Instant.ts"
import type { Listing } from "../model/Listing.ts"
import type { Rfq } from "../model/Rfq.ts"
import type { Progress } from "./DealRoomProgress.ts"
import { saying } from "./Fulfilment.ts"
import { listingTable, tell as tellListing } from "./Listings.ts"
import { checkDeadline, permitRfq, tell as tellRfq } from "./Rfqs.ts"
import type { MoveRefused } from "./StateTable.ts"
import { permit } from "./StateTable.ts"

const written = (hold: Hold): Write => ({ kind: "hold", value: hold, replaces: null })

const heldBy = ({ id, reason }: Hold) => ({ held: { holdId: id, reason } })

const unheld = <E extends { readonly held?: unknown }>({ held: _, ...entity }: E) => entity

// -----------------------------------------------------------------------------
// Holding
// -----------------------------------------------------------------------------

/** Keeps a listing from being seen: a new one is a draft, one that was seen is paused, the others stay what they are. */
export const holdListing = (before: Listing | undefined, wanted: Listing, hold: Hold): Change<Listing> => {
  const status = before === undefined ? "draft" : before.status === "active" ? "paused" : before.status
  const value: Listing = { ...wanted, status, ...heldBy(hold) }
  return {
    result: value,
    writes: [{ kind: "listing", value, replaces: before?.version ?? null }, written(hold)],
    events:
      before === undefined
        ? []
        : [
            status === "paused" && before.status === "active"
              ? tellListing(value, "listing.paused", value.agentId, "public")
              : tellListing(value, "listing.updated", value.agentId, [value.agentId], { changed: ["held"] })
          ]
  }
}

/** Keeps an RFQ from being seen: it is a draft, or stays one. */
export const holdRfq = (before: Rfq | undefined, wanted: Rfq, hold: Hold): Change<Rfq> => {
  const value: Rfq = { ...wanted, status: "draft", ...heldBy(hold) }
  return {
    result: value,
    writes: [{ kind: "rfq", value, replaces: before?.version ?? null }, written(hold)],
    events: before === undefined ? [] : [tellRfq(value, "rfq.updated", value.agentId, { changed: ["held"] })]
  }
}

/** Notes in the transcript that something was said, and a digest of what: the chain goes on, the text stands in the hold. */
export const holdMessage = (
  progress: Progress,
  side: Side,
  message: Message,
  now: Instant
): Result.Result<{ readonly progress: Progress; readonly entry: Entry }, MoveRefused> =>
  saying(progress, side, { held: true, messageDigest: digest({ ...message }) }, { held: true }, now)

// -----------------------------------------------------------------------------
// Releasing and refusing
// -----------------------------------------------------------------------------

/** Ends a hold, once. */
export const endHold = (
  hold: Hold,
  status: Exclude<HoldStatus, "held">,
  now: Instant
): Result.Result<Change<Hold>, InvalidState> => {
  if (hold.status !== "held")
    return Result.fail(
      new InvalidState({ message: `The hold was ${hold.status}.`, status: hold.status, nextActions: [] })
    )
  const value = revised(hold, { status }, now)
  return Result.succeed({
    result: value,
    writes: [{ kind: "hold", value, replaces: hold.version }],
    events: []
  })
}

/** Puts a listing on the market as its owner wanted it. */
export const releaseListing = (
  stored: Listing,
  now: Instant
): Result.Result<Change<Listing>, MoveRefused> => {
  const listing: Listing = unheld(stored)
  return Result.map(permit(listingTable, listing, "activate", "seller"), () => {
    const value = revised(listing, { status: "active" }, now)
    return {
      result: value,
      writes: [{ kind: "listing", value, replaces: stored.version }],
      events: [tellListing(value, "listing.published", undefined, "public")]
    }
  })
}

/** Opens an RFQ as its buyer wanted it; not where its deadline has come too near meanwhile. */
export const releaseRfq = (stored: Rfq, now: Instant) =>
  Result.gen(function* () {
    const rfq: Rfq = unheld(stored)
    yield* permitRfq(rfq, "open", "buyer")
    const value = revised(rfq, { status: "open" }, now)
    yield* checkDeadline(value, now)
    const change: Change<Rfq> = {
      result: value,
      writes: [{ kind: "rfq", value, replaces: stored.version }],
      events: [tellRfq(value, "rfq.opened")]
    }
    return change
  })

/** Says what was held, with the number of the entry that it stands for. */
export const releaseMessage = (
  progress: Progress,
  side: Side,
  { message, seq }: { readonly message: Message; readonly seq: number },
  now: Instant
): Result.Result<Progress, MoveRefused> =>
  Result.map(
    saying(progress, side, { ...message, releases: seq }, { releases: seq }, now),
    ({ progress }) => progress
  )

/** Gives an RFQ back to its buyer, who can change it and open it again. */
export const returnRfq = (stored: Rfq, now: Instant): Change<Rfq> => {
  const value: Rfq = revised(unheld(stored), {}, now)
  return {
    result: value,
    writes: [{ kind: "rfq", value, replaces: stored.version }],
    events: [tellRfq(value, "rfq.updated", undefined, { changed: ["held"] })]
  }
}
