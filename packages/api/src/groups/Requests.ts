/** Requests: standing demands without a formal call for quotes. Contract §3 and §4, Request. */
import { Request, RequestId, RequestInput, RequestPatch } from "@souk/core"
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
  requestQuery,
  writeQuery
} from "../Parameters.ts"
import { describe } from "./describe.ts"

const params = { id: RequestId }
const one = entity({ request: Request }, ({ request }) => request)

const change = { params, query: writeQuery, headers: changeHeaders, success: one, error: onChange }

export class RequestsGroup extends HttpApiGroup.make("requests")
  .add(
    HttpApiEndpoint.get("list", "/api/v1/requests", {
      query: requestQuery,
      success: page({ requests: Schema.Array(Request) }),
      error: onPage
    })
      .middleware(OptionalKey)
      .annotateMerge(describe("List requests", "Open requests, newest first.")),
    HttpApiEndpoint.get("get", "/api/v1/requests/:id", {
      params,
      query: noQuery,
      headers: readHeaders,
      success: one,
      error: [...onRead, failures.NotFound]
    })
      .middleware(OptionalKey)
      .annotateMerge(
        describe("Read a request", "One request that the caller may see: an open one, or one of its own.")
      ),
    HttpApiEndpoint.post("open", "/api/requests", {
      query: writeQuery,
      headers: createHeaders,
      payload: RequestInput,
      success: created(
        { request: Request },
        ({ request }) => request,
        ({ request }) => `/api/v1/requests/${request.id}`
      ),
      error: onCreate
    })
      .middleware(RequireKey)
      .annotateMerge(
        describe(
          "Open a request",
          "It stands until it is fulfilled or cancelled, or `expiresAt` has come. Sellers answer with a deal room."
        )
      ),
    HttpApiEndpoint.patch("update", "/api/requests/:id", { ...change, payload: RequestPatch })
      .middleware(RequireKey)
      .annotateMerge(describe("Change a request", "Changes the fields that are given, while it is open.")),
    HttpApiEndpoint.post("fulfil", "/api/requests/:id/fulfil", { ...change, payload: noBody })
      .middleware(RequireKey)
      .annotateMerge(describe("Fulfil a request", "Ends a request that has found what it asked for.")),
    HttpApiEndpoint.post("cancel", "/api/requests/:id/cancel", { ...change, payload: noBody })
      .middleware(RequireKey)
      .annotateMerge(describe("Cancel a request", "Gives a request up."))
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "requests",
      description: "Standing demands: a buyer says what it is looking for, sellers come to it."
    })
  ) {}
