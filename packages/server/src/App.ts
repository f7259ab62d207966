/**
 * A market on its own: built once, asked by any number of hosts, closed in time.
 *
 * What `createMarketplace` and the adapters share. It takes requests from its first moment: they wait while it is
 * built, and are 503 where it could not be, until that is tried with success, or is closing.
 */
import { Market as Core, MiniSearchIndex, SchemaOutOfDate, Store, Unavailable } from "@souk/core"
import type { DeliveryOptions } from "@souk/core"
import { Cause, Context, Duration, Effect, Exit, Latch, Layer, Option, Scope, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpRouter, HttpServer, HttpServerRequest } from "effect/http"
import type { HttpServerResponse } from "effect/http"
import * as HostEvents from "./HostEvents.ts"
import * as HostPorts from "./HostPorts.ts"
import * as BasePath from "./http/BasePath.ts"
import * as Draining from "./http/Draining.ts"
import * as Instead from "./http/Instead.ts"
import type { Middleware } from "./http/Middleware.ts"
import type { WebhookSenderOptions } from "./http/WebhookSender.ts"
import * as Refusal from "./http/Refusal.ts"
import * as Routes from "./Routes.ts"
import * as Starting from "./Starting.ts"

export interface AppOptions
  extends Routes.MarketOptions, HostPorts.HostPorts, HostEvents.HostEvents, Workers {
  readonly store: Layer.Layer<Store, unknown>
  readonly basePath?: string
  readonly retainEventsSeconds?: number
  readonly graceMillis?: number
  readonly webhooks?: WebhookOptions | "off"
}

/** What works behind the face, and how often. */
type Workers = Pick<Core.MarketOptions, "feed" | "matching" | "settlementOrders" | "sweepEverySeconds">

/** How webhooks are delivered. */
export interface WebhookOptions extends WebhookSenderOptions, DeliveryOptions {}

const deliveryOf = ({ lookUpEverySeconds, timeoutSeconds }: WebhookOptions): DeliveryOptions => ({
  lookUpEverySeconds,
  timeoutSeconds
})

/** What stands behind the face. */
type Services = Context.Context<Core.MarketServices>

type Answer = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  unknown,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

export interface App {
  readonly basePath: string
  /** Answers the current request. */
  readonly answer: Answer
  /** Notes a reply that is being sent, and gives what is to be called when it is; `cutOff` ends it before. */
  readonly sending: (cutOff: () => void) => () => void
  /** Answers a request of the host's own, whose path begins where the contract's do. */
  readonly answerHost: Answer
  /** Runs a call on the services behind the face. */
  readonly run: <A, E>(call: (services: Services) => Effect.Effect<A, E>) => Effect.Effect<A, unknown>
  /** Streams from the services behind the face, until the market closes. */
  readonly stream: <A, E>(call: (services: Services) => Stream.Stream<A, E>) => Stream.Stream<A, unknown>
  /** Whether the store can serve, or why it cannot. */
  readonly ready: Effect.Effect<void, unknown>
  /** Brings the schema of the store up to date, and starts what waited for that. Tells which migrations that took. */
  readonly migrate: Effect.Effect<ReadonlyArray<string>, unknown>
  /** Ends streams at once, gives requests under way a moment, then ends them and lets go of the store. */
  readonly close: Effect.Effect<void>
}

/** The address of the caller where the host knows it and the request does not tell. */
export const GivenAddress = Context.Reference<string | undefined>("@souk/server/App/GivenAddress", {
  defaultValue: () => undefined
})

/** Starts to build a market. */
export const make = (given: AppOptions): App => {
  const { store, basePath = "", graceMillis = 700, retainEventsSeconds, webhooks = {}, ...options } = given
  const scope = Scope.makeUnsafe()
  const { baseUrl = basePath === "" ? undefined : basePath } = options
  const { feed, matching, settlementOrders, sweepEverySeconds } = options
  const workers = { feed, matching, retainEventsSeconds, settlementOrders, sweepEverySeconds }
  const core =
    webhooks === "off"
      ? Core.layer(workers)
      : Layer.provide(Core.layer({ ...workers, webhooks: deliveryOf(webhooks) }), sender(webhooks))
  const starting = Starting.make(held(store, scope), (store) =>
    build(core, store, { ...options, ...(baseUrl === undefined ? {} : { baseUrl }) }, scope)
  )
  const answering = makePending()
  const sending = makePending()
  let closing = false

  const open = Effect.suspend(() => (closing ? Effect.fail(closed()) : Effect.flatten(starting.outcome)))

  /** Runs what a shutdown waits for, and then ends. */
  const pending = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.withFiber<A, E, R>((fiber) =>
      Effect.ensuring(effect, Effect.sync(answering.begin(() => fiber.interruptUnsafe())))
    )

  const route = (built: Exit.Exit<Built, unknown>): Answer =>
    Exit.isSuccess(built) && !closing
      ? pending(built.value.answer)
      : Instead.answer(closing ? Refusal.stopping : notStarted(built))

  const answer = Effect.flatMap(starting.outcome, route)

  const migrate = Effect.suspend(() =>
    closing
      ? Effect.fail(closed())
      : starting.mend((store) => Context.get(store, Store).migrate ?? Effect.succeed([]))
  )

  return {
    basePath,
    answer: answer.pipe(
      BasePath.make({ basePath, publicPath: publicPathOf(options.baseUrl) ?? basePath }),
      located
    ),
    sending: sending.begin,
    answerHost: answer,
    run: (call) => Effect.flatMap(open, ({ services }) => pending(call(services))),
    stream: (call) =>
      Stream.unwrap(
        Effect.map(open, ({ draining, services }) => Stream.interruptWhen(call(services), draining.await))
      ),
    migrate,
    ready: Effect.flatMap(open, (built) => built.ready),
    close: Effect.gen(function* () {
      closing = true
      yield* starting.stop
      const built = yield* starting.outcome
      if (Exit.isSuccess(built)) yield* built.value.draining.begin
      const quiet = Effect.andThen(answering.none, sending.none)
      yield* Effect.timeoutOption(quiet, Duration.millis(graceMillis))
      answering.cutOff()
      yield* Effect.timeoutOption(quiet, Duration.millis(100))
      sending.cutOff()
      yield* Scope.close(scope, Exit.void)
    })
  }
}

