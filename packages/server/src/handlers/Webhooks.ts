/** The calls on the caller's webhooks. */
import { Caller, SoukApi } from "@souk/api"
import { Webhooks } from "@souk/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { write } from "./WriteRequest.ts"

export const layer = HttpApiBuilder.group(
  SoukApi,
  "webhooks",
  Effect.fn(function* (handlers) {
    const webhooks = yield* Webhooks

    return handlers.handleAll({
      list: Effect.fnUntraced(function* () {
        const { agentId } = yield* Caller
        return { webhooks: yield* webhooks.list(agentId) }
      }),
      create: Effect.fnUntraced(function* (call) {
        const { agentId } = yield* Caller
        return yield* write(agentId, call, (options) => webhooks.create(agentId, call.payload, options))
      }),
      rotate: Effect.fnUntraced(function* (call) {
        const { agentId } = yield* Caller
        const { params, payload = {} } = call
        return yield* write(agentId, call, (options) => webhooks.rotate(agentId, params.id, payload, options))
      }),
      enable: Effect.fnUntraced(function* (call) {
        const { agentId } = yield* Caller
        const { id } = call.params
        return { webhook: yield* write(agentId, call, (options) => webhooks.enable(agentId, id, options)) }
      }),
      remove: Effect.fnUntraced(function* ({ params, headers }) {
        const { agentId } = yield* Caller
        const { value } = yield* webhooks.remove(agentId, params.id, { ifMatch: headers["if-match"] })
        return { webhook: value }
      }),
      deliveries: Effect.fnUntraced(function* ({ params, query }) {
        const { agentId } = yield* Caller
        const { items, nextCursor } = yield* webhooks.deliveries(agentId, params.id, query)
        return { deliveries: items, nextCursor }
      }),
      replay: Effect.fnUntraced(function* (call) {
        const { agentId } = yield* Caller
        const { did, id } = call.params
        return {
          delivery: yield* write(agentId, call, (options) => webhooks.replay(agentId, id, did, options))
        }
      })
    })
  })
)
