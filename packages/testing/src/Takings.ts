/** What has come, one after the other, of which a test takes what it expects. */
import type { Stillness } from "./Stillness.ts"

interface Taking<A, B extends A> {
  readonly matches: (item: A) => item is B
  /** Each item is given once to each taker. */
  readonly taker: string
  readonly withinMillis: number | undefined
  /** Says that nothing has come, in one sentence. */
  readonly missing: () => string
}

export interface Takings<A> {
  readonly add: (item: A) => void
  readonly all: () => ReadonlyArray<A>
  /** Gives the oldest that matches and was not taken; rejects when none has come and nothing goes on any more. */
  readonly take: <B extends A>(taking: Taking<A, B>) => Promise<B>
}

/** Starts with nothing. `describe` writes an item in one line. */
export const makeTakings = <A extends object>(
  stillness: Stillness,
  describe: (item: A) => string
): Takings<A> => {
  const items: Array<A> = []
  const taken = new Map<string, WeakSet<A>>()
  const waiting = new Set<() => void>()

  const find = <B extends A>({ matches, taker }: Taking<A, B>): B | undefined => {
    const gone = taken.get(taker) ?? new WeakSet()
    const found = items.find((item): item is B => !gone.has(item) && matches(item))
    if (found !== undefined) taken.set(taker, gone.add(found))
    return found
  }

  /** Waits for one that comes, in the order in which takers came. */
  const next = async <B extends A>(taking: Taking<A, B>): Promise<B | undefined> => {
    const come = Promise.withResolvers<B>()
    const look = () => {
      const found = find(taking)
      if (found === undefined) return
      waiting.delete(look)
      come.resolve(found)
    }
    waiting.add(look)
    const still = stillness.reached(taking.withinMillis ?? 0).then(() => undefined)
    try {
      return await Promise.race([come.promise, still])
    } finally {
      waiting.delete(look)
    }
  }

  const told = (taker: string): string => {
    if (items.length === 0) return "Nothing has come at all."
    const left = items.length - shown
    const lines = items
      .slice(-shown)
      .map((item) => `  ${describe(item)}${taken.get(taker)?.has(item) === true ? " (taken)" : ""}`)
    return ["What has come:", ...(left > 0 ? [`  ${left} more before`] : []), ...lines].join("\n")
  }

  return {
    add: (item) => {
      items.push(item)
      stillness.stir()
      for (const look of waiting) look()
    },
    all: () => items,
    take: async (taking) => {
      const found = find(taking) ?? (await next(taking))
      if (found === undefined) throw new Error(`${taking.missing()}\n${told(taking.taker)}`)
      return found
    }
  }
}

// -----------------------------------------------------------------------------

/** How many lines of an error a reader looks through. */
const shown = 40
