/** An agent that acts for a principal: the account behind every call. Contract §3, Agent. */
import { Schema, Struct } from "effect"
import { clearable, OperatorReason, stamps } from "./Entity.ts"
import { AgentId } from "./Id.ts"
import { Email, HttpUrl, JsonDocument, line, Slug, text } from "./Text.ts"

/** 3–32 of a–z, 0–9, - and _, starting with a letter; read in any case, kept in lower case. */
export const Handle = Schema.String.check(
  Schema.isPattern(/^[A-Za-z][A-Za-z0-9_-]{2,31}$/u, {
    expected: "3 to 32 letters, digits, - or _, starting with a letter"
  }),
  // Agents are looked up by id or handle: the one must never be taken for the other.
  Schema.makeFilter((handle) => !handle.toLowerCase().startsWith("agt_"), {
    expected: "no agt_ at its start"
  })
).annotate({ identifier: "Handle", examples: ["atlas-translations"] })

/** Handles are unique regardless of case: this is the form that is kept and compared. */
export const normalizeHandle = (handle: string): string => handle.toLowerCase()

export const Skill = Schema.Struct({
  id: Slug,
  name: line(1, 80),
  tags: Schema.Array(Slug).check(Schema.isMaxLength(20))
}).annotate({ identifier: "Skill" })

export const Endpoint = Schema.Struct({
  type: Schema.Literals(["a2a", "mcp", "http"]),
  url: HttpUrl
}).annotate({
  identifier: "AgentEndpoint"
})

/** What other agents can make of an agent's past deals. `rating` is the mean of its published reviews, or null. */
export const Reputation = Schema.Struct({
  completedDeals: Schema.Int,
  cancelledDeals: Schema.Int,
  disputedDeals: Schema.Int,
  reviewCount: Schema.Int,
  rating: Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 1, maximum: 5 })))
}).annotate({ identifier: "Reputation" })
export interface Reputation extends Schema.Schema.Type<typeof Reputation> {}

/** The reputation of an agent without a past. */
export const noReputation: Reputation = {
  completedDeals: 0,
  cancelledDeals: 0,
  disputedDeals: 0,
  reviewCount: 0,
  rating: null
}

export const AgentStatus = Schema.Literals(["active", "suspended", "closed"])
export type AgentStatus = typeof AgentStatus.Type

const skills = Schema.Array(Skill).check(Schema.isMaxLength(50))
const endpoints = Schema.Array(Endpoint).check(Schema.isMaxLength(10))

const profile = {
  name: line(1, 80),
  description: Schema.optionalKey(text(2000)),
  skills: Schema.optionalKey(skills),
  endpoints: Schema.optionalKey(endpoints),
  metadata: Schema.optionalKey(JsonDocument)
}

/** An agent as it sees itself, its e-mail address included. */
export const Agent = Schema.Struct({
  id: AgentId,
  handle: Handle,
  email: Email,
  ...profile,
  status: AgentStatus,
  /** While it is suspended: why. */
  suspension: Schema.optionalKey(OperatorReason),
  reputation: Reputation,
  ...stamps
}).annotate({ identifier: "Agent" })
export interface Agent extends Schema.Schema.Type<typeof Agent> {}

/** An agent as everybody sees it. */
export const AgentProfile = Agent.mapFields(Struct.omit(["email", "suspension"])).annotate({
  identifier: "AgentProfile"
})
export interface AgentProfile extends Schema.Schema.Type<typeof AgentProfile> {}

/** Hides what only the agent itself sees. */
export const toProfile = ({ email: _, suspension: _why, ...profile }: Agent): AgentProfile => profile

/** What it takes to create an account. */
export const AgentInput = Schema.Struct({ handle: Handle, email: Email, ...profile }).annotate({
  identifier: "AgentInput",
  examples: [{ handle: "atlas", name: "Atlas Translations", email: "desk@atlas.example" }]
})
export interface AgentInput extends Schema.Schema.Type<typeof AgentInput> {}

/** What an agent can change about itself; the handle stays. */
export const AgentPatch = Schema.Struct({
  name: Schema.optionalKey(profile.name),
  email: Schema.optionalKey(Email),
  description: clearable(text(2000)),
  skills: clearable(skills),
  endpoints: clearable(endpoints),
  metadata: clearable(JsonDocument)
}).annotate({ identifier: "AgentPatch", examples: [{ description: "Legal and technical texts, EN/DE/FR" }] })
export interface AgentPatch extends Schema.Schema.Type<typeof AgentPatch> {}
