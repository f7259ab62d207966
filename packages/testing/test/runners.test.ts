/** The package as it is published, in each of the runners that it is for: `runners` holds a small suite for each. */
import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { globSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { promisify } from "node:util"
import { beforeAll } from "vitest"

const root = join(import.meta.dirname, "../../..")
const suites = join(import.meta.dirname, "runners")
const require = createRequire(import.meta.url)

/** Runs a program of Node in the folder of the suites, as from a shell, and gives what it says. */
const run = async (...args: ReadonlyArray<string>): Promise<string> => {
  const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: _context, ...env } = process.env
  const { stderr, stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: suites,
    env: { ...env, NO_COLOR: "1" }
  }).catch((failed: { readonly stdout?: string; readonly stderr?: string }) => {
    throw new Error(`${failed.stdout ?? ""}${failed.stderr ?? ""}`)
  })
  return stdout + stderr
}

describe("@souk/testing as it is built", { timeout: 120_000 }, () => {
  beforeAll(async () => {
    const tsc = join(root, "node_modules/typescript/bin/tsc")
    await promisify(execFile)(process.execPath, [tsc, "-b", join(root, "tsconfig.build.json")])
  }, 120_000)

  it("runs in node:test", async () => {
    assert.match(await run("--test", "sample.node.mjs"), /^. pass 1$/m)
  })

  it("runs in Vitest", async () => {
    const vitest = join(require.resolve("vitest/package.json"), "../vitest.mjs")
    assert.match(await run(vitest, "run", "--root", ".", "--config", "vitest.config.mjs"), /Tests\s+2 passed/)
  })

  it("runs in Jest", async () => {
    const jest = require.resolve("jest/bin/jest")
    const said = await run("--experimental-vm-modules", jest, "--config", "jest.config.mjs")
    assert.match(said, /Tests:\s+2 passed, 2 total/)
  })

  it("is of a syntax that every Node has which is supported", () => {
    const files = globSync("packages/{api,client,core,server,testing}/dist/**/*.js", { cwd: root })
    assert.isAbove(files.length, 100)
    const modern = files.filter((file) =>
      /^\s*(?:await )?using \w+ =/mu.test(readFileSync(join(root, file), "utf8"))
    )
    assert.deepStrictEqual(modern, [])
  })
})
