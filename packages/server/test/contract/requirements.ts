/** What the contract asks for, one line each: the endpoints of §5, the events of §6, the codes of §7. */
import {
  agentTable,
  dealRoomTable,
  listingTable,
  matchTable,
  quoteTable,
  requestTable,
  rfqTable,
  webhookTable
} from "@souk/core"
import type { StateTable } from "@souk/core"

/** §5, in its order, with what the specification has first. */
export const endpoints: ReadonlyArray<string> = [
  "POST /api/agents",
  "GET /api/v1/listings",
  "POST /api/listings",
  "GET /api/v1/rfqs",
  "POST /api/rfqs",
  "POST /api/deal-rooms",
  "GET /api/v1/search",
  "GET /api/v1/events",
  "GET /api/v1/agents",
  "GET /api/v1/agents/{idOrHandle}",
  "GET /api/v1/agents/{idOrHandle}/reviews",
  "GET /api/v1/me",
  "PATCH /api/me",
  "POST /api/me/close",
  "GET /api/v1/me/keys",
  "POST /api/me/keys",
  "POST /api/me/keys/{id}/rotate",
  "DELETE /api/me/keys/{id}",
  "GET /api/v1/me/inbox",
  "GET /api/v1/listings/{id}",
  "PATCH /api/listings/{id}",
  "POST /api/listings/{id}/activate",
  "POST /api/listings/{id}/pause",
  "POST /api/listings/{id}/archive",
  "GET /api/v1/requests",
  "GET /api/v1/requests/{id}",
  "POST /api/requests",
  "PATCH /api/requests/{id}",
  "POST /api/requests/{id}/fulfil",
  "POST /api/requests/{id}/cancel",
  "GET /api/v1/rfqs/{id}",
  "PATCH /api/rfqs/{id}",
  "POST /api/rfqs/{id}/open",
  "POST /api/rfqs/{id}/close",
  "POST /api/rfqs/{id}/cancel",
  "POST /api/rfqs/{id}/award",
  "POST /api/rfqs/{id}/unsuccessful",
  "POST /api/rfqs/{id}/questions",
  "POST /api/rfqs/{id}/questions/{qid}/answer",
  "GET /api/v1/rfqs/{id}/quotes",
  "POST /api/rfqs/{id}/quotes",
  "GET /api/v1/quotes/{id}",
  "GET /api/v1/me/quotes",
  "POST /api/quotes/{id}/revise",
  "POST /api/quotes/{id}/withdraw",
  "POST /api/quotes/{id}/decline",
  "GET /api/v1/matches",
  "POST /api/matches/{id}/dismiss",
  "GET /api/v1/deal-rooms",
  "GET /api/v1/deal-rooms/{id}",
  "GET /api/v1/deal-rooms/{id}/entries",
  "POST /api/deal-rooms/{id}/messages",
  "POST /api/deal-rooms/{id}/offers",
  "POST /api/deal-rooms/{id}/offers/{offerId}/accept",
  "POST /api/deal-rooms/{id}/offers/{offerId}/reject",
  "POST /api/deal-rooms/{id}/offers/{offerId}/withdraw",
  "POST /api/deal-rooms/{id}/decline",
  "POST /api/deal-rooms/{id}/deliver",
  "POST /api/deal-rooms/{id}/complete",
  "POST /api/deal-rooms/{id}/request-changes",
  "POST /api/deal-rooms/{id}/cancel",
  "POST /api/deal-rooms/{id}/dispute",
  "POST /api/deal-rooms/{id}/reviews",
  "GET /api/v1/webhooks",
  "POST /api/webhooks",
  "DELETE /api/webhooks/{id}",
  "GET /api/v1/webhooks/{id}/deliveries",
  "POST /api/webhooks/{id}/deliveries/{did}/replay",
  "GET /openapi.json",
  "GET /docs",
  "GET /llms.txt",
  "GET /.well-known/api-catalog",
  "GET /livez",
  "GET /readyz",
  "GET /metrics"
]

/** §6. */
export const events: ReadonlyArray<string> = Object.entries({
  agent: "registered updated suspended reinstated closed",
  listing: "published updated paused archived",
  request: "opened updated fulfilled cancelled expired",
  rfq: "opened updated question_asked question_answered closed awarded unsuccessful cancelled",
  quote: "submitted revised withdrawn declined expired awarded not_selected",
  match: "found dismissed",
  deal_room:
    "opened message offer_made offer_rejected offer_withdrawn offer_expired agreed started delivered " +
    "changes_requested completed disputed resolved cancelled declined expired",
  review: "published",
  key: "created rotated revoked"
}).flatMap(([kind, names]) => names.split(" ").map((name) => `${kind}.${name}`))

/** §7: every code with its status. */
export const codes: ReadonlyArray<string> = Object.entries({
  400: "invalid_request invalid_json invalid_cursor",
  401: "key_missing key_invalid key_expired key_revoked",
  403: "forbidden agent_suspended policy_refused",
  404: "not_found",
  405: "method_not_allowed",
  409: "invalid_state not_your_turn handle_taken already_quoted conflict idempotency_in_flight",
  412: "version_conflict",
  413: "payload_too_large",
  415: "unsupported_media_type",
  422: "self_deal offer_expired terms_mismatch requirement_unmet limit_reached idempotency_key_reused",
  429: "rate_limited",
  500: "internal",
  503: "unavailable timeout schema_out_of_date"
}).flatMap(([status, names]) => names.split(" ").map((name) => `${status} ${name}`))

const movesOf = <E, S extends string, M extends string>(entity: string, table: StateTable<E, S, M>) =>
  table.flatMap(({ by, from, move, to }) =>
    from.flatMap((status) =>
      by.map((role) => `${entity}: ${status} → ${to === "same" ? status : to} (${move} by ${role})`)
    )
  )

/** §4, as the tables have it, which `stateTables.test.ts` holds against the contract's words. */
export const moves: ReadonlyArray<string> = [
  ...movesOf("agent", agentTable),
  ...movesOf("listing", listingTable),
  ...movesOf("request", requestTable),
  ...movesOf("rfq", rfqTable),
  ...movesOf("quote", quoteTable),
  ...movesOf("match", matchTable),
  ...movesOf("deal_room", dealRoomTable),
  ...movesOf("webhook", webhookTable)
]
