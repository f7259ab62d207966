/**
 * How many event streams one caller has open at a time: each costs every commit a little, so that without a bound one
 * caller could slow all the others.
 */
import { RateLimited } from "@souk/core"
import { Context, Effect, Layer } from "effect"
import type { Scope } from "effect"

export class OpenStreams extends Context.Service<
  OpenStreams,
  {
    /** Counts a stream of a caller until the scope closes, or refuses it. */
    readonly admit: (caller: string) => Effect.Effect<void, RateLimited, Scope.Scope>
  }
>()("@souk/server/http/OpenStreams") {}

/** Lets each caller have `max` streams. */
export const layer = (max: number): Layer.Layer<OpenStreams> =>
  Layer.sync(OpenStreams, () => {
    const counts = new Map<string, number>()
    const leave = (caller: string) =>
      Effect.sync(() => {
        const left = (counts.get(caller) ?? 1) - 1
        if (left > 0) counts.set(caller, left)
        else counts.delete(caller)
      })
    const enter = (caller: string) =>
      Effect.suspend(() => {
        const open = counts.get(caller) ?? 0
        if (open >= max) return Effect.fail(refusal(max))
        counts.set(caller, open + 1)
        return Effect.void
      })
    return OpenStreams.of({
      admit: (caller) => Effect.acquireRelease(enter(caller), () => leave(caller))
    })
  })

// -----------------------------------------------------------------------------

const retryAfterSeconds = 30

const refusal = (max: number) =>
  new RateLimited({
    message: `${max} event streams are open already. Close one, and follow more types with the others.`,
    retryAfterSeconds
  })
