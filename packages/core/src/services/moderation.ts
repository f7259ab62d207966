/** Asking the host's moderation about what others are going to see. */
import { Effect } from "effect"
import { sha256Hex } from "../model/Canonical.ts"
import { born } from "../model/Entity.ts"
import { PolicyRefused } from "../model/Errors.ts"
import type { Unavailable } from "../model/Errors.ts"
import type { HeldSubject, Hold } from "../model/Hold.ts"
import type { AgentId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import { Ids } from "../ports/Ids.ts"
import { Moderation, ModerationVerdict } from "../ports/Moderation.ts"
import type { ModeratedContent } from "../ports/Moderation.ts"
import { Hearing, Unheard } from "./Hearing.ts"
import { verdictOf } from "./hosts.ts"

/** Why something is held, and the hold of it. */
interface Holding {
  readonly reason: string
  readonly of: (agentId: AgentId, subject: HeldSubject, now: Instant) => Hold
}

/** Gives nothing where content may be seen, what holds it where it has to wait; refuses what may not. */
export type Moderator = (
  content: ModeratedContent
) => Effect.Effect<Holding | undefined, PolicyRefused | Unavailable | Unheard>

/** Makes the moderator of a market, as its host provides it. */
export const moderator: Effect.Effect<Moderator, never, Ids> = Effect.gen(function* () {
  const ids = yield* Ids
  const port = yield* Moderation
  return Effect.fnUntraced(function* (content) {
    if (port === undefined) return undefined
    const { moderation: verdicts } = yield* Hearing
    const question = questionOf(content)
    const verdict = verdicts.get(question)
    if (verdict === undefined) {
      const asked = verdictOf("moderation", ModerationVerdict, () => port.review(content))
      return yield* new Unheard({
        ask: Effect.map(asked, (verdict) => void verdicts.set(question, verdict))
      })
    }
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

/** What is asked: the same whenever the same is to be seen, whatever the moment and whoever has quoted meanwhile. */
const questionOf = (content: ModeratedContent): string => {
  switch (content.kind) {
    case "listing": {
      const { createdAt: _, updatedAt: _at, version: _version, ...listing } = content.listing
      return digest({ ...content, listing })
    }
    case "rfq": {
      const { createdAt: _, quoteCount: _count, updatedAt: _at, version: _version, ...rfq } = content.rfq
      return digest({ ...content, rfq })
    }
    case "message":
    case "question":
    case "answer":
      return digest(content)
  }
}

const digest = (question: unknown): string => sha256Hex(JSON.stringify(question))
