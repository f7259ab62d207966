/**
 * A whole market for one test: in memory, through the real HTTP handler and without a socket, on a clock that the test
 * turns, with ids that are the same on every run.
 */
import type { Souk } from "@souk/client"
import { MemoryStore, WebhookSender } from "@souk/core"
import type { Market as Core } from "@souk/core"
import { checkOptions, hostPorts, hostPrincipal, makeHostApi } from "@souk/server"
import type { HostPorts, HostPrincipal, Market, OperatorApi, OtherOptions } from "@souk/server"
import { DateTime, Duration, Effect, Layer, ManagedRuntime, Option, Stream, Struct } from "effect"
import { FetchHttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { epoch } from "./fixtures.ts"
import * as handler from "./handler.ts"
import * as MarketTest from "./MarketTest.ts"
import { beginning } from "./ownOptions.ts"
import { observed } from "./observed.ts"
import { makeStillness } from "./Stillness.ts"
import type { Stillness } from "./Stillness.ts"
import { makeClient, register } from "./TestAgent.ts"
import type { TestAgent, TestAgentProfile, TestFetch } from "./TestAgent.ts"
import { makeEventRecorder } from "./TestEvents.ts"
import type { TestEvents } from "./TestEvents.ts"
import { makeWebhookReceiver } from "./TestWebhooks.ts"
import type { TestWebhooks } from "./TestWebhooks.ts"

export interface TestMarketOptions
  extends
    MarketTest.MarketTestOptions,
    Omit<Market.MarketOptions, keyof HostPrincipal>,
    HostPorts,
    HostPrincipal {
  /** When the market begins; 5 January 2026, 9:00 UTC, by default. */
  readonly startsAt?: Date | string
}

/** Turns the time of one market. */
export interface TestMarketClock {
  readonly now: () => Date
  /**
   * Lets time pass: `"14 days"`, `"90 minutes"`, or a number of milliseconds. What was due by then is done. Rejects with
   * a `TypeError` for what is no span of time, goes back, or has no end.
   */
  readonly advance: (duration: Duration.Input) => Promise<void>
}

export interface TestMarket {
  /** Calls the market by HTTP, without a key. */
  readonly fetch: TestFetch
  /** The client of `@souk/client` without a key. */
  readonly visitor: Souk
  /** Registers an agent with this handle, and gives its client. Rejects as `agents.register` does. */
  readonly agent: (handle: string, profile?: TestAgentProfile) => Promise<TestAgent>
  /** The calls of the market's operator. */
  readonly operator: OperatorApi
  /** What has happened. */
  readonly events: TestEvents
  /** What the market has sent, to whatever URL: it leaves the process nowhere. */
  readonly webhooks: TestWebhooks
  readonly clock: TestMarketClock
  /** Ends the market, and the streams of its agents as if there were no more events; later calls fail. What `await using` calls. */
  readonly close: () => Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/**
 * Opens a market.
 *
 * **Details**
 *
 * Rate limits are off unless the options set them. Ids and keys come from the seed, `Request-Id` does not. Rejects with
 * a `TypeError` that names the option when one makes no sense, or does not exist.
 *
 * @example
 * ```ts
 * import { testMarket } from "@souk/testing"
 *
 * await using market = await testMarket({ seed: 7 })
 * const buyer = await market.agent("buyer")
 * await buyer.rfqs.create({ title: "Translate a contract", quoteDeadline: "2026-01-06T09:00:00Z" })
 * const { subject } = await market.events.take("rfq.opened")
 * ```
 */
export const testMarket = async (options: TestMarketOptions = {}): Promise<TestMarket> => {
  checkOptions(options, known)
  const { startsAt = DateTime.toDate(epoch) } = options
  const stillness = makeStillness()
  const now = () => new Date(clock.currentTimeMillisUnsafe())
  const events = makeEventRecorder(stillness, now)
  const webhooks = makeWebhookReceiver(stillness, now)
  const store = observed(MemoryStore.layer, (commit) => {
    events.note(commit)
    webhooks.note(commit)
  })
  const ports = Layer.merge(
    hostPorts(counted(stillness, options)),
    Layer.succeed(WebhookSender, webhooks.sender)
  )
  const runtime = ManagedRuntime.make(
    handler
      .layer(faceOf(options))
      .pipe(
        Layer.provideMerge(MarketTest.layerOn(store, options)),
        Layer.provide(ports),
        Layer.provideMerge(Layer.effectDiscard(TestClock.setTime(new Date(startsAt).getTime()))),
        Layer.provideMerge(TestClock.layer({ warningDelay: Duration.infinity }))
      )
  )
  const answer = await runtime.runPromise(FetchHttpClient.Fetch)
  const clock = runtime.runSync(TestClock.testClockWith(Effect.succeed))
  const services = runtime.runSync(Effect.context<Core.MarketServices>())

  const closing = new AbortController()
  const fetch: TestFetch = async (path, init = {}) => {
    closing.signal.throwIfAborted()
    const headers = new Headers(init.headers)
    if (typeof init.body === "string" && !headers.has("content-type"))
      headers.set("content-type", "application/json")
    return stillness.during(() => answer(new URL(path, handler.baseUrl), { ...init, headers }))
  }
  const visitor = makeClient(fetch, closing.signal)
  const close = () => {
    closing.abort(new Error("This market is closed."))
    return runtime.dispose()
  }

  return {
    fetch,
    visitor,
    agent: (handle, profile) => register(visitor, fetch, closing.signal, handle, profile),
    operator: makeHostApi({
      answer: (request) => stillness.during(() => answer(request)),
      run: (call) => stillness.during(() => runtime.runPromise(call(services))),
      iterate: (call) => Stream.toAsyncIterable(call(services))
    }).operator,
    events,
    webhooks,
    clock: {
      now,
      advance: async (duration) => {
        const span = spanOf(duration)
        await stillness.during(() => runtime.runPromise(TestClock.adjust(span)))
        // The ports of the test take real time.
        if (stillness.isUnderWay()) await stillness.reached(0)
      }
    },
    close,
    [Symbol.asyncDispose]: close
  }
}

// -----------------------------------------------------------------------------

const known: OtherOptions = {
  own: beginning,
  shared: [
    "feed",
    "sweepEverySeconds",
    "matching",
    "baseUrl",
    "limits",
    "rateLimits",
    "rateLimitStore",
    "trustProxy",
    "requireKeyForReads",
    "metrics",
    "principal",
    "trustedOrigins",
    "policy",
    "moderation",
    "settlement"
  ]
}

/** What of it is the HTTP face's, which takes no other options. */
const faceOf = (options: TestMarketOptions): Market.MarketOptions => ({
  ...Struct.omit(options, [
    "feed",
    "matching",
    "moderation",
    "policy",
    "seed",
    "settlement",
    "startsAt",
    "sweepEverySeconds"
  ]),
  principal: hostPrincipal(options)
})

const spanOf = (input: Duration.Input): Duration.Duration => {
  const span = Option.getOrUndefined(Duration.fromInput(input))
  if (span === undefined || !Duration.isFinite(span) || Duration.isNegative(span) || Number.isNaN(input))
    throw new TypeError(
      `The clock goes on by a span of time, like "14 days" or a number of milliseconds, and not by ${String(input)}.`
    )
  return span
}

/** Counts what the ports are at. */
const counted = ({ during }: Stillness, { moderation, policy, settlement }: HostPorts): HostPorts => ({
  ...(policy === undefined ? {} : { policy: (question) => during(() => policy(question)) }),
  ...(moderation === undefined ? {} : { moderation: (content) => during(() => moderation(content)) }),
  ...(settlement === undefined
    ? {}
    : {
        settlement: {
          ...settlement,
          authorise: (call) => during(() => settlement.authorise(call)),
          capture: (call) => during(() => settlement.capture(call)),
          refund: (call) => during(() => settlement.refund(call)),
          split: (call) => during(() => settlement.split(call))
        }
      })
})
