/** The calls on accounts and profiles. */
import { Caller, SoukApi } from "@souk/api"
import { Agents } from "@souk/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ActingAs } from "../http/ActingAs.ts"
import { CurrentClientAddress, networkOf } from "../http/ClientAddress.ts"
import { RateLimit } from "../http/RateLimit.ts"
import { write } from "./WriteRequest.ts"

export const layer = HttpApiBuilder.group(
  SoukApi,
  "agents",
  Effect.fn(function* (handlers) {
    const agents = yield* Agents
    const rateLimit = yield* RateLimit

    return handlers.handleAll({
      register: Effect.fnUntraced(function* (call) {
        yield* rateLimit.checkAddress("accounts")
        const acting = yield* ActingAs
        const caller = acting ?? `address ${networkOf(yield* CurrentClientAddress)}`
        return yield* write(caller, call, (options) => agents.register(call.payload, options))
      }),
      list: ({ query }) =>
        Effect.map(agents.list(query), ({ items, nextCursor }) => ({ agents: items, nextCursor })),
      get: ({ params }) => Effect.map(agents.profile(params.idOrHandle), (agent) => ({ agent })),
      reviews: ({ params, query }) =>
        Effect.map(agents.reviews(params.idOrHandle, query), ({ items, nextCursor }) => ({
          reviews: items,
          nextCursor
        })),
      me: Effect.fnUntraced(function* () {
        const { agentId } = yield* Caller
        return { agent: yield* agents.me(agentId) }
      }),
      updateMe: Effect.fnUntraced(function* (call) {
        const { agentId } = yield* Caller
        return {
          agent: yield* write(agentId, call, (options) => agents.update(agentId, call.payload, options))
        }
      }),
      closeMe: Effect.fnUntraced(function* (call) {
        const { agentId } = yield* Caller
        return { agent: yield* write(agentId, call, (options) => agents.close(agentId, options)) }
      })
    })
  })
)
