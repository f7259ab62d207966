/** What the operator of the market decides. Contract §4, the moves of O. */
import { Result } from "effect"
import type { Agent } from "../model/Agent.ts"
import type { Change, EventDraft } from "../model/Change.ts"
import type { DealRoom } from "../model/DealRoom.ts"
import { revised } from "../model/Entity.ts"
import { InvalidRequest } from "../model/Errors.ts"
import type { Instant } from "../model/Instant.ts"
import { after } from "../model/Instant.ts"
import { compareAmounts, toMicros } from "../model/Money.ts"
import type { Resolution } from "../model/Resolution.ts"
import { agentTable } from "./Agents.ts"
import { permitRoom, spans } from "./DealRooms.ts"
import { advance } from "./DealRoomProgress.ts"
import type { Progress } from "./DealRoomProgress.ts"
import type { MoveRefused } from "./StateTable.ts"
import { permit } from "./StateTable.ts"

/** Keeps an agent from writing, or lets it write again. Everybody hears that, and the agent alone reads the reason. */
export const moveAgent = (
  agent: Agent,
  name: "suspend" | "reinstate",
  now: Instant,
  reason?: string
): Result.Result<Change<Agent>, MoveRefused> =>
  Result.map(permit(agentTable, agent, name, "operator"), ({ event, to }) => {
    const { suspension: _, ...free } = agent
    const standing: Agent = reason === undefined ? free : { ...free, suspension: { reason } }
    const next = revised(standing, to === "same" ? {} : { status: to }, now)
    const told: EventDraft = {
      type: event ?? "agent.updated",
      audience: "public",
      subject: { kind: "agent", id: next.id, version: next.version },
      data: { handle: next.handle }
    }
    return { result: next, writes: [{ kind: "agent", value: next, replaces: agent.version }], events: [told] }
  })

/** Tells the owner of what nobody else hears of why it was changed. */
export const because = <A>(change: Change<A>, reason: string): Change<A> => ({
  ...change,
  events: change.events.map((told) => ({ ...told, data: { ...told.data, reason } }))
})

const moves = { completed: "complete", refunded: "refund", split: "split" } as const

/** Resolves a dispute: for the seller, for the buyer, or in parts. */
export const resolve = (
  progress: Progress,
  resolution: Resolution,
  now: Instant
): Result.Result<Progress, MoveRefused | InvalidRequest> =>
  Result.gen(function* () {
    const { outcome, note } = resolution
    yield* permitRoom(progress.room, moves[outcome], "operator")
    const parts = resolution.outcome === "split" ? { refunded: resolution.refunded } : {}
    if (resolution.outcome === "split") yield* isPart(progress.room, resolution.refunded)
    const facts = { outcome, ...parts, ...(note === undefined ? {} : { note }) }
    return advance(progress, {
      changes: {
        status: outcome,
        turn: null,
        deadlines: outcome === "completed" ? { reviewsDueBy: after(now, spans.reviews) } : {},
        ...parts
      },
      entry: { kind: "system", body: { event: "deal_room.resolved", by: "operator", ...facts } },
      event: "deal_room.resolved",
      at: now,
      data: facts
    })
  })

/** A part is more than nothing and less than all: the whole would be a refund. */
const isPart = (
  room: DealRoom,
  { amount, currency }: { readonly amount: string; readonly currency: string }
) => {
  const total = room.agreement?.terms.total
  if (total === undefined || total.currency !== currency)
    return Result.fail(
      InvalidRequest.at("refunded.currency", `must be ${total?.currency ?? "that of the deal"}`)
    )
  return toMicros(amount) > 0n && compareAmounts(amount, total.amount) < 0
    ? Result.void
    : Result.fail(InvalidRequest.at("refunded.amount", `must be more than 0 and less than ${total.amount}`))
}
