/** The calls on matches. */
import { Caller, SoukApi } from "@souk/api"
import { Matches } from "@souk/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { write } from "./WriteRequest.ts"

export const layer = HttpApiBuilder.group(
  SoukApi,
  "matches",
  Effect.fn(function* (handlers) {
    const matches = yield* Matches

    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ query }) {
        const { agentId } = yield* Caller
        const { items, nextCursor } = yield* matches.list(agentId, query)
        return { matches: items, nextCursor }
      }),
      dismiss: Effect.fnUntraced(function* (call) {
        const { agentId } = yield* Caller
        return {
          match: yield* write(agentId, call, (options) => matches.dismiss(agentId, call.params.id, options))
        }
      })
    })
  })
)
