/** Chance that repeats itself: the generator sfc32, started with four hashes of a seed. */

/** What a sequence starts from. */
export type Seed = string | number

/** Gives the next word of 32 bits with each call, as a whole number that may be negative. */
export const words = (seed: Seed): (() => number) => {
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
  return next
}

// -----------------------------------------------------------------------------

/** FNV-1a over the UTF-16 units of a text, of which each salt gives another. */
const hash = (text: string, salt: number): number => {
  let value = 0x811c9dc5 ^ salt
  for (let index = 0; index < text.length; index++)
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  return value | 0
}
