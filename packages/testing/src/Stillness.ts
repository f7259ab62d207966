/**
 * Whether anything goes on in a market whose clock stands still: then nothing more comes until somebody calls it or
 * turns the clock.
 *
 * What is written in Effect takes no real time. What does is counted: calls of the market, and its calls of the ports
 * that the test has given.
 */

export interface Stillness {
  /** Counts something that is under way until it is done. */
  readonly during: <A>(run: () => A | PromiseLike<A>) => Promise<A>
  /** Tells that something has happened. */
  readonly stir: () => void
  /** Whether anything that is counted is under way. */
  readonly isUnderWay: () => boolean
  /** Waits until nothing has gone on for a moment of real time, or for as long as is said. */
  readonly reached: (quietMillis: number) => Promise<void>
}

/** Starts with nothing under way. */
export const makeStillness = (): Stillness => {
  let underWay = 0
  let stirred = now()
  let stirs = 0
  const stir = () => {
    stirred = now()
    stirs++
  }
  return {
    during: async (run) => {
      underWay++
      try {
        return await run()
      } finally {
        underWay--
        stir()
      }
    },
    stir,
    isUnderWay: () => underWay > 0,
    reached: async (quietMillis) => {
      stir()
      let turns = 0
      const isQuiet = () => underWay === 0 && turns >= quietTurns && now() - stirred >= quietMillis
      while (!isQuiet()) {
        const before = stirs
        await turn()
        turns = stirs === before ? turns + 1 : 0
      }
    }
  }
}

// -----------------------------------------------------------------------------

/** More than a fiber needs that waits for nothing but its own turn. */
const quietTurns = 8

// Taken before a test can put a clock of its own in their place.
const setTimer = globalThis.setTimeout
const now = performance.now.bind(performance)

const turn = () => new Promise<void>((resolve) => void setTimer(resolve, 1))
