/** The calls on the caller's keys. */
import { Caller, SoukApi } from "@souk/api"
import { Keys } from "@souk/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { write } from "./WriteRequest.ts"

export const layer = HttpApiBuilder.group(
  SoukApi,
  "keys",
  Effect.fn(function* (handlers) {
    const keys = yield* Keys

    return handlers.handleAll({
      list: Effect.fnUntraced(function* () {
        const { agentId } = yield* Caller
        return { keys: yield* keys.list(agentId) }
      }),
      create: Effect.fnUntraced(function* (call) {
        const { agentId } = yield* Caller
        return yield* write(agentId, call, (options) => keys.create(agentId, call.payload, options))
      }),
      rotate: Effect.fnUntraced(function* (call) {
        const { agentId } = yield* Caller
        const { params, payload } = call
        return yield* write(agentId, call, (options) => keys.rotate(agentId, params.id, payload, options))
      }),
      revoke: Effect.fnUntraced(function* ({ params, headers }) {
        const { agentId } = yield* Caller
        const { value } = yield* keys.revoke(agentId, params.id, { ifMatch: headers["if-match"] })
        return { key: value }
      })
    })
  })
)
