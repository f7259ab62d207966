/** The market in an application written in Effect, with the application's own parts. */
import { assert, describe, it } from "@effect/vitest"
import { Market as Core, MemoryStore, MiniSearchIndex, Operators, Store } from "@souk/core"
import { Config, ConfigProvider, Context, Effect, Layer, Logger, Tracer } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpRouter, HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Market } from "../src/index.ts"
import { textAt } from "./market.ts"

/** Who is logged in, as the application knows it. */
class Sessions extends Context.Service<Sessions, Map<string, string>>()("test/Sessions") {}

/** The market's routes, made of the application's configuration and its own service. */
const marketRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const sessions = yield* Sessions
    const limit = yield* Config.Int("MARKET_REQUESTS_A_MINUTE")
    return Market.routes({
      rateLimits: { default: { limit, windowSeconds: 60 } },
      principal: ({ headers }) => Effect.succeed(sessions.get(headers["cookie"] ?? ""))
    })
  })
)

const pages = Layer.mergeAll(
  HttpRouter.add("GET", "/about", HttpServerResponse.text("Our own page")),
  HttpRouter.add(
    "GET",
    "/who",
    Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) =>
      HttpServerResponse.text(headers["cookie"] ?? "nobody")
    )
  )
)

const open = Effect.gen(function* () {
  const lines: Array<string> = []
  const spans: Array<string> = []
  const ambient = Layer.mergeAll(
    Logger.layer([Logger.map(Logger.formatLogFmt, (line) => lines.push(line))]),
    Layer.succeed(
      Tracer.Tracer,
      Tracer.make({
        span: (options) => {
          spans.push(options.name)
          return new Tracer.NativeSpan(options)
        }
      })
    ),
    ConfigProvider.layer(ConfigProvider.fromUnknown({ MARKET_REQUESTS_A_MINUTE: "7" }))
  )
  const services = Layer.mergeAll(
    Core.layer(),
    Layer.sync(Sessions, () => new Map())
  ).pipe(
    Layer.provideMerge(MemoryStore.layer),
    Layer.provide([MiniSearchIndex.layer, SecureRandom.layerWebCrypto]),
    Layer.provideMerge(ambient)
  )
  const context = yield* Layer.build(services)
  const app = Layer.merge(marketRoutes, pages).pipe(
    Layer.provide(Layer.succeedContext(context)),
    Layer.provide(HttpServer.layerServices)
  )
  const { handler, dispose } = HttpRouter.toWebHandler(app, { disableLogger: true })
  yield* Effect.addFinalizer(() => Effect.promise(dispose))
  const ask = (path: string, init?: RequestInit) =>
    Effect.promise(() => handler(new Request(`http://host.test${path}`, init)))
  const register = (handle: string) =>
    ask("/api/agents", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ handle, name: handle, email: `${handle}@example.com` })
    })
  return { ask, register, context, lines, spans }
})

describe("Market.routes", () => {
  it.each<[object, string]>([
    [{ metrics: "x" }, 'metrics must be an object of options, or "open" or "off".'],
    [{ trustProxy: -1 }, "trustProxy must be a whole number of proxies in front, 0 or more."],
    [{ limits: { maxBodyBytes: "1 MiB" } }, "limits.maxBodyBytes must be a whole number of bytes"],
    [{ principal: "user" }, "principal must be a function."],
    [{ baseUrl: "/market" }, "baseUrl must be a URL"],
    [{ basePath: "/market" }, "basePath is not an option. There are baseUrl, limits,"]
  ])("refuses the options %o at once", (options, sentence) => {
    assert.throws(() => Market.routes(options), TypeError, sentence)
  })

  it.effect("stands beside the routes of the host's own router", () =>
    Effect.gen(function* () {
      const { ask, register } = yield* open
      const about = yield* ask("/about")
      assert.strictEqual(yield* Effect.promise(() => about.text()), "Our own page")
      assert.strictEqual((yield* register("atlas")).status, 201)
      assert.strictEqual((yield* ask("/api/v1/agents/atlas")).status, 200)
      assert.strictEqual((yield* ask("/nowhere")).status, 404)
    })
  )

  it.effect("writes to the host's store, which the host and its services read", () =>
    Effect.gen(function* () {
      const { context, register } = yield* open
      yield* register("atlas")
      const agent = yield* Context.get(context, Store).agents.byHandle("atlas")
      if (agent === undefined) return assert.fail("not there")
      const suspended = yield* Context.get(context, Operators).suspend(
        agent.id,
        "We look at newcomers first."
      )
      assert.strictEqual(suspended.status, "suspended")
    })
  )

  it.effect("takes the host's configuration, and its login as an Effect", () =>
    Effect.gen(function* () {
      const { ask, context, register } = yield* open
      const created = yield* register("atlas")
      assert.include(created.headers.get("ratelimit-policy") ?? "", `"default";q=7;w=60`)
      const id = textAt(yield* Effect.promise(() => created.json()), "data", "agent", "id")
      Context.get(context, Sessions).set("s=1", id)
      assert.strictEqual((yield* ask("/api/v1/me", { headers: { cookie: "s=1" } })).status, 200)
      assert.strictEqual((yield* ask("/api/v1/me", { headers: { cookie: "s=2" } })).status, 401)
    })
  )

  it.effect("tells the host's logger and tracer what it does", () =>
    Effect.gen(function* () {
      const { ask, context, lines, register, spans } = yield* open
      yield* register("atlas")
      assert.include(spans, "Agents.register")
      Context.get(context, Sessions).set("s=1", "a stranger")
      assert.strictEqual((yield* ask("/api/v1/me", { headers: { cookie: "s=1" } })).status, 401)
      assert.isTrue(lines.some((line) => line.includes("stands for an agent that does not exist")))
      assert.isFalse(lines.some((line) => line.includes("a stranger")))
    })
  )
})
