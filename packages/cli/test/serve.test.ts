import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { agentBody, ask, codeOf, dataOf, follow, registered, send } from "./Caller.ts"
import { directory, execute, run, serving, start } from "./Server.ts"
import type { Settings } from "./Server.ts"

const repository = fileURLToPath(new URL("../../..", import.meta.url))

/** Pastes a line into a shell. */
const paste = (line: string) =>
  Effect.map(
    Effect.promise(() => promisify(execFile)("bash", ["-c", line])),
    ({ stdout }) => stdout
  )

const firstLine = (output: string) => /^Try: +(curl .*)$/mu.exec(output)?.[1] ?? ""

/** Runs a market that cannot start, and gives the one sentence that it says. */
const refusal = (settings: Settings, cwd?: string) =>
  Effect.map(
    run(["serve"], { settings: { PORT: "0", ...settings }, ...(cwd === undefined ? {} : { cwd }) }),
    ({ code, stdout, stderr }) => {
      assert.strictEqual(code, 1, stdout + stderr)
      assert.strictEqual(stdout, "")
      const lines = stderr.split("\n").filter((line) => line !== "")
      assert.deepStrictEqual([lines[0], lines.length], ["ERROR", 2], stderr)
      return (lines[1] ?? "").trim()
    }
  )

