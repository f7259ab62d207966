/** @souk/server/node: the market as a handler of `node:http`, and of what is built on it, such as Connect. Needs `@effect/platform-node` beside it. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Marketplace } from "./createMarketplace.ts"
import * as HostRequest from "./http/HostRequest.ts"
import * as Handler from "./http/NodeHandler.ts"

export * as Listener from "./http/Listener.ts"

export * as WebhookSender from "./http/WebhookSender.ts"

/** A handler for `createServer(handler)` and `app.use(handler)`. */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse, next?: () => void) => void

/**
 * Makes the handler. Bodies stream both ways with back-pressure, an aborted request stops its work, and `close` of the
 * marketplace ends open streams.
 *
 * Without `basePath` it answers every request that it gets, at the path that the host left. With `basePath` it looks at
 * the path as it arrived, so `app.use(handler)` and `app.use("/market", handler)` are the same to it, and calls `next`,
 * where there is one, for requests outside.
 *
 * **Gotchas**
 *
 * Mount it before body parsers. Of a body that one has read it gets `request.rawBody`, or `request.body` as JSON again.
 */
export const toNodeHandler = (marketplace: Marketplace): NodeHandler =>
  Handler.make(marketplace, (request: IncomingMessage, basePath) => ({
    url: HostRequest.urlOf(request, basePath)
  }))
