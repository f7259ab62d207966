/** A whole market on a memory store behind its real web handler, on the test's clock, and how a test talks to it. */
import {
  AgentId,
  Market as Core,
  Matching,
  MemoryStore,
  MiniSearchIndex,
  Operators,
  Store,
  WebhookSender
} from "@souk/core"
import { Clock, Context, Effect, Layer, Logger, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpRouter, HttpServer } from "effect/http"
import { TestClock } from "effect/testing"
import { Draining } from "../src/http/Draining.ts"
import * as Market from "../src/Market.ts"

/** When the tests take place: two weeks before the deadlines of the document's examples. */
const today = Date.parse("2030-01-17T12:00:00.000Z")

/** A moment some hours from the beginning of the test, as the wire writes it. */
export const inHours = (hours: number): string => new Date(today + hours * 3_600_000).toISOString()

export interface Sending {
  readonly key?: string | undefined
  readonly headers?: Record<string, string> | undefined
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as it is. */
  readonly raw?: NonNullable<RequestInit["body"]> | undefined
}

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed text; undefined where it is no JSON. */
  readonly body: unknown
}

/** Receivers of webhooks that take everything, but for one that is gone. */
const receivers = Layer.succeed(WebhookSender, {
  objection: (url: string) => (URL.parse(url)?.protocol === "https:" ? undefined : "must begin with https:"),
  send: ({ url }) => Effect.succeed({ status: url.startsWith("https://gone.example") ? 410 : 204 })
})

/** What is below the face: the options of the core, and its store. */
interface Below extends Core.MarketOptions {
  readonly store?: Layer.Layer<Store>
}

/** What is behind the face. */
interface Behind extends Below {
  /** What is around the whole market beside the clock of the test: a tracer, for instance. */
  readonly ambient?: Layer.Layer<never>
  readonly loggers?: ReadonlyArray<Logger.Logger<unknown, unknown>>
}

/** The services behind the face, with the store beneath them. What is new is matched when the test says so. */
export const services = ({ store = MemoryStore.layer, ...options }: Below = {}) =>
  Core.layer({ matching: "off", ...options }).pipe(
    Layer.provide(receivers),
    Layer.provideMerge(store),
    Layer.provide([MiniSearchIndex.layer, SecureRandom.layerWebCrypto])
  )

/** Serves a market of its own until the test ends. */
export const open = Effect.fnUntraced(function* (options: Market.MarketOptions = {}, behind: Behind = {}) {
  const { ambient: around = Layer.empty, loggers = [], ...below } = behind
  yield* TestClock.setTime(today)
  const logs: Array<string> = []
  const logger = Logger.map(Logger.formatLogFmt, (line) => logs.push(line))
  const ambient = Layer.mergeAll(
    Layer.succeed(Clock.Clock, yield* Clock.Clock),
    Logger.layer([logger, ...loggers]),
    around
  )
  const core = yield* Layer.build(Layer.provideMerge(services(below), ambient))
  const scoped: { draining?: Draining["Service"] } = {}
  const kept = Layer.effectDiscard(Effect.map(Draining, (draining) => (scoped.draining = draining)))
  const app = kept.pipe(
    Layer.provideMerge(Market.routes({ rateLimits: "off", ...options })),
    Layer.provideMerge(Layer.merge(Layer.succeedContext(core), ambient)),
    Layer.provide(HttpServer.layerServices)
  )
  const { handler, dispose } = HttpRouter.toWebHandler(app, { disableLogger: true })
  yield* Effect.addFinalizer(() => Effect.promise(dispose))

  const send = (endpoint: string, { key, headers = {}, body, raw }: Sending = {}) => {
    const space = endpoint.indexOf(" ")
    const content = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    return handler(
      new Request(`http://market.test${endpoint.slice(space + 1)}`, {
        method: endpoint.slice(0, space),
        headers: {
          ...(key === undefined ? {} : { "x-agent-key": key }),
          ...(content === undefined ? {} : { "content-type": "application/json" }),
          ...headers
        },
        ...(content === undefined ? {} : { body: content, duplex: "half" })
      })
    )
  }

  const call = (endpoint: string, sending?: Sending) =>
    Effect.promise(async (): Promise<Reply> => {
      const response = await send(endpoint, sending)
      const text = await textOf(response)
      return { status: response.status, headers: response.headers, text, body: parse(text) }
    })

  /** Calls and yields the `data` of a success. */
  const ask = Effect.fnUntraced(function* (endpoint: string, sending?: Sending) {
    const reply = yield* call(endpoint, sending)
    if (reply.status >= 300) return yield* Effect.die(new Error(`${endpoint}: ${reply.status} ${reply.text}`))
    return dataOf(reply)
  })

  const register = Effect.fnUntraced(function* (handle: string) {
    const body = { handle, name: `The agent ${handle}`, email: `${handle}@example.com` }
    const data = yield* ask("POST /api/agents", { body })
    const agent: TestAgent = {
      key: textAt(data, "apiKey"),
      id: AgentId.make(textAt(data, "agent", "id")),
      handle
    }
    return agent
  })

  return {
    call,
    ask,
    register,
    /** Sends a request and yields the response as it comes, for streams. */
    stream: (endpoint: string, sending?: Sending) => Effect.promise(() => send(endpoint, sending)),
    /** The number of events so far: what no refused request moves. */
    position: Context.get(core, Store).events.latest,
    store: Context.get(core, Store),
    /** The calls of the market's operator. */
    operators: Context.get(core, Operators),
    /** Matches what is new. */
    settle: Effect.repeat(Context.get(core, Matching).round, { while: (count) => count > 0 }),
    logs,
    drain: Effect.suspend(() => scoped.draining?.begin ?? Effect.void)
  }
})

