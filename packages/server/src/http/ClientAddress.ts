/**
 * The address that a request came from: what anonymous callers are counted by. Contract §1, "Rate limits".
 *
 * `X-Forwarded-For` can be written by anybody, so it is believed only as far as the host says how many proxies of its
 * own stand in front; each of them adds the address that it saw at the end.
 */
import { Context, Effect, Option, Result } from "effect"
import { HttpServerRequest } from "effect/http"
import { NetAddress } from "effect/net"
import type { Middleware } from "./Middleware.ts"

/** The address of the caller of the current request; `unknown` where the host does not tell. */
export const CurrentClientAddress = Context.Reference<string>("@souk/server/http/CurrentClientAddress", {
  defaultValue: () => "unknown"
})

/** Makes the middleware that sets `CurrentClientAddress`. `trustProxy` is the number of the host's own proxies. */
export const make =
  (trustProxy: number): Middleware =>
  (effect) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
      Effect.provideService(effect, CurrentClientAddress, of(request, trustProxy))
    )

/** Finds the address behind `trustProxy` proxies; behind fewer than that, the farthest that is known. */
export const of = (request: HttpServerRequest.HttpServerRequest, trustProxy: number): string => {
  const socket = Option.getOrElse(request.remoteAddress, () => "unknown")
  const forwarded = request.headers["x-forwarded-for"]?.split(",").map((address) => address.trim()) ?? []
  const hops = [...forwarded, socket]
  return hops[Math.max(0, hops.length - 1 - trustProxy)] ?? socket
}

/** The part of an address that one caller holds: all of IPv4, and the first 64 bits of IPv6. */
export const networkOf = (address: string): string => {
  const parsed = NetAddress.ipFromString(address)
  if (Result.isFailure(parsed)) return address.slice(0, 64)
  const ip = NetAddress.toCanonical(parsed.success)
  if (NetAddress.isIpv4Address(ip)) return NetAddress.formatIp(ip)
  const network = NetAddress.ipv6ToSegments(ip).slice(0, 4)
  return `${network.map((segment) => segment.toString(16)).join(":")}::/64`
}
