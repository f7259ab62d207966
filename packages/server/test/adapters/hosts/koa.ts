import { bodyParser } from "@koa/bodyparser"
import cors from "@koa/cors"
import helmet from "helmet"
import Koa from "koa"
import compress from "koa-compress"
import { createServer } from "node:http"
import { toKoaMiddleware } from "../../../src/koa.ts"
import { cookies, listening, ownPage } from "../Host.ts"
import type { Host } from "../Host.ts"

export const koa: Host = {
  name: "koa 3",
  cannot: {},
  start: ({ marketplace, parses, dressed }) => {
    const app = new Koa()
    app.silent = true
    if (dressed) {
      const secure = helmet()
      app.use((context, next) => {
        secure(context.req, context.res, () => {})
        for (const cookie of cookies) context.append("set-cookie", cookie)
        return next()
      })
      app.use(cors())
      app.use(compress())
    }
    if (parses) app.use(bodyParser())
    app.use(toKoaMiddleware(marketplace))
    app.use((context) => void (context.body = ownPage))
    return listening(createServer(app.callback()))
  }
}
