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
 * Give it a function that creates the marketplace once for the process, on `globalThis`: it is called at each request,
 * and not when the module is loaded. Next loads it several times, and also in processes that serve nothing: in
 * `next build`, and in those in which `next dev` looks for static paths. A market that is created there takes the
 * SQLite file from the one that serves, and works on the database while the application is built.
 *
 * **Gotchas**
 *
 * Next tells the address of a caller in `X-Forwarded-For` alone: create the marketplace with `trustProxy: 1`, or one more
 * for each proxy in front. What a caller has written there himself is passed on, unless a proxy in front replaces it.
 */
export const toNextHandlers = (
  marketplace: Marketplace | (() => Marketplace),
  { clientAddress = () => undefined }: NextHandlersOptions = {}
): NextHandlers => {
  // Known by its form alone: what is on globalThis may come from another copy of this module.
  if (typeof marketplace !== "function" && typeof marketplace?.fetch !== "function")
    throw new TypeError(
      "toNextHandlers takes a marketplace that createMarketplace made, or a function that gives it."
    )
  const handle: NextHandler = async (request) => {
    const { fetch } = typeof marketplace === "function" ? marketplace() : marketplace
    return fetch(request, { host: request, clientAddress: clientAddress(request) })
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
