/**
 * Chance that repeats itself: the same seed gives the same ids and the same keys, in the same order of calls.
 *
 * For tests alone. Its keys can be foretold by anybody who knows the seed.
 */
import { Layer } from "effect"
import { SecureRandom } from "effect/crypto"

/** What a sequence starts from. */
export type Seed = string | number

/** Gives the market its randomness from a seed. */
export const layer = (seed: Seed): Layer.Layer<SecureRandom.SecureRandom> =>
  Layer.sync(SecureRandom.SecureRandom, () => SecureRandom.make(bytesOf(seed)))

// -----------------------------------------------------------------------------

/** The generator sfc32, started with four hashes of the seed. */
const bytesOf = (seed: Seed) => {
  const text = String(seed)
  let [a, b, c, counter] = [hash(text, 1), hash(text, 2), hash(text, 3), 1]
  const next = () => {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return sum
  }
  for (let round = 0; round < 12; round++) next()
  return (size: number): Uint8Array => Uint8Array.from({ length: size }, () => next() >>> 24)
}

/** FNV-1a over the UTF-16 units of a text, of which each salt gives another. */
const hash = (text: string, salt: number): number => {
  let value = 0x811c9dc5 ^ salt
  for (let index = 0; index < text.length; index++)
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  return value | 0
}
