import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { directory, run, start } from "./Server.ts"

describe("souk migrate", () => {
  it.live("brings a file up to date once and says what that took", () =>
    Effect.gen(function* () {
      const file = join(yield* directory, "souk.db")
      const settings = { SOUK_DATABASE_URL: `sqlite:${file}` }
      const first = yield* run(["migrate"], { settings })
      assert.deepInclude(first, { code: 0, stderr: "" })
      assert.match(first.stdout, /^Applied 1 market\n/u)
      assert.include(first.stdout, `${file} is up to date\n`)
      const second = yield* run(["migrate"], { settings })
      assert.deepInclude(second, { code: 0, stderr: "", stdout: `${file} is up to date\n` })
      yield* start(settings)
    })
  )

  it.live("is refused while a market runs on the file", () =>
    Effect.gen(function* () {
      const settings = { SOUK_DATABASE_URL: `sqlite:${join(yield* directory, "souk.db")}` }
      yield* start(settings)
      const { code, stdout, stderr } = yield* run(["migrate"], { settings })
      assert.deepStrictEqual([code, stdout], [1, ""])
      assert.include(stderr, "is in use and allows only one process at a time")
    })
  )

  it.live("leaves a file alone that it cannot bring up to date, and says why", () =>
    Effect.gen(function* () {
      const file = join(yield* directory, "other.db")
      using other = new DatabaseSync(file)
      other.exec("CREATE TABLE agents (name TEXT) STRICT")
      other.close()
      const { code, stderr } = yield* run(["migrate"], { settings: { SOUK_DATABASE_URL: `sqlite:${file}` } })
      assert.strictEqual(code, 1)
      assert.match(stderr, /The database .*other\.db cannot be used: .*agents.* already exists\.\n/u)
      using again = new DatabaseSync(file)
      const tables = again.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()
      assert.sameMembers(
        tables.map(({ name }) => name),
        ["agents", "souk_migrations"]
      )
    })
  )

  it.live("has nothing to do for a market in memory", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* run(["migrate"], { settings: { SOUK_DATABASE_URL: "memory:" } })
      assert.strictEqual(code, 0)
      assert.strictEqual(stdout, "A market in memory has no schema to keep.\n")
    })
  )
})
