/**
 * The market on Bun, Deno and workerd, installed from the tarballs: the examples as they are, and the requirements on
 * hosts that others are held to as well.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, globSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { verdictOf } from "../../packages/server/test/adapters/client.ts"
import type { Limitations } from "../../packages/server/test/adapters/Host.ts"
import { requirements } from "../../packages/server/test/adapters/requirements.ts"
import type { Open } from "../../packages/server/test/adapters/requirements.ts"
import { callMarket, start, stopAmidStream } from "../programs.ts"
import { like, project, root, run, tarballsOf } from "./project.ts"

const scratch = inject("scratch")
const folder = join(scratch, "runtimes")

/** The newest of each: what embedding.md says was run. */
const runtimes = ["bun@1.4.5", "deno@2.9.6", "workerd@1.20261117.1", "esbuild@0.28.2"]

/** The program of a platform's package, which the scripts of the package itself would only link to. */
const binary = (pattern: string) => {
  const [found] = globSync(pattern, { cwd: join(folder, "node_modules") })
  if (found === undefined) throw new Error(`${pattern} is not installed`)
  return join(folder, "node_modules", found)
}
const bun = () => ({ command: binary("@oven/bun-*/bin/bun"), args: ["run"] })
const deno = () => ({
  command: binary("@deno/*/deno"),
  args: ["run", "--allow-net", "--allow-env", "--allow-read", "--allow-write"]
})

const copy = (...patterns: ReadonlyArray<string>) => {
  for (const file of globSync(patterns, { cwd: root })) cpSync(join(root, file), join(folder, file))
}

beforeAll(async () => {
  const packages = tarballsOf(
    scratch,
    ...["api", "client", "core", "server", "sql", "testing"].map((name) => `@souk/${name}`)
  )
  await project(scratch, "runtimes", [...packages, ...like("effect"), ...runtimes])
  copy(
    "examples/{bun,deno,worker}/*",
    "test/packages/runtimes/*",
    "packages/server/test/adapters/{Host,furnish,stores}.ts"
  )
})

describe.each([
  { name: "bun", runtime: bun },
  { name: "deno", runtime: deno }
])("a market on $name", ({ name, runtime }) => {
  it("is served by the example beside its own page", async () => {
    const { command, args } = runtime()
    using program = await start({
      command,
      args: () => [...args, join(folder, `examples/${name}/main.ts`)],
      mount: "/market"
    })
    const stream = await callMarket(program)
    assert.strictEqual(await (await fetch(`${program.origin}/about`)).text(), "Our own page")
    assert.notMatch(await stopAmidStream(program, stream), /error/iu)
  })

  it("keeps what happens in a file of SQLite", async () => {
    const { command, args } = runtime()
    const program = [join(folder, "test/packages/runtimes/sqlite.ts"), join(folder, `${name}.db`)]
    assert.include(await run(folder, command, ...args, ...program), '"handle":"atlas"')
  })

  describe("by the requirements on hosts", () => {
    let landlord: Landlord

    beforeAll(async () => {
      const { command, args } = runtime()
      landlord = await startLandlord(command, [...args, join(folder, `test/packages/runtimes/${name}.ts`)])
    })

    afterAll(() => landlord.end())

    const kept = requirements.filter(({ unless }) => unless === undefined || cannot[unless] === undefined)

    it.each(kept)("$sentence", { timeout: 20_000 }, async ({ check }) => {
      await using opened = new AsyncDisposableStack()
      await check(async (opening = {}) => {
        const open = await landlord.open(opening)
        opened.defer(async () => {
          await open.marketplace.close()
          await open.close()
        })
        return open
      }, cannot)
    })
  })
})

describe("a market on workerd", () => {
  it("is served by the example beside its own page, by nothing of Node, and takes no webhooks", async () => {
    const worker = join(folder, "examples/worker")
    const bundle = ["--bundle", "--format=esm", "--target=es2024", "--conditions=workerd,worker"]
    // Fails on a module of Node: they are not there to be bundled.
    await run(worker, binary("@esbuild/*/bin/esbuild"), "main.ts", ...bundle, "--outfile=main.js")
    using program = await start({
      command: binary("@cloudflare/workerd-*/bin/workerd"),
      args: (port) => ["serve", join(worker, "worker.capnp"), `--socket-addr=http=127.0.0.1:${port}`],
      mount: "/market"
    })
    const { cancel, key } = await callMarket(program)
    assert.strictEqual(await (await fetch(`${program.origin}/about`)).text(), "Our own page")
    const webhook = await fetch(`${program.url}/api/webhooks`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-agent-key": key },
      body: JSON.stringify({ url: "https://hooks.example/market", types: ["listing.*"] })
    })
    assert.strictEqual(verdictOf(webhook.status, await webhook.text()), "403 policy_refused")
    await cancel()
  })
})

// -----------------------------------------------------------------------------

interface Landlord {
  readonly open: (opening: object) => Promise<Open>
  readonly end: () => void
}

const cannot: Limitations = {
  noNext: "the host asks the market for the paths that it chooses",
  noParser: "a Request is read by one alone",
  readsOn: "the runtime ends the connection when it sees fit",
  undressed: "there is no middleware"
}

const startLandlord = async (command: string, args: ReadonlyArray<string>): Promise<Landlord> => {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] })
  const [said] = await once(createInterface(child.stdout), "line")
  const landlord = `http://127.0.0.1:${said}`
  return {
    end: () => void child.kill("SIGKILL"),
    open: async (opening) => {
      const furniture = { mount: "", ...opening }
      const reply = await fetch(landlord, { method: "POST", body: JSON.stringify(furniture) })
      const { port } = JSON.parse(await reply.text())
      const ask = (what: string, query: Record<string, string> = {}) =>
        fetch(`${landlord}/${port}/${what}?${new URLSearchParams(query)}`)
      const told = async (what: string) => {
        const { status } = await ask(what)
        if (status !== 204) throw new Error(`${what} failed on ${command}`)
      }
      const origin = `http://127.0.0.1:${port}`
      return {
        port,
        origin,
        url: origin + furniture.mount,
        close: () => told("stop"),
        seen: async () => JSON.parse(await (await ask("seen")).text()),
        marketplace: {
          close: () => told("close"),
          ready: () => told("ready"),
          fetch: (request, { clientAddress: address = "" } = {}) =>
            ask("fetch", { url: request.url, address })
        }
      }
    }
  }
}
