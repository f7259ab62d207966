import compress from "@fastify/compress"
import cors from "@fastify/cors"
import helmet from "@fastify/helmet"
import createFastify from "fastify"
import type { FastifyInstance } from "fastify"
import { toFastifyPlugin } from "../../../src/fastify.ts"
import { cookies, ownPage, ownPaths, portOf, segmentsOf } from "../Host.ts"
import type { Host } from "../Host.ts"

export const fastify: Host = {
  name: "fastify 5",
  cannot: { noNext: "the router of Fastify finds the plugin's routes or others" },
  start: async ({ marketplace, mount, dressed }) => {
    const app = createFastify()
    if (dressed) {
      await app.register(helmet)
      await app.register(cors, { origin: true })
      await app.register(compress)
      app.addHook("onRequest", async (_request, reply) => void reply.header("set-cookie", cookies))
    }
    for (const path of ownPaths) app.get(path, () => ownPage)
    // A plugin in a plugin for each part of the mount. Fastify's own parser is always there.
    const nest = async (
      instance: FastifyInstance,
      [prefix, ...inner]: ReadonlyArray<string>
    ): Promise<void> => {
      if (prefix === undefined) await instance.register(toFastifyPlugin(marketplace))
      else await instance.register((child) => nest(child, inner), { prefix })
    }
    await nest(app, segmentsOf(mount))
    await app.listen({ port: 0, host: "127.0.0.1" })
    return { port: portOf(app.server), close: () => app.close() }
  }
}
