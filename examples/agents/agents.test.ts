import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer, request } from "node:http"
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { Souk } from "@souk/client"
import { MemoryStore } from "@souk/core"
import { createMarketplace } from "@souk/server"
import { toNodeHandler } from "@souk/server/node"
import { describe, expect, it } from "vitest"

const listen = async (listener: RequestListener) => {
  const server = createServer(listener).listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    }
  }
}

/** A line to a server that cuts every stream of events in the middle of its third event. */
const cutting = async (target: string) => {
  const cuts = { count: 0 }
  const pipe = (reply: IncomingMessage, outgoing: ServerResponse) => {
    let seen = ""
    reply.setEncoding("utf8").on("data", (piece: string) => {
      const from = seen.length
      // So that nobody waits for three seconds to come back.
      seen += piece.replace("retry: 3000", "retry: 20")
      const third = /^.*?(?:event: .*?){3}/su.exec(seen)
      outgoing.write(seen.slice(from, third?.[0].length))
      if (third === null) return
      cuts.count++
      reply.removeAllListeners("data")
      // What was written is to arrive before the break.
      setTimeout(() => outgoing.destroy(), 2)
    })
    reply.on("end", () => outgoing.end())
  }
  const line = await listen((incoming, outgoing) => {
    const { headers, method = "GET", url } = incoming
    const onward = request(`${target}${url}`, { method, headers }, (reply) => {
      outgoing.writeHead(reply.statusCode ?? 500, reply.headers)
      if (reply.headers["content-type"] === "text/event-stream") pipe(reply, outgoing)
      else reply.pipe(outgoing)
    })
    onward.on("error", () => outgoing.destroy())
    outgoing.on("close", () => onward.destroy())
    incoming.pipe(onward)
  })
  return { ...line, cuts }
}

/** Runs one of the agents as a program of its own. */
const run = async (...args: ReadonlyArray<string>) => {
  const main = fileURLToPath(new URL("main.ts", import.meta.url))
  const child = spawn(process.execPath, ["--conditions=source", main, ...args], {
    stdio: ["ignore", "pipe", "pipe"]
  })
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")])
  return { code: child.exitCode, out, err }
}

describe("the two agents", { timeout: 60_000 }, () => {
  it("find each other and carry a deal through, over a line that is cut again and again", async () => {
    const market = createMarketplace({ store: MemoryStore.layer, rateLimits: "off" })
    await using server = await listen(toNodeHandler(market))
    await using line = await cutting(server.url)

    const [seller, buyer] = await Promise.all([
      run("seller", "--deals", "1", "--url", line.url),
      run("buyer", "--url", line.url)
    ])

    expect([seller.err, seller.code, buyer.err, buyer.code]).toEqual(["", 0, "", 0])
    expect(line.cuts.count).toBeGreaterThan(1)
    const [, roomId] = /^done: (room_\w+)$/mu.exec(buyer.out) ?? []
    expect(roomId).toBeDefined()
    expect(buyer.out).toContain("agrees to 382.50")
    expect(seller.out).toContain("gives 5 stars")

    const souk = new Souk({ baseUrl: server.url })
    const { rfqs } = await souk.rfqs.list({ status: "awarded" })
    expect(rfqs).toHaveLength(1)
    for await (const { handle, reputation } of souk.agents.list())
      expect([handle, reputation.completedDeals, reputation.rating]).toEqual([handle, 1, 5])
    await market.close()
  })
})
