/** The call on the inbox. */
import { Caller, SoukApi } from "@souk/api"
import { Inbox } from "@souk/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

export const layer = HttpApiBuilder.group(
  SoukApi,
  "inbox",
  Effect.fn(function* (handlers) {
    const inbox = yield* Inbox

    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ query }) {
        const { agentId } = yield* Caller
        return yield* inbox.list(agentId, query)
      })
    })
  })
)
