/** The rules of requests for quotation. Contract §3 RFQ, §4 RFQ. */
import { Result, Struct } from "effect"
import type { Change, EventDraft } from "../model/Change.ts"
import type { Role } from "../model/DealRoom.ts"
import { born, patched, revised } from "../model/Entity.ts"
import { InvalidRequest } from "../model/Errors.ts"
import type { Audience, EventType } from "../model/Event.ts"
import { unheld } from "../model/Hold.ts"
import type { AgentId, RfqId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import { after, day, hasPassed, minute } from "../model/Instant.ts"
import type { Rfq, RfqInput, RfqPatch, RfqStateWindow, RfqStatus } from "../model/Rfq.ts"
import type { Condition, MoveRefused, StateTable } from "./StateTable.ts"
import { nextActions, permit } from "./StateTable.ts"

export type RfqMove =
  | "update"
  | "open"
  | "ask"
  | "answer"
  | "quote"
  | "close"
  | "award"
  | "cancel"
  | "unsuccessful"
  | "hold"
  | "release"
  | "give_back"

/** The most questions that one RFQ takes. */
const mostQuestions = 100

const withoutQuotes: Condition<Rfq> = { says: "no quote stands", holds: (rfq) => rfq.quoteCount === 0 }
const released: Condition<Rfq> = {
  says: "the operator has released it",
  holds: (rfq) => rfq.held === undefined
}
const notHeld: Condition<Rfq> = { ...released, says: "it is not held already" }
const isHeld: Condition<Rfq> = {
  says: "the moderation holds it",
  holds: (rfq) => rfq.held !== undefined
}
const openMode: Condition<Rfq> = {
  says: "quotes are taken openly: a sealed RFQ closes at its deadline",
  holds: (rfq, by) => by === "time" || rfq.quoteMode === "open"
}
const unsealed: Condition<Rfq> = {
  says: "the quotes can be read: sealed ones cannot before the deadline",
  holds: (rfq) => rfq.quoteMode === "open"
}
const placesLeft: Condition<Rfq> = {
  says: "places are left for a quote",
  holds: (rfq) => rfq.quoteCount < rfq.maxQuotes,
  otherwise: "limit_reached"
}
const questionsLeft: Condition<Rfq> = {
  says: `fewer than ${mostQuestions} questions were asked`,
  holds: (rfq) => rfq.questions.length < mostQuestions,
  otherwise: "limit_reached"
}
const unanswered: Condition<Rfq> = {
  says: "a question waits for its answer",
  holds: (rfq) => rfq.questions.some(({ answer }) => answer === undefined)
}

/**
 * Who changes a draft that is held takes it back from the moderation, which looks at it when it is opened. Time gives it
 * back at its `quoteDeadline`.
 */
export const rfqTable: StateTable<Rfq, RfqStatus, RfqMove> = [
  { from: ["draft"], move: "update", by: ["buyer"], to: "same", event: "rfq.updated" },
  { from: ["open"], move: "update", by: ["buyer"], to: "same", event: "rfq.updated", when: withoutQuotes },
  { from: ["draft"], move: "open", by: ["buyer"], to: "open", event: "rfq.opened", when: released },
  {
    from: ["open"],
    move: "ask",
    by: ["seller"],
    to: "same",
    event: "rfq.question_asked",
    when: questionsLeft
  },
  {
    from: ["open", "evaluating"],
    move: "answer",
    by: ["buyer"],
    to: "same",
    event: "rfq.question_answered",
    when: unanswered
  },
  { from: ["open"], move: "quote", by: ["seller"], to: "same", event: "quote.submitted", when: placesLeft },
  {
    from: ["open"],
    move: "close",
    by: ["buyer", "time"],
    to: "evaluating",
    event: "rfq.closed",
    when: openMode
  },
  { from: ["open"], move: "award", by: ["buyer"], to: "awarded", event: "rfq.awarded", when: unsealed },
  { from: ["evaluating"], move: "award", by: ["buyer"], to: "awarded", event: "rfq.awarded" },
  {
    from: ["open", "evaluating"],
    move: "cancel",
    by: ["buyer", "operator"],
    to: "cancelled",
    event: "rfq.cancelled"
  },
  { from: ["draft"], move: "cancel", by: ["buyer"], to: "cancelled", event: "rfq.cancelled" },
  {
    from: ["evaluating"],
    move: "unsuccessful",
    by: ["buyer", "time"],
    to: "unsuccessful",
    event: "rfq.unsuccessful"
  },
  { from: ["draft"], move: "hold", by: ["operator"], to: "same", event: "rfq.updated", when: notHeld },
  { from: ["draft"], move: "release", by: ["operator"], to: "open", event: "rfq.opened", when: isHeld },
  {
    from: ["draft"],
    move: "give_back",
    by: ["operator", "time"],
    to: "same",
    event: "rfq.updated",
    when: isHeld
  }
]

const shortestCall = minute
const longestCall = 90 * day
const defaultEvaluation = 7 * day

/** Who sees an RFQ: drafts are the buyer's; invited ones the buyer's and the invitees'. */
export const mayRead = (rfq: Rfq, viewer: AgentId | undefined): boolean =>
  rfq.agentId === viewer ||
  (rfq.status !== "draft" &&
    (rfq.visibility === "public" || (viewer !== undefined && rfq.invitees.includes(viewer))))

/** Who hears of an RFQ: those who see it. */
export const audience = (rfq: Rfq): Audience => {
  if (rfq.status === "draft") return [rfq.agentId]
  return rfq.visibility === "public" ? "public" : [rfq.agentId, ...rfq.invitees]
}

/** The moves that are open now, with the deadlines at which time moves instead. */
export const rfqActions = (rfq: Rfq) => nextActions(rfqTable, rfq, deadlineOf(rfq))

const deadlineOf =
  (rfq: Rfq) =>
  (move: RfqMove): Instant | undefined => {
    switch (move) {
      case "open":
      case "ask":
      case "quote":
      case "close":
      case "release":
      case "give_back":
        return rfq.quoteDeadline
      case "answer":
        // It is still possible afterwards, but comes too late for those who quote.
        return rfq.status === "open" ? rfq.quoteDeadline : rfq.awardBy
      case "award":
      case "unsuccessful":
        return rfq.awardBy
      default:
        return undefined
    }
  }

/** Finds the row that lets a role move an RFQ, or refuses. */
export const permitRfq = (rfq: Rfq, move: RfqMove, by: Role) =>
  permit(rfqTable, rfq, move, by, deadlineOf(rfq))

/**
 * Judges an RFQ by the clock: past its deadline an open one is evaluating, past `awardBy` it is unsuccessful, and a
 * draft is no longer held, since nobody can let it be seen any more. The
 * result is the same whenever it is asked, so a reader sees what a sweeper will write.
 */
export const rfqAsOf = (
  rfq: Rfq,
  now: Instant
): { readonly rfq: Rfq; readonly events: ReadonlyArray<EventDraft> } => {
  const events: Array<EventDraft> = []
  let current = rfq
  if (current.status === "draft" && current.held !== undefined && hasPassed(current.quoteDeadline, now)) {
    current = givenBack(current, current.quoteDeadline)
    events.push({ ...tell(current, "rfq.updated", undefined, { changed: ["held"] }), at: rfq.quoteDeadline })
  }
  if (current.status === "open" && hasPassed(current.quoteDeadline, now)) {
    current = revised(current, { status: "evaluating" }, current.quoteDeadline)
    events.push({ ...tell(current, "rfq.closed"), at: current.quoteDeadline })
  }
  if (current.status === "evaluating" && hasPassed(current.awardBy, now)) {
    current = revised(current, { status: "unsuccessful" }, current.awardBy)
    events.push({ ...tell(current, "rfq.unsuccessful"), at: current.awardBy })
  }
  return { rfq: current, events }
}

/** The stored states, with their deadlines' windows, that come to a status at a moment: `rfqAsOf` read backwards. */
export const rfqStatesAt = (status: RfqStatus, now: Instant): ReadonlyArray<RfqStateWindow> => {
  switch (status) {
    case "open":
      return [{ status: "open", quoteDeadlineAfter: now }]
    case "evaluating":
      return [
        { status: "evaluating", awardByAfter: now },
        { status: "open", quoteDeadlineUpTo: now, awardByAfter: now }
      ]
    case "unsuccessful":
      return [
        { status: "unsuccessful" },
        { status: "evaluating", awardByUpTo: now },
        { status: "open", quoteDeadlineUpTo: now, awardByUpTo: now }
      ]
    case "draft":
    case "awarded":
    case "cancelled":
      return [{ status }]
  }
}

/** Asks for quotes, or keeps the RFQ as a draft. */
export const create = (
  input: RfqInput,
  id: RfqId,
  agentId: AgentId,
  now: Instant
): Result.Result<Change<Rfq>, InvalidRequest> => {
  const rfq: Rfq = {
    description: "",
    tags: [],
    requirements: [],
    visibility: "public",
    invitees: [],
    quoteMode: "open",
    maxQuotes: 100,
    ...input,
    awardBy: input.awardBy ?? after(input.quoteDeadline, defaultEvaluation),
    id,
    agentId,
    quoteCount: 0,
    questions: [],
    status: input.status ?? "open",
    ...born(now)
  }
  return Result.map(Result.andThen(checkDeadline(rfq, now), checkContent(rfq)), () => ({
    result: rfq,
    writes: [{ kind: "rfq", value: rfq, replaces: null }],
    events: rfq.status === "open" ? [tell(rfq, "rfq.opened", agentId)] : []
  }))
}

/** An RFQ that its buyer has again: an ordinary draft. */
export const givenBack = (rfq: Rfq, at: Instant): Rfq => {
  const free: Rfq = unheld(rfq)
  return revised(free, {}, at)
}

/** Changes a draft, which is taken back by it where it is held, or an open RFQ that has no quote. */
export const update = (
  stored: Rfq,
  patch: RfqPatch,
  now: Instant
): Result.Result<Change<Rfq>, MoveRefused | InvalidRequest> =>
  Result.gen(function* () {
    const { rfq, events } = rfqAsOf(stored, now)
    yield* permitRfq(rfq, "update", "buyer")
    const free: Rfq = unheld(rfq)
    const next = revised(patched(free, patch), {}, now)
    if (patch.quoteDeadline !== undefined) yield* checkDeadline(next, now)
    yield* checkContent(next)
    yield* staysSealed(rfq, next)
    const told = {
      ...tell(next, "rfq.updated", next.agentId, {
        changed: [...Struct.keys(patch), ...(rfq.held === undefined ? [] : ["held"])]
      }),
      audience: widest(rfq, next)
    }
    return {
      result: next,
      writes: [{ kind: "rfq", value: next, replaces: stored.version }],
      events: [...events, told]
    }
  })

/**
 * Moves an RFQ on: open, close, cancel or unsuccessful. A draft that is cancelled was never anybody else's to see, and
 * stays so: everybody reads the cancelled RFQs that are public. `reason` is the operator's, for the buyer to read.
 */
export const move = (
  stored: Rfq,
  name: "open" | "close" | "cancel" | "unsuccessful",
  by: Role,
  now: Instant,
  reason?: string
): Result.Result<Change<Rfq>, MoveRefused | InvalidRequest> =>
  Result.gen(function* () {
    const { rfq, events } = rfqAsOf(stored, now)
    const row = yield* permitRfq(rfq, name, by)
    const free: Rfq = unheld(rfq)
    const hidden = rfq.status === "draft" && name === "cancel"
    const next = revised(
      free,
      {
        ...(row.to === "same" ? {} : { status: row.to }),
        ...(hidden ? { visibility: "invited", invitees: [] } : {}),
        ...(reason === undefined ? {} : { removal: { reason } })
      },
      now
    )
    if (name === "open") {
      yield* checkDeadline(next, now)
      yield* checkContent(next)
    }
    const told =
      row.event === null ? [] : [tell(next, row.event, by === "operator" ? undefined : next.agentId)]
    return {
      result: next,
      writes: [{ kind: "rfq", value: next, replaces: stored.version }],
      events: [...events, ...told]
    }
  })

/** Tells of an RFQ to those who see it. */
export const tell = (
  rfq: Rfq,
  type: EventType,
  actorId?: AgentId,
  data: EventDraft["data"] = {}
): EventDraft => ({
  type,
  actorId,
  audience: audience(rfq),
  subject: { kind: "rfq", id: rfq.id, version: rfq.version },
  data: { agentId: rfq.agentId, ...data }
})

/** An RFQ that narrows its circle is told of to those who saw it before, so that they learn to look again. */
const widest = (before: Rfq, next: Rfq): Audience => {
  const [a, b] = [audience(before), audience(next)]
  return a === "public" || b === "public" ? "public" : [...new Set([...a, ...b])]
}

/** Judges whether an RFQ leaves its sellers time, and not for ever. */
export const checkDeadline = (rfq: Rfq, now: Instant): Result.Result<void, InvalidRequest> =>
  hasPassed(after(now, shortestCall), rfq.quoteDeadline) &&
  hasPassed(rfq.quoteDeadline, after(now, longestCall))
    ? Result.void
    : Result.fail(InvalidRequest.at("payload.quoteDeadline", "must be 60 seconds to 90 days ahead"))

const checkContent = (rfq: Rfq): Result.Result<void, InvalidRequest> => {
  if (
    hasPassed(rfq.awardBy, rfq.quoteDeadline) ||
    !hasPassed(rfq.awardBy, after(rfq.quoteDeadline, longestCall))
  )
    return Result.fail(
      InvalidRequest.at("payload.awardBy", "must be after quoteDeadline, by at most 90 days")
    )
  if (rfq.visibility === "public" && rfq.invitees.length > 0)
    return Result.fail(InvalidRequest.at("payload.invitees", "are for RFQs whose visibility is invited"))
  if (rfq.visibility === "invited" && rfq.invitees.length === 0 && rfq.status === "open")
    return Result.fail(InvalidRequest.at("payload.invitees", "must name somebody, or nobody could quote"))
  if (rfq.invitees.includes(rfq.agentId))
    return Result.fail(InvalidRequest.at("payload.invitees", "must not include the buyer"))
  return Result.void
}

/** A quote may have been made and withdrawn under seal: an open call never breaks the seal before its time. */
const staysSealed = (before: Rfq, next: Rfq): Result.Result<void, InvalidRequest> => {
  if (before.status !== "open" || before.quoteMode !== "sealed") return Result.void
  if (next.quoteMode !== "sealed")
    return Result.fail(InvalidRequest.at("payload.quoteMode", "stays sealed once the RFQ is open"))
  return hasPassed(before.quoteDeadline, next.quoteDeadline)
    ? Result.void
    : Result.fail(InvalidRequest.at("payload.quoteDeadline", "does not come nearer while quotes are sealed"))
}
