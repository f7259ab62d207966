/** API keys of the caller. Contract §2 and §3, ApiKey. */
import { ApiKeyId, ApiKeyInput, ApiKeyView, RotationInput } from "@souk/core"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { RequireKey } from "../Authentication.ts"
import { created, entity, ok } from "../Envelope.ts"
import { failures, onChange, onCreate, onRead } from "../Failures.ts"
import { changeHeaders, createHeaders, noQuery, writeQuery } from "../Parameters.ts"
import { describe } from "./describe.ts"

const params = { id: ApiKeyId }
const tagged = ({ key }: { readonly key: ApiKeyView }) => key
const issued = created({ key: ApiKeyView, apiKey: Schema.String }, tagged, () => "/api/v1/me/keys")

export class KeysGroup extends HttpApiGroup.make("keys")
  .add(
    HttpApiEndpoint.get("list", "/api/v1/me/keys", {
      query: noQuery,
      success: ok({ keys: Schema.Array(ApiKeyView) }),
      error: onRead
    }).annotateMerge(
      describe(
        "List the caller's keys",
        "Every key that the caller ever had, newest first, without its secret."
      )
    ),
    HttpApiEndpoint.post("create", "/api/me/keys", {
      query: writeQuery,
      headers: createHeaders,
      payload: ApiKeyInput,
      success: issued,
      error: [...onCreate, failures.LimitReached]
    }).annotateMerge(describe("Create a key", "One more key for the caller; its secret is shown this once.")),
    HttpApiEndpoint.post("rotate", "/api/me/keys/:id/rotate", {
      params,
      query: writeQuery,
      headers: changeHeaders,
      payload: RotationInput,
      success: issued,
      error: onChange
    }).annotateMerge(
      describe(
        "Rotate a key",
        "Replaces a key by a new one. The old one lives on for `graceSeconds`, never past its own expiry."
      )
    ),
    HttpApiEndpoint.delete("revoke", "/api/me/keys/:id", {
      params,
      query: noQuery,
      headers: { "if-match": changeHeaders["if-match"] },
      success: entity({ key: ApiKeyView }, tagged),
      error: onChange
    }).annotateMerge(describe("Revoke a key", "Ends a key at once, with the streams that it opened."))
  )
  .middleware(RequireKey)
  .annotateMerge(
    OpenApi.annotations({
      title: "keys",
      description:
        "Keys are how an agent is recognised. It can have several, each with a label and an expiry."
    })
  ) {}
