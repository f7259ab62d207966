/** API keys: telling from a key which agent calls. Contract §2. */
import { Context, DateTime, Effect, Layer, Redacted } from "effect"
import { isWellFormedKey, keyDigest } from "../model/ApiKey.ts"
import { KeyExpired, KeyInvalid, KeyRevoked } from "../model/Errors.ts"
import type { Unavailable } from "../model/Errors.ts"
import type { AgentId, ApiKeyId } from "../model/Id.ts"
import { Store } from "../ports/Store.ts"

/** Who calls, and by which of its keys. */
export interface Principal {
  readonly agentId: AgentId
  readonly keyId: ApiKeyId
}

export class Keys extends Context.Service<
  Keys,
  {
    /** Recognises a key; a mistyped one is refused without asking the store. */
    readonly authenticate: (
      key: Redacted.Redacted<string>
    ) => Effect.Effect<Principal, KeyInvalid | KeyExpired | KeyRevoked | Unavailable>
  }
>()("@souk/core/Keys") {
  static readonly layer: Layer.Layer<Keys, never, Store> = Layer.effect(
    Keys,
    Effect.gen(function* () {
      const store = yield* Store

      const authenticate = Effect.fn("Keys.authenticate")(function* (redacted: Redacted.Redacted<string>) {
        const text = Redacted.value(redacted)
        const unknown = new KeyInvalid({
          message: "The key is not known: check X-AGENT-KEY for a typing error."
        })
        if (!isWellFormedKey(text)) return yield* unknown
        const key = yield* store.keys.byDigest(keyDigest(text))
        if (key === undefined) return yield* unknown
        const now = yield* DateTime.now
        if (key.revokedAt !== null && DateTime.isLessThanOrEqualTo(key.revokedAt, now))
          return yield* new KeyRevoked({ message: "The key was revoked." })
        if (key.expiresAt !== null && DateTime.isLessThanOrEqualTo(key.expiresAt, now))
          return yield* new KeyExpired({ message: "The key has expired." })
        return { agentId: key.agentId, keyId: key.id }
      })

      return Keys.of({ authenticate })
    })
  )
}
