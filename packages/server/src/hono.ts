/** @souk/server/hono: the market as a handler of Hono 4, on every runtime that Hono has. */
import { appOf } from "./createMarketplace.ts"
import type { Marketplace } from "./createMarketplace.ts"
import { below } from "./http/BasePath.ts"

/** What the handler needs of a context of Hono. */
export interface HonoContext {
  readonly req: { readonly raw: Request; readonly arrayBuffer: () => Promise<ArrayBuffer> }
  readonly env: unknown
  readonly newResponse: (body: ReadableStream | null, init: Response) => Response
}

/** A handler for `app.use(handler)` and `app.all(path, handler)`. */
export type HonoHandler<Context extends HonoContext> = (
  context: Context,
  next: () => Promise<void>
) => Promise<Response | void>

export interface HonoHandlerOptions<Context> {
  /** Finds the address of the caller; that of the connection on Node by default, else none. */
  readonly clientAddress?: (context: Context) => string | undefined
}

/**
 * Makes the handler. It keeps the headers that the host has set before, and calls `next` for what is outside of
 * `basePath`. A body that the host has read before arrives as it was sent.
 *
 * On other runtimes than Node, tell the address of the caller: `getConnInfo(c).remote.address` of the runtime's adapter.
 */
export const toHonoHandler = <Context extends HonoContext = HonoContext>(
  marketplace: Marketplace,
  { clientAddress = addressOnNode }: HonoHandlerOptions<Context> = {}
): HonoHandler<Context> => {
  const { basePath } = appOf(marketplace)
  return async (context, next) => {
    const { raw } = context.req
    if (basePath !== "" && below(basePath, new URL(raw.url).pathname) === undefined) return next()
    const request = raw.bodyUsed
      ? new Request(raw, { method: raw.method, body: await context.req.arrayBuffer() })
      : raw
    const response = await marketplace.fetch(request, {
      host: context,
      clientAddress: clientAddress(context)
    })
    return context.newResponse(response.body, response)
  }
}

// -----------------------------------------------------------------------------

/** `@hono/node-server` gives the request of Node as `env.incoming`. */
const addressOnNode = ({ env }: HonoContext): string | undefined => {
  const address = ["incoming", "socket", "remoteAddress"].reduce<unknown>(
    (inner, name) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, name) : undefined),
    env
  )
  return typeof address === "string" ? address : undefined
}
