/**
 * A server of `node:http` that closes in time: streams end at once, requests under way get a moment, and then nobody is
 * waited for. Effect's own waits for its connections, those of clients that hang included.
 */
import { NodeHttpServer } from "@effect/platform-node"
import { Duration, Effect, Layer } from "effect"
import { createServer } from "node:http"
import type { Server } from "node:http"
import * as Draining from "./Draining.ts"

export interface ListenerOptions {
  readonly port: number
  readonly host?: string
  /** How long requests under way may take once the server closes; 700 by default. */
  readonly graceMillis?: number
}

/** Serves an app, such as `HttpRouter.serve(routes)`, and closes as said above. */
export const serve =
  (options: ListenerOptions) =>
  <A, E, R>(app: Layer.Layer<A, E, R>) =>
    Layer.unwrap(
      Effect.sync(() => {
        const { graceMillis = 700, ...listen } = options
        const server = createServer()
        return Draining.beforeClose.pipe(
          Layer.provideMerge(cutOff(server, graceMillis)),
          Layer.provideMerge(app),
          Layer.provideMerge(NodeHttpServer.layer(() => server, listen))
        )
      })
    )

// -----------------------------------------------------------------------------

/** Starts the clock when the server is about to close; what it leaves open then is cut off. */
const cutOff = (server: Server, graceMillis: number) =>
  Layer.effectDiscard(
    Effect.addFinalizer(() =>
      Effect.sleep(Duration.millis(graceMillis)).pipe(
        Effect.andThen(Effect.sync(() => server.closeAllConnections())),
        Effect.forkDetach
      )
    )
  )
