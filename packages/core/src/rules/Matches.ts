/** The rules of matches: how one comes to be, is judged anew, is dismissed, or leads to a deal room. Contract §3 Match. */
import { DateTime, Result } from "effect"
import { sha256Bytes } from "../model/Canonical.ts"
import type { Change, EventDraft, Reliance, Write } from "../model/Change.ts"
import type { Side } from "../model/DealRoom.ts"
import { born, revised } from "../model/Entity.ts"
import type { EventType } from "../model/Event.ts"
import { makeId } from "../model/Id.ts"
import type { AgentId, MatchId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import { after, day, hasPassed } from "../model/Instant.ts"
import type { DemandRef, Match, MatchStatus } from "../model/Match.ts"
import { differs, leastScore, stands } from "./Matching.ts"
import type { Demand, Fit, Pair } from "./Matching.ts"
import { permit } from "./StateTable.ts"
import type { MoveRefused, StateTable } from "./StateTable.ts"

export type MatchMove = "dismiss" | "engage"

/** The event of an engagement is that of the deal room which it opens. */
export const matchTable: StateTable<Match, MatchStatus, MatchMove> = [
  {
    from: ["suggested"],
    move: "dismiss",
    by: ["buyer", "seller"],
    to: "dismissed",
    event: "match.dismissed"
  },
  { from: ["suggested"], move: "engage", by: ["buyer", "seller"], to: "engaged", event: null }
]

/** The side that an agent has in a match, if any: nobody else sees it. */
export const sideIn = (match: Match, agentId: AgentId): Side | undefined => {
  if (agentId === match.buyerId) return "buyer"
  return agentId === match.sellerId ? "seller" : undefined
}

/**
 * Whether a match is there for its two sides. One that led to a room is; another while the two may still meet over it
 * and, unless it was dismissed, it fits well enough. `pair` is undefined where a side is gone.
 */
export const isThere = (match: Match, pair: Pair | undefined): boolean =>
  match.status === "engaged" ||
  (pair !== undefined && stands(pair) && (match.status === "dismissed" || match.score >= leastScore))

/**
 * The id of the match of a demand with a supply. It follows from the two, so that a pair has one match, whichever node
 * of a market finds it, and however often.
 */
export const matchIdOf = ({ demand, supply }: Pick<Pair, "demand" | "supply">): MatchId => {
  const bytes = sha256Bytes(`${demand.item.id}/${supply.id}`)
  const made = DateTime.max(demand.item.createdAt, supply.createdAt)
  return makeId("match", {
    millis: DateTime.toEpochMillis(made),
    ordinal: ((bytes[8] ?? 0) << 4) | ((bytes[9] ?? 0) >> 4),
    bytes
  })
}

/** What was made of a pair: a part of a change. */
export interface Found {
  readonly writes: ReadonlyArray<Write>
  readonly events: ReadonlyArray<EventDraft>
  /** The sides, where they are told of it: a pair that may no longer meet by then is told of to nobody. */
  readonly reliesOn: ReadonlyArray<Reliance>
}

const nothing: Found = { writes: [], events: [], reliesOn: [] }

/** How much better a match must fit to be told of again, and how long after it was last written. */
const worthTelling = 0.1
const tellAgainAfter = day

/**
 * Writes a match down as it fits now: a new one, or one that fits noticeably better or worse than when it was written
 * last. A new one is told of; a known one again when it fits much better, and no day has a second event of one pair,
 * however often a side changes. What was dismissed stays dismissed, and what led to a room is left to the room.
 */
export const found = (pair: Pair, known: Match | undefined, fit: Fit, now: Instant): Found => {
  const isWorthIt = fit.score >= leastScore
  if (known === undefined) return isWorthIt ? written(pair, suggest(pair, fit, now), null, true) : nothing
  if (known.status !== "suggested" || !differs(known, fit)) return nothing
  const isTold =
    isWorthIt &&
    fit.score - known.score >= worthTelling - 1e-9 &&
    hasPassed(after(known.updatedAt, tellAgainAfter), now)
  const next = revised(known, { score: fit.score, reasons: fit.reasons }, now)
  return written(pair, next, known.version, isTold)
}

const suggest = (pair: Pair, { reasons, score }: Fit, now: Instant): Match => ({
  id: matchIdOf(pair),
  demand: refTo(pair.demand),
  supply: { kind: "listing", id: pair.supply.id },
  buyerId: pair.buyer.id,
  sellerId: pair.seller.id,
  score,
  reasons,
  status: "suggested",
  ...born(now)
})

const refTo = (demand: Demand): DemandRef =>
  demand.kind === "rfq" ? { kind: "rfq", id: demand.item.id } : { kind: "request", id: demand.item.id }

const written = (pair: Pair, match: Match, replaces: number | null, isTold: boolean): Found => ({
  writes: [{ kind: "match", value: match, replaces }],
  events: isTold ? [tell(match, "match.found")] : [],
  reliesOn: isTold ? sidesOf(pair) : []
})

const sidesOf = ({ buyer, demand, seller, supply }: Pair): ReadonlyArray<Reliance> => [
  { kind: demand.kind, id: demand.item.id, version: demand.item.version },
  { kind: "listing", id: supply.id, version: supply.version },
  { kind: "agent", id: buyer.id, version: buyer.version },
  { kind: "agent", id: seller.id, version: seller.version }
]

/** Turns a match down, for both sides and for good. */
export const dismiss = (match: Match, side: Side, now: Instant): Result.Result<Change<Match>, MoveRefused> =>
  move(match, "dismiss", side, now)

/** Marks a match as one that led to a deal room. */
export const engage = (match: Match, side: Side, now: Instant): Result.Result<Change<Match>, MoveRefused> =>
  move(match, "engage", side, now)

const move = (
  match: Match,
  name: MatchMove,
  side: Side,
  now: Instant
): Result.Result<Change<Match>, MoveRefused> =>
  Result.map(permit(matchTable, match, name, side), ({ event, to }) => {
    const next = revised(match, to === "same" ? {} : { status: to }, now)
    const actorId = side === "buyer" ? match.buyerId : match.sellerId
    return {
      result: next,
      writes: [{ kind: "match", value: next, replaces: match.version }],
      events: event === null ? [] : [{ ...tell(next, event), actorId }]
    }
  })

/** Tells the two sides. */
const tell = (match: Match, type: EventType): EventDraft => {
  const { buyerId, demand, score, sellerId, supply } = match
  return {
    type,
    audience: [buyerId, sellerId],
    subject: { kind: "match", id: match.id, version: match.version },
    data: { demand, supply, buyerId, sellerId, score }
  }
}
