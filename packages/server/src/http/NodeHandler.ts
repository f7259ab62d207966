/** The market as a handler of `node:http`, below whatever host passes its requests and responses on. */
import { NodeHttpServer, NodeHttpServerRequest } from "@effect/platform-node"
import { Effect, Option, Scope } from "effect"
import { Headers, HttpServerRequest, HttpServerResponse } from "effect/http"
import { STATUS_CODES } from "node:http"
import type { IncomingMessage, ServerResponse } from "node:http"
import { appOf } from "../createMarketplace.ts"
import type { Marketplace } from "../createMarketplace.ts"
import { GivenHost } from "../HostPrincipal.ts"
import { below } from "./BasePath.ts"
import { bodyReadOf, headersOfRead } from "./HostRequest.ts"

/** What the host knows of a request. */
export interface HostView {
  /** The path and query below which the market looks for its own. */
  readonly url: string
  /** The address of the caller; that of the connection by default. */
  readonly clientAddress?: string | undefined
}

/** Makes the handler. It calls `next`, where there is one, for what is outside of `basePath`. */
export const make = <Request extends IncomingMessage>(
  marketplace: Marketplace,
  view: (request: Request, basePath: string) => HostView
) => {
  const { answer, basePath, sending } = appOf(marketplace)
  const views = new WeakMap<object, HostView>()
  const seen = Effect.updateService(answer, HttpServerRequest.HttpServerRequest, (request) => {
    const incoming = NodeHttpServerRequest.toIncomingMessage(request)
    const { url, clientAddress } = views.get(incoming) ?? {}
    const located = request.modify({
      // What nobody has cut was read already, also where it is a whole URL.
      url: url === undefined || url === incoming.url ? request.url : url,
      ...(clientAddress === undefined ? {} : { remoteAddress: Option.some(clientAddress) })
    })
    const body = bodyReadOf(incoming, incoming)
    if (body === undefined) return located
    const headers = Headers.fromInput(headersOfRead(request.headers, body))
    return bodied(located.modify({ headers }), body.buffer)
  })
  // Frameworks on node:http leave what they know, such as who is logged in, on its request.
  const known = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
    Effect.provideService(seen, GivenHost, NodeHttpServerRequest.toIncomingMessage(request))
  )
  // Requests end with the marketplace, not with a scope.
  const handle = Effect.runSync(
    NodeHttpServer.makeHandler(Effect.map(known, named), { scope: Scope.makeUnsafe() })
  )
  return (request: Request, response: ServerResponse, next?: () => void): void => {
    const seen = view(request, basePath)
    if (next !== undefined && basePath !== "" && below(basePath, seen.url) === undefined) return next()
    views.set(request, seen)
    response.once(
      "close",
      sending(() => response.destroy())
    )
    handle(request, response)
  }
}

// -----------------------------------------------------------------------------

/**
 * Says the reason with the status. Without it the headers are the third argument of `writeHead` behind an undefined
 * second, where what stands before us and hooks `writeHead` (`compression`, `express-session`) loses them all.
 */
const named = (response: HttpServerResponse.HttpServerResponse) =>
  HttpServerResponse.setStatus(response, response.status, STATUS_CODES[response.status] ?? "")

/** Gives a view of a request whose body is at hand. A view and not a class of its own: a request of Node has members beyond the interface, which its adapter reads. */
const bodied = (
  request: HttpServerRequest.HttpServerRequest,
  buffer: ArrayBuffer
): HttpServerRequest.HttpServerRequest =>
  Object.create(request, {
    arrayBuffer: { value: Effect.succeed(buffer) },
    modify: {
      value: (...change: Parameters<typeof request.modify>) => bodied(request.modify(...change), buffer)
    }
  })
