import assert from "node:assert/strict"
import { test } from "node:test"
import { expected, playDeal } from "./deal.mjs"

test("a deal is made", async () => {
  assert.deepEqual(await playDeal(), expected)
})
