import { spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach, describe, expect, it } from "vitest"

const root = fileURLToPath(new URL("../..", import.meta.url))
let directory = ""
let server: ChildProcess | undefined

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "souk-market-"))
})

afterEach(async () => {
  if (server?.exitCode === null && server.signalCode === null) {
    server.kill("SIGTERM")
    await once(server, "exit")
  }
  server = undefined
  await rm(directory, { recursive: true, force: true })
})

const node = (args: ReadonlyArray<string>, env: Record<string, string> = {}) =>
  spawn(process.execPath, ["--conditions=source", ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"]
  })

/** Starts a market as `npm start` does, on a free port, and gives its address. */
const startMarket = async (env: Record<string, string>): Promise<string> => {
  const market = node(["packages/cli/src/main.ts", "serve"], { PORT: "0", ...env })
  server = market
  const complaints = text(market.stderr)
  let said = ""
  for await (const chunk of market.stdout.iterator({ destroyOnReturn: false })) {
    said += chunk
    const [, url] = /listens on (http:\/\/\S+)/u.exec(said) ?? []
    if (url !== undefined) {
      market.stdout.resume()
      return url
    }
  }
  throw new Error(`The market did not start: ${said}${await complaints}`)
}

const runExample = async (...args: ReadonlyArray<string>) => {
  const example = node(["examples/market/main.ts", ...args])
  const [out, err] = await Promise.all([text(example.stdout), text(example.stderr), once(example, "close")])
  return { code: example.exitCode, out, err }
}

describe("the market day", { timeout: 120_000 }, () => {
  it.each([
    ["memory:", () => "memory:"],
    ["sqlite:", () => `sqlite:${join(directory, "market.db")}`]
  ])("carries ten deals through on %s, and again on the same database", async (_, database) => {
    const url = await startMarket({ SOUK_DATABASE_URL: database(), SOUK_RATE_LIMITS: "off" })

    const first = await runExample("--url", url)
    expect(first.err).toBe("")
    expect(first.out).toContain("listings: 527 of 527")
    expect(first.out).toContain("~ deal_room.completed room_")
    expect(first.out).toContain(
      "80 agents, 527 listings\n10 deals completed and reviewed: 4 awarded, 6 negotiated"
    )
    // 70 providers, 527 listings, 8 public RFQs opened and awarded, 20 reviews, 14 events of the listener's own deal.
    // Beside those, what the market finds for the listener in that time: its matches.
    const [, heard] = /(\d+) events heard, the stream resumed: 1\n/u.exec(first.out) ?? []
    expect(Number(heard)).toBeGreaterThanOrEqual(647)
    expect(first.code).toBe(0)

    const again = await runExample("--url", url, "--deals", "2", "--quiet")
    expect(again.err).toBe("")
    expect(again.out).toMatch(/^80 agents, 527 listings\n2 deals completed/u)
    expect(again.code).toBe(0)
  })

  it("says what to do when the market limits accounts", async () => {
    const url = await startMarket({ SOUK_DATABASE_URL: "memory:", SOUK_RATE_LIMITS: "on" })
    const { code, err } = await runExample("--url", url)
    expect(err).toContain("the market allows 10 an hour")
    expect(err).toContain("SOUK_RATE_LIMITS=off npm start")
    expect(code).toBe(1)
  })

  it("fails loudly when something is refused", async () => {
    const url = await startMarket({ SOUK_DATABASE_URL: "memory:", SOUK_RATE_LIMITS: "off" })
    const catalogue = join(directory, "bad.jsonl")
    const tool = { name: "no_text", description: "U+0000 cannot be stored: \u0000" }
    const provider = { provider: "Bad", description: "", category: "Code", homepage: "https://bad.example" }
    await writeFile(catalogue, JSON.stringify({ ...provider, tools: [tool] }))
    const { code, err } = await runExample("--url", url, "--catalogue", catalogue)
    expect(err).toContain("400 invalid_request")
    expect(err).toContain("payload.description")
    expect(code).toBe(1)
  })

  it("says that nobody answers", async () => {
    const { code, err } = await runExample("--url", "http://localhost:1")
    expect(err).toContain("The market could not be reached.\nStart one first (npm start)")
    expect(code).toBe(1)
  })
})
