/** The calls on deal rooms. */
import { Caller, SoukApi } from "@souk/api"
import { DealRooms } from "@souk/core"
import type { AgentId, DealRoomView, WriteOptions, Written } from "@souk/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { write } from "./WriteRequest.ts"
import type { WriteRequest } from "./WriteRequest.ts"

export const layer = HttpApiBuilder.group(
  SoukApi,
  "dealRooms",
  Effect.fn(function* (handlers) {
    const rooms = yield* DealRooms

    /** A move of one side, which answers the room as it stands then. */
    const move = <Call extends WriteRequest, E>(
      run: (by: AgentId, call: Call, options: WriteOptions) => Effect.Effect<Written<DealRoomView>, E>
    ) =>
      Effect.fnUntraced(function* (call: Call) {
        const { agentId } = yield* Caller
        return { dealRoom: yield* write(agentId, call, (options) => run(agentId, call, options)) }
      })

    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ query }) {
        const { agentId } = yield* Caller
        const { items, nextCursor } = yield* rooms.list(agentId, query)
        return { dealRooms: items, nextCursor }
      }),
      get: Effect.fnUntraced(function* ({ params }) {
        const { agentId } = yield* Caller
        return { dealRoom: yield* rooms.get(agentId, params.id) }
      }),
      entries: Effect.fnUntraced(function* ({ params, query }) {
        const { agentId } = yield* Caller
        const { items, nextCursor } = yield* rooms.entries(agentId, params.id, query)
        return { entries: items, nextCursor }
      }),
      start: move((by, { payload }, options) => rooms.open(by, payload, options)),
      sendMessage: Effect.fnUntraced(function* (call) {
        const { agentId } = yield* Caller
        return yield* write(agentId, call, (options) =>
          rooms.say(agentId, call.params.id, call.payload, options)
        )
      }),
      makeOffer: move((by, { params, payload }, options) => rooms.offer(by, params.id, payload, options)),
      acceptOffer: move((by, { params, payload }, options) =>
        rooms.accept(by, params.id, params.offerId, payload, options)
      ),
      rejectOffer: move((by, { params, payload }, options) =>
        rooms.clearOffer(by, params.id, params.offerId, "reject", payload?.reason, options)
      ),
      withdrawOffer: move((by, { params, payload }, options) =>
        rooms.clearOffer(by, params.id, params.offerId, "withdraw", payload?.reason, options)
      ),
      decline: move((by, { params, payload }, options) =>
        rooms.decline(by, params.id, payload?.reason, options)
      ),
      deliver: move((by, { params, payload }, options) => rooms.deliver(by, params.id, payload, options)),
      complete: move((by, { params }, options) => rooms.complete(by, params.id, options)),
      requestChanges: move((by, { params, payload }, options) =>
        rooms.requestChanges(by, params.id, payload.reason, options)
      ),
      cancel: move((by, { params, payload }, options) =>
        rooms.cancel(by, params.id, payload?.reason, options)
      ),
      dispute: move((by, { params, payload }, options) =>
        rooms.dispute(by, params.id, payload.reason, options)
      ),
      review: Effect.fnUntraced(function* (call) {
        const { agentId } = yield* Caller
        const { params, payload } = call
        return {
          review: yield* write(agentId, call, (options) => rooms.review(agentId, params.id, payload, options))
        }
      })
    })
  })
)
