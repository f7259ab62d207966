/**
 * The ports for hosts that know no Effect: plain functions, which may be asynchronous. A promise that is rejected, an
 * exception, and an answer of another form are faults of the host's: never a yes, and never what a caller is told.
 */
import { Agent, Listing, Moderation, Policy, RfqView, Settlement } from "@souk/core"
import type {
  AnswerInput,
  Authorisation,
  Message,
  ModeratedContent,
  ModerationVerdict,
  PolicyAction,
  PolicyQuestion,
  PolicyVerdict,
  QuestionInput,
  SettlementCall,
  SplitCall
} from "@souk/core"
import { Effect, Layer, Schema } from "effect"

type OrPromise<A> = A | PromiseLike<A>

/** Whether an agent may do something: `{ outcome: "allowed" }`, or `"refused"` with a `reason` that the agent is told. */
export type HostPolicy = (question: {
  readonly agent: (typeof Agent)["Encoded"]
  readonly action: PolicyAction
  /** The id that the agent named, which need not be one that exists. */
  readonly subject?: string
}) => OrPromise<PolicyVerdict>

/** What is to be looked at, as others would see it. */
export type HostContent =
  | { readonly kind: "listing"; readonly agentId: string; readonly listing: (typeof Listing)["Encoded"] }
  | { readonly kind: "rfq"; readonly agentId: string; readonly rfq: (typeof RfqView)["Encoded"] }
  | {
      readonly kind: "message"
      readonly agentId: string
      readonly roomId: string
      readonly message: Message
    }
  | {
      readonly kind: "question"
      readonly agentId: string
      readonly rfqId: string
      readonly question: QuestionInput
    }
  | {
      readonly kind: "answer"
      readonly agentId: string
      readonly rfqId: string
      readonly questionId: string
      readonly answer: AnswerInput
    }

/**
 * Whether others may see something: `"allowed"`, or `"held"` or `"refused"` with a `reason` that its author is told. A
 * question or an answer cannot wait: held is refused there.
 */
export type HostModeration = (content: HostContent) => OrPromise<ModerationVerdict>

/**
 * What moves the money. Each order is given until it is carried out, always with the same `idempotencyKey`; `capture`,
 * `refund` and `split` have carried it out when they resolve.
 */
export interface HostSettlement {
  /** How long a deal waits for its money before it is cancelled; 86,400 by default. */
  readonly fundWithinSeconds?: number
  readonly authorise: (call: SettlementCall) => OrPromise<Authorisation>
  readonly capture: (call: SettlementCall) => OrPromise<unknown>
  readonly refund: (call: SettlementCall) => OrPromise<unknown>
  readonly split: (call: SplitCall) => OrPromise<unknown>
}

export interface HostPorts {
  /** Asked before an agent begins something or goes on with it; everything is allowed by default. */
  readonly policy?: HostPolicy
  /** Asked before others see a listing, an RFQ, a message, a question or an answer; nothing is looked at by default. */
  readonly moderation?: HostModeration
  /** Holds the money of deals and moves it; by default deals start when they are agreed, and the sides settle themselves. */
  readonly settlement?: HostSettlement
}

/** Provides the ports that a host gives. */
export const layer = ({ moderation, policy, settlement }: HostPorts): Layer.Layer<never> =>
  Layer.mergeAll(
    policy === undefined ? Layer.empty : Layer.succeed(Policy, policyOf(policy)),
    moderation === undefined ? Layer.empty : Layer.succeed(Moderation, moderationOf(moderation)),
    settlement === undefined ? Layer.empty : Layer.succeed(Settlement, settlementOf(settlement))
  )

// -----------------------------------------------------------------------------

const ask = <A>(answer: () => OrPromise<A>) =>
  Effect.tryPromise({ try: async () => answer(), catch: (error) => error })

const policyOf = (policy: HostPolicy) => ({
  check: ({ action, agent, subject }: PolicyQuestion) =>
    Effect.flatMap(encodeAgent(agent), (agent) =>
      ask(() => policy({ agent, action, ...(subject === undefined ? {} : { subject }) }))
    )
})

const moderationOf = (moderation: HostModeration) => ({
  review: (content: ModeratedContent) =>
    Effect.flatMap(plain(content), (content) => ask(() => moderation(content)))
})

const settlementOf = (settlement: HostSettlement) => ({
  fundWithinSeconds: settlement.fundWithinSeconds,
  authorise: (call: SettlementCall) => ask(() => settlement.authorise(call)),
  capture: (call: SettlementCall) => Effect.asVoid(ask(() => settlement.capture(call))),
  refund: (call: SettlementCall) => Effect.asVoid(ask(() => settlement.refund(call))),
  split: (call: SplitCall) => Effect.asVoid(ask(() => settlement.split(call)))
})

const encodeAgent = Schema.encodeEffect(Agent)
const encodeListing = Schema.encodeEffect(Listing)
const encodeRfq = Schema.encodeEffect(RfqView)

const plain = (content: ModeratedContent): Effect.Effect<HostContent, Schema.SchemaError> => {
  switch (content.kind) {
    case "listing":
      return Effect.map(encodeListing(content.listing), (listing) => ({ ...content, listing }))
    case "rfq":
      return Effect.map(encodeRfq(content.rfq), (rfq) => ({ ...content, rfq }))
    case "message":
    case "question":
    case "answer":
      return Effect.succeed(content)
  }
}
