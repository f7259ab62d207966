import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { serve } from "./toyMarket.ts"

describe("security headers", () => {
  it.effect("are on successes and on failures", () =>
    Effect.gen(function* () {
      const market = yield* serve()
      for (const path of ["/api/v1/things", "/nowhere", "/api/v1/broken"]) {
        const { headers } = yield* market.get(path)
        assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
        assert.strictEqual(headers.get("referrer-policy"), "no-referrer")
        assert.strictEqual(headers.get("cache-control"), "no-store")
      }
    })
  )
})
