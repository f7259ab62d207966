/** Drawing the seal of an RFQ that opens with sealed quotes. Contract §3 Quote. */
import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { Hex } from "effect/encoding"
import type { Change } from "../model/Change.ts"
import type { Rfq } from "../model/Rfq.ts"
import { needsSeal, sealWith } from "../rules/Seals.ts"

/** Gives an RFQ its seal where it is to have one. */
export type Sealer = (change: Change<Rfq>) => Effect.Effect<Change<Rfq>>

/** Makes the sealer of a market, from its source of chance. */
export const sealer: Effect.Effect<Sealer, never, SecureRandom.SecureRandom> = Effect.map(
  SecureRandom.SecureRandom,
  (random) =>
    Effect.fnUntraced(function* (change) {
      return needsSeal(change.result)
        ? sealWith(change, Hex.encode(yield* random.randomBytes(seedLength)))
        : change
    })
)

/** In bytes. */
const seedLength = 32