describe("souk serve", () => {
  describe("says where the market is", () => {
    it.live("with the docs page, and a first line to paste that works after every start", () =>
      Effect.gen(function* () {
        const cwd = yield* directory
        for (const _ of ["first", "second"]) {
          const server = yield* start({}, cwd)
          const file = join(cwd, "souk.db")
          assert.match(server.url, /^http:\/\/localhost:[1-9]\d+$/u)
          assert.include(server.output(), `Souk listens on ${server.url} and keeps the market in ${file}\n`)
          const docs = yield* send(server.url, { path: "/docs" })
          assert.strictEqual(docs.status, 200)
          assert.include(docs.text, "<!doctype html>")
          const text = yield* paste(firstLine(server.output()))
          const { agent, apiKey } = yield* dataOf({ status: 0, headers: new Headers(), text }, registered)
          const me = yield* ask(server.url, { path: "/api/v1/me", key: apiKey }, { agent: Schema.Json })
          assert.strictEqual(JSON.stringify(me).includes(agent.id), true)
          assert.deepInclude(yield* server.stop, { code: 0, stderr: "" })
        }
        assert.isTrue(existsSync(join(cwd, "souk.db")))
      })
    )

    it.live("by the one address that it listens on, where there is but one", () =>
      Effect.gen(function* () {
        const server = yield* start({ SOUK_DATABASE_URL: "memory:", SOUK_HOST: "127.0.0.1" })
        assert.match(server.url, /^http:\/\/127\.0\.0\.1:\d+$/u)
        yield* dataOf(
          { status: 0, headers: new Headers(), text: yield* paste(firstLine(server.output())) },
          registered
        )
      })
    )

    it.live("under npm start", () =>
      Effect.gen(function* () {
        const settings = { PORT: "0", SOUK_DATABASE_URL: "memory:" }
        const npm = yield* execute("npm", ["start"], { settings, cwd: repository })
        const server = yield* serving(npm)
        assert.include(server.output(), "keeps the market in memory, until the process ends")
        assert.strictEqual((yield* send(server.url, { path: "/readyz" })).status, 200)
        const { millis } = yield* server.stop
        assert.isBelow(millis, 2000)
        assert.strictEqual((yield* Effect.flip(send(server.url, { path: "/readyz" })))._tag, "Unanswered")
      })
    )

    it.live("and --help says what is taken where nothing is said", () =>
      Effect.gen(function* () {
        for (const args of [["--help"], ["serve", "--help"]]) {
          const { code, stdout } = yield* run(args)
          assert.strictEqual(code, 0)
          assert.include(stdout, "4100")
          assert.include(stdout, "./souk.db")
        }
      })
    )
  })

  it.live("keeps the market where SOUK_DATABASE_URL says", () =>
    Effect.gen(function* () {
      const cwd = yield* directory
      yield* Effect.promise(() => mkdir(join(cwd, "my markets")))
      const absolute = join(cwd, "absolute.db")
      for (const path of ["market.db", "./my markets/of souks.db", "file:market?mode=memory", absolute]) {
        const server = yield* start({ SOUK_DATABASE_URL: `sqlite:${path}` }, cwd)
        assert.include(server.output(), `keeps the market in ${resolve(cwd, path)}\n`)
        assert.isTrue(existsSync(resolve(cwd, path)))
        yield* server.stop
      }
    })
  )

  describe("does not start, and says why in a sentence,", () => {
    it.live("with settings that are not as they should be", () =>
      Effect.gen(function* () {
        const bad: ReadonlyArray<readonly [string, string]> = [
          ["PORT", "nonsense"],
          ["SOUK_DATABASE_URL", "nonsense"],
          ["SOUK_DATABASE_URL", "mysql://souk:s3cret@localhost/souk"],
          ["SOUK_DATABASE_SCHEMA", "pg_souk"],
          ["SOUK_RATE_LIMITS", "maybe"],
          ["SOUK_TRUST_PROXY", "-1"],
          ["SOUK_RETAIN_EVENTS_DAYS", "0"],
          ["SOUK_BASE_URL", "market.example"]
        ]
        for (const [name, value] of bad)
          assert.match(
            yield* refusal({ SOUK_DATABASE_URL: "memory:", [name]: value }),
            new RegExp(`^${name} is not as it should be: expected .*\\.$`, "u")
          )
      })
    )

    it.live("with a file that cannot be the market's", () =>
      Effect.gen(function* () {
        const cwd = yield* directory
        const missing = join(cwd, "missing", "souk.db")
        const letter = join(cwd, "letter.txt")
        yield* Effect.promise(() => writeFile(letter, "Dear madam, ".repeat(100)))
        assert.strictEqual(
          yield* refusal({ SOUK_DATABASE_URL: `sqlite:${missing}` }),
          `The database ${missing} cannot be made, since there is no such directory. Create it, or choose a different file.`
        )
        assert.strictEqual(
          yield* refusal({ SOUK_DATABASE_URL: "sqlite:letter.txt" }, cwd),
          `The database ${letter} cannot be used: file is not a database.`
        )
        assert.strictEqual(
          yield* refusal({ SOUK_DATABASE_URL: `sqlite:${cwd}` }),
          `The database ${cwd} cannot be used: unable to open database file.`
        )
      })
    )

    it.live("where it cannot listen", () =>
      Effect.gen(function* () {
        const port = yield* takenPort
        assert.strictEqual(
          yield* refusal({ PORT: `${port}`, SOUK_DATABASE_URL: "memory:" }),
          "The port is in use. Stop what listens there, or set PORT to another."
        )
        assert.match(
          yield* refusal({ SOUK_HOST: "203.0.113.1", SOUK_DATABASE_URL: "memory:" }),
          /^The server cannot listen: .*203\.0\.113\.1.*\.$/u
        )
      })
    )
  })

  describe("does as it is set", () => {
    it.live("SOUK_RATE_LIMITS=off takes any number of requests, on takes those of the contract", () =>
      Effect.gen(function* () {
        for (const [limits, expected] of [
          ["off", 201],
          ["on", 429]
        ] as const) {
          const server = yield* start({ SOUK_DATABASE_URL: "memory:", SOUK_RATE_LIMITS: limits })
          const last = yield* elevenAccounts(server.url)
          assert.strictEqual(last.status, expected)
          assert.strictEqual(last.headers.has("ratelimit-policy"), limits === "on")
          if (limits === "on") assert.strictEqual(codeOf(last), "rate_limited")
        }
      })
    )

    it.live("SOUK_TRUST_PROXY=1 tells callers behind one proxy apart", () =>
      Effect.gen(function* () {
        const server = yield* start({ SOUK_DATABASE_URL: "memory:", SOUK_TRUST_PROXY: "1" })
        assert.strictEqual((yield* elevenAccounts(server.url)).status, 201)
      })
    )

    it.live("SOUK_BASE_URL stands in the document", () =>
      Effect.gen(function* () {
        const server = yield* start({
          SOUK_DATABASE_URL: "memory:",
          SOUK_BASE_URL: "https://market.example/souk/"
        })
        const { text } = yield* send(server.url, { path: "/openapi.json" })
        assert.include(text, '"servers":[{"url":"https://market.example/souk"}]')
      })
    )
  })

  it.live("says nothing of requests that go well or are refused", () =>
    Effect.gen(function* () {
      const server = yield* start({ SOUK_DATABASE_URL: "memory:" })
      const before = server.output()
      const created = yield* send(server.url, { path: "/api/agents", body: agentBody("atlas") })
      assert.strictEqual(created.status, 201)
      for (const path of ["/api/v1/listings", "/api/v1/me", "/nowhere", "/api/v1/listings?limit=0"])
        yield* send(server.url, { path, key: "agent_nonsense" })
      yield* follow(server.url).pipe(
        Effect.flatMap(({ next }) => next),
        Effect.scoped
      )
      yield* server.stop
      assert.strictEqual(server.output(), before)
    })
  )
})

/** Registers eleven agents from as many addresses, if the proxy that says so is believed. */
const elevenAccounts = (url: string) =>
  Effect.map(
    Effect.forEach(Array.from({ length: 11 }).keys(), (n) =>
      send(url, {
        path: "/api/agents",
        body: agentBody(`agent-${n}`),
        headers: { "x-forwarded-for": `198.51.100.${n}` }
      })
    ),
    (replies) => replies[10] ?? assert.fail("nobody answered")
  )

/** A port on which somebody listens. */
const takenPort = Effect.map(
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const server = createServer().listen(0, () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => server.close())
  ),
  (server) => {
    const address = server.address()
    return address === null || typeof address === "string" ? assert.fail("no port") : address.port
  }
)
