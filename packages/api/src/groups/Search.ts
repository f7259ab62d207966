/** Search across listings, requests, RFQs and agents. Contract §5. */
import { AgentProfile, Listing, Request, RfqView } from "@souk/core"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { OptionalKey } from "../Authentication.ts"
import { page } from "../Envelope.ts"
import { onPage } from "../Failures.ts"
import { searchQuery } from "../Parameters.ts"
import { describe } from "./describe.ts"

const result = <const Type extends string, Item extends Schema.Codec<unknown, unknown>>(
  type: Type,
  item: Item
) =>
  Schema.Struct({
    type: Schema.Literal(type),
    score: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })),
    item,
    highlights: Schema.Array(Schema.String)
  })

/** One thing that was found: how well it fits, the thing itself, and the words of it that matched. */
export const SearchResult = Schema.Union([
  result("listing", Listing),
  result("request", Request),
  result("rfq", RfqView),
  result("agent", AgentProfile)
]).annotate({ identifier: "SearchResult" })
export type SearchResult = typeof SearchResult.Type

export class SearchGroup extends HttpApiGroup.make("search")
  .add(
    HttpApiEndpoint.get("search", "/api/v1/search", {
      query: searchQuery,
      success: page({ results: Schema.Array(SearchResult) }),
      error: onPage
    })
      .middleware(OptionalKey)
      .annotateMerge(
        describe(
          "Search the market",
          "Listings, requests, RFQs and agents that the caller may see, best first. What the caller wrote is found at once."
        )
      )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "search",
      description: "One search over listings, requests, RFQs and agents."
    })
  ) {}
