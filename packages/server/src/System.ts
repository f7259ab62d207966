/** What describes and watches the market: the OpenAPI document and what is derived from it, the probes and the figures. Contract §5. */
import { Settling, Store } from "@souk/core"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import * as Descriptions from "./http/Descriptions.ts"
import * as Docs from "./http/Docs.ts"
import { Draining } from "./http/Draining.ts"
import * as MetricsPage from "./http/MetricsPage.ts"
import type { PublicUrlOptions } from "./http/PublicUrl.ts"
import * as Refusal from "./http/Refusal.ts"
import type { RouteEntry } from "./http/RouteTable.ts"

/** The routes beside the contract's, for the table that answers 405. */
export const entries: ReadonlyArray<RouteEntry> = [
  { method: "GET", path: "/openapi.json", operationId: "system.openapi" },
  { method: "GET", path: "/docs", operationId: "system.docs" },
  { method: "GET", path: "/llms.txt", operationId: "system.llms" },
  { method: "GET", path: Descriptions.catalogPath, operationId: "system.catalog" },
  { method: "GET", path: "/livez", operationId: "system.live" },
  { method: "GET", path: "/readyz", operationId: "system.ready" },
  { method: "GET", path: "/metrics", operationId: "system.metrics" }
]

/** The paths that no rate limit counts. */
export const probes: ReadonlyArray<string> = ["/livez", "/readyz", "/metrics"]

export interface SystemOptions extends PublicUrlOptions {
  /** The OpenAPI document; it is made when it is first asked for. */
  readonly document: Effect.Effect<object>
  readonly metrics?: MetricsPage.MetricsAccess | undefined
}

/** Serves what describes the market, and what watches it. */
export const layer = ({ document, metrics, ...options }: SystemOptions) => {
  const described = HttpRouter.use((router) =>
    Effect.flatMap(Effect.cached(Effect.map(document, asJson)), (json) =>
      router.add("GET", "/openapi.json", json)
    )
  )
  return Layer.mergeAll(
    described,
    Docs.layer(document),
    Descriptions.layer(document, options),
    HttpRouter.add("GET", "/livez", live),
    ready,
    MetricsPage.layer(metrics)
  )
}

const asJson = (document: object) =>
  HttpServerResponse.jsonUnsafe(document, { headers: { "cache-control": "no-cache" } })

const live = HttpServerResponse.jsonUnsafe({ ok: true, data: { status: "live" } })

/**
 * Ready is who can serve: the store answers, and the server is not about to stop. A sweeper that is behind takes nobody
 * out of service, since readers see by the clock what it has not written down: it is told, and no more.
 */
const ready = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const store = yield* Store
    const settling = yield* Settling
    const draining = yield* Draining
    const answer = Effect.gen(function* () {
      if (yield* draining.isBegun) return yield* Refusal.stopping
      yield* store.ready
      const { lagSeconds, overdue } = yield* settling.backlog
      const sweep = { overdue, lagSeconds: Math.floor(lagSeconds) }
      return HttpServerResponse.jsonUnsafe({ ok: true, data: { status: "ready", sweep } })
    })
    yield* router.add(
      "GET",
      "/readyz",
      Effect.catchTag(answer, ["Unavailable", "SchemaOutOfDate"], (refused) =>
        Effect.andThen(Effect.logWarning("The market is not ready", refused), Refusal.reply(refused))
      )
    )
  })
)
