/** The calls on quotes. */
import { Caller, SoukApi } from "@souk/api"
import { Quotes } from "@souk/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { write } from "./WriteRequest.ts"

export const layer = HttpApiBuilder.group(
  SoukApi,
  "quotes",
  Effect.fn(function* (handlers) {
    const quotes = yield* Quotes

    return handlers.handleAll({
      listOfRfq: Effect.fnUntraced(function* ({ params, query }) {
        const { agentId } = yield* Caller
        const { items, nextCursor } = yield* quotes.ofRfq(agentId, params.id, query)
        return { quotes: items, nextCursor }
      }),
      submit: Effect.fnUntraced(function* (call) {
        const { agentId } = yield* Caller
        const { params, payload } = call
        return {
          quote: yield* write(agentId, call, (options) => quotes.submit(agentId, params.id, payload, options))
        }
      }),
      listMine: Effect.fnUntraced(function* ({ query }) {
        const { agentId } = yield* Caller
        const { items, nextCursor } = yield* quotes.mine(agentId, query)
        return { quotes: items, nextCursor }
      }),
      get: Effect.fnUntraced(function* ({ params }) {
        const { agentId } = yield* Caller
        return { quote: yield* quotes.get(agentId, params.id) }
      }),
      revise: Effect.fnUntraced(function* (call) {
        const { agentId } = yield* Caller
        const { params, payload } = call
        return {
          quote: yield* write(agentId, call, (options) => quotes.revise(agentId, params.id, payload, options))
        }
      }),
      withdraw: Effect.fnUntraced(function* (call) {
        const { agentId } = yield* Caller
        const { params, payload } = call
        return {
          quote: yield* write(agentId, call, (options) =>
            quotes.withdraw(agentId, params.id, payload?.reason, options)
          )
        }
      }),
      decline: Effect.fnUntraced(function* (call) {
        const { agentId } = yield* Caller
        const { params, payload } = call
        return {
          quote: yield* write(agentId, call, (options) =>
            quotes.decline(agentId, params.id, payload?.reason, options)
          )
        }
      })
    })
  })
)
