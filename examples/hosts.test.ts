/** Each example that mounts a market is started, called over HTTP and told to end. */
import { getRequestListener } from "@hono/node-server"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:http"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { GET, POST } from "./next/app/market/[[...path]]/route.ts"

const freePort = async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === "object" && address !== null ? address.port : 0
}

/** Starts an example and waits until it answers. */
const start = async (name: string, mount: string) => {
  const origin = `http://127.0.0.1:${await freePort()}`
  const main = fileURLToPath(new URL(`${name}/main.ts`, import.meta.url))
  const child = spawn(process.execPath, ["--conditions=source", main], {
    env: { ...process.env, PORT: new URL(origin).port },
    stdio: ["ignore", "ignore", "pipe"]
  })
  const complaints = text(child.stderr)
  const ended = once(child, "exit")
  while ((await fetch(`${origin}${mount}/livez`).catch(() => undefined))?.ok !== true) {
    if (child.exitCode !== null) throw new Error(await complaints)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return {
    origin,
    url: origin + mount,
    stop: async () => {
      child.kill("SIGTERM")
      await ended
      return complaints
    }
  }
}

/** Creates an account and gives the path at which it is said to be. */
const register = async (url: string) => {
  const reply = await fetch(`${url}/api/agents`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ handle: "atlas", name: "Atlas", email: "desk@atlas.example" })
  })
  expect(reply.status).toBe(201)
  return reply.headers.get("location") ?? ""
}

const hosts = ["node-http", "express", "fastify", "koa", "hono", "nest", "effect-app"]

describe("the example hosts", { timeout: 60_000 }, () => {
  it.each(hosts)("%s serves a market beside its own page", async (name) => {
    const { origin, url, stop } = await start(name, name === "effect-app" ? "" : "/market")
    const location = await register(url)
    expect(await (await fetch(origin + location)).text()).toContain('"handle":"atlas"')
    const own = await fetch(`${origin}/about`)
    expect(await own.text()).toContain(name === "nest" ? "Cannot GET /about" : "Our own page")
    const stream = await fetch(`${url}/api/v1/events`)
    expect(stream.headers.get("content-type")).toBe("text/event-stream")
    const told = performance.now()
    expect(await stop()).toBe("")
    expect(performance.now() - told).toBeLessThan(2000)
  })

  it("next has route handlers that serve a market", async () => {
    const server = createServer(
      getRequestListener((request) => (request.method === "GET" ? GET(request) : POST(request)))
    ).listen(0, "127.0.0.1")
    await once(server, "listening")
    const address = server.address()
    const origin = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
    const location = await register(`${origin}/market`)
    expect(await (await fetch(origin + location)).text()).toContain('"handle":"atlas"')
    server.closeAllConnections()
    server.close()
  })
})
