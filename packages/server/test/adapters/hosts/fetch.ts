import { getRequestListener } from "@hono/node-server"
import { createServer } from "node:http"
import { toNextHandlers } from "../../../src/next.ts"
import { listening, ownPage } from "../Host.ts"
import type { Host } from "../Host.ts"

const isBelow = (mount: string, request: Request) => {
  const { pathname } = new URL(request.url)
  return pathname === mount || pathname.startsWith(`${mount}/`)
}

const bare = {
  noNext: "the host asks the market for the paths that it chooses",
  noParser: "a Request is read by one alone",
  undressed: "there is no middleware"
}

/** As `Bun.serve`, `Deno.serve` and workers call it: with a Request, and the address as the runtime has it. */
export const plainFetch: Host = {
  name: "fetch",
  cannot: bare,
  start: ({ marketplace, mount }) =>
    listening(
      createServer(
        getRequestListener((request, { incoming }) =>
          isBelow(mount, request)
            ? marketplace.fetch(request, {
                clientAddress: incoming.socket.remoteAddress ?? "",
                host: request
              })
            : new Response(ownPage)
        )
      )
    )
}

const isMethod = <Handlers extends object>(
  method: PropertyKey,
  handlers: Handlers
): method is keyof Handlers => method in handlers

/** The route handlers as Next calls them, by method and with a Request; Next itself is not here. */
export const nextHandlers: Host = {
  name: "next route handlers",
  cannot: { ...bare, noAddress: "Next tells no address but in X-Forwarded-For" },
  start: ({ marketplace, mount }) => {
    const handlers = toNextHandlers(marketplace)
    return listening(
      createServer(
        getRequestListener((request) => {
          const { method } = request
          return isBelow(mount, request) && isMethod(method, handlers)
            ? handlers[method](request)
            : new Response(ownPage)
        })
      )
    )
  }
}
