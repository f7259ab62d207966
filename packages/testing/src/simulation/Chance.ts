/** What is left to chance in a simulation, from its seed. */
import { words } from "../sfc32.ts"
import type { Seed } from "../sfc32.ts"

export interface Chance {
  /** A number from 0 to below 1. */
  readonly next: () => number
  /** Whether something happens that does with a probability. */
  readonly happens: (probability: number) => boolean
  readonly between: (least: number, most: number) => number
  /** How long until something happens that does so often on average: what arrives by chance, arrives like this. */
  readonly after: (average: number) => number
  /** One of some; `undefined` where there are none. */
  readonly oneOf: <A>(from: ReadonlyArray<A>) => A | undefined
  /** One of some, by their weights. */
  readonly weighted: <A extends string>(weights: { readonly [K in A]: number }) => A | undefined
}

/** Starts from a seed. */
export const makeChance = (seed: Seed): Chance => {
  const word = words(`chance ${seed}`)
  const next = () => (word() >>> 0) / 2 ** 32
  return {
    next,
    happens: (probability) => next() < probability,
    between: (least, most) => least + next() * (most - least),
    after: (average) => -Math.log(1 - next()) * average,
    oneOf: (from) => from[Math.floor(next() * from.length)],
    weighted: <A extends string>(weights: { readonly [K in A]: number }) => {
      const names = Object.keys(weights).filter((name): name is A => name in weights)
      let left = next() * names.reduce((sum, name) => sum + weights[name], 0)
      return names.find((name) => (left -= weights[name]) < 0)
    }
  }
}
