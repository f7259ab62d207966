/** Somebody whom webhooks, or a host's settlement, call: an HTTP server of the test's own, which notes what it gets. */
import { Effect } from "effect"
import type { Scope } from "effect"
import { createServer } from "node:http"
import type { IncomingMessage, ServerResponse } from "node:http"
import { once } from "node:events"

/** The path that was called, and the `webhook-id` or `idempotency-key`: which event or order it was. */
interface Received {
  readonly path: string
  readonly id: string
}

export interface Receiver {
  readonly url: string
  /** The calls, in the order in which they came. */
  readonly got: ReadonlyArray<Received>
  /** Leaves calls without an answer from now on, or answers those that come and those that wait. */
  readonly answer: (does: boolean) => void
}

/** Listens until the scope ends. `SOUK_WEBHOOK_HOSTS` must name 127.0.0.1. */
export const receive: Effect.Effect<Receiver, never, Scope.Scope> = Effect.map(
  Effect.acquireRelease(
    Effect.promise(async () => {
      const got: Array<Received> = []
      let answers = true
      const waiting = new Set<ServerResponse>()
      const server = createServer((request: IncomingMessage, response: ServerResponse) => {
        const { headers, url } = request
        got.push({ path: url ?? "", id: String(headers["webhook-id"] ?? headers["idempotency-key"]) })
        request.resume()
        if (answers) response.writeHead(204).end()
        else waiting.add(response)
      }).listen(0, "127.0.0.1")
      await once(server, "listening")
      const address = server.address()
      if (address === null || typeof address === "string") throw new Error("The receiver has no port.")
      const answer = (does: boolean) => {
        answers = does
        if (!does) return
        for (const response of waiting) response.writeHead(204).end()
        waiting.clear()
      }
      return { server, receiver: { url: `http://127.0.0.1:${address.port}/`, got, answer } }
    }),
    ({ server }) =>
      Effect.promise(async () => {
        server.close()
        server.closeAllConnections()
        await once(server, "close")
      })
  ),
  ({ receiver }) => receiver
)
