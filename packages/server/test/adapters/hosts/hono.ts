import { createAdaptorServer } from "@hono/node-server"
import { Hono } from "hono"
import { compress } from "hono/compress"
import { cors } from "hono/cors"
import { secureHeaders } from "hono/secure-headers"
import { Server } from "node:http"
import { toHonoHandler } from "../../../src/hono.ts"
import { cookies, listening, ownPage, segmentsOf } from "../Host.ts"
import type { Host } from "../Host.ts"

/** An application in an application for each part of the mount. */
const nested = (app: Hono, [path, ...inner]: ReadonlyArray<string>): Hono =>
  path === undefined ? app : new Hono().route(path, nested(app, inner))

export const hono: Host = {
  name: "hono 4 on @hono/node-server",
  cannot: {},
  start: ({ marketplace, mount, parses, dressed }) => {
    const app = new Hono()
    if (dressed) {
      app.use(secureHeaders(), cors(), compress(), async (context, next) => {
        for (const cookie of cookies) context.header("set-cookie", cookie, { append: true })
        await next()
      })
    }
    if (parses)
      app.use(async (context, next) => {
        if (context.req.header("content-type")?.startsWith("application/json") === true)
          await context.req.json().catch(() => undefined)
        await next()
      })
    app.route("/", nested(new Hono().use(toHonoHandler(marketplace)), segmentsOf(mount)))
    app.get("*", (context) => context.text(ownPage))
    const server = createAdaptorServer({ fetch: app.fetch })
    if (!(server instanceof Server)) throw new Error("not HTTP/1")
    return listening(server)
  }
}
