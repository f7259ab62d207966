/** A small market to put the shell around: one endpoint for each thing that can happen to a request. */
import { failures } from "@souk/api"
import { Metrics } from "@souk/core"
import { Clock, Effect, Layer, Logger, Queue, Schema, Stream } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { HttpApi, HttpApiBuilder, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import * as Draining from "../../src/http/Draining.ts"
import * as RateLimit from "../../src/http/RateLimit.ts"
import * as RouteTable from "../../src/http/RouteTable.ts"
import * as Shell from "../../src/http/Shell.ts"
import * as Sse from "../../src/http/Sse.ts"

const Thing = Schema.Struct({ name: Schema.String, metadata: Schema.optionalKey(Schema.JsonObject) })

const things = HttpApiGroup.make("things").add(
  HttpApiEndpoint.get("one", "/api/v1/things/:id", { params: { id: Schema.String }, success: Schema.String }),
  HttpApiEndpoint.get("all", "/api/v1/things", { success: Schema.Array(Schema.String) }),
  HttpApiEndpoint.post("add", "/api/v1/things", { payload: Thing, success: Thing }),
  HttpApiEndpoint.post("touch", "/api/touch", {
    payload: [Schema.Struct({ note: Schema.optionalKey(Schema.String) }), Schema.Null],
    success: Schema.String
  }),
  HttpApiEndpoint.post("register", "/api/agents", {
    success: Schema.String,
    error: failures.RateLimited
  }),
  HttpApiEndpoint.get("broken", "/api/v1/broken", { success: Schema.String }),
  HttpApiEndpoint.get("slow", "/api/v1/slow", { success: Schema.String }),
  HttpApiEndpoint.get("careful", "/api/v1/careful", { success: Schema.String }),
  HttpApiEndpoint.get("events", "/api/v1/events", { success: Schema.String })
)

export const ToyApi = HttpApi.make("toy")
  .add(things)
  .annotate(HttpApi.ParseOptions, { onExcessProperty: "error", errors: "all" })
  .annotate(HttpApi.HeadersParseOptions, {})

/** What the stream of a test carries: frames that the test offers, or a failure that it causes. */
export type Feed = Queue.Queue<Sse.Frame, Error>

const handlers = (feed: Feed) =>
  HttpApiBuilder.group(ToyApi, "things", (handlers) =>
    handlers.handleAll({
      one: ({ params }) => Effect.succeed(params.id),
      all: () => Effect.succeed(["lamp"]),
      add: ({ payload }) => Effect.succeed(payload),
      touch: ({ payload }) => Effect.succeed(payload?.note ?? "no body"),
      register: () =>
        Effect.gen(function* () {
          const limit = yield* RateLimit.RateLimit
          yield* limit.checkAddress("default")
          yield* limit.checkAddress("accounts")
          return "welcome"
        }),
      broken: () => Effect.die(new Error("the password is hunter2")),
      slow: () => Effect.never,
      careful: {
        handler: () => Effect.as(Effect.sleep("31 seconds"), "done"),
        options: { uninterruptible: true }
      },
      events: () => Sse.respond({ cursor: "c0", frames: Stream.fromQueue(feed) })
    })
  )

export interface ToyOptions {
  readonly shell?: Omit<Shell.ShellOptions, "routes">
  readonly rateLimit?: Layer.Layer<RateLimit.RateLimit>
}

/** The routes with the shell around them. `Draining` and `RateLimit` are the host's. */
export const routes = (feed: Feed, options: ToyOptions = {}) =>
  HttpApiBuilder.layer(ToyApi).pipe(
    Layer.provide(handlers(feed)),
    Layer.provideMerge(Shell.layer({ routes: RouteTable.entriesOf(ToyApi), ...options.shell })),
    Layer.provide(Metrics.layer())
  )

/** Serves the toy market in memory, on the test's clock, and keeps what it logs. */
export const serve = Effect.fnUntraced(function* (options: ToyOptions = {}) {
  const clock = yield* Clock.Clock
  const feed: Feed = yield* Queue.unbounded<Sse.Frame, Error>()
  const logs: Array<string> = []
  const logger = Logger.map(Logger.formatLogFmt, (line) => logs.push(line))
  const app = routes(feed, options).pipe(
    Layer.provideMerge(Layer.merge(Draining.layer, options.rateLimit ?? RateLimit.layerMemory())),
    Layer.provideMerge(Layer.mergeAll(Layer.succeed(Clock.Clock, clock), Logger.layer([logger]))),
    Layer.provide(HttpServer.layerServices)
  )
  const { handler, dispose } = HttpRouter.toWebHandler(app, { disableLogger: true })
  yield* Effect.addFinalizer(() => Effect.promise(dispose))
  const start = (path: string, init?: RequestInit) => handler(new Request(`http://market.test${path}`, init))
  return {
    feed,
    logs,
    /** Sends a request and does not wait. */
    start,
    dispose: Effect.promise(dispose),
    get: (path: string, init?: RequestInit) => Effect.promise(() => start(path, init)),
    post: (path: string, body: NonNullable<RequestInit["body"]>, headers: Record<string, string> = {}) =>
      Effect.promise(() =>
        start(path, { method: "POST", body, headers: { "content-type": "application/json", ...headers } })
      )
  }
})

/** The `error` of a response that must be an envelope. */
export const errorOf = (response: Response) =>
  Effect.flatMap(
    Effect.promise(() => response.json()),
    Schema.decodeUnknownEffect(Failure)
  ).pipe(Effect.map(({ error }) => error))

const Failure = Schema.Struct({
  ok: Schema.Literal(false),
  error: Schema.StructWithRest(
    Schema.Struct({
      code: Schema.String,
      message: Schema.String,
      recovery: Schema.Literals(["transient", "correctable", "terminal"]),
      requestId: Schema.String
    }),
    [Schema.Record(Schema.String, Schema.Unknown)]
  )
})
