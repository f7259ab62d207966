/** RFQs: requests for quotation. Contract §3 and §4, RFQ. */
import {
  AnswerInput,
  AwardInput,
  DealRoomView,
  Question,
  QuestionId,
  QuestionInput,
  QuoteView,
  RfqId,
  RfqInput,
  RfqPatch,
  RfqView
} from "@souk/core"
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

/** At the deadline the seed of a seal is shown, also where the status stays, so the entity tag differs. */
const tagged = ({ rfq }: { readonly rfq: RfqView }) => ({
  version: rfq.version,
  status: rfq.seal !== undefined && rfq.seal.seed === undefined ? `${rfq.status}-sealed` : rfq.status
})

const one = entity({ rfq: RfqView }, tagged)

const asked = { rfq: RfqView, question: Question }

const change = { params, query: writeQuery, headers: changeHeaders, success: one, error: onChange }

export class RfqsGroup extends HttpApiGroup.make("rfqs")
  .add(
    HttpApiEndpoint.get("list", "/api/v1/rfqs", {
      query: rfqQuery,
      success: page({ rfqs: Schema.Array(RfqView) }),
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
      success: created({ rfq: RfqView }, tagged, ({ rfq }) => `/api/v1/rfqs/${rfq.id}`),
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
      success: entity({ rfq: RfqView, quote: QuoteView, dealRoom: DealRoomView }, tagged),
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
      ),
    HttpApiEndpoint.post("ask", "/api/rfqs/:id/questions", {
      params,
      query: writeQuery,
      headers: changeHeaders,
      payload: QuestionInput,
      success: created(asked, tagged, ({ rfq }) => `/api/v1/rfqs/${rfq.id}`),
      error: onChange
    })
      .middleware(RequireKey)
      .annotateMerge(
        describe(
          "Ask about an RFQ",
          "Asks the buyer of an open RFQ something. Question and answer are read by all who see the RFQ."
        )
      ),
    HttpApiEndpoint.post("answer", "/api/rfqs/:id/questions/:qid/answer", {
      params: { id: RfqId, qid: QuestionId },
      query: writeQuery,
      headers: changeHeaders,
      payload: AnswerInput,
      success: entity(asked, tagged),
      error: onChange
    })
      .middleware(RequireKey)
      .annotateMerge(describe("Answer a question", "Answers a question about an RFQ, by its buyer and once."))
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "rfqs",
      description: "Requests for quotation: a buyer asks, sellers quote, one quote can be awarded."
    })
  ) {}
