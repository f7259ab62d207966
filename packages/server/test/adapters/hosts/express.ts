import compression from "compression"
import cors from "cors"
import express5 from "express"
import type { RequestHandler } from "express"
import express4 from "express4"
import helmet from "helmet"
import { createServer } from "node:http"
import type { Marketplace } from "../../../src/index.ts"
import { toExpressHandler } from "../../../src/express.ts"
import { cookies, listening, ownPage, ownPaths, segmentsOf } from "../Host.ts"
import type { Host } from "../Host.ts"

type Express = typeof express5

/** A router in a router for each part of the mount. */
const mounted = (express: Express, mount: string, marketplace: Marketplace) =>
  segmentsOf(mount).reduceRight<RequestHandler>(
    (inner, segment) => express.Router().use(segment, inner),
    toExpressHandler(marketplace)
  )

const host = (name: string, express: Express): Host => ({
  name,
  cannot: {},
  start: ({ marketplace, mount, parses, dressed }) => {
    const app = express()
    if (dressed)
      app.use(helmet(), cors({ origin: true }), compression(), (_request, response, next) => {
        for (const cookie of cookies) response.append("set-cookie", cookie)
        next()
      })
    if (parses) app.use(express.json())
    app.use(mounted(express, mount, marketplace))
    app.get(ownPaths, (_request, response) => void response.send(ownPage))
    return listening(createServer(app))
  }
})

export const expressFour = host("express 4", express4)
export const expressFive = host("express 5", express5)
