/** Every entry, and values whose types a compiler has to write down when it emits declarations. */
import { openApiDocument, SoukApi } from "@souk/api"
import { SoukClient } from "@souk/client/effect"
import { Market, MemoryStore, MiniSearchIndex, Rfqs } from "@souk/core"
import { createMarketplace, Market as Routes } from "@souk/server"
import type { MarketplaceOptions } from "@souk/server"
import { Listener } from "@souk/server/node"
import { SqliteStore } from "@souk/sql"
import { PostgresStore } from "@souk/sql/postgres"
import { MarketTest } from "@souk/testing"
import { Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpRouter } from "effect/http"

export * as calling from "@souk/api/calling"
export * as client from "@souk/client"
export * as core from "@souk/core"
export * as express from "@souk/server/express"
export * as fastify from "@souk/server/fastify"
export * as hono from "@souk/server/hono"
export * as koa from "@souk/server/koa"
export * as nest from "@souk/server/nest"
export * as next from "@souk/server/next"
export * as redis from "@souk/server/redis"
export * as conformance from "@souk/testing/conformance"

export const contract = SoukApi
export const document = openApiDocument({ serverUrl: "https://market.example" })

export const services = Market.layer().pipe(
  Layer.provideMerge(MemoryStore.layer),
  Layer.provide([MiniSearchIndex.layer, SecureRandom.layerWebCrypto])
)
export const server = HttpRouter.serve(Routes.routes()).pipe(
  Listener.serve({ port: 0 }),
  Layer.provide(services)
)
export const stores = [
  SqliteStore.layer({ filename: "market.db" }),
  PostgresStore.layer({ url: Redacted.make("postgres://localhost/app") })
] as const
export const list = Effect.gen(function* () {
  const rfqs = yield* Rfqs
  return rfqs.list
})
export const connect = SoukClient.make({ baseUrl: "https://market.example" })
export const forTests = MarketTest.layer({ seed: 7 })

export const open = (options: Omit<MarketplaceOptions, "store">) =>
  createMarketplace({ ...options, store: MemoryStore.layer })