// -----------------------------------------------------------------------------

/**
 * The sender of webhooks, loaded where there is one for the runtime: it stands on Node's network modules. What is bundled
 * for workers has none, by the conditions in the manifest, and the market then takes no webhooks.
 */
const sender = (options: WebhookSenderOptions | undefined) =>
  Layer.unwrap(
    Effect.tryPromise(() => import("#webhook-sender")).pipe(
      Effect.map((module) => module.layer(options)),
      Effect.catch(() => Effect.succeed(Layer.empty))
    )
  )

interface Built {
  readonly answer: Answer
  readonly services: Services
  readonly ready: Effect.Effect<void, unknown>
  readonly draining: Draining.Draining["Service"]
}

/** Opens the store for as long as the market is open. What could not be opened holds nothing. */
const held = (store: Layer.Layer<Store, unknown>, parent: Scope.Scope) =>
  Effect.gen(function* () {
    const scope = yield* Scope.fork(parent)
    return yield* Effect.onError(Layer.buildWithScope(store, scope), (cause) =>
      Scope.close(scope, Exit.failCause(cause))
    )
  })

/** Builds the market on its store: the routes get the very services that are built here, by the memo map. */
const build = (
  core: ReturnType<typeof Core.layer>,
  store: Context.Context<Store>,
  options: Routes.MarketOptions & HostPorts.HostPorts & HostEvents.HostEvents,
  parent: Scope.Scope
) =>
  Effect.gen(function* () {
    const scope = yield* Scope.fork(parent)
    const memoMap = yield* Layer.makeMemoMap
    const services = HostEvents.layer(options).pipe(
      Layer.provideMerge(core),
      Layer.provideMerge(Layer.succeedContext(store)),
      Layer.provide([MiniSearchIndex.layer, SecureRandom.layerWebCrypto, HostPorts.layer(options)]),
      Layer.merge(Layer.merge(Draining.layer, HttpServer.layerServices))
    )
    const built = Effect.gen(function* () {
      const context = yield* Layer.buildWithMemoMap(services, memoMap, scope)
      const answer = yield* HttpRouter.toHttpEffect(Routes.make(options)).pipe(
        Effect.provideService(Layer.CurrentMemoMap, memoMap),
        Effect.provideService(Scope.Scope, scope),
        Effect.provideContext(context)
      )
      const built: Built = {
        answer,
        services: context,
        ready: Context.get(context, Store).ready,
        draining: Context.get(context, Draining.Draining)
      }
      return built
    })
    return yield* Effect.onError(built, (cause) => Scope.close(scope, Exit.failCause(cause)))
  })

const closed = () => new Unavailable({ message: "The market is closed." })

const notStarted = (built: Exit.Exit<unknown, unknown>) => {
  const failed = Exit.isFailure(built) ? Cause.squash(built.cause) : undefined
  return Refusal.reply(
    failed instanceof SchemaOutOfDate
      ? failed
      : new Unavailable({ message: "The market could not start. Try again later." })
  )
}

/** What the world calls the market may have another path than its mount. */
const publicPathOf = (baseUrl: string | undefined) =>
  baseUrl === undefined ? undefined : new URL(baseUrl).pathname.replace(/\/$/u, "")

const located: Middleware = (effect) =>
  Effect.flatMap(GivenAddress, (address) =>
    address === undefined
      ? effect
      : Effect.updateService(effect, HttpServerRequest.HttpServerRequest, (request) =>
          request.modify({ remoteAddress: Option.some(address) })
        )
  )

/** Counts what is under way, so that a shutdown can wait for it, and end it. */
const makePending = () => {
  const ends = new Set<() => void>()
  const idle = Latch.makeUnsafe(true)
  return {
    begin: (cutOff: () => void) => {
      ends.add(cutOff)
      idle.closeUnsafe()
      return () => {
        ends.delete(cutOff)
        if (ends.size === 0) idle.openUnsafe()
      }
    },
    none: idle.await,
    cutOff: () => {
      for (const cutOff of ends) cutOff()
    }
  }
}
