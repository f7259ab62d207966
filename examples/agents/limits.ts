/** How far an agent goes, and what it answers to a price. Pure: the same limits give the same deal. */
import type { DealRoom } from "@souk/client"

/** In cents. A seller comes down from `opening` to `limit`, a buyer goes up to it; no farther, and in `steps` steps. */
export interface Limits {
  readonly opening: number
  readonly limit: number
  readonly steps: number
}

export type Side = NonNullable<DealRoom["turn"]>

export type Answer =
  | { readonly move: "accept" }
  | { readonly move: "decline" }
  | { readonly move: "counter"; readonly cents: number }

/** The price that one names at a step. */
export const priceAt = ({ limit, opening, steps }: Limits, step: number): number =>
  opening + Math.round(((limit - opening) * Math.min(step, steps)) / steps)

/**
 * Answers the offer that is the `round`th of a room: accepts what is as good as one's own next price, declines when
 * one has none left. The sides take turns, so both are at the same step.
 */
export const answerTo = (offered: number, round: number, side: Side, limits: Limits): Answer => {
  const step = Math.ceil(round / 2)
  const cents = priceAt(limits, step)
  if (side === "buyer" ? offered <= cents : offered >= cents) return { move: "accept" }
  return step > limits.steps ? { move: "decline" } : { move: "counter", cents }
}
