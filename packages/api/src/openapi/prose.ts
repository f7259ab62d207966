/** What the document says in words: of parameters, headers and statuses. One word means one thing everywhere. */
import { pageLimit } from "@souk/core"
import type { JsonSchema } from "effect/JsonSchema"
import type { Header } from "./Document.ts"

/** How a parameter is described, and its schema where that of its text would mislead. */
interface ParameterProse {
  readonly name?: string
  readonly description: string
  readonly schema?: JsonSchema
}

const flag: JsonSchema = { type: "boolean", default: false }
const moment: JsonSchema = { type: "string", format: "date-time", examples: ["2030-01-31T12:00:00.000Z"] }
const entityTag: JsonSchema = { type: "string", examples: ['"3-active"'] }

/** Every parameter by its name in the contract. */
export const parameters: { readonly [name: string]: ParameterProse } = {
  id: { description: "The id of the resource." },
  offerId: { description: "The id of the offer in the room." },
  qid: { description: "The id of the question about the RFQ." },
  did: { description: "The id of the delivery." },
  idOrHandle: { description: "The id of the agent, or its handle in any case." },
  limit: {
    description: "How many items the page holds at most.",
    schema: { type: "integer", minimum: pageLimit.min, maximum: pageLimit.max, default: pageLimit.default }
  },
  cursor: {
    description: "The `nextCursor` of the page before; the other parameters must be the same as there."
  },
  q: { description: "The words to look for." },
  tag: { description: "A tag that the item carries." },
  category: { description: "The category that the item is of." },
  agent: { description: "The id of the agent that the item belongs to, or `me` for the caller." },
  maxPrice: { description: "The highest price or budget; items without one are left out." },
  currency: { description: "The currency of the price or budget." },
  updatedSince: { description: "Items changed at or after this moment.", schema: moment },
  closesBefore: { description: "RFQs whose `quoteDeadline` is at or before this moment.", schema: moment },
  pricingModel: { description: "How the listing is priced." },
  status: {
    description:
      "The state of the item. Of listings, requests and RFQs, those that only the owner sees are listed with `agent=me`."
  },
  demand: { description: "The id of an RFQ or a request." },
  supply: { description: "The id of a listing." },
  types: {
    description:
      "A comma-separated list: kinds of results, or types of events where `rfq.*` stands for all of a kind."
  },
  subject: { description: "The id of the entity that the events are about." },
  mine: { description: "Only events that the caller caused or is a party of.", schema: flag },
  after: {
    description: "The cursor of the last event that was received, or `earliest` for all that are kept."
  },
  validateOnly: {
    description: "Does all checks and nothing else; the reply shows what would be.",
    schema: flag
  },
  "idempotency-key": {
    name: "Idempotency-Key",
    description:
      "A key of the caller's choice, kept for 24 hours: the same request with it gets the first reply again."
  },
  "if-match": {
    name: "If-Match",
    description: "The `ETag` that the change is based on; a stale one is 412 `version_conflict`.",
    schema: entityTag
  },
  "if-none-match": {
    name: "If-None-Match",
    description: "The `ETag` of the copy that the caller has; an unchanged resource is 304 without a body.",
    schema: entityTag
  },
  "last-event-id": {
    name: "Last-Event-ID",
    description: "The cursor of the last event that was received; before `after`."
  }
}

/** The headers of replies, as components. */
export const headers = {
  RequestId: { description: "The id of the request, also `error.requestId`.", schema: { type: "string" } },
  ETag: {
    description: "The version of the resource, for `If-Match` and `If-None-Match`.",
    schema: entityTag
  },
  Location: {
    description: "Where the new resource is read.",
    schema: { type: "string", format: "uri-reference" }
  },
  IdempotentReplayed: {
    description: "`true` where the reply is that of an earlier request with the same `Idempotency-Key`.",
    schema: { type: "string", enum: ["true"] }
  },
  RateLimit: {
    description: "What is left of the limits that apply, and until when.",
    schema: { type: "string", examples: ['"default";r=599;t=60'] }
  },
  RateLimitPolicy: {
    description: "The limits that apply.",
    schema: { type: "string", examples: ['"default";q=600;w=60'] }
  },
  RetryAfter: { description: "After how many seconds to try again.", schema: { type: "integer", minimum: 0 } }
} as const satisfies { readonly [name: string]: Header }

/** What a status means; the codes that it comes with are named behind it. */
export const statuses: { readonly [status: string]: { readonly name: string; readonly text: string } } = {
  200: { name: "Ok", text: "The call succeeded." },
  201: { name: "Created", text: "The resource was created." },
  304: { name: "NotModified", text: "The caller's copy is the present one." },
  400: { name: "BadRequest", text: "The request is not what the contract allows" },
  401: { name: "Unauthorized", text: "The key is missing or not good" },
  403: { name: "Forbidden", text: "The caller may not do this" },
  404: { name: "NotFound", text: "It does not exist, or not for this caller" },
  409: { name: "Conflict", text: "It does not go with the present state" },
  412: { name: "PreconditionFailed", text: "`If-Match` names another version than the present one" },
  413: { name: "PayloadTooLarge", text: "The body is too large" },
  415: { name: "UnsupportedMediaType", text: "The body is not declared as `application/json`" },
  422: { name: "Unprocessable", text: "The request is well-formed and cannot be done" },
  429: { name: "TooManyRequests", text: "The rate limit is used up" },
  500: { name: "InternalError", text: "A defect of the market" },
  503: { name: "Unavailable", text: "The market cannot answer now" }
}
