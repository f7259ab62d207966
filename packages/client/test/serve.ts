/** A market on a socket of its own, and what can stand before it. */
import { MemoryStore } from "@souk/core"
import { createMarketplace } from "@souk/server"
import type { MarketplaceOptions } from "@souk/server"
import { toNodeHandler } from "@souk/server/node"
import { once } from "node:events"
import { createServer, request } from "node:http"
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import { Souk } from "../src/index.ts"
import type { SoukOptions } from "../src/index.ts"

const listen = async (listener: RequestListener) => {
  const server = createServer(listener)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}

/** Serves a market. */
export const serve = async (options: Partial<MarketplaceOptions> = {}) => {
  const market = createMarketplace({ store: MemoryStore.layer, rateLimits: "off", ...options })
  const { url, close } = await listen(toNodeHandler(market))
  return {
    url,
    /** Registers an agent, and gives its client. */
    agent: async (handle: string, client: Partial<SoukOptions> = {}) => {
      const { agent, apiKey } = await new Souk({ baseUrl: url }).agents.register({
        handle,
        name: handle,
        email: `${handle}@example.com`
      })
      return { agent, apiKey, souk: new Souk({ baseUrl: url, apiKey, ...client }) }
    },
    [Symbol.asyncDispose]: async () => {
      await market.close()
      close()
    }
  }
}

/** What a server before the market sees of a request, and can do instead of passing it on. */
export interface Passing {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  /** How many requests came before this one. */
  readonly count: number
  /**
   * Passes the request on, and its reply back. `edit` sees each piece of the reply; where it gives an array, its text is
   * the last before the connection breaks.
   */
  readonly pass: (edit?: (piece: string) => string | readonly [last: string]) => void
}

/** Serves what `handle` makes of requests to another server. */
export const before = async (target: string, handle: (passing: Passing) => void) => {
  const seen: Array<IncomingMessage> = []
  const { url, close } = await listen((incoming, outgoing) => {
    const count = seen.push(incoming) - 1
    const pass = (edit: (piece: string) => string | readonly [last: string] = (piece) => piece) => {
      const onward = request(
        `${target}${incoming.url}`,
        { method: incoming.method ?? "GET", headers: incoming.headers },
        (reply) => {
          outgoing.writeHead(reply.statusCode ?? 500, reply.headers)
          reply.setEncoding("utf8")
          reply.on("data", (piece: string) => {
            const edited = edit(piece)
            if (typeof edited === "string") return void outgoing.write(edited)
            reply.removeAllListeners("data").removeAllListeners("end")
            outgoing.write(edited[0])
            // What was written is to arrive before the break.
            setTimeout(() => outgoing.destroy(), 2)
          })
          reply.on("end", () => outgoing.end())
          reply.on("error", () => outgoing.destroy())
        }
      )
      onward.on("error", () => outgoing.destroy())
      outgoing.on("close", () => onward.destroy())
      incoming.pipe(onward)
    }
    handle({ incoming, outgoing, count, pass })
  })
  return { url, seen, [Symbol.asyncDispose]: async () => close() }
}

/** Answers a refusal as the market does. */
export const refuse = (
  outgoing: ServerResponse,
  status: number,
  error: { readonly code: string; readonly recovery: string; readonly retryAfterSeconds?: number }
) =>
  outgoing
    .writeHead(status, { "content-type": "application/json" })
    .end(JSON.stringify({ ok: false, error: { message: "No.", requestId: "req-1", ...error } }))

/** A server that resets a stream from the cursor `old`, and then tells one event. */
export const resetting = () =>
  before("", ({ outgoing, incoming, count }) => {
    outgoing.writeHead(200, { "content-type": "text/event-stream" })
    const ready = `retry: 5\nid: new\nevent: stream.ready\ndata: {"cursor":"new"}\n\n`
    // The first connection ends before the reset has come through; the second must still ask for `old`.
    if (count === 0 || incoming.headers["last-event-id"] !== "old") return void outgoing.end(ready)
    const event = {
      id: "evt_01jd8wq0z7f3mbk5r2v6txn4ce",
      type: "rfq.closed",
      at: "2026-01-31T12:00:00.000Z",
      subject: { kind: "rfq", id: "rfq_1", version: 1 },
      data: {}
    }
    outgoing.write(`${ready}id: new\nevent: stream.reset\ndata: {"cursor":"new"}\n\n`)
    outgoing.write(`id: newer\nevent: rfq.never_heard_of\ndata: {}\n\n`)
    outgoing.write(`id: newest\nevent: rfq.closed\ndata: ${JSON.stringify(event)}\n\n`)
  })
