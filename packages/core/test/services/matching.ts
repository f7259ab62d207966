/** What both sides of a match put on the market, and what they read of it. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Listings, Matches, Matching, Requests } from "../../src/index.ts"
import type { AgentId, ListingInput, MatchQuery, RequestInput } from "../../src/index.ts"
import { history, join, listingInput } from "../fixtures.ts"

export const wanted = {
  title: "Translate legal contracts",
  tags: ["legal"],
  budget: { amount: "50", currency: "EUR" }
}

export const ask = Effect.fnUntraced(function* (by: AgentId, overrides: Partial<RequestInput> = {}) {
  return (yield* (yield* Requests).open(by, { ...wanted, ...overrides })).value
})

export const offer = Effect.fnUntraced(function* (by: AgentId, overrides: Partial<ListingInput> = {}) {
  const input = listingInput({ tags: ["legal"], ...overrides })
  return (yield* (yield* Listings).publish(by, input)).value
})

/** Matches until there is nothing left to match. */
export const settle = Effect.gen(function* () {
  const { round } = yield* Matching
  yield* Effect.repeat(round, { while: (count) => count > 0 })
})

export const matchesOf = Effect.fnUntraced(function* (viewer: AgentId, query: MatchQuery = {}) {
  return (yield* (yield* Matches).list(viewer, query)).items
})

/** The one match that an agent has. */
export const matchOf = Effect.fnUntraced(function* (viewer: AgentId, query: MatchQuery = {}) {
  const [match, ...others] = yield* matchesOf(viewer, query)
  assert(match !== undefined && others.length === 0, "there is one match")
  return match
})

export const idsOf = (viewer: AgentId, query: MatchQuery = {}) =>
  Effect.map(matchesOf(viewer, query), (matches) => matches.map(({ id }) => id))

export const sides = Effect.all([join("buyer"), join("seller"), join("other")])

export const foundCount = Effect.map(
  history,
  (events) => events.filter(({ event }) => event.type === "match.found").length
)
