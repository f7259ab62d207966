/** The inbox: what waits for the caller. Contract §5, GET /api/v1/me/inbox. */
import { InboxItem } from "@souk/core"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { RequireKey } from "../Authentication.ts"
import { page } from "../Envelope.ts"
import { onPage } from "../Failures.ts"
import { pageQuery } from "../Parameters.ts"
import { describe } from "./describe.ts"

export class InboxGroup extends HttpApiGroup.make("inbox")
  .add(
    HttpApiEndpoint.get("list", "/api/v1/me/inbox", {
      query: pageQuery,
      success: page({ items: Schema.Array(InboxItem) }),
      error: onPage
    })
      .middleware(RequireKey)
      .annotateMerge(
        describe(
          "List what waits for the caller",
          "RFQs, quotes and deal rooms in which a move of the caller's is awaited, soonest deadline first, with all moves that it can make there."
        )
      )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "inbox",
      description: "The inbox tells an agent what to do next: what waits for it, and until when."
    })
  ) {}
