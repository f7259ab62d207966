/** @souk/server/next: the market as route handlers of Next.js. */
import type { Marketplace } from "./createMarketplace.ts"

/** A route handler: it takes Next's request, which is a `Request`. */
export type NextHandler = (request: Request) => Promise<Response>

/** One for each method that Next passes on; the market answers those that it does not have. */
export type NextHandlers = Readonly<
  Record<"GET" | "HEAD" | "OPTIONS" | "POST" | "PUT" | "PATCH" | "DELETE", NextHandler>
>

export interface NextHandlersOptions {
  /** Finds the address of the caller, which Next does not tell; none by default. */
  readonly clientAddress?: (request: Request) => string | undefined
}

/**
 * Makes the handlers, for `app/market/[[...path]]/route.ts` where `basePath` is `/market`.
 *
 * **Gotchas**
 *
 * Next tells the address of a caller in `X-Forwarded-For` alone: create the marketplace with `trustProxy: 1`, or one more
 * for each proxy in front. Create it once for the process, on `globalThis`: Next may load a module several times.
 */
export const toNextHandlers = (
  marketplace: Marketplace,
  { clientAddress = () => undefined }: NextHandlersOptions = {}
): NextHandlers => {
  const handle: NextHandler = (request) => {
    const address = clientAddress(request)
    return marketplace.fetch(request, {
      host: request,
      ...(address === undefined ? {} : { clientAddress: address })
    })
  }
  return {
    GET: handle,
    HEAD: handle,
    OPTIONS: handle,
    POST: handle,
    PUT: handle,
    PATCH: handle,
    DELETE: handle
  }
}
