/** The search call. */
import { SoukApi, Viewer } from "@souk/api"
import { highlights, Search } from "@souk/core"
import type { SearchResult } from "@souk/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

export const layer = HttpApiBuilder.group(
  SoukApi,
  "search",
  Effect.fn(function* (handlers) {
    const search = yield* Search

    return handlers.handleAll({
      search: Effect.fnUntraced(function* ({ query }) {
        const { agentId } = yield* Viewer
        const { items, nextCursor } = yield* search.find(agentId, { ...query, q: query.q ?? "" })
        return { results: items.map(toWire), nextCursor }
      })
    })
  })
)

const toWire = (result: SearchResult) => {
  const { terms, ...rest } = result
  return { ...rest, highlights: highlights(textOf(result), terms) }
}

const textOf = (result: SearchResult): string => {
  switch (result.type) {
    case "agent":
      return `${result.item.name}. ${result.item.description ?? ""}`
    case "listing":
    case "request":
    case "rfq":
      return `${result.item.title}. ${result.item.description}`
  }
}
