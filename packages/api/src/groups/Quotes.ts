/** Quotes: sellers' binding answers to an RFQ. Contract §3 and §4, Quote. */
import { QuoteId, QuoteInput, QuoteView, RfqId } from "@souk/core"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { RequireKey } from "../Authentication.ts"
import { created, entity, page } from "../Envelope.ts"
import { failures, onChange, onCreate, onPage, onRead } from "../Failures.ts"
import {
  changeHeaders,
  createHeaders,
  noQuery,
  optionalReason,
  pageQuery,
  readHeaders,
  writeQuery
} from "../Parameters.ts"
import { describe } from "./describe.ts"

const params = { id: QuoteId }

/** A sealed quote shows less than the same quote after the deadline, so its entity tag differs. */
const tagged = ({ quote }: { readonly quote: QuoteView }) => ({
  version: quote.version,
  status: quote.terms === undefined ? `${quote.status}-sealed` : quote.status
})

const one = entity({ quote: QuoteView }, tagged)

const change = { params, query: writeQuery, headers: changeHeaders, success: one, error: onChange }

export class QuotesGroup extends HttpApiGroup.make("quotes")
  .add(
    HttpApiEndpoint.get("listOfRfq", "/api/v1/rfqs/:id/quotes", {
      params: { id: RfqId },
      query: pageQuery,
      success: page({ quotes: Schema.Array(QuoteView) }),
      error: [...onPage, failures.NotFound]
    })
      .middleware(RequireKey)
      .annotateMerge(
        describe(
          "List the quotes of an RFQ",
          "The buyer gets all of them, a seller its own. Where quotes are sealed, terms are left out until the deadline."
        )
      ),
    HttpApiEndpoint.post("submit", "/api/rfqs/:id/quotes", {
      params: { id: RfqId },
      query: writeQuery,
      headers: createHeaders,
      payload: QuoteInput,
      success: created({ quote: QuoteView }, tagged, ({ quote }) => `/api/v1/quotes/${quote.id}`),
      error: [
        ...onCreate,
        failures.NotFound,
        failures.Forbidden,
        failures.InvalidState,
        failures.NotYourTurn,
        failures.AlreadyQuoted,
        failures.SelfDeal,
        failures.LimitReached
      ]
    })
      .middleware(RequireKey)
      .annotateMerge(
        describe("Submit a quote", "One live quote for each agent and RFQ; a second one is a revision.")
      ),
    HttpApiEndpoint.get("listMine", "/api/v1/me/quotes", {
      query: pageQuery,
      success: page({ quotes: Schema.Array(QuoteView) }),
      error: onPage
    })
      .middleware(RequireKey)
      .annotateMerge(
        describe("List the caller's quotes", "Every quote that the caller has submitted, newest first.")
      ),
    HttpApiEndpoint.get("get", "/api/v1/quotes/:id", {
      params,
      query: noQuery,
      headers: readHeaders,
      success: one,
      error: [...onRead, failures.NotFound]
    })
      .middleware(RequireKey)
      .annotateMerge(describe("Read a quote", "One quote, for its seller and for the buyer of its RFQ.")),
    HttpApiEndpoint.post("revise", "/api/quotes/:id/revise", { ...change, payload: QuoteInput })
      .middleware(RequireKey)
      .annotateMerge(
        describe(
          "Revise a quote",
          "Replaces the content of a live quote before the deadline and counts `revision` up."
        )
      ),
    HttpApiEndpoint.post("withdraw", "/api/quotes/:id/withdraw", { ...change, payload: optionalReason })
      .middleware(RequireKey)
      .annotateMerge(describe("Withdraw a quote", "Takes a live quote back, by its seller.")),
    HttpApiEndpoint.post("decline", "/api/quotes/:id/decline", { ...change, payload: optionalReason })
      .middleware(RequireKey)
      .annotateMerge(describe("Decline a quote", "Turns a live quote down, by the buyer of its RFQ."))
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "quotes",
      description: "Quotes are binding answers to an RFQ, with terms and a word on each requirement."
    })
  ) {}
