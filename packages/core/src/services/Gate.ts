/** The gate through which every write of an agent goes: who it is, whether it may write at all, and the host's policy. */
import { Effect } from "effect"
import type { Agent } from "../model/Agent.ts"
import { Forbidden, PolicyRefused } from "../model/Errors.ts"
import type { AgentSuspended, Unavailable } from "../model/Errors.ts"
import type { AgentId } from "../model/Id.ts"
import { Policy, PolicyVerdict, openPolicy, waysOut } from "../ports/Policy.ts"
import type { AgentAction, WayOut } from "../ports/Policy.ts"
import { Store } from "../ports/Store.ts"
import { mayWrite } from "../rules/Agents.ts"
import { Hearing, Unheard } from "./Hearing.ts"
import { verdictOf } from "./hosts.ts"

export type GateRefused = AgentSuspended | Forbidden | PolicyRefused

/** `inRoom`: a closed account goes on with what it has agreed upon. */
interface Passage {
  readonly subject?: string | undefined
  readonly inRoom?: boolean
}

/**
 * Lets an agent through, or tells it why not. It is asked before anything is read of the subject, so that a refusal
 * says nothing about what the agent may not see. The policy is asked once for a command, and again only where the agent
 * has changed meanwhile.
 */
export type Gate = (
  by: AgentId,
  action: AgentAction,
  passage?: Passage
) => Effect.Effect<Agent, GateRefused | Unavailable | Unheard>

/** Makes the gate of a market: its store, and the policy that its host provides. */
export const gate: Effect.Effect<Gate, never, Store> = Effect.gen(function* () {
  const store = yield* Store
  const policy = yield* Policy
  return Effect.fnUntraced(function* (by, action, { subject, inRoom = false } = {}) {
    const agent = yield* store.agents.byId(by)
    if (agent === undefined) return yield* new Forbidden({ message: "Only a registered agent may do this." })
    yield* Effect.fromResult(mayWrite(agent, { inRoom }))
    if (isWayOut(action) || policy === openPolicy) return agent
    const { policy: verdicts } = yield* Hearing
    const question = [agent.id, agent.version, action, subject].join(" ")
    const verdict = verdicts.get(question)
    if (verdict === undefined) {
      const asked = verdictOf("policy", PolicyVerdict, () => policy.check({ agent, action, subject }))
      return yield* new Unheard({
        ask: Effect.map(asked, (verdict) => void verdicts.set(question, verdict))
      })
    }
    if (verdict.outcome === "refused") return yield* new PolicyRefused({ message: verdict.reason })
    return agent
  })
})

const isWayOut = (action: AgentAction): action is WayOut => waysOut.some((way) => way === action)
