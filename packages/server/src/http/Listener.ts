/**
 * A server of `node:http` that closes in time: streams end at once, requests under way get a moment, and then nobody is
 * waited for. Effect's own waits for its connections, those of clients that hang included.
 */
import { NodeHttpServer } from "@effect/platform-node"
import { CurrentRequestId, failureBody } from "@souk/api"
import { InvalidRequest } from "@souk/core"
import { Duration, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { createServer } from "node:http"
import type { Server } from "node:http"
import type { Duplex } from "node:stream"
import * as Draining from "./Draining.ts"
import * as SecretHeaders from "./SecretHeaders.ts"

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
        const server = createServer().on("clientError", refuse)
        return Draining.beforeClose.pipe(
          Layer.provideMerge(cutOff(server, graceMillis)),
          Layer.provideMerge(Layer.provide(app, SecretHeaders.layer)),
          Layer.provideMerge(NodeHttpServer.layer(() => server, listen))
        )
      })
    )

// -----------------------------------------------------------------------------

/**
 * Answers what is no HTTP, or has headers beyond Node's 16 KiB, in the envelope of the contract. It never became a
 * request, so it has no id but the one that is made here.
 */
const refuse = (error: Error & { readonly code?: string }, socket: Duplex) => {
  if (!socket.writable || error.code === "ECONNRESET") return socket.destroy()
  const requestId = randomUUID()
  const body = Effect.runSync(
    Effect.provideService(
      failureBody(new InvalidRequest({ message: "This is not a request that can be read.", issues: [] })),
      CurrentRequestId,
      requestId
    )
  )
  const text = JSON.stringify(body)
  const headers = [
    "HTTP/1.1 400 Bad Request",
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(text)}`,
    `Request-Id: ${requestId}`,
    "Connection: close"
  ]
  return socket.end(`${headers.join("\r\n")}\r\n\r\n${text}`)
}

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
