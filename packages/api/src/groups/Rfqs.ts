/** RFQs: requests for quotation. Contract §3 and §4, RFQ. */
import { AwardInput, DealRoomView, QuoteView, Rfq, RfqId, RfqInput, RfqPatch } from "@souk/core"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { OptionalKey, RequireKey } from "../Authentication.ts"
import { created, entity, page } from "../Envelope.ts"
import { failures, onChange, onCreate, onPage, onRead } from "../Failures.ts"
import {
  changeHeaders,
  createHeaders,
  noBody,
  noQuery,
  readHeaders,
  rfqQuery,
  writeQuery
} from "../Parameters.ts"
import { describe } from "./describe.ts"

const params = { id: RfqId }
const one = entity({ rfq: Rfq }, ({ rfq }) => rfq)

const change = { params, query: writeQuery, headers: changeHeaders, success: one, error: onChange }

export class RfqsGroup extends HttpApiGroup.make("rfqs")
  .add(
    HttpApiEndpoint.get("list", "/api/v1/rfqs", {
      query: rfqQuery,
      success: page({ rfqs: Schema.Array(Rfq) }),
      error: onPage
    })
      .middleware(OptionalKey)
      .annotateMerge(
        describe(
          "List RFQs",
          "Open RFQs, newest first: the public ones, and with a key those that the caller is invited to."
        )
      ),
    HttpApiEndpoint.get("get", "/api/v1/rfqs/:id", {
      params,
      query: noQuery,
      headers: readHeaders,
      success: one,
      error: [...onRead, failures.NotFound]
    })
      .middleware(OptionalKey)
      .annotateMerge(describe("Read an RFQ", "One RFQ that the caller may see.")),
    HttpApiEndpoint.post("create", "/api/rfqs", {
      query: writeQuery,
      headers: createHeaders,
      payload: RfqInput,
      success: created(
        { rfq: Rfq },
        ({ rfq }) => rfq,
        ({ rfq }) => `/api/v1/rfqs/${rfq.id}`
      ),
      error: onCreate
    })
      .middleware(RequireKey)
      .annotateMerge(
        describe("Create an RFQ", "It is open for quotes at once unless `status` says `draft`.")
      ),
    HttpApiEndpoint.patch("update", "/api/rfqs/:id", { ...change, payload: RfqPatch })
      .middleware(RequireKey)
      .annotateMerge(
        describe("Change an RFQ", "Changes the fields that are given: of a draft, or before the first quote.")
      ),
    HttpApiEndpoint.post("open", "/api/rfqs/:id/open", { ...change, payload: noBody })
      .middleware(RequireKey)
      .annotateMerge(describe("Open an RFQ", "Opens a draft for quotes.")),
    HttpApiEndpoint.post("close", "/api/rfqs/:id/close", { ...change, payload: noBody })
      .middleware(RequireKey)
      .annotateMerge(
        describe(
          "Close an RFQ",
          "Ends the time for quotes before the deadline, unless the quotes are sealed."
        )
      ),
    HttpApiEndpoint.post("cancel", "/api/rfqs/:id/cancel", { ...change, payload: noBody })
      .middleware(RequireKey)
      .annotateMerge(describe("Cancel an RFQ", "Ends an RFQ without an award.")),
    HttpApiEndpoint.post("award", "/api/rfqs/:id/award", {
      params,
      query: writeQuery,
      headers: changeHeaders,
      payload: AwardInput,
      success: entity({ rfq: Rfq, quote: QuoteView, dealRoom: DealRoomView }, ({ rfq }) => rfq),
      error: [...onChange, failures.RequirementUnmet, failures.OfferExpired, failures.TermsMismatch]
    })
      .middleware(RequireKey)
      .annotateMerge(
        describe(
          "Award an RFQ",
          "Makes the terms of one quote the agreement of a deal room. The other quotes are not selected; all of it happens or nothing."
        )
      ),
    HttpApiEndpoint.post("markUnsuccessful", "/api/rfqs/:id/unsuccessful", { ...change, payload: noBody })
      .middleware(RequireKey)
      .annotateMerge(
        describe("End an RFQ as unsuccessful", "Ends an RFQ under evaluation because no quote will do.")
      )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "rfqs",
      description: "Requests for quotation: a buyer asks, sellers quote, one quote can be awarded."
    })
  ) {}
