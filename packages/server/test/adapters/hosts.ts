/** The hosts that every requirement is checked on. */
import type { Host } from "./Host.ts"
import { expressFive, expressFour } from "./hosts/express.ts"
import { fastify } from "./hosts/fastify.ts"
import { nextHandlers, plainFetch } from "./hosts/fetch.ts"
import { hono } from "./hosts/hono.ts"
import { koa } from "./hosts/koa.ts"
import { nest } from "./hosts/nest.ts"
import { nodeHttp } from "./hosts/nodeHttp.ts"

export const hosts: ReadonlyArray<Host> = [
  nodeHttp,
  expressFour,
  expressFive,
  fastify,
  koa,
  hono,
  nest,
  nextHandlers,
  plainFetch
]
