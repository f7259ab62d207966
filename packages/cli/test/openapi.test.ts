import { assert, describe, it } from "@effect/vitest"
import { openApiDocument } from "@souk/api"
import { Effect } from "effect"
import { readFile } from "node:fs/promises"
import { send } from "./Caller.ts"
import { run, start } from "./Server.ts"

describe("souk openapi", () => {
  it.live("prints the document that the market serves, and nothing else", () =>
    Effect.gen(function* () {
      const { code, stdout, stderr } = yield* run(["openapi"])
      assert.deepStrictEqual([code, stderr], [0, ""])
      const server = yield* start({ SOUK_DATABASE_URL: "memory:" })
      const served = yield* send(server.url, { path: "/openapi.json" })
      assert.deepStrictEqual(JSON.parse(stdout), JSON.parse(served.text))
    })
  )

  it.live("takes what the world calls the market", () =>
    Effect.gen(function* () {
      const { stdout } = yield* run(["openapi", "--base-url", "https://market.example/souk/"])
      const expected = openApiDocument({ serverUrl: "https://market.example/souk" })
      assert.deepStrictEqual(JSON.parse(stdout), JSON.parse(JSON.stringify(expected)))
      const refused = yield* run(["openapi", "--base-url", "market.example"])
      assert.strictEqual(refused.code, 1)
      assert.include(refused.stderr, "an http:// or https:// URL")
    })
  )
})

describe("souk --version", () => {
  it.live("is that of the package", () =>
    Effect.gen(function* () {
      const manifest = yield* Effect.promise(() =>
        readFile(new URL("../package.json", import.meta.url), "utf8")
      )
      const { stdout } = yield* run(["--version"])
      assert.include(manifest, `"version": "${/v(\S+)/u.exec(stdout)?.[1]}"`)
    })
  )
})
