/** Asking the host's moderation about what others are going to see. */
import { Effect } from "effect"
import { born } from "../model/Entity.ts"
import { PolicyRefused } from "../model/Errors.ts"
import type { Unavailable } from "../model/Errors.ts"
import type { HeldSubject, Hold } from "../model/Hold.ts"
import type { AgentId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import { Ids } from "../ports/Ids.ts"
import { Moderation, ModerationVerdict } from "../ports/Moderation.ts"
import type { ModeratedContent } from "../ports/Moderation.ts"
import { verdictOf } from "./hosts.ts"

/** Why something is held, and the hold of it. */
interface Holding {
  readonly reason: string
  readonly of: (agentId: AgentId, subject: HeldSubject, now: Instant) => Hold
}

/** Gives nothing where content may be seen, what holds it where it has to wait; refuses what may not. */
export type Moderator = (
  content: ModeratedContent
) => Effect.Effect<Holding | undefined, PolicyRefused | Unavailable>

/** Makes the moderator of a market, as its host provides it. */
export const moderator: Effect.Effect<Moderator, never, Ids> = Effect.gen(function* () {
  const ids = yield* Ids
  const port = yield* Moderation
  return Effect.fnUntraced(function* (content) {
    if (port === undefined) return undefined
    const verdict = yield* verdictOf("moderation", ModerationVerdict, () => port.review(content))
    if (verdict.outcome === "allowed") return undefined
    const { outcome, reason } = verdict
    if (outcome === "refused") return yield* new PolicyRefused({ message: reason })
    const id = yield* ids.next("hold")
    const holding: Holding = {
      reason,
      of: (agentId, subject, now) => ({ id, agentId, subject, reason, status: "held", ...born(now) })
    }
    return holding
  })
})
