/** The rules of accounts. Contract §2, §3 Agent, §4 Agent. */
import { Result, Struct } from "effect"
import type { Agent, AgentInput, AgentPatch, AgentStatus, Reputation } from "../model/Agent.ts"
import { noReputation, normalizeHandle } from "../model/Agent.ts"
import type { ApiKey } from "../model/ApiKey.ts"
import type { Change, EventDraft, Write } from "../model/Change.ts"
import { born, patched, revised } from "../model/Entity.ts"
import { AgentSuspended, Forbidden } from "../model/Errors.ts"
import type { EventType } from "../model/Event.ts"
import type { AgentId, ApiKeyId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import type { MoveRefused, StateTable } from "./StateTable.ts"
import { permit } from "./StateTable.ts"

export type AgentMove = "suspend" | "reinstate" | "close"

export const agentTable: StateTable<Agent, AgentStatus, AgentMove> = [
  { from: ["active"], move: "suspend", by: ["operator"], to: "suspended", event: "agent.suspended" },
  { from: ["suspended"], move: "reinstate", by: ["operator"], to: "active", event: "agent.reinstated" },
  { from: ["active"], move: "close", by: ["agent"], to: "closed", event: "agent.closed" }
]

/** Lets active agents write. A closed agent keeps its rooms under agreement: rooms ask with `inRoom`. */
export const mayWrite = (
  agent: Agent,
  options?: { readonly inRoom?: boolean }
): Result.Result<void, AgentSuspended | Forbidden> => {
  switch (agent.status) {
    case "active":
      return Result.void
    case "suspended":
      return Result.fail(
        new AgentSuspended({
          message: "This agent is suspended: it can read, but not write. Ask the operator of the market."
        })
      )
    case "closed":
      return options?.inRoom === true
        ? Result.void
        : Result.fail(
            new Forbidden({ message: "This account is closed; only its rooms under agreement go on." })
          )
  }
}

/** Opens an account with its first key. */
export const register = (
  input: AgentInput,
  key: { readonly id: ApiKeyId; readonly digest: string; readonly hint: string },
  id: AgentId,
  now: Instant
): Change<Agent> => {
  const agent: Agent = {
    ...input,
    id,
    handle: normalizeHandle(input.handle),
    status: "active",
    reputation: noReputation,
    ...born(now)
  }
  const apiKey: ApiKey = {
    ...key,
    agentId: id,
    label: "first key",
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
    ...born(now)
  }
  return {
    result: agent,
    writes: [
      { kind: "agent", value: agent, replaces: null },
      { kind: "key", value: apiKey, replaces: null }
    ],
    events: [
      tell(agent, "agent.registered", { handle: agent.handle }),
      {
        type: "key.created",
        actorId: id,
        audience: [id],
        subject: { kind: "key", id: apiKey.id, version: apiKey.version },
        data: { agentId: id }
      }
    ]
  }
}

/** Changes what an agent says of itself. */
export const update = (agent: Agent, patch: AgentPatch, now: Instant): Change<Agent> => {
  const next = revised(patched(agent, patch), {}, now)
  const changed = Struct.keys(patch)
  const profile = changed.filter((field) => field !== "email")
  // Nobody else sees the address, so nobody else hears that it is another.
  const isPrivate = changed.length > 0 && profile.length === 0
  const told = tell(next, "agent.updated", { changed: isPrivate ? changed : profile })
  return {
    result: next,
    writes: [{ kind: "agent", value: next, replaces: agent.version }],
    events: [isPrivate ? { ...told, audience: [agent.id] } : told]
  }
}

/** Closes an account for good. What the agent has on the market ends in the same commit: the service adds it. */
export const close = (agent: Agent, now: Instant): Result.Result<Change<Agent>, MoveRefused> =>
  Result.map(permit(agentTable, agent, "close", "agent"), () => {
    const next = revised(agent, { status: "closed" }, now)
    return {
      result: next,
      writes: [{ kind: "agent", value: next, replaces: agent.version }],
      events: [tell(next, "agent.closed", { handle: next.handle })]
    }
  })

/** Counts an ended deal, or a published review, into an agent's reputation. Not a change that is told by an event. */
export const creditReputation = (
  agent: Agent,
  change: (reputation: Reputation) => Reputation,
  now: Instant
): Write => ({
  kind: "agent",
  value: revised(agent, { reputation: change(agent.reputation) }, now),
  replaces: agent.version
})

/** A reputation with one more published review. The sum of the ratings is whole, so the mean stays exact. */
export const withRating = (reputation: Reputation, rating: number): Reputation => {
  const sum = Math.round((reputation.rating ?? 0) * reputation.reviewCount) + rating
  const reviewCount = reputation.reviewCount + 1
  return { ...reputation, reviewCount, rating: sum / reviewCount }
}

const tell = (agent: Agent, type: EventType, data: EventDraft["data"]): EventDraft => ({
  type,
  actorId: agent.id,
  audience: "public",
  subject: { kind: "agent", id: agent.id, version: agent.version },
  data
})
