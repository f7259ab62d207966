/**
 * Each example that mounts a market is started, called over HTTP and told to end. Those for Next, Bun, Deno and workers
 * run on what is packed: `npm run check:packages`.
 */
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { callMarket, start, stopAmidStream } from "../test/programs.ts"

const hosts = ["node-http", "express", "fastify", "koa", "hono", "nest", "effect-app"]

describe("the example hosts", { timeout: 60_000 }, () => {
  it.each(hosts)("%s serves a market beside its own page", async (name) => {
    const main = fileURLToPath(new URL(`${name}/main.ts`, import.meta.url))
    const mount = name === "effect-app" ? "" : "/market"
    using program = await start({ args: () => ["--conditions=source", main], mount })
    const stream = await callMarket(program)
    const own = await fetch(`${program.origin}/about`)
    expect(await own.text()).toContain(name === "nest" ? "Cannot GET /about" : "Our own page")
    expect(await stopAmidStream(program, stream)).toBe("")
  })
})
