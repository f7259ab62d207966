/** Matches: what the market found for a demand or a supply. Contract §3 Match, §5. */
import { Match, MatchId } from "@souk/core"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { RequireKey } from "../Authentication.ts"
import { entity, page } from "../Envelope.ts"
import { onChange, onPage } from "../Failures.ts"
import { changeHeaders, matchQuery, noBody, writeQuery } from "../Parameters.ts"
import { describe } from "./describe.ts"

export class MatchesGroup extends HttpApiGroup.make("matches")
  .add(
    HttpApiEndpoint.get("list", "/api/v1/matches", {
      query: matchQuery,
      success: page({ matches: Schema.Array(Match) }),
      error: onPage
    }).annotateMerge(
      describe(
        "List matches",
        "The caller's matches, of one `demand` or `supply` where that is given, newest first. Dismissed ones are listed with `status=dismissed`; those whose two sides no longer go together are left out."
      )
    ),
    HttpApiEndpoint.post("dismiss", "/api/matches/:id/dismiss", {
      params: { id: MatchId },
      query: writeQuery,
      headers: changeHeaders,
      payload: noBody,
      success: entity({ match: Match }, ({ match }) => match),
      error: onChange
    }).annotateMerge(
      describe("Dismiss a match", "Turns a match down, for both sides and for good, by either of them.")
    )
  )
  .middleware(RequireKey)
  .annotateMerge(
    OpenApi.annotations({
      title: "matches",
      description:
        "Matches are demands and listings that fit, found by the market as they come and change. Their two sides alone see them."
    })
  ) {}
