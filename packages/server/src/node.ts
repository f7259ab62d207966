/** @souk/server/node: the market as a handler of `node:http`, and of what is built on it, such as Express and Connect. */
import { NodeHttpServer, NodeHttpServerRequest } from "@effect/platform-node"
import { Effect, Scope } from "effect"
import { HttpServerRequest } from "effect/http"
import type { IncomingMessage, ServerResponse } from "node:http"
import { appOf } from "./createMarketplace.ts"
import type { Marketplace } from "./createMarketplace.ts"
import { below } from "./http/BasePath.ts"

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
 * Mount it before body parsers: one that has read the body leaves nothing to read.
 */
export const toNodeHandler = (marketplace: Marketplace): NodeHandler => {
  const { answer, basePath, sending } = appOf(marketplace)
  // Requests end with the marketplace, not with a scope.
  const handle = Effect.runSync(
    NodeHttpServer.makeHandler(basePath === "" ? answer : asArrived(answer), { scope: Scope.makeUnsafe() })
  )
  return (request, response, next) => {
    const url = originalUrlOf(request) ?? request.url ?? "/"
    if (next !== undefined && basePath !== "" && below(basePath, url) === undefined) return next()
    response.once(
      "close",
      sending(() => response.destroy())
    )
    handle(request, response)
  }
}

// -----------------------------------------------------------------------------

/** The URL as it arrived, where the host has cut its prefix: Express and Connect keep it as `originalUrl`. */
const originalUrlOf = (request: object): string | undefined =>
  "originalUrl" in request && typeof request.originalUrl === "string" ? request.originalUrl : undefined

const asArrived = <A, E, R>(answer: Effect.Effect<A, E, R>) =>
  Effect.updateService(answer, HttpServerRequest.HttpServerRequest, (request) => {
    const url = originalUrlOf(NodeHttpServerRequest.toIncomingMessage(request))
    return url === undefined ? request : request.modify({ url })
  })