export type TestMarket = Effect.Success<ReturnType<typeof open>>

export interface TestAgent {
  readonly key: string
  readonly id: AgentId
  readonly handle: string
}

// -----------------------------------------------------------------------------
// Reading replies
// -----------------------------------------------------------------------------

/** A stream never ends by itself: `call` leaves it unread. */
const textOf = async (response: Response): Promise<string> => {
  if (response.headers.get("content-type") !== "text/event-stream") return response.text()
  await response.body?.cancel()
  return ""
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What stands at a path of a JSON value. */
export const at = (value: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce<unknown>(
    (inner, key) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, key) : undefined),
    value
  )

/** The string at a path of a JSON value. */
export const textAt = (value: unknown, ...path: ReadonlyArray<string | number>): string => {
  const text = at(value, ...path)
  if (typeof text !== "string") throw new Error(`No string at ${path.join(".")} of ${JSON.stringify(value)}`)
  return text
}

/** The items of an array at a path of a JSON value. */
export const listAt = (value: unknown, ...path: ReadonlyArray<string | number>): ReadonlyArray<unknown> => {
  const list: unknown = at(value, ...path)
  if (!Array.isArray(list)) throw new Error(`No list at ${path.join(".")} of ${JSON.stringify(value)}`)
  return list
}

/** The names and values of an object; none of anything else. */
export const fieldsOf = (value: unknown): ReadonlyArray<readonly [name: string, value: unknown]> =>
  typeof value === "object" && value !== null ? Object.entries(value) : []

export const dataOf = ({ body }: Reply): unknown => at(body, "data")

const Envelope = Schema.Struct({
  ok: Schema.Literal(false),
  error: Schema.StructWithRest(
    Schema.Struct({
      code: Schema.String,
      message: Schema.NonEmptyString,
      recovery: Schema.Literals(["transient", "correctable", "terminal"]),
      requestId: Schema.NonEmptyString
    }),
    [Schema.Record(Schema.String, Schema.Unknown)]
  )
})

/** The `error` of a reply that must be an envelope. */
export const errorOf = ({ body }: Reply) => Schema.decodeUnknownSync(Envelope)(body).error

/** What a refusal comes down to in a table: `404 not_found`. */
export const verdict = (reply: Reply): string =>
  reply.status < 400 ? `${reply.status}` : `${reply.status} ${errorOf(reply).code}`

/** The paths of the issues that a refusal names. */
export const issuesOf = (reply: Reply): ReadonlyArray<string> =>
  listAt(reply.body, "error", "issues").map((issue) => textAt(issue, "path"))
