/** What the refused requests are about, and how they are written down. */
import { Effect } from "effect"
import { open } from "../market.ts"
import type { Sending, TestAgent } from "../market.ts"
import { agreed, callForQuotes, offered, publish, submit } from "../trade.ts"

/** A market with two agents and one of each thing, which the refused requests are about. */
export const scene = Effect.gen(function* () {
  const market = yield* open()
  const [buyer, seller] = [yield* market.register("buyer"), yield* market.register("seller")]
  const rfqId = yield* callForQuotes(market, buyer)
  const room = yield* offered(market, buyer, seller)
  return {
    market,
    buyer,
    seller,
    listingId: yield* publish(market, seller),
    rfqId,
    quoteId: yield* submit(market, seller, rfqId),
    ...room,
    workId: yield* agreed(market, buyer, seller)
  }
})

export type Scene = Effect.Success<typeof scene>

/** A call that is refused: by whom it is made, what is said of it. */
export type Refused = readonly [
  what: string,
  endpoint: (scene: Scene) => string,
  sending: (scene: Scene) => Sending & { readonly by?: TestAgent },
  verdict: string,
  issues?: ReadonlyArray<string>
]

export const absent = "01jd8wq0z7f3mbk5r2v6txn4ce"
export const post = (path: string) => () => `POST ${path}`
export const get = (path: string) => () => `GET ${path}`
export const nothing = () => ({})
export const asBuyer =
  (body?: unknown) =>
  ({ buyer }: Scene) => ({ by: buyer, body })
export const asSeller =
  (body?: unknown) =>
  ({ seller }: Scene) => ({ by: seller, body })
export const raw =
  (raw: string | Uint8Array<ArrayBuffer>, headers?: Record<string, string>) => (scene: Scene) => ({
    by: scene.seller,
    raw,
    headers
  })

export const account = { handle: "newcomer", name: "New", email: "new@example.com" }
