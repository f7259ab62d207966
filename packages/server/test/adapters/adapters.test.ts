import { assert, describe, it } from "@effect/vitest"
import { createMarketplace } from "../../src/index.ts"
import { furnish } from "./furnish.ts"
import { hosts } from "./hosts.ts"
import { requirements } from "./requirements.ts"
import type { Open } from "./requirements.ts"

describe.each(hosts)("a market on $name", ({ start, cannot }) => {
  it.each(requirements)("$sentence", { timeout: 20_000 }, async ({ check, unless }) => {
    if (unless !== undefined && cannot[unless] !== undefined) return
    await using opened = new AsyncDisposableStack()
    await check(async ({ mount = "", parses = false, dressed = false, ...furniture } = {}): Promise<Open> => {
      const { marketplace, seen } = furnish(createMarketplace, { mount, ...furniture })
      const { port, close } = await start({ marketplace, mount, parses, dressed })
      let closing: Promise<void> | undefined
      const closeOnce = () => (closing ??= close())
      opened.defer(async () => {
        await marketplace.close()
        void closeOnce()
      })
      const origin = `http://127.0.0.1:${port}`
      return { marketplace, seen: async () => seen, port, origin, url: origin + mount, close: closeOnce }
    }, cannot)
  })
})

describe("the requirements", () => {
  it("have names of their own", () => {
    assert.strictEqual(new Set(requirements.map(({ id }) => id)).size, requirements.length)
  })
})
