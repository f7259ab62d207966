import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Schema } from "effect"
import { existsSync } from "node:fs"
import { readdir, readFile, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { agentBody, ask, listingBody, register, send } from "./Caller.ts"
import { directory, run, start } from "./Server.ts"

const settingsOf = (file: string) => ({ SOUK_DATABASE_URL: `sqlite:${file}`, SOUK_RATE_LIMITS: "off" })

/** Keeps a market busy, and tells which agents it has acknowledged so far. */
const busy = Effect.fnUntraced(function* (url: string, times: number) {
  const acknowledged: Array<string> = []
  const work = Effect.fnUntraced(function* (n: number) {
    const { status } = yield* send(url, { path: "/api/agents", body: agentBody(`busy-${n}`) })
    if (status === 201) acknowledged.push(`busy-${n}`)
  })
  const fiber = yield* Effect.forkScoped(
    Effect.forEach(Array.from({ length: times }).keys(), work, { concurrency: 4, discard: true })
  )
  return { acknowledged, fiber }
})

describe("souk backup", () => {
  it.live("copies a market while it runs: what was acknowledged before is there when one starts on it", () =>
    Effect.gen(function* () {
      const cwd = yield* directory
      const settings = settingsOf(join(cwd, "souk.db"))
      const server = yield* start(settings)
      const { apiKey } = yield* register(server.url, "atlas")
      const { acknowledged, fiber } = yield* busy(server.url, 2000)
      const copy = join(cwd, "copy.db")
      let before: ReadonlyArray<string> = []
      // The second takes the place of the first.
      for (const _ of ["first", "second"]) {
        before = [...acknowledged]
        const done = yield* run(["backup", "copy.db"], { settings, cwd })
        assert.deepInclude(done, { code: 0, stderr: "" })
        assert.match(done.stdout, /^Copied .*souk\.db to .*copy\.db \(\d+ bytes\)\n$/u)
      }
      assert.isAbove(before.length, 0)
      yield* Fiber.interrupt(fiber)
      assert.strictEqual((yield* register(server.url, "later")).apiKey.length > 0, true)
      yield* server.kill

      assert.notInclude(yield* Effect.promise(() => readdir(cwd)), "copy.db.unfinished")
      using database = new DatabaseSync(copy)
      assert.deepStrictEqual(
        database
          .prepare("PRAGMA integrity_check")
          .all()
          .map((row) => row["integrity_check"]),
        ["ok"]
      )
      database.close()
      const restored = yield* start(settingsOf(copy))
      assert.strictEqual((yield* send(restored.url, { path: "/api/v1/me", key: apiKey })).status, 200)
      for (const handle of before)
        assert.strictEqual((yield* send(restored.url, { path: `/api/v1/agents/${handle}` })).status, 200)
      assert.strictEqual((yield* send(restored.url, { path: "/api/v1/agents/later" })).status, 404)
      assert.strictEqual(
        (yield* send(restored.url, { path: "/api/agents", body: agentBody("fresh") })).status,
        201
      )
    })
  )

  it.live("copies a market that does not run, and changes nothing of it", () =>
    Effect.gen(function* () {
      const cwd = yield* directory
      const settings = settingsOf(join(cwd, "souk.db"))
      yield* run(["migrate"], { settings })
      const files = yield* Effect.promise(() => readdir(cwd))
      assert.strictEqual((yield* run(["backup", "copy.db"], { settings, cwd })).code, 0)
      assert.sameMembers(yield* Effect.promise(() => readdir(cwd)), [...files, "copy.db"])
    })
  )

  it.live("skips no event of the copy for who comes with a cursor of the market that was lost", () =>
    Effect.gen(function* () {
      const cwd = yield* directory
      const settings = settingsOf(join(cwd, "souk.db"))
      const copy = join(cwd, "copy.db")
      const server = yield* start(settings)
      const { apiKey } = yield* register(server.url, "atlas")
      assert.strictEqual((yield* run(["backup", copy], { settings, cwd })).code, 0)
      const publish = (url: string, titles: ReadonlyArray<string>) =>
        Effect.forEach(titles, (title) =>
          Effect.map(
            send(url, { path: "/api/listings", key: apiKey, body: listingBody(title) }),
            ({ status }) => assert.strictEqual(status, 201)
          )
        )
      yield* publish(server.url, ["Lost 1", "Lost 2", "Lost 3", "Lost 4"])
      const read = (url: string, after: string) =>
        ask(
          url,
          {
            path: `/api/v1/events?after=${after}`,
            key: apiKey,
            headers: { accept: "application/json" }
          },
          { events: Schema.Array(Schema.Struct({ type: Schema.String })), nextCursor: Schema.String }
        )
      const { nextCursor } = yield* read(server.url, "earliest")
      yield* server.kill

      const restored = yield* start(settingsOf(copy))
      yield* publish(restored.url, ["New 1", "New 2", "New 3", "New 4", "New 5", "New 6"])
      const missed = yield* read(restored.url, nextCursor)
      assert.strictEqual(missed.events.filter(({ type }) => type === "listing.published").length, 6)
      yield* restored.kill
      assert.sameMembers(
        (yield* Effect.promise(() => readdir(cwd))).filter((name) => name.includes("unfinished")),
        []
      )
    })
  )

  it.live("replaces nothing but a copy: no part of a market, and no file of another sort", () =>
    Effect.gen(function* () {
      const cwd = yield* directory
      const settings = settingsOf(join(cwd, "souk.db"))
      const server = yield* start(settings)
      const { apiKey } = yield* register(server.url, "atlas")
      yield* Effect.promise(() => writeFile(join(cwd, "letter.txt"), "Dear madam"))
      yield* Effect.promise(() => symlink(cwd, join(cwd, "elsewhere")))
      const parts = ["souk.db-wal", "souk.db-shm", "souk.db-lock", "souk.db-journal", "elsewhere/souk.db-wal"]
      for (const file of [...parts, "letter.txt", "."]) {
        const { code, stderr, stdout } = yield* run(["backup", file], { settings, cwd })
        assert.deepStrictEqual([code, stdout], [1, ""], file)
        assert.include(stderr, "choose another file.", file)
      }
      yield* server.kill
      const again = yield* start(settings)
      assert.strictEqual((yield* send(again.url, { path: "/api/v1/me", key: apiKey })).status, 200)
      assert.strictEqual(yield* Effect.promise(() => readFile(join(cwd, "letter.txt"), "utf8")), "Dear madam")
    })
  )

  it.live("never writes its unfinished copy to the market itself", () =>
    Effect.gen(function* () {
      const cwd = yield* directory
      const settings = settingsOf(join(cwd, "copy.db.unfinished"))
      yield* run(["migrate"], { settings })
      assert.strictEqual((yield* run(["backup", "copy.db"], { settings, cwd })).code, 1)
      assert.include((yield* run(["migrate", "status"], { settings })).stdout, "Nothing is pending.")
    })
  )

  it.live("is refused with a sentence where there is nothing to copy, or nowhere to", () =>
    Effect.gen(function* () {
      const cwd = yield* directory
      const here = settingsOf(join(cwd, "souk.db"))
      const refusal = Effect.fnUntraced(function* (file: string, settings: Readonly<Record<string, string>>) {
        const { code, stderr, stdout } = yield* run(["backup", file], { settings, cwd })
        assert.deepStrictEqual([code, stdout], [1, ""])
        return stderr
      })
      assert.include(yield* refusal("copy.db", here), "There is no database")
      yield* run(["migrate"], { settings: here })
      assert.include(yield* refusal("souk.db", here), "souk.db is a database that a market has run on")
      assert.match(
        yield* refusal("missing/copy.db", here),
        /souk\.db cannot be copied to .*missing\/copy\.db: .*\./u
      )
      assert.include(yield* refusal("copy.db", { SOUK_DATABASE_URL: "memory:" }), "cannot be copied")
      const postgres = { SOUK_DATABASE_URL: "postgres://souk:s3cret@localhost/souk" }
      const told = yield* refusal("copy.db", postgres)
      assert.include(told, "pg_dump --schema=souk")
      assert.notInclude(told, "s3cret")
      yield* Effect.promise(() => writeFile(join(cwd, "letter.txt"), "Dear madam, ".repeat(100)))
      assert.include(yield* refusal("copy.db", settingsOf(join(cwd, "letter.txt"))), "letter.txt")
      assert.isFalse(existsSync(join(cwd, "copy.db")))
    })
  )
})
