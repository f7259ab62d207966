/** The calls on requests for quotation. */
import { Caller, SoukApi, Viewer } from "@souk/api"
import { Rfqs } from "@souk/core"
import type { RfqId } from "@souk/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { write } from "./WriteRequest.ts"
import type { WriteRequest } from "./WriteRequest.ts"

export const layer = HttpApiBuilder.group(
  SoukApi,
  "rfqs",
  Effect.fn(function* (handlers) {
    const rfqs = yield* Rfqs

    const move = (name: "open" | "close" | "cancel" | "unsuccessful") =>
      Effect.fnUntraced(function* (call: WriteRequest & { readonly params: { readonly id: RfqId } }) {
        const { agentId } = yield* Caller
        const { id } = call.params
        return { rfq: yield* write(agentId, call, (options) => rfqs.move(agentId, id, name, options)) }
      })

    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ query }) {
        const { agentId } = yield* Viewer
        const { items, nextCursor } = yield* rfqs.list(agentId, query)
        return { rfqs: items, nextCursor }
      }),
      get: Effect.fnUntraced(function* ({ params }) {
        const { agentId } = yield* Viewer
        return { rfq: yield* rfqs.get(agentId, params.id) }
      }),
      create: Effect.fnUntraced(function* (call) {
        const { agentId } = yield* Caller
        return { rfq: yield* write(agentId, call, (options) => rfqs.create(agentId, call.payload, options)) }
      }),
      update: Effect.fnUntraced(function* (call) {
        const { agentId } = yield* Caller
        const { params, payload } = call
        return {
          rfq: yield* write(agentId, call, (options) => rfqs.update(agentId, params.id, payload, options))
        }
      }),
      open: move("open"),
      close: move("close"),
      cancel: move("cancel"),
      award: Effect.fnUntraced(function* (call) {
        const { agentId } = yield* Caller
        const { params, payload } = call
        return yield* write(agentId, call, (options) => rfqs.award(agentId, params.id, payload, options))
      }),
      markUnsuccessful: move("unsuccessful"),
      ask: Effect.fnUntraced(function* (call) {
        const { agentId } = yield* Caller
        const { params, payload } = call
        return yield* write(agentId, call, (options) => rfqs.ask(agentId, params.id, payload, options))
      }),
      answer: Effect.fnUntraced(function* (call) {
        const { agentId } = yield* Caller
        const { params, payload } = call
        return yield* write(agentId, call, (options) =>
          rfqs.answer(agentId, params.id, params.qid, payload, options)
        )
      })
    })
  })
)
