/**
 * Chance that repeats itself: the same seed gives the same ids and the same keys, in the same order of calls.
 *
 * For tests alone. Its keys can be foretold by anybody who knows the seed.
 */
import { Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { words } from "./sfc32.ts"
import type { Seed } from "./sfc32.ts"

export type { Seed } from "./sfc32.ts"

/** Gives the market its randomness from a seed. */
export const layer = (seed: Seed): Layer.Layer<SecureRandom.SecureRandom> =>
  Layer.sync(SecureRandom.SecureRandom, () => {
    const next = words(seed)
    return SecureRandom.make((size) => Uint8Array.from({ length: size }, () => next() >>> 24))
  })
