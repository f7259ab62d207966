/** The whole contract: every group, strict about what comes in and lenient about what comes back. */
import { HttpApi } from "effect/http-api"
import type { HttpApiGroup } from "effect/http-api"
import { AgentsGroup } from "./groups/Agents.ts"
import { DealRoomsGroup } from "./groups/DealRooms.ts"
import { EventsGroup } from "./groups/Events.ts"
import { InboxGroup } from "./groups/Inbox.ts"
import { KeysGroup } from "./groups/Keys.ts"
import { ListingsGroup } from "./groups/Listings.ts"
import { MatchesGroup } from "./groups/Matches.ts"
import { QuotesGroup } from "./groups/Quotes.ts"
import { RequestsGroup } from "./groups/Requests.ts"
import { RfqsGroup } from "./groups/Rfqs.ts"
import { SearchGroup } from "./groups/Search.ts"
import { WebhooksGroup } from "./groups/Webhooks.ts"
import { SchemaErrors } from "./SchemaErrors.ts"

/** A misspelled field or parameter is refused, and a reply to a bad request names all that is wrong with it. */
const strict = { onExcessProperty: "error", errors: "all" } as const

const groups = HttpApi.make("souk").add(
  AgentsGroup,
  KeysGroup,
  InboxGroup,
  ListingsGroup,
  RequestsGroup,
  RfqsGroup,
  QuotesGroup,
  MatchesGroup,
  DealRoomsGroup,
  SearchGroup,
  EventsGroup,
  WebhooksGroup
)

/** Named, since what a compiler infers of it is too long to be written down. */
type Groups = HttpApiGroup.AddMiddleware<
  typeof groups extends HttpApi.HttpApi<"souk", infer G> ? G : never,
  SchemaErrors
>

const api: HttpApi.HttpApi<"souk", Groups> = groups
  .middleware(SchemaErrors)
  .annotate(HttpApi.PayloadParseOptions, strict)
  .annotate(HttpApi.QueryParseOptions, strict)
  .annotate(HttpApi.HeadersParseOptions, { errors: "all" })

/** The contract of the market. Replies may grow, so unknown fields in them are ignored by clients. */
export class SoukApi extends api {}
