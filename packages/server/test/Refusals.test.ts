import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { dataOf, errorOf, issuesOf, textAt, verdict } from "./market.ts"
import { parameters } from "./refusals/parameters.ts"
import { paths } from "./refusals/paths.ts"
import { rules } from "./refusals/rules.ts"
import { scene } from "./refusals/scene.ts"
import type { Refused } from "./refusals/scene.ts"
import { shapes } from "./refusals/shapes.ts"
import { submit, terms } from "./trade.ts"

const check = (name: string, table: ReadonlyArray<Refused>) =>
  it.effect(name, () =>
    Effect.gen(function* () {
      const on = yield* scene
      const before = yield* on.market.position
      for (const [what, endpoint, sending, expected, issues] of table) {
        const { by, ...rest } = sending(on)
        const reply = yield* on.market.call(endpoint(on), { ...rest, key: by?.key })
        assert.strictEqual(verdict(reply), expected, `${what}: ${reply.text}`)
        assert.strictEqual(errorOf(reply).requestId, reply.headers.get("request-id"), what)
        if (issues !== undefined)
          assert.sameMembers([...new Set(issuesOf(reply))], [...issues], `${what}: ${reply.text}`)
      }
      assert.strictEqual(yield* on.market.position, before)
      assert.deepStrictEqual(on.market.logs, [])
    })
  )

describe("bad input is refused by its name, and changes nothing:", () => {
  check("bodies", shapes)
  check("parameters and headers", parameters)
  check("paths and methods", paths)
  check("what the rules do not allow", rules)

  it.effect("what a state does not allow is told with the status and the moves that are open", () =>
    Effect.gen(function* () {
      const { market, buyer, workId } = yield* scene
      const reply = yield* market.call(`POST /api/deal-rooms/${workId}/decline`, { key: buyer.key })
      const { code, status, nextActions } = errorOf(reply)
      assert.strictEqual(code, "invalid_state")
      assert.strictEqual(status, "in_progress")
      assert.include(JSON.stringify(nextActions), '"deliver"')
    })
  )

  it.effect("an eleventh question that waits, and a second answer", () =>
    Effect.gen(function* () {
      const { market, buyer, seller, rfqId } = yield* scene
      const ask = market.call(`POST /api/rfqs/${rfqId}/questions`, {
        key: seller.key,
        body: { text: "When?" }
      })
      const first = yield* ask
      for (let n = 1; n < 10; n++) assert.strictEqual(verdict(yield* ask), "201")
      assert.strictEqual(verdict(yield* ask), "422 limit_reached")
      const questionId = textAt(dataOf(first), "question", "id")
      const answer = market.call(`POST /api/rfqs/${rfqId}/questions/${questionId}/answer`, {
        key: buyer.key,
        body: { text: "Now" }
      })
      assert.strictEqual(verdict(yield* answer), "200")
      const again = yield* answer
      assert.strictEqual(verdict(again), "409 invalid_state")
      assert.strictEqual(errorOf(again)["status"], "open")
      assert.include(JSON.stringify(errorOf(again)["nextActions"]), '"answer"')
      assert.strictEqual(verdict(yield* ask), "201")
    })
  )

  it.effect("a deviating quote is awarded in so many words alone", () =>
    Effect.gen(function* () {
      const { market, buyer, rfqId } = yield* scene
      const rival = yield* market.register("rival")
      const quoteId = yield* submit(market, rival, rfqId, { terms: terms("1") })
      const award = (body: object) =>
        market.call(`POST /api/rfqs/${rfqId}/award`, { key: buyer.key, body: { quoteId, ...body } })
      const refused = yield* award({})
      assert.strictEqual(verdict(refused), "422 requirement_unmet")
      assert.deepStrictEqual(errorOf(refused)["deviations"], ["sworn"])
      assert.strictEqual((yield* award({ acceptDeviations: true })).status, 200)
    })
  )
})
