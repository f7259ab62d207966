/** How large a body, how deep its JSON and how long a request may be. Contract §1, "Size, time". */
import { PayloadTooLarge, UnsupportedMediaType } from "@souk/api"
import { ByteSize, Context, Effect } from "effect"
import { HttpIncomingMessage, HttpServerRequest } from "effect/http"
import * as JsonBody from "./JsonBody.ts"
import type { Middleware } from "./Middleware.ts"
import * as Refusal from "./Refusal.ts"
import type { RouteTable } from "./RouteTable.ts"

export interface Limits {
  /** What a body may measure, chunked ones as well. */
  readonly maxBodyBytes: number
  /** How deep arrays and objects may nest in a body. */
  readonly maxJsonDepth: number
  /** How many values a body may hold: each of them can be wrong in a way that has to be told. */
  readonly maxJsonValues: number
  /** How long a response may take to begin. A stream that has begun may last. */
  readonly requestTimeoutSeconds: number
  /** How many event streams one agent, or one address without a key, may have open at a time. */
  readonly maxStreams: number
}

/** The contract's figures, and room for three documents of 16 KiB full of digits. */
const defaultLimits: Limits = {
  maxBodyBytes: 256 * 1024,
  maxJsonDepth: 32,
  maxJsonValues: 30_000,
  requestTimeoutSeconds: 30,
  maxStreams: 50
}

/** Fills in what is not said; what is undefined is not said either. */
export const withDefaults = ({
  maxBodyBytes = defaultLimits.maxBodyBytes,
  maxJsonDepth = defaultLimits.maxJsonDepth,
  maxJsonValues = defaultLimits.maxJsonValues,
  requestTimeoutSeconds = defaultLimits.requestTimeoutSeconds,
  maxStreams = defaultLimits.maxStreams
}: Partial<Limits> = {}): Limits => ({
  maxBodyBytes,
  maxJsonDepth,
  maxJsonValues,
  requestTimeoutSeconds,
  maxStreams
})

/** Marks an interruption as that of a request which took too long. */
export class TimedOut extends Context.Service<TimedOut, true>()("@souk/server/http/TimedOut") {}

/** Keeps each request within the limits. What it interrupts or refuses while reading becomes a response in `Failsafe`. */
export const make =
  (limits: Limits, routes: RouteTable): Middleware =>
  (effect) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      const refusal = refusalOf(request, limits)
      if (refusal !== undefined) return Refusal.reply(refusal)
      const bodyOptional = () => routes.find(request.method, request.url)?.bodyOptional ?? false
      const view = JsonBody.checked(request, {
        maxDepth: limits.maxJsonDepth,
        maxValues: limits.maxJsonValues,
        optional: bodyOptional
      })
      return effect.pipe(
        Effect.provideService(HttpServerRequest.HttpServerRequest, view),
        Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(limits.maxBodyBytes)),
        interruptAfter(limits.requestTimeoutSeconds)
      )
    })

/** The refusal of a body that is larger than the market reads. */
export const tooLarge = (maxBytes: number) =>
  new PayloadTooLarge({ message: `The body is larger than the ${maxBytes} bytes that are read.`, maxBytes })

// -----------------------------------------------------------------------------

/** What can be refused by the headers, before anything is read. The body of a GET never is. */
const refusalOf = ({ headers, method }: HttpServerRequest.HttpServerRequest, limits: Limits) => {
  if (method === "GET" || method === "HEAD") return undefined
  if (Number(headers["content-length"] ?? 0) > limits.maxBodyBytes) return tooLarge(limits.maxBodyBytes)
  const coding = headers["content-encoding"]
  if (coding === undefined || /^identity$/iu.test(coding.trim())) return undefined
  return new UnsupportedMediaType({ message: "The body is compressed. Send it without Content-Encoding." })
}

/**
 * Interrupts the request's own fiber when its time is up. Racing it against the clock would run the handler in a
 * fiber of its own, which loses the shelter of routes that must not be interrupted.
 */
const interruptAfter =
  (seconds: number): Middleware =>
  (effect) =>
    Effect.withFiber((request) =>
      Effect.sleep(seconds * 1000).pipe(
        Effect.andThen(Effect.sync(() => request.interruptUnsafe(request.id, TimedOut.context(true)))),
        Effect.forkChild,
        Effect.flatMap((timer) =>
          Effect.ensuring(
            effect,
            Effect.sync(() => timer.interruptUnsafe())
          )
        )
      )
    )
