/** What describes and watches the market: the OpenAPI document, its page, and the two probes. Contract §5. */
import { Store } from "@souk/core"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import * as Docs from "./http/Docs.ts"
import { Draining } from "./http/Draining.ts"
import * as Refusal from "./http/Refusal.ts"
import type { RouteEntry } from "./http/RouteTable.ts"

/** The routes beside the contract's, for the table that answers 405. */
export const entries: ReadonlyArray<RouteEntry> = [
  { method: "GET", path: "/openapi.json" },
  { method: "GET", path: "/docs" },
  { method: "GET", path: "/livez" },
  { method: "GET", path: "/readyz" }
]

/** The paths that no rate limit counts. */
export const probes: ReadonlyArray<string> = ["/livez", "/readyz"]

/** Serves a document, which is made when it is first asked for, and the probes. */
export const layer = (document: Effect.Effect<object>) => {
  const described = HttpRouter.use((router) =>
    Effect.flatMap(Effect.cached(Effect.map(document, asJson)), (json) =>
      router.add("GET", "/openapi.json", json)
    )
  )
  return Layer.mergeAll(
    described,
    Docs.layer(document),
    HttpRouter.add("GET", "/livez", status("live")),
    ready
  )
}

const asJson = (document: object) =>
  HttpServerResponse.jsonUnsafe(document, { headers: { "cache-control": "no-cache" } })

const status = (word: "live" | "ready") => HttpServerResponse.jsonUnsafe({ ok: true, data: { status: word } })

/** Ready is who can serve: the store answers, and the server is not about to stop. */
const ready = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const store = yield* Store
    const draining = yield* Draining
    const answer = Effect.gen(function* () {
      if (yield* draining.isBegun) return yield* Refusal.stopping
      yield* store.ready
      return status("ready")
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
