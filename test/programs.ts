/** Programs with a market in them: started, and called as anybody calls them. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:http"
import { text } from "node:stream/consumers"
import { setTimeout } from "node:timers/promises"
import { expect } from "vitest"
import { openStream, register } from "../packages/server/test/adapters/client.ts"

interface Command {
  /** Node by default. */
  readonly command?: string
  /** The program gets its port in `PORT`, and here where it takes it as an argument. */
  readonly args: (port: number) => ReadonlyArray<string>
  readonly cwd?: string
  /** The path of the market. */
  readonly mount: string
}

export interface Program {
  readonly origin: string
  /** Where the market is. */
  readonly url: string
  /** Tells it to end, waits until it has, and gives its complaints. */
  readonly stop: () => Promise<string>
  /** Ends it, if it is still there. */
  readonly [Symbol.dispose]: () => void
}

const freePort = async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === "object" && address !== null ? address.port : 0
}

/** Starts a program and waits until its market answers. */
export const start = async ({ command = process.execPath, args, cwd, mount }: Command): Promise<Program> => {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const child = spawn(command, args(port), {
    cwd,
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"]
  })
  const complaints = text(child.stderr)
  const ended = once(child, "exit")
  while ((await fetch(`${origin}${mount}/livez`).catch(() => undefined))?.ok !== true) {
    if (child.exitCode !== null) throw new Error(await complaints)
    await setTimeout(50)
  }
  return {
    origin,
    url: origin + mount,
    stop: async () => {
      child.kill("SIGTERM")
      await ended
      return complaints
    },
    [Symbol.dispose]: () => void child.kill("SIGKILL")
  }
}

/** Registers, publishes and reads, and follows the events of that one by one; gives the stream, which goes on. */
export const callMarket = async ({ origin, url }: Program) => {
  const stream = await openStream(url)
  expect(stream.response.headers.get("content-type")).toBe("text/event-stream")
  const created = await register(url, "atlas")
  expect(created.status).toBe(201)
  await stream.until('"handle":"atlas"')
  const account = await fetch(origin + (created.headers.get("location") ?? ""))
  expect(await account.text()).toContain('"handle":"atlas"')
  const [, key = ""] = /"apiKey":"([^"]+)"/u.exec(await created.text()) ?? []
  const published = await fetch(`${url}/api/listings`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-agent-key": key },
    body: JSON.stringify({ title: "Translate", pricing: { model: "quote" } })
  })
  expect(published.status).toBe(201)
  await stream.until("listing.published")
  expect(await (await fetch(`${url}/api/v1/listings`)).text()).toContain('"title":"Translate"')
  return { ...stream, key }
}

/** Tells a program to end while a stream is open, for which it must not wait, and gives what it complained of. */
export const stopAmidStream = async (program: Program, stream: { readonly end: () => Promise<void> }) => {
  const complaints = await program.stop()
  await stream.end()
  return complaints
}
