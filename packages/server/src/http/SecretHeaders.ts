/**
 * Keeps the secrets in the headers of requests out of what Effect writes of them: a request that is logged or stands in
 * an error, and, where a host records headers in its traces, the spans. Contract §2.
 *
 * An `Idempotency-Key` is among them since it opens the kept reply, which may hold an API key.
 */
import { Effect, Layer } from "effect"
import { Headers } from "effect/http"
import type { Middleware } from "./Middleware.ts"

const ours: ReadonlyArray<string> = ["x-agent-key", "idempotency-key"]

const withOurs = (names: ReadonlyArray<string | RegExp>): ReadonlyArray<string | RegExp> => [
  ...names,
  ...ours.filter((name) => !names.includes(name))
]

/** Hides the headers in what runs in the layers above it: put it beneath whatever serves the routes. */
export const layer: Layer.Layer<never> = Layer.effect(
  Headers.CurrentRedactedNames,
  Effect.map(Headers.CurrentRedactedNames, withOurs)
)

/** Makes the middleware that hides the headers in all that a request does, beside those that the host hides. */
export const make: Effect.Effect<Middleware> = Effect.map(
  Headers.CurrentRedactedNames,
  (names): Middleware => {
    const hidden = withOurs(names)
    return (effect) => Effect.provideService(effect, Headers.CurrentRedactedNames, hidden)
  }
)
