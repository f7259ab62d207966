/** The example for Next as a stranger has it: installed from the tarballs, built by Next and served by it. */
import { cpSync, globSync } from "node:fs"
import { join } from "node:path"
import { assert, beforeAll, describe, inject, it } from "vitest"
import { openStream } from "../../packages/server/test/adapters/client.ts"
import { callMarket, start, stopAmidStream } from "../programs.ts"
import { install, root, run, tarballsOf } from "./project.ts"

const scratch = inject("scratch")
const folder = join(scratch, "next")
const next = join(folder, "node_modules/next/dist/bin/next")

const serve = () => start({ args: () => [next, "start", "-H", "127.0.0.1"], cwd: folder, mount: "/market" })

describe("the example for Next", () => {
  beforeAll(async () => {
    for (const file of globSync(["*.{ts,json}", "app/**/*.{ts,tsx}"], { cwd: join(root, "examples/next") }))
      cpSync(join(root, "examples/next", file), join(folder, file))
    await install(folder, tarballsOf(scratch, "@souk/api", "@souk/core", "@souk/server"))
    process.env["NEXT_TELEMETRY_DISABLED"] = "1"
    await run(folder, process.execPath, next, "build")
  })

  it("serves a market beside its own page", async () => {
    using program = await serve()
    const stream = await callMarket(program)
    assert.include(await (await fetch(`${program.origin}/about`)).text(), "Our own page")
    assert.strictEqual(await stopAmidStream(program, stream), "")
  })

  it("has one market for all that is asked at once, and knows callers by their address", async () => {
    using program = await serve()
    const stream = await openStream(program.url)
    const register = (handle: string, address: string) =>
      fetch(`${program.url}/api/agents`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-forwarded-for": address },
        body: JSON.stringify({ handle, name: handle, email: `${handle}@example.com` })
      })
    const handles = Array.from({ length: 11 }, (_, index) => `agent-${index}`)
    const replies = await Promise.all(handles.map((handle) => register(handle, "192.0.2.1")))
    assert.deepStrictEqual(replies.map(({ status }) => status).toSorted(), [
      ...Array.from({ length: 10 }, () => 201),
      429
    ])
    assert.strictEqual((await register("other", "192.0.2.2")).status, 201)
    await stream.until('"handle":"other"')
    await stopAmidStream(program, stream)
  })
})
