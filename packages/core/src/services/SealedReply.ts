/**
 * Replies kept for an Idempotency-Key, sealed so that only who sent the key can open them.
 *
 * A reply can hold a secret that is shown once (a new API key). The record is found by a digest of the key and opened
 * by the key itself, so a copy of the store shows neither. Contract §1 Idempotency, §2.
 */
import { Context, Effect, Layer } from "effect"
import { Aead, SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { sha256Bytes, sha256Hex } from "../model/Canonical.ts"

/** Whose key it is: the scope (caller, method and path) and the text that the caller chose. */
export interface ScopedKey {
  readonly scope: string
  readonly key: string
}

/** The id under which a record is kept. */
export const recordId = (owner: ScopedKey): string => sha256Hex(nameOf("record", owner))

/** Names a record or its seal. The length of the scope stands before it, so that no scope runs over into a key. */
const nameOf = (use: "record" | "seal", { scope, key }: ScopedKey): string =>
  `idempotency ${use}\n${scope.length}\n${scope}\n${key}`

export class SealedReply extends Context.Service<
  SealedReply,
  {
    readonly seal: (owner: ScopedKey, reply: string) => Effect.Effect<string>
    /** Fails with nothing but a defect: a record that was found by its key opens with it. */
    readonly open: (owner: ScopedKey, sealed: string) => Effect.Effect<string>
  }
>()("@souk/core/SealedReply") {
  static readonly layer: Layer.Layer<SealedReply, never, SecureRandom.SecureRandom> = Layer.effect(
    SealedReply,
    Effect.gen(function* () {
      const aead = yield* Aead.Aead
      const random = yield* SecureRandom.SecureRandom
      const algorithm = Aead.chacha20Poly1305
      const keyOf = (owner: ScopedKey) => Aead.key(algorithm, sha256Bytes(nameOf("seal", owner)))
      return SealedReply.of({
        seal: Effect.fnUntraced(function* (owner, reply) {
          const nonce = yield* random.randomBytes(algorithm.nonceLength)
          const key = yield* keyOf(owner)
          const text = yield* aead.encrypt(key, new TextEncoder().encode(reply), { nonce })
          return `${Base64Url.encode(nonce)}.${Base64Url.encode(text)}`
        }, Effect.orDie),
        open: Effect.fnUntraced(function* (owner, sealed) {
          const [nonce = "", text = ""] = sealed.split(".")
          const key = yield* keyOf(owner)
          const bytes = yield* aead.decrypt(key, yield* fromBase64(text), { nonce: yield* fromBase64(nonce) })
          return new TextDecoder().decode(bytes)
        }, Effect.orDie)
      })
    })
  ).pipe(Layer.provide(Aead.layerWebCrypto))
}

const fromBase64 = (text: string) => Effect.suspend(() => Effect.fromResult(Base64Url.decode(text)))
