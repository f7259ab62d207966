/**
 * The settlement: how the money of a deal is held, paid out and given back. The market moves none itself.
 *
 * Each order is written down in the commit that makes it due and carried out after it, at least once, until it
 * succeeds: so a settlement that fails can delay a payment, and never the move that caused it. Orders of one room are
 * carried out one at a time.
 */
import { Context, Effect, Schema } from "effect"
import type { AgentId, DealRoomId } from "../model/Id.ts"
import { day } from "../model/Instant.ts"
import type { Money } from "../model/Money.ts"
import { line } from "../model/Text.ts"

/** `idempotencyKey` is the same whenever this order is given again: money moves once for each key. */
export interface SettlementCall {
  readonly roomId: DealRoomId
  readonly buyerId: AgentId
  readonly sellerId: AgentId
  /** The total of the agreed terms, more than zero. */
  readonly amount: Money
  readonly idempotencyKey: string
}

/** `refunded` goes back to the buyer, the rest of `amount` to the seller. */
export interface SplitCall extends SettlementCall {
  readonly refunded: Money
}

/** `pending` is asked again; `declined` is told to both sides, whose room waits on for the operator's word. */
export const Authorisation = Schema.Union([
  Schema.Struct({ outcome: Schema.Literals(["authorised", "pending"]) }),
  Schema.Struct({ outcome: Schema.Literal("declined"), reason: line(1, 2000) })
])
export type Authorisation = typeof Authorisation.Type

/**
 * What a host provides. A failure, a defect, and no answer within thirty seconds mean that the order is given again.
 *
 * @see {@link Settlement}
 */
export interface SettlementPort {
  /**
   * How long a room waits for the money after the agreement before it is cancelled: a whole number of seconds, 1 or
   * more; 86,400 where nothing is said. Anything else is a defect.
   */
  readonly fundWithinSeconds?: number | undefined
  /** Holds the buyer's money. */
  readonly authorise: (call: SettlementCall) => Effect.Effect<Authorisation, unknown>
  /** Pays what is held out to the seller. */
  readonly capture: (call: SettlementCall) => Effect.Effect<void, unknown>
  /** Gives back to the buyer what is held, if anything: a room that was not funded in time is refunded as well. */
  readonly refund: (call: SettlementCall) => Effect.Effect<void, unknown>
  /** Parts what is held. */
  readonly split: (call: SplitCall) => Effect.Effect<void, unknown>
}

/** Where the host provides none, deals start as soon as they are agreed, and the two sides settle by themselves. */
export const Settlement = Context.Reference<SettlementPort | undefined>("@souk/core/Settlement", {
  defaultValue: () => undefined
})

const defaultFunding = day

/** How a deal is funded in this market. A time that makes no sense is told before any deal waits for it. */
export const fundingOf = (
  settlement: SettlementPort | undefined
): Effect.Effect<"at_once" | { readonly fundWithinSeconds: number }> => {
  if (settlement === undefined) return Effect.succeed("at_once")
  const { fundWithinSeconds = defaultFunding } = settlement
  return Number.isSafeInteger(fundWithinSeconds) && fundWithinSeconds >= 1
    ? Effect.succeed({ fundWithinSeconds })
    : Effect.die(new RangeError("fundWithinSeconds must be a whole number of seconds, 1 or more."))
}
