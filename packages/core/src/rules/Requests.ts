/** The rules of requests. Contract §3 Request, §4 Request. */
import { Result, Struct } from "effect"
import type { Change, EventDraft } from "../model/Change.ts"
import { born, patched, revised } from "../model/Entity.ts"
import { InvalidRequest } from "../model/Errors.ts"
import type { EventType } from "../model/Event.ts"
import type { AgentId, RequestId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import { after, day, hasPassed } from "../model/Instant.ts"
import type {
  Request,
  RequestInput,
  RequestPatch,
  RequestStateWindow,
  RequestStatus
} from "../model/Request.ts"
import type { MoveRefused, StateTable } from "./StateTable.ts"
import { permit } from "./StateTable.ts"

export type RequestMove = "update" | "fulfil" | "cancel" | "expire"

export const requestTable: StateTable<Request, RequestStatus, RequestMove> = [
  { from: ["open"], move: "update", by: ["buyer"], to: "same", event: "request.updated" },
  { from: ["open"], move: "fulfil", by: ["buyer"], to: "fulfilled", event: "request.fulfilled" },
  { from: ["open"], move: "cancel", by: ["buyer"], to: "cancelled", event: "request.cancelled" },
  { from: ["open"], move: "expire", by: ["time"], to: "expired", event: "request.expired" }
]

const longestDemand = 366 * day

/** Everybody sees open requests; the others are their owner's. */
export const mayRead = (request: Request, viewer: AgentId | undefined): boolean =>
  request.status === "open" || request.agentId === viewer

/** Judges a request by the clock: past `expiresAt` an open one is expired. */
export const requestAsOf = (
  request: Request,
  now: Instant
): { readonly request: Request; readonly events: ReadonlyArray<EventDraft> } => {
  const { expiresAt, status } = request
  if (status !== "open" || expiresAt === undefined || !hasPassed(expiresAt, now))
    return { request, events: [] }
  const expired = revised(request, { status: "expired" }, expiresAt)
  return { request: expired, events: [{ ...tell(expired, "request.expired"), at: expiresAt }] }
}

/** The stored states that come to a status at a moment: `requestAsOf` read backwards. */
export const requestStatesAt = (status: RequestStatus, now: Instant): ReadonlyArray<RequestStateWindow> => {
  switch (status) {
    case "open":
      return [{ status: "open", expiresAfter: now }]
    case "expired":
      return [{ status: "expired" }, { status: "open", expiresUpTo: now }]
    case "fulfilled":
    case "cancelled":
      return [{ status }]
  }
}

/** Puts a demand on the market. */
export const open = (
  input: RequestInput,
  id: RequestId,
  agentId: AgentId,
  now: Instant
): Result.Result<Change<Request>, InvalidRequest> => {
  const request: Request = { description: "", tags: [], ...input, id, agentId, status: "open", ...born(now) }
  return Result.map(checkMoments(input, now), () => ({
    result: request,
    writes: [{ kind: "request", value: request, replaces: null }],
    events: [tell(request, "request.opened", agentId)]
  }))
}

/** Changes what an open request asks for. */
export const update = (
  stored: Request,
  patch: RequestPatch,
  now: Instant
): Result.Result<Change<Request>, MoveRefused | InvalidRequest> =>
  Result.gen(function* () {
    const { request } = requestAsOf(stored, now)
    yield* permit(requestTable, request, "update", "buyer", () => request.expiresAt)
    yield* checkMoments(patch, now)
    const next = revised(patched(request, patch), {}, now)
    const told = tell(next, "request.updated", next.agentId, { changed: Struct.keys(patch) })
    return {
      result: next,
      writes: [{ kind: "request", value: next, replaces: stored.version }],
      events: [told]
    }
  })

/** Ends a request: it found what it asked for, or is given up. */
export const end = (
  stored: Request,
  name: "fulfil" | "cancel",
  now: Instant
): Result.Result<Change<Request>, MoveRefused> =>
  Result.gen(function* () {
    const { request } = requestAsOf(stored, now)
    const row = yield* permit(requestTable, request, name, "buyer", () => request.expiresAt)
    const next = revised(request, row.to === "same" ? {} : { status: row.to }, now)
    const told = row.event === null ? [] : [tell(next, row.event, next.agentId)]
    return {
      result: next,
      writes: [{ kind: "request", value: next, replaces: stored.version }],
      events: told
    }
  })

const tell = (
  request: Request,
  type: EventType,
  actorId?: AgentId,
  data: EventDraft["data"] = {}
): EventDraft => ({
  type,
  actorId,
  audience: "public",
  subject: { kind: "request", id: request.id, version: request.version },
  data: { agentId: request.agentId, ...data }
})

/** What is given anew must be ahead; a `neededBy` that has passed meanwhile stands in the way of nothing. */
const checkMoments = (
  { expiresAt, neededBy }: RequestInput | RequestPatch,
  now: Instant
): Result.Result<void, InvalidRequest> => {
  const latest = after(now, longestDemand)
  for (const [name, moment] of Object.entries({ neededBy, expiresAt })) {
    if (moment !== undefined && moment !== null && (hasPassed(moment, now) || !hasPassed(moment, latest)))
      return Result.fail(InvalidRequest.at(`payload.${name}`, "must be ahead, by at most 366 days"))
  }
  return Result.void
}
