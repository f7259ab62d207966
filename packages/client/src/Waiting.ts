/** When to try again, and when not. */
import type { SoukError } from "./SoukError.ts"

/** Who is told to wait longer gets the error instead: a caller who waits for minutes wants to know. */
const maxWaitSeconds = 60

/** How long to wait before the next attempt, in milliseconds; undefined where there is no sense in one. */
export const waitBefore = (
  attempt: number,
  { code, recovery, retryAfterSeconds = 0 }: SoukError
): number | undefined =>
  // Whose turn it is changes when the other side moves, not within seconds.
  recovery !== "transient" || code === "not_your_turn" || retryAfterSeconds > maxWaitSeconds
    ? undefined
    : Math.max(retryAfterSeconds * 1000, backOff(attempt, 500, 8000))

/** Doubles with each attempt; by chance up to half less, so that many callers do not come back at once. */
export const backOff = (attempt: number, baseMillis: number, maxMillis: number): number =>
  Math.min(maxMillis, baseMillis * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2)

/** One signal for two, either of which ends. */
export const eitherOf = (
  one: AbortSignal | undefined,
  other: AbortSignal | undefined
): AbortSignal | undefined =>
  one === undefined || other === undefined ? (one ?? other) : AbortSignal.any([one, other])

/** Resolves after some time; rejects with the reason of the signal. */
export const sleep = (millis: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener("abort", end)
      if (signal?.aborted === true) reject(signal.reason)
      else resolve()
    }
    const timer = setTimeout(end, millis)
    signal?.addEventListener("abort", end)
    if (signal?.aborted === true) end()
  })
