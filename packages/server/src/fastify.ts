/** @souk/server/fastify: the market as a plugin of Fastify 5. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Marketplace } from "./createMarketplace.ts"
import { appOf } from "./createMarketplace.ts"
import * as BasePath from "./http/BasePath.ts"
import * as WebBridge from "./http/WebBridge.ts"

/** What the plugin needs of a request of Fastify. */
export interface FastifyRequestLike {
  readonly raw: IncomingMessage
  readonly ip: string
}

/** What the plugin needs of a reply of Fastify. */
export interface FastifyReplyLike {
  readonly raw: ServerResponse
  readonly code: (status: number) => unknown
  readonly headers: (headers: Record<string, string>) => unknown
  readonly send: (body: ReadableStream | null) => unknown
}

/** What the plugin needs of an instance of Fastify. */
export interface FastifyLike {
  readonly prefix: string
  readonly removeAllContentTypeParsers: () => unknown
  readonly addContentTypeParser: (type: string, parser: () => Promise<unknown>) => unknown
  readonly addHook: (name: "preClose", hook: () => Promise<void>) => unknown
  readonly supportedMethods: ReadonlyArray<string>
  readonly hasRoute: (route: { readonly url: string; readonly method: string }) => boolean
  readonly route: (route: {
    readonly url: string
    readonly method: Array<string>
    readonly handler: (request: FastifyRequestLike, reply: FastifyReplyLike) => Promise<unknown>
  }) => unknown
}

/** A plugin for `fastify.register(plugin)`. */
export type FastifyPlugin = (instance: FastifyLike) => Promise<void>

/**
 * Makes the plugin. It adds routes at `basePath` and below, whose bodies no parser of the host reads. The answer goes
 * through the host's hooks, callers are known by `request.ip`, and the marketplace closes when Fastify does.
 *
 * `fastify.register(plugin)` and `fastify.register(plugin, { prefix })` are the same where the prefix is the `basePath`
 * or a part of it; else the plugin fails to register.
 */
export const toFastifyPlugin = (marketplace: Marketplace): FastifyPlugin => {
  const { basePath } = appOf(marketplace)
  return async (instance) => {
    const { prefix } = instance
    const rest = BasePath.below(prefix, basePath)
    if (rest === undefined)
      throw new TypeError(`The plugin is below ${prefix}: give createMarketplace that basePath.`)
    const path = rest === "/" ? "" : rest
    instance.removeAllContentTypeParsers()
    instance.addContentTypeParser("*", async () => undefined)
    instance.addHook("preClose", () => marketplace.close())
    const handler = async (request: FastifyRequestLike, reply: FastifyReplyLike) => {
      const { raw, ip } = request
      const view = { url: raw.url ?? "/", clientAddress: ip, host: request }
      const { status, headers, body } = await WebBridge.ask(marketplace, raw, reply.raw, view)
      // Not the Response itself: Fastify would show its hooks neither status nor headers.
      reply.code(status)
      reply.headers(Object.fromEntries(headers))
      return reply.send(body)
    }
    for (const url of basePath === "" ? ["/*"] : [path, `${path}/*`]) {
      // A host whose CORS answers OPTIONS for every path goes on doing so.
      const method = instance.supportedMethods.filter(
        (method) => !instance.hasRoute({ url: prefix + url, method })
      )
      instance.route({ url, method, handler })
    }
  }
}
