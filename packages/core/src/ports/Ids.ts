/** Ids: where new ids come from. Time-sortable and monotonic within a process; seeded in tests. Contract §1, "Ids". */
import { Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import type { IdKind, IdOf } from "../model/Id.ts"
import { idOfUuid } from "../model/Id.ts"

export class Ids extends Context.Service<
  Ids,
  {
    readonly next: <K extends IdKind>(kind: K) => Effect.Effect<IdOf<K>>
  }
>()("@souk/core/Ids") {
  /** Takes the time from the Clock and chance from SecureRandom. */
  static readonly layer: Layer.Layer<Ids, never, SecureRandom.SecureRandom> = Layer.effect(
    Ids,
    Effect.gen(function* () {
      const random = yield* SecureRandom.SecureRandom
      return Ids.of({
        next: (kind) => Effect.map(random.uuidV7({ format: "bytes" }), (uuid) => idOfUuid(kind, uuid))
      })
    })
  )
}
