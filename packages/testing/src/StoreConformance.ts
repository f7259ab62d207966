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
import { Store } from "@souk/core"
import { Context, Effect, Layer, type Scope } from "effect"
import { expectAgreement } from "./conformance/agreement.ts"
import { commitObligations } from "./conformance/commits.ts"
import { deadlineObligations } from "./conformance/deadlines.ts"
import { feedObligations } from "./conformance/feed.ts"
import { filterObligations } from "./conformance/filters.ts"
import { listObligations } from "./conformance/lists.ts"
import type { Obligation } from "./conformance/Obligation.ts"
import { partyObligations } from "./conformance/parties.ts"
import { sharedObligations } from "./conformance/processes.ts"
import { raceObligations } from "./conformance/races.ts"
import { readerObligations } from "./conformance/readers.ts"
import { roundTripObligations } from "./conformance/roundTrip.ts"
import { taskObligations } from "./conformance/tasks.ts"

export type { Obligation } from "./conformance/Obligation.ts"
export { sharedObligations } from "./conformance/processes.ts"
export type { SharedObligation } from "./conformance/processes.ts"

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
  /**
   * Makes an empty database, and tells the layer that opens a store on it: it is built twice, as by two processes, for
   * each of the `sharedObligations`. A store without it says so in `lacks`.
   */
  readonly shared?: Effect.Effect<Layer.Layer<Store, unknown>, unknown, Scope.Scope>
  /**
   * What the store does not do, and why: by the id of an obligation, or by the first word of several, such as
   * `processes`. Those are told and left out.
   */
  readonly lacks?: Readonly<Record<string, string>>
}

/**
 * Registers the suite with Vitest: a test for each obligation, and one that compares random histories with memory.
 *
 * **Details**
 *
 * The layer is built anew for each test and each history, and must give an empty store each time. Tests run on the
 * live clock, so that a store may wait and retry. Throws where `lacks` names what is no obligation.
 */
export const storeConformance = <E>(
  name: string,
  layer: Layer.Layer<Store, E>,
  { lacks = {}, runs = 50, shared, timeoutMillis = 30_000 }: StoreConformanceOptions = {}
): void => {
  const known = [...storeObligations, ...sharedObligations].map(({ id }) => id)
  for (const lack of Object.keys(lacks))
    if (!known.some((id) => isNamed(id, lack))) throw new Error(`There is no obligation ${lack} to lack.`)

  const owe = (id: string, sentence: string, check: Effect.Effect<void, unknown, Scope.Scope>) => {
    const lack = Object.entries(lacks).find(([lack]) => isNamed(id, lack))
    if (lack === undefined) it.live(`${id}: ${sentence}`, () => check, timeoutMillis)
    else it.skip(`lacks ${id}: ${sentence} (${lack[1]})`)
  }

  describe(`${name} conforms`, () => {
    for (const { check, id, sentence } of storeObligations) owe(id, sentence, Effect.provide(check, layer))
    for (const { check, id, sentence } of sharedObligations)
      owe(
        id,
        sentence,
        Effect.flatMap(opened(shared), ([one, two]) => check(one, two))
      )
    it.live(
      "agrees-with-memory: any history of commits and reads is answered as the store in memory answers it",
      () => expectAgreement(layer, { runs, steps: 40 }),
      2 * timeoutMillis
    )
  })
}

// -----------------------------------------------------------------------------

/** Whether an obligation goes by a name: its own, or that of its group. */
const isNamed = (id: string, name: string): boolean => id === name || id.startsWith(`${name}.`)

/** Two stores on a new database. */
const opened = Effect.fnUntraced(function* (shared: StoreConformanceOptions["shared"]) {
  if (shared === undefined)
    return yield* Effect.die(
      new Error("Tell by `shared` how two processes open one database, or in `lacks` that they cannot.")
    )
  const layer = yield* shared
  const open = Effect.map(Layer.build(Layer.fresh(layer)), (context) => Context.get(context, Store))
  return [yield* open, yield* open] as const
})
