/**
 * The code in the documentation is run.
 *
 * Every `ts` block of the README, the guides and the packages' READMEs is type-checked. What stands behind the language
 * says what else happens to a block: `ts run` must end well, `ts serve` must answer `/livez` on the port that it is
 * given and end when it is told to, and the `bash run` blocks of a file must end well one after the other, in one
 * shell, against a market in memory.
 */
import { assert, describe, it } from "@effect/vitest"
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll } from "vitest"

interface Block {
  readonly file: string
  readonly line: number
  readonly language: string
  /** What happens to the block beside being type-checked; empty for nothing. */
  readonly task: string
  readonly code: string
}

const root = join(import.meta.dirname, "../..")

/** Inside the workspace, so that packages are found by their names. */
const snippets = join(root, "docs/.snippets")

const files = globSync(["README.md", "docs/**/*.md", "packages/*/README.md"], { cwd: root }).toSorted()

const blocksOf = (file: string): ReadonlyArray<Block> => {
  const text = readFileSync(join(root, file), "utf8")
  return [...text.matchAll(/^```(\w+)(?: (\w+))?\n(.*?)^```$/gmsu)].map(
    ({ 1: language = "", 2: task = "", 3: code = "", index }) => ({
      file,
      line: text.slice(0, index).split("\n").length,
      language,
      task,
      code
    })
  )
}

const blocks = files.flatMap(blocksOf)
const typed = blocks.filter(({ language }) => language === "ts")
const doing = (language: string, task: string) =>
  blocks.filter((block) => block.language === language && block.task === task)

const nameOf = ({ file, line }: Block) => `${file}:${line}`
const pathOf = ({ file, line }: Block) =>
  join(snippets, `${file.replaceAll(/[/.]/gu, "-")}-${String(line).padStart(4, "0")}.ts`)

const options = {
  extends: "../../tsconfig.base.json",
  compilerOptions: {
    noEmit: true,
    composite: false,
    declarationMap: false,
    sourceMap: false,
    noUnusedLocals: false,
    rewriteRelativeImportExtensions: false,
    allowImportingTsExtensions: true,
    rootDir: "../.."
  },
  include: ["*.ts"]
}

const run = promisify(execFile)
const tsc = join(root, "node_modules/.bin/tsc")

/** Runs a command and fails with all that it said when it fails. */
const succeeds = async (
  command: string,
  args: ReadonlyArray<string>,
  env: NodeJS.ProcessEnv,
  cwd: string
) => {
  const { stdout } = await run(command, args, { cwd, env: { ...process.env, ...env } }).catch(
    (failed: { readonly stdout?: string; readonly stderr?: string }) => {
      throw new Error(`${failed.stdout ?? ""}${failed.stderr ?? ""}`)
    }
  )
  return stdout
}

const freePort = async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  await new Promise((done) => server.close(done))
  return port
}

/** Starts a program of node that listens, and gives where; it is told to end when the scope does. */
const serving = async (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv, cwd: string) => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const child = spawn(process.execPath, ["--conditions=source", ...args], {
    cwd,
    env: { ...process.env, ...env, PORT: String(port) },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let said = ""
  child.stdout.on("data", (text) => (said += String(text)))
  child.stderr.on("data", (text) => (said += String(text)))
  const ended = once(child, "exit")
  while ((await fetch(`${url}/livez`).catch(() => undefined))?.ok !== true) {
    if (child.exitCode !== null) throw new Error(said)
    await new Promise((done) => setTimeout(done, 50))
  }
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGTERM")
      await ended
    }
  }
}

describe("the documentation", () => {
  let scratch = ""

  beforeAll(() => {
    scratch = mkdtempSync(join(tmpdir(), "souk-docs-"))
    rmSync(snippets, { recursive: true, force: true })
    mkdirSync(snippets, { recursive: true })
    for (const block of typed) writeFileSync(pathOf(block), block.code)
    writeFileSync(join(snippets, "tsconfig.json"), JSON.stringify(options))
  })

  afterAll(() => {
    rmSync(snippets, { recursive: true, force: true })
    rmSync(scratch, { recursive: true, force: true })
  })

  it("has types that fit", { timeout: 60_000 }, async () => {
    assert.isNotEmpty(typed)
    await succeeds(tsc, ["-p", snippets], {}, root)
  })

  for (const block of doing("ts", "run"))
    it(`runs ${nameOf(block)}`, { timeout: 60_000 }, async () => {
      await succeeds(process.execPath, ["--conditions=source", pathOf(block)], {}, scratch)
    })

  for (const block of doing("ts", "serve"))
    it(`serves ${nameOf(block)}`, { timeout: 60_000 }, async () => {
      await using server = await serving([pathOf(block)], {}, mkdtempSync(join(scratch, "serve-")))
      assert.strictEqual((await fetch(`${server.url}/readyz`)).status, 200)
    })

  for (const file of new Set(doing("bash", "run").map(({ file }) => file)))
    it(`runs the shell of ${file}`, { timeout: 60_000 }, async () => {
      const main = join(root, "packages/cli/src/main.ts")
      await using server = await serving([main, "serve"], { SOUK_DATABASE_URL: "memory:" }, scratch)
      const script = doing("bash", "run")
        .filter((block) => block.file === file)
        .map(({ code }) => code)
        .join("\n")
      const output = await succeeds("bash", ["-euo", "pipefail", "-c", script], { SOUK: server.url }, scratch)
      assert.notInclude(output, "undefined")
    })

  it("links to what is there", () => {
    const dead = files.flatMap((file) =>
      [...readFileSync(join(root, file), "utf8").matchAll(/\]\((?!https?:|#|mailto:)([^)#]+)/gu)]
        .map(({ 1: target = "" }) => target)
        .filter((target) => !existsSync(resolve(root, dirname(file), target)))
        .map((target) => `${file}: ${target}`)
    )
    assert.deepStrictEqual(dead, [])
  })
})
