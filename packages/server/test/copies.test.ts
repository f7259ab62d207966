/** A marketplace of one copy of the package in the adapters of another, as bundlers make them. */
import { assert, describe, it } from "@effect/vitest"
import { MemoryStore } from "@souk/core"
import { once } from "node:events"
import { createServer } from "node:http"
import { toHonoHandler } from "../src/hono.ts"
import { toNodeHandler } from "../src/node.ts"
import { createMarketplace } from "../src/index.ts"
import type { Marketplace, MarketplaceOptions } from "../src/index.ts"

/** Loads the module a second time, as a bundle of its own has it. */
const loadCopy = async (): Promise<(options: MarketplaceOptions) => Marketplace> => {
  const copy = new URL("../src/createMarketplace.ts?copy", import.meta.url).href
  const loaded = await import(copy)
  assert.notStrictEqual(loaded.createMarketplace, createMarketplace)
  return loaded.createMarketplace
}

describe("a marketplace of another copy of @souk/server", () => {
  it("is served by the adapters of this one", async () => {
    const createCopy = await loadCopy()
    await using market = createCopy({ store: MemoryStore.layer })
    assert.isFunction(toHonoHandler(market))
    const server = createServer(toNodeHandler(market)).listen(0, "127.0.0.1")
    await once(server, "listening")
    const address = server.address()
    const port = typeof address === "object" ? address?.port : undefined
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/listings`)
    assert.strictEqual(response.status, 200)
    server.close()
  })

  it("is refused with the reason where the two are of different versions", async () => {
    const createCopy = await loadCopy()
    await using market = createCopy({ store: MemoryStore.layer })
    const [key] = Object.getOwnPropertySymbols(market).filter((symbol) => Symbol.keyFor(symbol) !== undefined)
    if (key === undefined) return assert.fail("nothing to know it by")
    const later = Object.defineProperty({ ...market }, key, { value: { form: 1000 } })
    assert.throws(() => toNodeHandler(later), TypeError, "Two versions of @souk/server are loaded")
  })
})
