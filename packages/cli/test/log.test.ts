import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { agentBody, codeOf, dataOf, listingBody, register, registered, send } from "./Caller.ts"
import { directory, souk, start, serving } from "./Server.ts"

/** Does to a database what no market would. */
const tamper = (file: string, sql: string) =>
  Effect.sync(() => {
    using database = new DatabaseSync(file)
    database.exec(sql)
  })

const idempotencyKey = "a-key-that-opens-a-reply"

describe("the log", () => {
  it.live(
    "says on stderr why the store could not answer, with the request's id, and the market goes on",
    () =>
      Effect.gen(function* () {
        const file = join(yield* directory, "souk.db")
        const settings = { SOUK_DATABASE_URL: `sqlite:${file}` }
        yield* (yield* start(settings)).stop
        yield* tamper(file, "DROP TABLE idempotency")
        const server = yield* start(settings)
        const refused = yield* send(server.url, {
          path: "/api/agents",
          body: agentBody("atlas"),
          headers: { "idempotency-key": idempotencyKey, "request-id": "order-66" }
        })
        assert.deepStrictEqual([refused.status, codeOf(refused)], [503, "unavailable"])
        assert.notInclude(refused.text, "idempotency")
        yield* register(server.url, "atlas")
        const { stderr } = yield* server.stop
        assert.match(stderr, /^\[\d{4}-.*Z\] ERROR .*The store could not answer$/mu)
        assert.include(stderr, "no such table: idempotency")
        assert.match(stderr, /requestId: order-66$/mu)
        assert.notInclude(stderr, idempotencyKey)
      })
  )

  it.live("says on stderr what a defect was, with the request's id, and the market goes on", () =>
    Effect.gen(function* () {
      const file = join(yield* directory, "souk.db")
      const settings = { SOUK_DATABASE_URL: `sqlite:${file}` }
      const once = {
        path: "/api/agents",
        body: agentBody("atlas"),
        headers: { "idempotency-key": idempotencyKey }
      }
      const first = yield* start(settings)
      const { apiKey } = yield* dataOf(yield* send(first.url, once), registered)
      yield* first.stop
      yield* tamper(file, "UPDATE idempotency SET document = json_set(document, '$.reply', 'x.y')")
      const server = yield* start(settings)
      const failed = yield* send(server.url, once)
      assert.deepStrictEqual([failed.status, codeOf(failed)], [500, "internal"])
      assert.strictEqual((yield* send(server.url, { path: "/api/v1/me", key: apiKey })).status, 200)
      const { stderr } = yield* server.stop
      assert.match(stderr, /^\[\d{4}-.*Z\] ERROR .*A request failed$/mu)
      assert.include(stderr, `requestId: ${failed.headers.get("request-id")}`)
      assert.notInclude(stderr, apiKey)
    })
  )

  it.live("holds no key, even where everything is logged", () =>
    Effect.gen(function* () {
      const file = join(yield* directory, "souk.db")
      const settings = { PORT: "0", SOUK_DATABASE_URL: `sqlite:${file}` }
      const server = yield* serving(yield* souk(["serve", "--log-level", "all"], { settings }))
      const headers = { "idempotency-key": idempotencyKey }
      const { apiKey: key } = yield* register(server.url, "atlas", headers)
      const mistyped = key.replace(/.$/u, (last) => (last === "x" ? "y" : "x"))
      yield* register(server.url, "atlas", headers)
      for (const call of [
        { path: "/api/v1/me", key },
        { path: "/api/v1/me", key: mistyped },
        { path: `/api/v1/listings?cursor=${key}`, key },
        { path: "/api/listings", key, body: listingBody("Translations"), headers },
        { path: "/api/listings", key, body: { title: key }, headers },
        { path: "/api/agents", body: agentBody("atlas") }
      ])
        yield* send(server.url, call)
      yield* server.stop
      for (const secret of [key, mistyped, key.slice(6), idempotencyKey])
        assert.notInclude(server.output(), secret)
    })
  )
})
