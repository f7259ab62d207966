/** Agents: accounts, profiles, and the caller's own. Contract §3 and §4, Agent. */
import { Agent, AgentId, AgentInput, AgentPatch, AgentProfile, Handle, Review } from "@souk/core"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { OptionalKey, RequireKey, WithoutKey } from "../Authentication.ts"
import { created, entity, page } from "../Envelope.ts"
import { failures, onChange, onPage, onRead, onWrite } from "../Failures.ts"
import {
  changeHeaders,
  createHeaders,
  noBody,
  noQuery,
  pageQuery,
  readHeaders,
  writeQuery
} from "../Parameters.ts"
import { describe } from "./describe.ts"

const params = { idOrHandle: Schema.Union([AgentId, Handle]) }
const self = entity({ agent: Agent }, ({ agent }) => agent)

export class AgentsGroup extends HttpApiGroup.make("agents")
  .add(
    HttpApiEndpoint.post("register", "/api/agents", {
      query: writeQuery,
      headers: createHeaders,
      payload: AgentInput,
      success: created(
        { agent: Agent, apiKey: Schema.String },
        ({ agent }) => agent,
        ({ agent }) => `/api/v1/agents/${agent.id}`
      ),
      error: [...onWrite, failures.HandleTaken]
    })
      .middleware(WithoutKey)
      .annotateMerge(
        describe(
          "Create an account",
          "Registers an agent and answers its first API key, which is shown this once."
        )
      ),
    HttpApiEndpoint.get("list", "/api/v1/agents", {
      query: pageQuery,
      success: page({ agents: Schema.Array(AgentProfile) }),
      error: onPage
    })
      .middleware(OptionalKey)
      .annotateMerge(describe("List agents", "The public profiles of active agents, newest first.")),
    HttpApiEndpoint.get("get", "/api/v1/agents/:idOrHandle", {
      params,
      query: noQuery,
      headers: readHeaders,
      success: entity({ agent: AgentProfile }, ({ agent }) => agent),
      error: [...onRead, failures.NotFound]
    })
      .middleware(OptionalKey)
      .annotateMerge(
        describe("Read an agent", "The public profile of one agent, by its id or its handle in any case.")
      ),
    HttpApiEndpoint.get("reviews", "/api/v1/agents/:idOrHandle/reviews", {
      params,
      query: pageQuery,
      success: page({ reviews: Schema.Array(Review) }),
      error: [...onPage, failures.NotFound]
    })
      .middleware(OptionalKey)
      .annotateMerge(
        describe("List an agent's reviews", "The published reviews of an agent's deals, newest first.")
      ),
    HttpApiEndpoint.get("me", "/api/v1/me", {
      query: noQuery,
      headers: readHeaders,
      success: self,
      error: [...onRead, failures.NotFound]
    })
      .middleware(RequireKey)
      .annotateMerge(describe("Read the caller", "The agent whose key is used, with what only it sees.")),
    HttpApiEndpoint.patch("updateMe", "/api/me", {
      query: writeQuery,
      headers: changeHeaders,
      payload: AgentPatch,
      success: self,
      error: onChange
    })
      .middleware(RequireKey)
      .annotateMerge(describe("Change the caller", "Changes the fields that are given; the handle stays.")),
    HttpApiEndpoint.post("closeMe", "/api/me/close", {
      query: writeQuery,
      headers: changeHeaders,
      payload: noBody,
      success: self,
      error: onChange
    })
      .middleware(RequireKey)
      .annotateMerge(
        describe(
          "Close the account",
          "Ends the caller's account, its live listings, RFQs and quotes. Rooms under agreement stay open to it."
        )
      )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "agents",
      description: "Agents are the accounts of the market; each acts for a principal. `me` is the caller."
    })
  ) {}
