/** @souk/server/nest: the market as a module of Nest 11 and 12. Needs `@effect/platform-node` beside it. */
import type { IncomingMessage } from "node:http"
import type { Marketplace } from "./createMarketplace.ts"
import type { ExpressHandler } from "./express.ts"
import * as HostRequest from "./http/HostRequest.ts"
import * as Handler from "./http/NodeHandler.ts"

/** What the module needs of Nest's consumer of middleware. */
export interface NestConsumer {
  readonly apply: (handler: ExpressHandler) => { readonly forRoutes: (path: string) => unknown }
}

/** A dynamic module for the `imports` of another. */
export interface NestModule {
  readonly module: new () => {
    readonly configure: (consumer: NestConsumer) => void
    readonly beforeApplicationShutdown: () => Promise<void>
  }
}

/**
 * Makes the module: a middleware for `basePath` and what is below it, and the end of the marketplace when the
 * application closes. All other paths are the host's. Callers are known by `request.ip`.
 *
 * **Gotchas**
 *
 * Nest's body parser stands in front, and answers what it refuses. Create the application with `rawBody: true`, so that
 * bodies arrive as they were sent; else they are written as JSON again. A global prefix is part of `basePath`.
 */
export const toNestModule = (marketplace: Marketplace): NestModule => {
  const handler = Handler.make(marketplace, (request: IncomingMessage) => ({
    // Nest mounts its middleware at a pattern, which cuts the whole path.
    url: HostRequest.urlOf(request, "/"),
    clientAddress: HostRequest.addressOf(request)
  }))
  return {
    module: class MarketplaceModule {
      configure(consumer: NestConsumer) {
        consumer.apply(handler).forRoutes("{*path}")
      }
      beforeApplicationShutdown() {
        return marketplace.close()
      }
    }
  }
}
