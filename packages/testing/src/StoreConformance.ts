/**
 * @souk/testing/conformance: the suite that every store must pass: `MemoryStore`, the stores of `@souk/sql`, and yours.
 *
 * @example
 * ```ts
 * import { storeConformance } from "@souk/testing/conformance"
 * import { layer } from "../src/MyStore.ts"
 *
 * storeConformance("MyStore", layer)
 * ```
 */
import { describe, it } from "@effect/vitest"
import type { Store } from "@souk/core"
import { Effect, type Layer } from "effect"
import { expectAgreement } from "./conformance/agreement.ts"
import { commitObligations } from "./conformance/commits.ts"
import { deadlineObligations } from "./conformance/deadlines.ts"
import { feedObligations } from "./conformance/feed.ts"
import { filterObligations } from "./conformance/filters.ts"
import { listObligations } from "./conformance/lists.ts"
import type { Obligation } from "./conformance/Obligation.ts"
import { partyObligations } from "./conformance/parties.ts"
import { raceObligations } from "./conformance/races.ts"
import { readerObligations } from "./conformance/readers.ts"
import { roundTripObligations } from "./conformance/roundTrip.ts"
import { taskObligations } from "./conformance/tasks.ts"

export type { Obligation } from "./conformance/Obligation.ts"

/** What a store owes the market, each with its check: an effect that fails or dies where a store falls short. */
export const storeObligations: ReadonlyArray<Obligation> = [
  ...readerObligations,
  ...listObligations,
  ...filterObligations,
  ...partyObligations,
  ...roundTripObligations,
  ...commitObligations,
  ...deadlineObligations,
  ...taskObligations,
  ...feedObligations,
  ...raceObligations
]

export interface StoreConformanceOptions {
  /** How long one test may take, the comparison with memory twice as long. 30,000 by default. */
  readonly timeoutMillis?: number
  /** How many random histories are compared with memory, each on a store newly built. 50 by default. */
  readonly runs?: number
}

/**
 * Registers the suite with Vitest: a test for each obligation, and one that compares random histories with memory.
 *
 * **Details**
 *
 * The layer is built anew for each test and each history, and must give an empty store each time. Tests run on the
 * live clock, so that a store may wait and retry.
 */
export const storeConformance = <E>(
  name: string,
  layer: Layer.Layer<Store, E>,
  { timeoutMillis = 30_000, runs = 50 }: StoreConformanceOptions = {}
): void => {
  describe(`${name} conforms`, () => {
    for (const { id, sentence, check } of storeObligations) {
      it.live(`${id}: ${sentence}`, () => check.pipe(Effect.provide(layer)), timeoutMillis)
    }
    it.live(
      "agrees-with-memory: any history of commits and reads is answered as the store in memory answers it",
      () => expectAgreement(layer, { runs, steps: 40 }),
      2 * timeoutMillis
    )
  })
}
