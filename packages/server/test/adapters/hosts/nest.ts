import "reflect-metadata"
import { Controller, Get } from "@nestjs/common"
import { NestFactory } from "@nestjs/core"
import type { NestExpressApplication } from "@nestjs/platform-express"
import compression from "compression"
import helmet from "helmet"
import type { NextFunction, Request, Response } from "express"
import { toNestModule } from "../../../src/nest.ts"
import { cookies, ownPage, ownPaths, portOf } from "../Host.ts"
import type { Host } from "../Host.ts"

/** The host's own page. Decorators are called by hand: sources run with their types stripped. */
class Pages {
  page() {
    return ownPage
  }
}
Controller()(Pages)
Get(ownPaths)(Pages.prototype, "page", Object.getOwnPropertyDescriptor(Pages.prototype, "page") ?? {})

export const nest: Host = {
  name: "nest 12 on express",
  cannot: {},
  start: async ({ marketplace, parses, dressed }) => {
    const application = { ...toNestModule(marketplace), controllers: [Pages] }
    const app = await NestFactory.create<NestExpressApplication>(application, {
      logger: false,
      bodyParser: parses
    })
    if (dressed) {
      app.enableCors({ origin: true })
      app.use(helmet(), compression(), (_request: Request, response: Response, next: NextFunction) => {
        for (const cookie of cookies) response.append("set-cookie", cookie)
        next()
      })
    }
    await app.listen(0, "127.0.0.1")
    return { port: portOf(app.getHttpServer()), close: () => app.close() }
  }
}
