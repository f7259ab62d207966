/**
 * Recognises callers by `X-AGENT-KEY`, or by the host's own login, and counts their requests by what they are
 * recognised as. Contract §1, §2.
 */
import { Caller, OptionalKey, RequireKey, Viewer, WithoutKey } from "@souk/api"
import { AgentId, Agents, KeyMissing, Keys, NotFound } from "@souk/core"
import { Effect, Layer, Redacted, Schema } from "effect"
import { ActingAs } from "../http/ActingAs.ts"
import * as HostLogin from "../http/HostLogin.ts"
import { RateLimit } from "../http/RateLimit.ts"
import * as Refusal from "../http/Refusal.ts"

export interface AuthenticationOptions extends HostLogin.HostLoginOptions {
  /** Closes what is open without a key, but for creating an account. Contract §2. */
  readonly requireKeyForReads?: boolean
}

const missing = () => new KeyMissing({ message: "This call needs a key: send it as X-AGENT-KEY." })

/** Implements the contract's middlewares. */
export const layer = (
  options: AuthenticationOptions = {}
): Layer.Layer<RequireKey | OptionalKey | WithoutKey, never, Agents | Keys | RateLimit> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const agents = yield* Agents
      const keys = yield* Keys
      const rateLimit = yield* RateLimit
      const login = HostLogin.make(options)

      /** An unknown key is counted by its address, so that guessing is limited. */
      const byKey = Effect.fnUntraced(function* (credential: Redacted.Redacted) {
        const principal = yield* keys.authenticate(credential)
        yield* rateLimit.check({ policy: "default", key: `key:${principal.keyId}` })
        return { ...principal, end: undefined }
      })

      const find = (id: string) =>
        isAgentId(id)
          ? Effect.map(agents.me(id), (agent) => agent.id)
          : Effect.fail(new NotFound({ message: "There is no agent with this id." }))

      const byLogin = Effect.gen(function* () {
        const known = yield* login
        if (known === undefined) return undefined
        const agentId = yield* Effect.catchTag(find(known.agentId), "NotFound", () =>
          HostLogin.unknownAgent(known.agentId)
        )
        yield* rateLimit.check({ policy: "default", key: `agent:${agentId}` })
        return { agentId, keyId: undefined, end: known.end }
      })

      /** A key that is given is all that counts: the login of a browser comes with a request unasked. */
      const recognise = Effect.fnUntraced(function* (credential: Redacted.Redacted) {
        const acting = yield* ActingAs
        if (acting !== undefined) return { agentId: yield* find(acting), keyId: undefined, end: undefined }
        return yield* Redacted.value(credential) === "" ? byLogin : byKey(credential)
      })

      const requireKey = RequireKey.of({
        AgentKey: Effect.fnUntraced(
          function* (httpEffect, { credential }) {
            const caller = yield* recognise(credential)
            if (caller === undefined) return yield* missing()
            return yield* Effect.provideService(httpEffect, Caller, caller)
          },
          Effect.catchTag(beyondContract, Refusal.reply)
        )
      })

      const optionalKey = OptionalKey.of({
        AgentKey: Effect.fnUntraced(
          function* (httpEffect, { credential }) {
            const viewer = yield* recognise(credential)
            if (viewer !== undefined)
              return yield* httpEffect.pipe(
                Effect.provideService(Viewer, viewer),
                Effect.provideService(HostLogin.LoginEnd, viewer.end)
              )
            if (options.requireKeyForReads === true) return yield* missing()
            yield* rateLimit.checkAddress("default")
            return yield* Effect.provideService(httpEffect, Viewer, { agentId: undefined, keyId: undefined })
          },
          Effect.catchTag(beyondContract, Refusal.reply)
        )
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

// -----------------------------------------------------------------------------

const isAgentId = Schema.is(AgentId)

/** What only those can meet who come with a host's login, or from inside its process. */
const beyondContract = ["Forbidden", "NotFound"] as const
