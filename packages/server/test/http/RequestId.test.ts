import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { serve } from "./toyMarket.ts"

describe("Request-Id", () => {
  it.effect("is kept when it is of sane form", () =>
    Effect.gen(function* () {
      const market = yield* serve()
      for (const id of ["a", "trace:7f.3_A-9", "x".repeat(128)]) {
        const response = yield* market.get("/api/v1/things", { headers: { "request-id": id } })
        assert.strictEqual(response.headers.get("request-id"), id)
      }
    })
  )

  it.effect("is made, and made anew, when there is none or one that is not sane", () =>
    Effect.gen(function* () {
      const market = yield* serve()
      const seen = new Set<string | null>()
      for (const id of [undefined, "", "a b", "x".repeat(129), "<script>", "é"]) {
        const response = yield* market.get("/nowhere", {
          headers: id === undefined ? {} : { "request-id": id }
        })
        const made = response.headers.get("request-id")
        assert.match(made ?? "", /^[0-9a-f-]{36}$/u)
        seen.add(made)
      }
      assert.strictEqual(seen.size, 6)
    })
  )
})
