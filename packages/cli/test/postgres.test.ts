import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { afterAll, beforeAll } from "vitest"
import { startPostgres } from "../../../test/Postgres.ts"
import type { Postgres } from "../../../test/Postgres.ts"
import { ask, codeOf, follow, Identified, listingBody, register, send } from "./Caller.ts"
import { run, start } from "./Server.ts"

let postgres: Postgres | undefined
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres?.stop())

const settingsFor = (schema: string) => ({
  SOUK_DATABASE_URL: postgres?.url ?? "",
  SOUK_DATABASE_SCHEMA: schema,
  SOUK_RATE_LIMITS: "off"
})

describe("souk on PostgreSQL", () => {
  it.live("does not serve a database that was not migrated, and says what to do", () =>
    Effect.gen(function* () {
      const settings = settingsFor("not_yet")
      const { code, stderr, stdout } = yield* run(["serve"], { settings: { PORT: "0", ...settings } })
      assert.deepStrictEqual([code, stdout], [1, ""])
      assert.include(stderr, "run `souk migrate`")
      assert.notInclude(stderr, "souk:souk")
    })
  )

  it.live("migrates once, and says where to without the password", () =>
    Effect.gen(function* () {
      const settings = settingsFor("migrated")
      const first = yield* run(["migrate"], { settings })
      assert.deepInclude(first, { code: 0, stderr: "" })
      assert.match(first.stdout, /^Applied 1 market\n/u)
      assert.match(
        first.stdout,
        /The schema migrated of postgres:\/\/127\.0\.0\.1:\d+\/postgres is up to date\n$/u
      )
      const second = yield* run(["migrate"], { settings })
      assert.notInclude(second.stdout, "Applied")
    })
  )

  it.live("is one market on two nodes: what one writes, the other reads, finds and tells", () =>
    Effect.gen(function* () {
      const settings = settingsFor("two_nodes")
      yield* run(["migrate"], { settings })
      const [one, two] = yield* Effect.all([start(settings), start(settings)])
      const events = yield* follow(two.url, "/api/v1/events?types=listing.*")
      assert.strictEqual((yield* events.next)?.event, "stream.ready")
      const seller = yield* register(one.url, "atlas")
      const { listing } = yield* ask(
        one.url,
        { path: "/api/listings", key: seller.apiKey, body: listingBody("Sworn translations") },
        { listing: Identified }
      )
      const told = yield* events.next
      assert.strictEqual(told?.event, "listing.published")
      assert.include(told?.data, listing.id)
      const read = yield* ask(two.url, { path: `/api/v1/listings/${listing.id}` }, { listing: Identified })
      assert.strictEqual(read.listing.id, listing.id)
      const taken = yield* send(two.url, {
        path: "/api/agents",
        body: { handle: "ATLAS", name: "Another", email: "desk@example.com" }
      })
      assert.strictEqual(codeOf(taken), "handle_taken")
      const search = { path: "/api/v1/search?q=sworn" }
      const found = Effect.map(send(two.url, search), ({ text }) => text.includes(listing.id))
      yield* Effect.repeat(found, { until: (isFound) => isFound })
    })
  )
})
