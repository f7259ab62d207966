/**
 * The moment at which the server stops taking its time: streams end and connections are not kept, so that a shutdown
 * waits for nobody.
 *
 * A server closes by waiting for its connections, and a stream of events never ends by itself. So draining must begin
 * before the server closes: `Listener` sees to it, and a host with a server of its own puts `beforeClose` above it.
 */
import { Context, Effect, Latch, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Middleware } from "./Middleware.ts"

export class Draining extends Context.Service<
  Draining,
  {
    /** Waits until draining begins. */
    readonly await: Effect.Effect<void>
    /** Ends what waits, now and for good. */
    readonly begin: Effect.Effect<void>
    /** Whether draining has begun. */
    readonly isBegun: Effect.Effect<boolean>
  }
>()("@souk/server/http/Draining") {}

/** Begins when its scope closes, at the latest. */
export const layer: Layer.Layer<Draining> = Layer.effect(
  Draining,
  Effect.gen(function* () {
    const latch = yield* Latch.make()
    const begin = Effect.asVoid(latch.open)
    yield* Effect.addFinalizer(() => begin)
    return Draining.of({ await: latch.await, begin, isBegun: Effect.sync(() => latch.isOpen()) })
  })
)

/** Begins before the layer that this is provided with closes: `beforeClose.pipe(Layer.provideMerge(server))`. */
export const beforeClose: Layer.Layer<never, never, Draining> = Layer.effectDiscard(
  Effect.flatMap(Draining, (draining) => Effect.addFinalizer(() => draining.begin))
)

/** Closes the connection with each response that is made while the server drains. */
export const make =
  (draining: Draining["Service"]): Middleware =>
  (effect) =>
    Effect.flatMap(effect, (response) =>
      Effect.map(draining.isBegun, (begun) =>
        begun ? HttpServerResponse.setHeader(response, "connection", "close") : response
      )
    )
