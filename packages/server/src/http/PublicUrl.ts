/** What the world calls the market: as the host says, or as the request that asks was addressed. */
import { HttpServerRequest } from "effect/http"
import { Option } from "effect"

export interface PublicUrlOptions {
  /** A URL, or only the path that the market is mounted at. */
  readonly baseUrl?: string | undefined
  /** How many proxies of its own the host has in front; with 0 `X-Forwarded-Proto` and `-Host` are not believed. */
  readonly trustProxy?: number | undefined
}

/** Finds the URL of the market without a slash at its end, such as `https://example.com/market`. */
export const of = (request: HttpServerRequest.HttpServerRequest, options: PublicUrlOptions): string => {
  const { baseUrl = "", trustProxy = 0 } = options
  const url = URL.canParse(baseUrl) ? baseUrl : originOf(request, trustProxy > 0) + baseUrl
  return url.replace(/\/+$/u, "")
}

// -----------------------------------------------------------------------------

const originOf = (request: HttpServerRequest.HttpServerRequest, behindProxy: boolean): string => {
  const addressed = URL.parse(request.originalUrl) ?? Option.getOrUndefined(HttpServerRequest.toURL(request))
  const origin = addressed?.origin ?? "http://localhost"
  if (!behindProxy) return origin
  const { protocol, host } = new URL(origin)
  const scheme = lastOf(request.headers["x-forwarded-proto"]) ?? protocol.slice(0, -1)
  const forwarded = `${scheme}://${lastOf(request.headers["x-forwarded-host"]) ?? host}`
  return URL.parse(forwarded)?.origin ?? origin
}

/** The word of the nearest proxy: each adds what it saw at the end. */
const lastOf = (header: string | undefined): string | undefined => header?.split(",").at(-1)?.trim()
