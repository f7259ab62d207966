/** @souk/server/koa: the market as a middleware of Koa 3. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { Readable } from "node:stream"
import { appOf } from "./createMarketplace.ts"
import type { Marketplace } from "./createMarketplace.ts"
import { below } from "./http/BasePath.ts"
import * as HostRequest from "./http/HostRequest.ts"
import * as WebBridge from "./http/WebBridge.ts"

/** What the middleware needs of a context of Koa. */
export interface KoaContext {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  /** Where a body parser leaves `body`, and `rawBody`. */
  readonly request: object
  readonly url: string
  readonly originalUrl: string
  readonly ip: string
  status: number
  body: unknown
  readonly set: (name: string, value: string) => unknown
}

/** A middleware for `app.use(middleware)`. */
export type KoaMiddleware = (context: KoaContext, next: () => Promise<unknown>) => Promise<unknown>

/**
 * Makes the middleware. The answer is the context's `status` and `body`, so the middleware around it sees it; callers
 * are known by `ctx.ip`, so that `app.proxy` holds. It calls `next` for what is outside of `basePath`.
 *
 * A body that a parser has read before is taken from `ctx.request.rawBody`, which both body parsers of Koa keep.
 */
export const toKoaMiddleware = (marketplace: Marketplace): KoaMiddleware => {
  const { basePath } = appOf(marketplace)
  return async (context, next) => {
    const url = HostRequest.urlOf(context, basePath)
    if (basePath !== "" && below(basePath, url) === undefined) return next()
    const response = await WebBridge.ask(marketplace, context.req, context.res, {
      url,
      clientAddress: HostRequest.addressOf(context),
      host: context,
      body: HostRequest.bodyReadOf(context.req, context.request)
    })
    // In this order: Koa takes a status and headers of its own from the body.
    context.body = response.body === null ? null : Readable.from(response.body)
    context.status = response.status
    for (const [name, value] of response.headers) context.set(name, value)
    return undefined
  }
}
