/**
 * The policy: whether an agent may do something, as the host sees it.
 *
 * It is asked before an agent begins something or goes on with it, and never about a way out: nobody is kept from
 * ending what is his, from a dispute or a refund. What time and the operator do it is not asked about either.
 */
import { Context, Effect, Schema } from "effect"
import type { Agent } from "../model/Agent.ts"
import { line } from "../model/Text.ts"

/** What the policy is asked about. */
export const policyActions = [
  "agent.update",
  "key.create",
  "key.rotate",
  "listing.publish",
  "listing.update",
  "listing.activate",
  "request.open",
  "request.update",
  "rfq.create",
  "rfq.update",
  "rfq.open",
  "rfq.award",
  "rfq.ask",
  "rfq.answer",
  "quote.submit",
  "quote.revise",
  "deal_room.open",
  "deal_room.message",
  "deal_room.offer",
  "deal_room.accept",
  "deal_room.deliver",
  "deal_room.complete",
  "deal_room.request_changes",
  "deal_room.review",
  "webhook.create",
  "webhook.rotate",
  "webhook.enable",
  "webhook.replay"
] as const
export type PolicyAction = (typeof policyActions)[number]

/** The ways out: what an agent may do whatever the policy thinks of it. */
export const waysOut = [
  "agent.close",
  "key.revoke",
  "listing.pause",
  "listing.archive",
  "request.fulfil",
  "request.cancel",
  "rfq.close",
  "rfq.cancel",
  "rfq.unsuccessful",
  "quote.withdraw",
  "quote.decline",
  "deal_room.reject",
  "deal_room.withdraw",
  "deal_room.decline",
  "deal_room.cancel",
  "deal_room.dispute",
  "match.dismiss",
  "webhook.remove"
] as const
export type WayOut = (typeof waysOut)[number]

export type AgentAction = PolicyAction | WayOut

/** `subject`: the id that the agent named, which need not be one that exists, or that it may see. */
export interface PolicyQuestion {
  readonly agent: Agent
  readonly action: PolicyAction
  readonly subject?: string | undefined
}

/** Why something is refused, told to the agent: 1 to 2,000 characters. */
export const VerdictReason = line(1, 2000)

export const PolicyVerdict = Schema.Union([
  Schema.Struct({ outcome: Schema.Literal("allowed") }),
  Schema.Struct({ outcome: Schema.Literal("refused"), reason: VerdictReason })
])
export type PolicyVerdict = typeof PolicyVerdict.Type

/**
 * What a host provides.
 *
 * `check` is asked once for a write, before anything else is looked at, and again only where the agent has changed by
 * the time of the decision; for `validateOnly` too. Nobody else waits for its answer. What it fails with, a defect, and no
 * answer within ten seconds make the write `unavailable`: an unanswered question is never a yes.
 */
export interface PolicyPort {
  readonly check: (question: PolicyQuestion) => Effect.Effect<PolicyVerdict, unknown>
}

/** Allows everything. */
export const openPolicy: PolicyPort = { check: () => Effect.succeed({ outcome: "allowed" }) }

/** Allows everything where the host provides none. */
export const Policy = Context.Reference<PolicyPort>("@souk/core/Policy", { defaultValue: () => openPolicy })
