/** What the compiler tells users of the client. */
import { describe, it } from "@effect/vitest"
import { expectTypeOf } from "vitest"
import { NotYourTurnError, Souk } from "../src/index.ts"
import type { DealRoom, Listing, Pages, Rfq, SoukEvent, SearchResult } from "../src/index.ts"

const souk = new Souk({ baseUrl: "http://market.test" })

describe("the types of the client", () => {
  it("are those of the wire: ids, moments and amounts are texts", () => {
    expectTypeOf<Listing["id"]>().toEqualTypeOf<string>()
    expectTypeOf<Listing["createdAt"]>().toEqualTypeOf<string>()
    expectTypeOf<Listing["status"]>().toEqualTypeOf<"draft" | "active" | "paused" | "archived">()
    expectTypeOf(souk.listings.get).returns.resolves.toEqualTypeOf<{ readonly listing: Listing }>()
    expectTypeOf(souk.rfqs.award).returns.resolves.toHaveProperty("dealRoom").toEqualTypeOf<DealRoom>()
  })

  it("give lists as pages and as items", () => {
    expectTypeOf(souk.rfqs.list).returns.toExtend<Pages<{ readonly nextCursor: string | null }, Rfq>>()
    expectTypeOf(souk.search).returns.toExtend<AsyncIterable<SearchResult>>()
    expectTypeOf(souk.keys.list).returns.toExtend<Promise<object>>()
  })

  it("take ids first, then the input where there is one, then options", () => {
    type Rest<F> = F extends (...args: infer A) => unknown ? A["length"] : never
    expectTypeOf<Rest<typeof souk.agents.me>>().toEqualTypeOf<0 | 1>()
    expectTypeOf<Rest<typeof souk.listings.pause>>().toEqualTypeOf<1 | 2>()
    expectTypeOf<Rest<typeof souk.listings.update>>().toEqualTypeOf<1 | 2 | 3>()
    expectTypeOf<Rest<typeof souk.quotes.submit>>().toEqualTypeOf<2 | 3>()
    expectTypeOf<Rest<typeof souk.dealRooms.acceptOffer>>().toEqualTypeOf<3 | 4>()
    expectTypeOf(souk.listings.list)
      .parameter(0)
      .exclude<undefined>()
      .toHaveProperty("limit")
      .toEqualTypeOf<number | undefined>()
    expectTypeOf(souk.listings.publish).parameter(0).toHaveProperty("title").toEqualTypeOf<string>()
    expectTypeOf(souk.listings.publish).parameter(1).exclude<undefined>().not.toHaveProperty("ifMatch")
    expectTypeOf(souk.listings.update).parameter(2).exclude<undefined>().toHaveProperty("ifMatch")
    expectTypeOf(souk.keys.revoke).parameter(1).exclude<undefined>().not.toHaveProperty("idempotencyKey")
  })

  it("know the events, and what a failure says", () => {
    expectTypeOf(souk.events).returns.toExtend<AsyncIterable<SoukEvent>>()
    expectTypeOf<NotYourTurnError["code"]>().toEqualTypeOf<"not_your_turn">()
    expectTypeOf<NotYourTurnError["status"]>().toEqualTypeOf<string>()
  })
})
