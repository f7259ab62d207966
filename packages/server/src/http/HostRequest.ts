/**
 * What a host in front has made of a request of `node:http` before the market gets it: a path that is cut, a body that
 * is read.
 *
 * Express, Connect, Koa and Nest leave it in the same places, so it is looked for by structure and not by type.
 */
import type { IncomingHttpHeaders } from "node:http"

/** What tells of a request whether its body was read: that of HTTP/1 and that of HTTP/2 do. */
export interface Readable {
  readonly headers: IncomingHttpHeaders
  readonly readableDidRead: boolean
  readonly readableEnded: boolean
}

/**
 * The URL at which the market looks for its own: as it arrived where there is a `basePath`, else as the host left it.
 * Hosts that cut their prefix, Express, Connect and Koa, keep the former as `originalUrl`.
 */
export const urlOf = (request: { readonly url?: string | undefined }, basePath: string): string => {
  const original = basePath === "" ? undefined : fieldOf(request, "originalUrl")
  return typeof original === "string" ? original : (request.url ?? "/")
}

/** The address of the caller as the host has it: behind the proxies that the host trusts. */
export const addressOf = (request: object): string | undefined => {
  const ip = fieldOf(request, "ip")
  return typeof ip === "string" && ip !== "" ? ip : undefined
}

/**
 * The body that a parser in front has read, or `undefined` where nobody has: then it is still to be read.
 *
 * `keeper` is what the parser leaves its work on. Its `rawBody`, where there is one, is what the caller has sent. Its
 * `body` is written as JSON again. The market reads JSON as the parser did, so what it would keep is still there, but
 * a number beyond the range of a double is null by then, and a chunked body without a byte is `{}`.
 */
export const bodyReadOf = (request: Readable, keeper: object): Uint8Array<ArrayBuffer> | undefined => {
  if (!request.readableDidRead && !request.readableEnded) return undefined
  const { "content-length": length = "0", "transfer-encoding": coding } = request.headers
  const body = coding === undefined && length === "0" ? undefined : contentOf(keeper)
  // Who reads a body and keeps nothing of it has left an empty one.
  if (body === undefined) return new Uint8Array()
  return body instanceof Uint8Array ? Uint8Array.from(body) : encoder.encode(textOf(body))
}

/** The headers of a request whose body a parser has read, and decoded. */
export const headersOfRead = (headers: IncomingHttpHeaders, body: Uint8Array): IncomingHttpHeaders => ({
  ...headers,
  "content-length": String(body.byteLength),
  "content-encoding": undefined,
  "transfer-encoding": undefined
})

// -----------------------------------------------------------------------------

const encoder = new TextEncoder()

const fieldOf = (object: object, name: string): unknown => Reflect.get(object, name)

const contentOf = (keeper: object): unknown => fieldOf(keeper, "rawBody") ?? fieldOf(keeper, "body")

const textOf = (body: unknown): string => (typeof body === "string" ? body : (JSON.stringify(body) ?? ""))
