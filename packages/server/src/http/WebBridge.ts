/**
 * From `node:http` to `Request` and `Response`, for hosts that want the answer as a value, so that their own hooks see
 * it: Fastify and Koa.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { appOf } from "../createMarketplace.ts"
import type { Marketplace } from "../createMarketplace.ts"
import { headersOfRead } from "./HostRequest.ts"
import type { HostView } from "./NodeHandler.ts"

interface WebView extends HostView {
  /** What the framework made of the request. */
  readonly host: unknown
  readonly body?: Uint8Array<ArrayBuffer> | undefined
}

/**
 * Asks the marketplace. The work stops when the connection closes; what is sent of the answer is cut off when the
 * marketplace has waited long enough for it.
 *
 * `body` is what a parser of the host has read; by default it is read from the request as the market asks for it.
 */
export const ask = (
  marketplace: Marketplace,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { url, clientAddress, host, body }: WebView
): Promise<Response> => {
  const abort = new AbortController()
  const sent = appOf(marketplace).sending(() => outgoing.destroy())
  outgoing.once("close", () => {
    sent()
    if (!outgoing.writableFinished) abort.abort()
  })
  outgoing.once("finish", () => letGo(incoming))
  const { method = "GET" } = incoming
  const headers = new Headers()
  for (const [name, value] of Object.entries(
    body === undefined ? incoming.headers : headersOfRead(incoming.headers, body)
  ))
    for (const one of [value ?? []].flat()) headers.append(name, one)
  const request = new Request(`http://localhost${url.startsWith("/") ? url : `/${url}`}`, {
    method: unsayable.has(method) ? "POST" : method,
    headers,
    signal: abort.signal,
    ...(method === "GET" || method === "HEAD" ? {} : { body: body ?? bodyOf(incoming), duplex: "half" })
  })
  if (unsayable.has(method)) Object.defineProperty(request, "method", { value: method })
  return marketplace.fetch(request, { host, clientAddress })
}

// -----------------------------------------------------------------------------

/** Methods that HTTP has and `Request` refuses. The market refuses them as well, but with a word. */
const unsayable = new Set(["CONNECT", "TRACE", "TRACK"])

/** How much of a body that nobody wants is read, so that the connection can go on. */
const maxDrainBytes = 256 * 1024

/** How long a caller who goes on sending may take to read the answer. */
const closeMillis = 500

/** Reads as fast as it is read. Leaving off does not end the connection, over which the answer still has to go. */
const bodyOf = (incoming: IncomingMessage) =>
  ReadableStream.from<Uint8Array>(incoming.iterator({ destroyOnReturn: false }))

/** Does with the rest of a body that was answered early what Node does with one that nobody has read. */
const letGo = (incoming: IncomingMessage) => {
  if (incoming.complete || incoming.destroyed) return
  let bytes = 0
  incoming.on("data", (chunk: Uint8Array) => {
    bytes += chunk.byteLength
    if (bytes <= maxDrainBytes) return
    incoming.pause()
    incoming.socket.end()
    setTimeout(() => incoming.socket.destroy(), closeMillis).unref()
  })
  incoming.resume()
}
