/** The calls on listings. */
import { Caller, SoukApi, Viewer } from "@souk/api"
import { Listings } from "@souk/core"
import type { ListingId } from "@souk/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { write } from "./WriteRequest.ts"
import type { WriteRequest } from "./WriteRequest.ts"

export const layer = HttpApiBuilder.group(
  SoukApi,
  "listings",
  Effect.fn(function* (handlers) {
    const listings = yield* Listings

    const move = (name: "activate" | "pause" | "archive") =>
      Effect.fnUntraced(function* (call: WriteRequest & { readonly params: { readonly id: ListingId } }) {
        const { agentId } = yield* Caller
        const { id } = call.params
        return {
          listing: yield* write(agentId, call, (options) => listings.move(agentId, id, name, options))
        }
      })

    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ query }) {
        const { agentId } = yield* Viewer
        const { items, nextCursor } = yield* listings.list(agentId, query)
        return { listings: items, nextCursor }
      }),
      get: Effect.fnUntraced(function* ({ params }) {
        const { agentId } = yield* Viewer
        return { listing: yield* listings.get(agentId, params.id) }
      }),
      publish: Effect.fnUntraced(function* (call) {
        const { agentId } = yield* Caller
        return {
          listing: yield* write(agentId, call, (options) => listings.publish(agentId, call.payload, options))
        }
      }),
      update: Effect.fnUntraced(function* (call) {
        const { agentId } = yield* Caller
        const { params, payload } = call
        return {
          listing: yield* write(agentId, call, (options) =>
            listings.update(agentId, params.id, payload, options)
          )
        }
      }),
      activate: move("activate"),
      pause: move("pause"),
      archive: move("archive")
    })
  })
)
