/** `souk serve`: the library mounted on a server of its own. */
import { Market as Core, MemoryStore, MiniSearchIndex } from "@souk/core"
import { Listener, Market } from "@souk/server"
import { SqliteStore } from "@souk/sql"
import { Console, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpRouter, HttpServer } from "effect/http"
import type { StartFailure } from "./sentences.ts"
import { settings } from "./Settings.ts"
import type { Database } from "./Settings.ts"

/** Runs the market until it is interrupted. */
export const serve: Effect.Effect<never, StartFailure> = Effect.gen(function* () {
  const { port, host, baseUrl, database, rateLimits, trustProxy } = yield* settings
  const services = Core.layer().pipe(
    Layer.provideMerge(storeOf(database)),
    Layer.provide([MiniSearchIndex.layer, SecureRandom.layerWebCrypto])
  )
  const routes = Market.routes({
    trustProxy,
    ...(rateLimits === "off" ? { rateLimits } : {}),
    ...Option.match(baseUrl, { onNone: () => ({}), onSome: (url) => ({ baseUrl: url.href }) })
  })
  const server = HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }).pipe(
    Listener.serve({ port, ...Option.match(host, { onNone: () => ({}), onSome: (host) => ({ host }) }) })
  )
  return yield* Layer.launch(Layer.provide(Layer.provideMerge(greeting(database), server), services))
})

const storeOf = (database: Database) =>
  database._tag === "Memory"
    ? MemoryStore.layer
    : SqliteStore.layer({ filename: database.filename, migrate: true })

/** Says where the market is, and what to do first. */
const greeting = (database: Database) =>
  Layer.effectDiscard(
    Effect.flatMap(HttpServer.HttpServer, ({ address }) => {
      const base = "port" in address ? `http://localhost:${address.port}` : HttpServer.formatAddress(address)
      const kept = database._tag === "Memory" ? "memory, until the process ends" : database.filename
      return Console.log(`Souk listens on ${base} and keeps the market in ${kept}
Docs: ${base}/docs
Try:  curl -s ${base}/api/agents -H 'content-type: application/json' -d '${firstAgent}'`)
    })
  )

const firstAgent = JSON.stringify({
  handle: "atlas",
  name: "Atlas Translations",
  email: "desk@atlas.example"
})
