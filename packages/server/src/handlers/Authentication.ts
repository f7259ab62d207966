/**
 * Recognises callers by `X-AGENT-KEY`, and counts their requests by what they are recognised as. Contract §1, §2.
 */
import { Caller, OptionalKey, RequireKey, Viewer, WithoutKey } from "@souk/api"
import { KeyMissing, Keys } from "@souk/core"
import { Effect, Layer, Redacted } from "effect"
import { RateLimit } from "../http/RateLimit.ts"

export interface AuthenticationOptions {
  /** Closes what is open without a key, but for creating an account. Contract §2. */
  readonly requireKeyForReads?: boolean
}

const missing = () => new KeyMissing({ message: "This call needs a key: send it as X-AGENT-KEY." })

/** Implements the contract's middlewares. */
export const layer = (
  options: AuthenticationOptions = {}
): Layer.Layer<RequireKey | OptionalKey | WithoutKey, never, Keys | RateLimit> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const keys = yield* Keys
      const rateLimit = yield* RateLimit

      /** An unknown key is counted by its address, so that guessing is limited. */
      const recognise = Effect.fnUntraced(function* (credential: Redacted.Redacted) {
        const principal = yield* keys.authenticate(credential)
        yield* rateLimit.check({ policy: "default", key: `key:${principal.keyId}` })
        return principal
      })

      const requireKey = RequireKey.of({
        AgentKey: Effect.fnUntraced(function* (httpEffect, { credential }) {
          if (Redacted.value(credential) === "") return yield* missing()
          return yield* Effect.provideService(httpEffect, Caller, yield* recognise(credential))
        })
      })

      const optionalKey = OptionalKey.of({
        AgentKey: Effect.fnUntraced(function* (httpEffect, { credential }) {
          if (Redacted.value(credential) !== "")
            return yield* Effect.provideService(httpEffect, Viewer, yield* recognise(credential))
          if (options.requireKeyForReads === true) return yield* missing()
          yield* rateLimit.checkAddress("default")
          return yield* Effect.provideService(httpEffect, Viewer, { agentId: undefined, keyId: undefined })
        })
      })

      const withoutKey = WithoutKey.of((httpEffect) =>
        Effect.andThen(rateLimit.checkAddress("default"), httpEffect)
      )

      return Layer.mergeAll(
        Layer.succeed(RequireKey, requireKey),
        Layer.succeed(OptionalKey, optionalKey),
        Layer.succeed(WithoutKey, withoutKey)
      )
    })
  )
