import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync } from "node:fs"
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

  it.live("up is what it does by itself", () =>
    Effect.gen(function* () {
      const settings = { SOUK_DATABASE_URL: `sqlite:${join(yield* directory, "souk.db")}` }
      assert.match((yield* run(["migrate", "up"], { settings })).stdout, /^Applied 1 market\n/u)
      assert.notInclude((yield* run(["migrate"], { settings })).stdout, "Applied")
    })
  )

  it.live("status and plan say what is pending, and make no file", () =>
    Effect.gen(function* () {
      const file = join(yield* directory, "souk.db")
      const settings = { SOUK_DATABASE_URL: `sqlite:${file}` }
      const before = yield* run(["migrate", "status"], { settings })
      assert.deepInclude(before, { code: 0, stderr: "" })
      assert.match(before.stdout, /is at version 0; this souk needs \d+\.\nPending: 1 market, 2 /u)
      const plan = yield* run(["migrate", "plan"], { settings })
      assert.match(plan.stdout, /^Would apply 1 market \(\d+ statements\)\n/u)
      assert.match(plan.stdout, /\d+ migrations pending; nothing was changed\n$/u)
      assert.isFalse(existsSync(file))
      yield* run(["migrate"], { settings })
      assert.match(
        (yield* run(["migrate", "status"], { settings })).stdout,
        /is at version (\d+); this souk needs \1\.\nNothing is pending\.\n$/u
      )
      assert.strictEqual((yield* run(["migrate", "plan"], { settings })).stdout, `${file} is up to date\n`)
    })
  )

  it.live("sql prints what leaves a file as migrate does when it is run by hand", () =>
    Effect.gen(function* () {
      const cwd = yield* directory
      const settingsOf = (name: string) => ({ SOUK_DATABASE_URL: `sqlite:${join(cwd, name)}` })
      const { stdout } = yield* run(["migrate", "sql"], { settings: settingsOf("by-hand.db") })
      using byHand = new DatabaseSync(join(cwd, "by-hand.db"))
      byHand.exec(stdout)
      const done = yield* run(["migrate"], { settings: settingsOf("by-hand.db") })
      assert.deepInclude(done, { code: 0, stderr: "" })
      assert.notInclude(done.stdout, "Applied")
      yield* run(["migrate"], { settings: settingsOf("migrated.db") })
      using migrated = new DatabaseSync(join(cwd, "migrated.db"))
      for (const query of [
        "SELECT type, name, sql FROM sqlite_master WHERE name <> 'souk_migrations' ORDER BY name",
        "SELECT migration_id, name FROM souk_migrations ORDER BY migration_id"
      ])
        assert.deepStrictEqual(byHand.prepare(query).all(), migrated.prepare(query).all())
      // What was run twice is refused as a whole.
      assert.throws(() => byHand.exec(stdout), /UNIQUE constraint failed: souk_migrations/u)
    })
  )

  it.live("sql prints what is pending on this database alone, unless it is asked for all", () =>
    Effect.gen(function* () {
      const file = join(yield* directory, "souk.db")
      const settings = { SOUK_DATABASE_URL: `sqlite:${file}` }
      yield* run(["migrate"], { settings })
      const nothing = yield* run(["migrate", "sql"], { settings })
      assert.strictEqual(nothing.stdout, "-- Nothing is pending.\n")
      using database = new DatabaseSync(file)
      database.exec("DELETE FROM souk_migrations WHERE migration_id > 2")
      database.close()
      const { stdout } = yield* run(["migrate", "sql"], { settings })
      assert.match(stdout, /^-- 3 requests$/mu)
      assert.notMatch(stdout, /^-- 2 /mu)
      const all = yield* run(["migrate", "sql", "--all"], { settings })
      assert.match(all.stdout, /^-- 1 market$/mu)
    })
  )
})
