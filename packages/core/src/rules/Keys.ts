/** The rules of API keys: several for an agent, with labels, expiry, rotation with grace, and revocation. Contract §2. */
import { Result } from "effect"
import type { ApiKey, ApiKeyInput } from "../model/ApiKey.ts"
import type { Change, EventDraft } from "../model/Change.ts"
import { born, revised } from "../model/Entity.ts"
import { InvalidRequest, InvalidState, LimitReached } from "../model/Errors.ts"
import type { EventType } from "../model/Event.ts"
import type { AgentId, ApiKeyId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import { after, earlier, hasPassed } from "../model/Instant.ts"

/** How many keys of an agent can be good at the same time. */
const maxLiveKeys = 20

/** What a new key is made of beside its label: never the secret itself. */
export interface KeyParts {
  readonly id: ApiKeyId
  readonly digest: string
  readonly hint: string
}

/** When a key ends, by what has been said of it so far; `undefined` where nothing has. */
export const endOf = ({ revokedAt, expiresAt }: ApiKey): Instant | undefined => {
  if (revokedAt === null) return expiresAt ?? undefined
  return expiresAt === null ? revokedAt : earlier(revokedAt, expiresAt)
}

const isLive = (key: ApiKey, now: Instant): boolean => {
  const end = endOf(key)
  return end === undefined || !hasPassed(end, now)
}

/** Gives an agent one more key. */
export const create = (
  agentId: AgentId,
  existing: ReadonlyArray<ApiKey>,
  input: ApiKeyInput,
  parts: KeyParts,
  now: Instant
): Result.Result<Change<ApiKey>, InvalidRequest | LimitReached> => {
  if (existing.filter((key) => isLive(key, now)).length >= maxLiveKeys)
    return Result.fail(
      new LimitReached({ message: `An agent has at most ${maxLiveKeys} keys at a time. Revoke one.` })
    )
  const expiresAt = input.expiresAt ?? null
  if (expiresAt !== null && hasPassed(expiresAt, now))
    return Result.fail(InvalidRequest.at("payload.expiresAt", "must be ahead"))
  const key = fresh(agentId, input.label ?? "key", expiresAt, parts, now)
  return Result.succeed({
    result: key,
    writes: [{ kind: "key", value: key, replaces: null }],
    events: [tell(key, "key.created")]
  })
}

/** Replaces a key by a new one; the old one lives on for the grace, never past its own expiry. */
export const rotate = (
  old: ApiKey,
  graceSeconds: number,
  parts: KeyParts,
  now: Instant
): Result.Result<Change<ApiKey>, InvalidState> => {
  if (!isLive(old, now)) return Result.fail(dead("rotate"))
  const key = fresh(old.agentId, old.label, old.expiresAt, parts, now)
  const end = after(now, graceSeconds)
  const leaving = revised(old, { revokedAt: old.expiresAt === null ? end : earlier(end, old.expiresAt) }, now)
  return Result.succeed({
    result: key,
    writes: [
      { kind: "key", value: key, replaces: null },
      { kind: "key", value: leaving, replaces: old.version }
    ],
    events: [tell(key, "key.created"), tell(leaving, "key.rotated", { replacedBy: key.id })]
  })
}

/** Ends a key at once. */
export const revoke = (key: ApiKey, now: Instant): Result.Result<Change<ApiKey>, InvalidState> => {
  if (!isLive(key, now)) return Result.fail(dead("revoke"))
  const revoked = revised(key, { revokedAt: now }, now)
  return Result.succeed({
    result: revoked,
    writes: [{ kind: "key", value: revoked, replaces: key.version }],
    events: [tell(revoked, "key.revoked")]
  })
}

const fresh = (
  agentId: AgentId,
  label: string,
  expiresAt: Instant | null,
  parts: KeyParts,
  now: Instant
): ApiKey => ({
  ...parts,
  agentId,
  label,
  expiresAt,
  revokedAt: null,
  lastUsedAt: null,
  ...born(now)
})

const dead = (move: string): InvalidState =>
  new InvalidState({
    message: `Cannot ${move} a key that has expired or is revoked.`,
    status: "ended",
    nextActions: []
  })

const tell = (key: ApiKey, type: EventType, data: EventDraft["data"] = {}): EventDraft => ({
  type,
  actorId: key.agentId,
  audience: [key.agentId],
  subject: { kind: "key", id: key.id, version: key.version },
  data: { agentId: key.agentId, ...data }
})
