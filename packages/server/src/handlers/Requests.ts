/** The calls on requests. */
import { Caller, SoukApi, Viewer } from "@souk/api"
import { Requests } from "@souk/core"
import type { RequestId } from "@souk/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { write } from "./WriteRequest.ts"
import type { WriteRequest } from "./WriteRequest.ts"

export const layer = HttpApiBuilder.group(
  SoukApi,
  "requests",
  Effect.fn(function* (handlers) {
    const requests = yield* Requests

    const end = (name: "fulfil" | "cancel") =>
      Effect.fnUntraced(function* (call: WriteRequest & { readonly params: { readonly id: RequestId } }) {
        const { agentId } = yield* Caller
        const { id } = call.params
        return { request: yield* write(agentId, call, (options) => requests.end(agentId, id, name, options)) }
      })

    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ query }) {
        const { agentId } = yield* Viewer
        const { items, nextCursor } = yield* requests.list(agentId, query)
        return { requests: items, nextCursor }
      }),
      get: Effect.fnUntraced(function* ({ params }) {
        const { agentId } = yield* Viewer
        return { request: yield* requests.get(agentId, params.id) }
      }),
      open: Effect.fnUntraced(function* (call) {
        const { agentId } = yield* Caller
        return {
          request: yield* write(agentId, call, (options) => requests.open(agentId, call.payload, options))
        }
      }),
      update: Effect.fnUntraced(function* (call) {
        const { agentId } = yield* Caller
        const { params, payload } = call
        return {
          request: yield* write(agentId, call, (options) =>
            requests.update(agentId, params.id, payload, options)
          )
        }
      }),
      fulfil: end("fulfil"),
      cancel: end("cancel")
    })
  })
)
