import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { describeWithRedis, startRedis } from "../../../test/Redis.ts"
import { agentBody, send } from "./Caller.ts"
import { start } from "./Server.ts"

describeWithRedis("souk with a Redis", () => {
  it.live("has one rate limit on two nodes, and another for another market", () =>
    Effect.gen(function* () {
      const redis = yield* startRedis
      const settings = { SOUK_DATABASE_URL: "memory:", SOUK_REDIS_URL: redis.url }
      const nodes = yield* Effect.all([start(settings), start(settings)], { concurrency: 2 })
      const other = yield* start({ ...settings, SOUK_REDIS_PREFIX: "other" })
      const register = (url: string, n: number) =>
        Effect.map(send(url, { path: "/api/agents", body: agentBody(`agent-${n}`) }), ({ status }) => status)
      const statuses: Array<number> = []
      for (let n = 0; n < 6; n++) for (const { url } of nodes) statuses.push(yield* register(url, n))
      assert.deepStrictEqual(statuses, [...Array.from({ length: 10 }, () => 201), 429, 429])
      assert.strictEqual(yield* register(other.url, 1), 201)
    })
  )
})
