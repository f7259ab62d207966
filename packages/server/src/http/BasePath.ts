/**
 * Where the market is mounted: its paths are below a prefix, which is cut from each request and put before each
 * `Location`.
 */
import { NotFound } from "@souk/core"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Instead from "./Instead.ts"
import type { Middleware } from "./Middleware.ts"
import * as Refusal from "./Refusal.ts"

export interface BasePathOptions {
  /** What the paths of requests begin with; empty, or `/market`. */
  readonly basePath: string
  /** What `Location` begins with: the world may call the market by another path. */
  readonly publicPath: string
}

/** The path of a URL below the prefix, query included; `undefined` where it is outside. */
export const below = (basePath: string, url: string): string | undefined => {
  if (!url.startsWith(basePath)) return undefined
  const rest = url.slice(basePath.length)
  return rest === "" || rest.startsWith("?") ? `/${rest}` : rest.startsWith("/") ? rest : undefined
}

/** Makes the middleware. What is outside is 404. */
export const make =
  ({ basePath, publicPath }: BasePathOptions): Middleware =>
  (effect) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      const url = below(basePath, request.url)
      if (url === undefined) return Instead.answer(Refusal.reply(nothingHere(basePath)))
      return Effect.updateService(
        Effect.map(effect, located(publicPath)),
        HttpServerRequest.HttpServerRequest,
        (request) => request.modify({ url })
      )
    })

// -----------------------------------------------------------------------------

const nothingHere = (basePath: string) =>
  new NotFound({ message: `There is nothing here. The market is at ${basePath}.` })

const located = (publicPath: string) => (response: HttpServerResponse.HttpServerResponse) => {
  const { location } = response.headers
  return location?.startsWith("/") === true
    ? HttpServerResponse.setHeader(response, "location", publicPath + location)
    : response
}
