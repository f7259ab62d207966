/** @souk/server/express: the market as a handler of Express 4 and 5. Needs `@effect/platform-node` beside it. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Marketplace } from "./createMarketplace.ts"
import * as HostRequest from "./http/HostRequest.ts"
import * as Handler from "./http/NodeHandler.ts"

/** A handler for `app.use(handler)` and `router.use(handler)`. */
export type ExpressHandler = (request: IncomingMessage, response: ServerResponse, next: () => void) => void

/**
 * Makes the handler: that of `@souk/server/node`, which knows callers by `request.ip`, so that the application's own
 * `trust proxy` holds.
 *
 * **Gotchas**
 *
 * Mount it before `express.json()`. A body that was read before is written as JSON again from `request.body`, and what
 * the parser refuses never arrives: the application answers it.
 */
export const toExpressHandler = (marketplace: Marketplace): ExpressHandler =>
  Handler.make(marketplace, (request: IncomingMessage, basePath) => ({
    url: HostRequest.urlOf(request, basePath),
    clientAddress: HostRequest.addressOf(request)
  }))
