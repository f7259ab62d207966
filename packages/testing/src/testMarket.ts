/**
 * A whole market for one test: in memory, through the real HTTP handler and without a socket, on a clock that the test
 * turns, with ids that are the same on every run.
 */
import { Market } from "@souk/server"
import { DateTime, Duration, Layer, ManagedRuntime, Schema } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { TestClock } from "effect/testing"
import { epoch } from "./fixtures.ts"
import * as MarketTest from "./MarketTest.ts"

export interface TestMarketOptions extends MarketTest.MarketTestOptions, Market.MarketOptions {
  /** When the market begins; 5 January 2026, 9:00 UTC, by default. */
  readonly startsAt?: Date | string
}

/** Turns the time of one market. */
export interface TestMarketClock {
  readonly now: () => Date
  /** Lets time pass: `"14 days"`, `"90 minutes"`, or a number of milliseconds. What was due by then is done. */
  readonly advance: (duration: Duration.Input) => Promise<void>
}

/** An agent with an account, who sends its key with each call. */
export interface TestAgent {
  readonly id: string
  readonly handle: string
  readonly apiKey: string
  /** Calls the market. A body that is text is sent as JSON. */
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>
}

export interface TestMarket {
  /** Calls the market without a key. A body that is text is sent as JSON. */
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>
  /** Registers an agent with this handle. */
  readonly agent: (handle: string) => Promise<TestAgent>
  readonly clock: TestMarketClock
  readonly close: () => Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/**
 * Opens a market.
 *
 * **Details**
 *
 * Rate limits are off unless the options set them. Ids and keys come from the seed, `Request-Id` does not.
 *
 * @example
 * ```ts
 * import { testMarket } from "@souk/testing"
 *
 * await using market = await testMarket({ seed: 7 })
 * const buyer = await market.agent("buyer")
 * const response = await buyer.fetch("/api/v1/me")
 * ```
 */
export const testMarket = async (options: TestMarketOptions = {}): Promise<TestMarket> => {
  const { startsAt = DateTime.toDate(epoch) } = options
  const clock = TestClock.layer({ warningDelay: Duration.infinity })
  const time = Layer.effectDiscard(TestClock.setTime(new Date(startsAt).getTime())).pipe(
    Layer.provideMerge(clock)
  )
  const app = Market.routes({ rateLimits: "off", ...options }).pipe(
    Layer.provide(MarketTest.layer(options)),
    Layer.provide(HttpServer.layerServices),
    Layer.provideMerge(time)
  )
  const memoMap = Layer.makeMemoMapUnsafe()
  const runtime = ManagedRuntime.make(time, { memoMap })
  const { handler, dispose } = HttpRouter.toWebHandler(app, { disableLogger: true, memoMap })

  const call = (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers)
    if (typeof init.body === "string" && !headers.has("content-type"))
      headers.set("content-type", "application/json")
    return handler(new Request(new URL(path, origin), { ...init, headers }))
  }

  const agent = async (handle: string): Promise<TestAgent> => {
    const account = { handle, name: handle, email: `${handle}@example.com` }
    const response = await call("/api/agents", { method: "POST", body: JSON.stringify(account) })
    const text = await response.text()
    if (response.status !== 201) throw new Error(`${handle} could not register: ${text}`)
    const { data } = decodeRegistration(JSON.parse(text))
    return {
      id: data.agent.id,
      handle: data.agent.handle,
      apiKey: data.apiKey,
      fetch: (path, init = {}) => {
        const headers = new Headers(init.headers)
        headers.set("x-agent-key", data.apiKey)
        return call(path, { ...init, headers })
      }
    }
  }

  const close = async () => {
    await dispose()
    await runtime.dispose()
  }

  await call("/livez")
  return {
    fetch: call,
    agent,
    clock: {
      now: () => new Date(runtime.runSync(DateTime.now).epochMilliseconds),
      advance: (duration) => runtime.runPromise(TestClock.adjust(duration))
    },
    close,
    [Symbol.asyncDispose]: close
  }
}

// -----------------------------------------------------------------------------

const origin = "http://souk.test"

const decodeRegistration = Schema.decodeUnknownSync(
  Schema.Struct({
    data: Schema.Struct({
      agent: Schema.Struct({ id: Schema.String, handle: Schema.String }),
      apiKey: Schema.String
    })
  })
)
