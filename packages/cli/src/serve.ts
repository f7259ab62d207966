/** `souk serve`: the library mounted on a server of its own. */
import { Market as Core, MiniSearchIndex } from "@souk/core"
import { Market } from "@souk/server"
import { Listener, WebhookSender } from "@souk/server/node"
import { Console, Effect, Layer, Option } from "effect"
import type { Redacted } from "effect"
import { Command } from "effect/cli"
import { SecureRandom } from "effect/crypto"
import { HttpRouter, HttpServer } from "effect/http"
import { NetAddress } from "effect/net"
import { randomInt } from "node:crypto"
import { placeOf, rateLimitsOf, storeOf } from "./Database.ts"
import type { Database } from "./Database.ts"
import { DatabaseUnusable, explained } from "./sentences.ts"
import { settings } from "./Settings.ts"

export const serve = Command.make("serve", {}, () => explained(run)).pipe(
  Command.withShortDescription("Run the market, on port 4100 with ./souk.db unless told otherwise"),
  Command.withDescription(`Runs the market until it is told to stop. The environment says how:

  PORT               Where to listen: 4100 unless it says otherwise, 0 for any free port.
  SOUK_HOST          The one address to listen on; all of them unless it says otherwise.
  SOUK_DATABASE_URL  Where the market is kept: sqlite:PATH, postgres://…, or memory: until the
                     process ends. sqlite:./souk.db unless it says otherwise. On PostgreSQL run
                     souk migrate first.
  SOUK_DATABASE_SCHEMA  The schema of a PostgreSQL database that holds it; souk unless it says otherwise.
  SOUK_BASE_URL      What the world calls the market, for its OpenAPI document.
  SOUK_RATE_LIMITS   off takes any number of requests, for load tests; on unless it says otherwise.
  SOUK_REDIS_URL     Where all nodes count requests: redis://…, or rediss://…. In the database on PostgreSQL,
                     else in the process, unless it says otherwise.
  SOUK_REDIS_PREFIX  What the keys of this market begin with in that Redis; souk unless it says otherwise.
  SOUK_WEBHOOK_HOSTS Names of your own network that webhooks may call, by http: as well, separated by
                     commas; none unless it says otherwise.
  SOUK_RETAIN_EVENTS_DAYS  How many days events are kept; for ever unless it says otherwise.
  SOUK_TRUST_PROXY   How many proxies of yours stand in front; 0 unless it says otherwise.
  SOUK_METRICS       off takes /metrics away; on unless it says otherwise.
  SOUK_METRICS_TOKEN Who reads /metrics must send it as Authorization: Bearer; anybody may where it is not set.`)
)

/** Runs the market until it is interrupted. */
const run = Effect.gen(function* () {
  const {
    port,
    host,
    baseUrl,
    database,
    metrics,
    metricsToken,
    rateLimits,
    redis,
    retainEventsDays,
    trustProxy,
    webhookHosts
  } = yield* settings
  const retention = Option.map(retainEventsDays, (days) => ({ retainEventsSeconds: days * 86_400 }))
  const services = Core.layer(Option.getOrElse(retention, () => ({}))).pipe(
    Layer.provide(WebhookSender.layer({ allowHosts: webhookHosts })),
    Layer.provideMerge(storeOf(database)),
    Layer.provide([MiniSearchIndex.layer, SecureRandom.layerWebCrypto])
  )
  const routes = Market.routes({
    trustProxy,
    metrics: metrics === "off" ? metrics : Option.match(metricsToken, metricsAccess),
    ...(rateLimits === "off" ? { rateLimits } : rateLimitsOf(database, redis)),
    ...Option.match(baseUrl, { onNone: () => ({}), onSome: (baseUrl) => ({ baseUrl }) })
  })
  const server = HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }).pipe(
    Listener.serve({
      port,
      // With time to spare on a machine that is busy: a second is what is promised.
      graceMillis: 400,
      ...Option.match(host, { onNone: () => ({}), onSome: (host) => ({ host }) })
    })
  )
  const market = Layer.provideMerge(Layer.merge(greeting(database), deadline), server)
  return yield* Layer.launch(Layer.provide(market, services)).pipe(
    Effect.catchTag(["MigrationError", "SqlError"], (cause) =>
      Effect.fail(new DatabaseUnusable({ database, cause }))
    )
  )
})

const metricsAccess = {
  onNone: () => "open" as const,
  onSome: (bearer: Redacted.Redacted) => ({ bearer })
}

/**
 * Ends the process in time, however long the disk takes for the commits that are queued: nobody is told of those any
 * more, and a commit that is cut off is as if it had not begun.
 */
const deadline = Layer.effectDiscard(
  Effect.addFinalizer(() => Effect.sync(() => setTimeout(() => process.exit(0), 650).unref()))
)

/** Says where the market is, and what to do first. */
const greeting = (database: Database) =>
  Layer.effectDiscard(
    Effect.flatMap(HttpServer.HttpServer, ({ address }) => {
      const base = urlOf(address)
      return Console.log(`Souk listens on ${base} and keeps the market in ${placeOf(database)}
Docs: ${base}/docs
Try:  curl -s ${base}/api/agents -H 'content-type: application/json' -d '${firstAgent()}'`)
    })
  )

/** An address that can be called: nobody can call "all of them". */
const urlOf = (address: NetAddress.SocketAddress): string =>
  !NetAddress.isUnixPathAddress(address) && NetAddress.isUnspecified(address.address)
    ? `http://localhost:${address.port}`
    : HttpServer.formatAddress(address)

/** A handle that is free however often the market is started. */
const firstAgent = (): string =>
  JSON.stringify({
    handle: `atlas-${randomInt(1e6)}`,
    name: "Atlas Translations",
    email: "desk@atlas.example"
  })
