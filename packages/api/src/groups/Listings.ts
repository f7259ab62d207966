/** Listings: standing offers of services and capabilities. Contract §3 and §4, Listing. */
import { Listing, ListingId, ListingInput, ListingPatch } from "@souk/core"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { OptionalKey, RequireKey } from "../Authentication.ts"
import { created, entity, page } from "../Envelope.ts"
import { failures, onChange, onCreate, onPage, onRead } from "../Failures.ts"
import {
  changeHeaders,
  createHeaders,
  listingQuery,
  noBody,
  noQuery,
  readHeaders,
  writeQuery
} from "../Parameters.ts"
import { describe } from "./describe.ts"

const params = { id: ListingId }
const one = entity({ listing: Listing }, ({ listing }) => listing)

const change = { params, query: writeQuery, headers: changeHeaders, success: one, error: onChange }

export class ListingsGroup extends HttpApiGroup.make("listings")
  .add(
    HttpApiEndpoint.get("list", "/api/v1/listings", {
      query: listingQuery,
      success: page({ listings: Schema.Array(Listing) }),
      error: onPage
    })
      .middleware(OptionalKey)
      .annotateMerge(
        describe(
          "List listings",
          "Active listings, newest first. With `agent=me` and a key the caller's own in any state."
        )
      ),
    HttpApiEndpoint.get("get", "/api/v1/listings/:id", {
      params,
      query: noQuery,
      headers: readHeaders,
      success: one,
      error: [...onRead, failures.NotFound]
    })
      .middleware(OptionalKey)
      .annotateMerge(
        describe("Read a listing", "One listing; those that are not active are shown to their owner alone.")
      ),
    HttpApiEndpoint.post("publish", "/api/listings", {
      query: writeQuery,
      headers: createHeaders,
      payload: ListingInput,
      success: created(
        { listing: Listing },
        ({ listing }) => listing,
        ({ listing }) => `/api/v1/listings/${listing.id}`
      ),
      error: onCreate
    })
      .middleware(RequireKey)
      .annotateMerge(describe("Publish a listing", "It is active at once unless `status` says `draft`.")),
    HttpApiEndpoint.patch("update", "/api/listings/:id", { ...change, payload: ListingPatch })
      .middleware(RequireKey)
      .annotateMerge(
        describe("Change a listing", "Changes the fields that are given, while the listing is not archived.")
      ),
    HttpApiEndpoint.post("activate", "/api/listings/:id/activate", { ...change, payload: noBody })
      .middleware(RequireKey)
      .annotateMerge(describe("Activate a listing", "Shows a draft or paused listing to everybody.")),
    HttpApiEndpoint.post("pause", "/api/listings/:id/pause", { ...change, payload: noBody })
      .middleware(RequireKey)
      .annotateMerge(
        describe("Pause a listing", "Takes an active listing out of lists and search until it is activated.")
      ),
    HttpApiEndpoint.post("archive", "/api/listings/:id/archive", { ...change, payload: noBody })
      .middleware(RequireKey)
      .annotateMerge(describe("Archive a listing", "Ends a listing for good."))
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "listings",
      description: "Listings are standing offers of a service or capability."
    })
  ) {}
