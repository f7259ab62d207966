/**
 * The shell around the routes: request ids, figures, headers, rate limits, limits, and the envelope for every failure.
 *
 * It is one global middleware of the router, since the order of its parts matters: the id is there before anything can
 * fail, and the headers are put on failures too.
 */
import { Metrics } from "@souk/core"
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpRouter } from "effect/http"
import * as ClientAddress from "./ClientAddress.ts"
import * as Conditional from "./Conditional.ts"
import * as Draining from "./Draining.ts"
import * as Failsafe from "./Failsafe.ts"
import * as Limits from "./Limits.ts"
import { RateLimit } from "./RateLimit.ts"
import * as RequestMetrics from "./RequestMetrics.ts"
import * as RequestId from "./RequestId.ts"
import * as RouteTable from "./RouteTable.ts"
import * as SecretHeaders from "./SecretHeaders.ts"
import * as SecurityHeaders from "./SecurityHeaders.ts"

export interface ShellOptions {
  /** Every route of the router, as `RouteTable.entriesOf` lists those of an HttpApi. */
  readonly routes: Iterable<RouteTable.RouteEntry>
  readonly limits?: Partial<Limits.Limits>
  /** How many proxies of its own the host has in front; 0, the default, ignores `X-Forwarded-For`. */
  readonly trustProxy?: number
  /** Paths that no rate limit counts: those by which the server is watched. */
  readonly uncounted?: ReadonlyArray<string>
}

/** Installs the shell on the router. Provide `RateLimit`, `Draining` and `Metrics` outside, since handlers use them too. */
export const layer = (options: ShellOptions) =>
  HttpRouter.middleware(
    Effect.gen(function* () {
      const rateLimit = yield* RateLimit
      const closing = Draining.make(yield* Draining.Draining)
      const named = yield* RequestId.make
      const discreet = yield* SecretHeaders.make
      const routes = RouteTable.make(options.routes)
      const measured = RequestMetrics.make(routes, yield* Metrics)
      const limits = Limits.withDefaults(options.limits ?? {})
      const limited = Limits.make(limits, routes)
      const safe = Failsafe.make(routes, limits)
      const counted = rateLimit.middleware(options.uncounted ?? [])
      const located = ClientAddress.make(options.trustProxy ?? 0)
      return (effect) =>
        effect.pipe(
          limited,
          safe,
          Conditional.middleware,
          counted,
          located,
          SecurityHeaders.middleware,
          closing,
          measured,
          named,
          discreet
        )
    }),
    { global: true }
  ).pipe(Layer.provide(SecureRandom.layerWebCrypto))
