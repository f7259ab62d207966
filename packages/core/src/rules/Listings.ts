/** The rules of listings. Contract §3 Listing, §4 Listing. */
import { Result, Struct } from "effect"
import type { Change, EventDraft } from "../model/Change.ts"
import type { Role } from "../model/DealRoom.ts"
import { born, patched, revised } from "../model/Entity.ts"
import type { Audience, EventType } from "../model/Event.ts"
import { unheld } from "../model/Hold.ts"
import type { AgentId, ListingId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import type { Listing, ListingInput, ListingPatch, ListingStatus } from "../model/Listing.ts"
import type { Condition, MoveRefused, StateTable } from "./StateTable.ts"
import { permit } from "./StateTable.ts"

export type ListingMove = "update" | "activate" | "pause" | "archive" | "hold" | "release"

const released: Condition<Listing> = {
  says: "the operator has released it",
  holds: (listing) => listing.held === undefined
}
const notHeld: Condition<Listing> = { ...released, says: "it is not held already" }
const isHeld: Condition<Listing> = {
  says: "the moderation holds it",
  holds: (listing) => listing.held !== undefined
}

/** Who changes a listing that is held takes it back from the moderation, which looks at it when it is activated. */
export const listingTable: StateTable<Listing, ListingStatus, ListingMove> = [
  {
    from: ["draft", "active", "paused"],
    move: "update",
    by: ["seller"],
    to: "same",
    event: "listing.updated"
  },
  {
    from: ["draft", "paused"],
    move: "activate",
    by: ["seller"],
    to: "active",
    event: "listing.published",
    when: released
  },
  { from: ["active"], move: "pause", by: ["seller"], to: "paused", event: "listing.paused" },
  {
    from: ["draft", "active", "paused"],
    move: "archive",
    by: ["seller", "operator"],
    to: "archived",
    event: "listing.archived"
  },
  { from: ["active"], move: "hold", by: ["operator"], to: "paused", event: "listing.paused" },
  {
    from: ["draft", "paused"],
    move: "hold",
    by: ["operator"],
    to: "same",
    event: "listing.updated",
    when: notHeld
  },
  {
    from: ["draft", "paused"],
    move: "release",
    by: ["operator"],
    to: "active",
    event: "listing.published",
    when: isHeld
  }
]

/** Everybody sees active listings; the others are their owner's. */
export const mayRead = (listing: Listing, viewer: AgentId | undefined): boolean =>
  listing.status === "active" || listing.agentId === viewer

/** Puts a listing on the market, or keeps it as a draft. */
export const publish = (
  input: ListingInput,
  id: ListingId,
  agentId: AgentId,
  now: Instant
): Change<Listing> => {
  const listing: Listing = {
    description: "",
    tags: [],
    ...input,
    id,
    agentId,
    status: input.status ?? "active",
    ...born(now)
  }
  return {
    result: listing,
    writes: [{ kind: "listing", value: listing, replaces: null }],
    events: listing.status === "active" ? [tell(listing, "listing.published", agentId, "public")] : []
  }
}

/** Changes what a listing offers; one that is held is taken back by it. */
export const update = (
  listing: Listing,
  patch: ListingPatch,
  now: Instant
): Result.Result<Change<Listing>, MoveRefused> =>
  Result.map(permit(listingTable, listing, "update", "seller"), () => {
    const free: Listing = unheld(listing)
    const next = revised(patched(free, patch), {}, now)
    const changed = [...Struct.keys(patch), ...(listing.held === undefined ? [] : ["held"])]
    const event = tell(next, "listing.updated", next.agentId, audience(next), { changed })
    return {
      result: next,
      writes: [{ kind: "listing", value: next, replaces: listing.version }],
      events: [event]
    }
  })

/** Moves a listing on: activate, pause or archive. `reason` is the operator's, for the owner to read. */
export const move = (
  listing: Listing,
  name: "activate" | "pause" | "archive",
  by: Role,
  now: Instant,
  reason?: string
): Result.Result<Change<Listing>, MoveRefused> =>
  Result.map(permit(listingTable, listing, name, by), ({ to, event }) => {
    const free: Listing = unheld(listing)
    const removal = reason === undefined ? {} : { removal: { reason } }
    const next = revised(free, to === "same" ? {} : { status: to, ...removal }, now)
    // Whoever saw the listing before or sees it after may know.
    const readers = audience(listing) === "public" ? "public" : audience(next)
    const events =
      event === null ? [] : [tell(next, event, by === "operator" ? undefined : next.agentId, readers)]
    return { result: next, writes: [{ kind: "listing", value: next, replaces: listing.version }], events }
  })

const audience = (listing: Listing): Audience => (listing.status === "active" ? "public" : [listing.agentId])

/** Tells of a listing. */
export const tell = (
  listing: Listing,
  type: EventType,
  actorId: AgentId | undefined,
  audience: Audience,
  data: EventDraft["data"] = {}
): EventDraft => ({
  type,
  actorId,
  audience,
  subject: { kind: "listing", id: listing.id, version: listing.version },
  data: { agentId: listing.agentId, ...data }
})
