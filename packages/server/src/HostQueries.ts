/** The queries of a host's calls that are no requests, judged like those that are. */
import { toInvalidRequest } from "@souk/api"
import { HoldStatus, InvalidRequest, pageLimit } from "@souk/core"
import { Effect, Schema, Stream } from "effect"

const Limit = Schema.Int.check(Schema.isBetween({ minimum: pageLimit.min, maximum: pageLimit.max }))

const eventFields = {
  types: Schema.optionalKey(Schema.Array(Schema.String)),
  subject: Schema.optionalKey(Schema.String),
  after: Schema.optionalKey(Schema.String)
}

/** Which events an agent may follow. */
export const AgentEvents = Schema.Struct({ ...eventFields, mine: Schema.optionalKey(Schema.Boolean) })

const isSignal = (value: unknown): value is AbortSignal =>
  typeof Object(value).addEventListener === "function"

/** Which events the operator follows, and until when. */
export const OperatorEvents = Schema.Struct({
  ...eventFields,
  signal: Schema.optionalKey(Schema.declare(isSignal, { expected: "an AbortSignal" }))
})

/** What ends what a query asks for. */
export const signalOf = (query: unknown): AbortSignal | undefined => {
  const { signal } = Object(query)
  return isSignal(signal) ? signal : undefined
}

export const Orders = Schema.Struct({ limit: Schema.optionalKey(Limit) })

export const Holds = Schema.Struct({
  status: Schema.optionalKey(HoldStatus),
  limit: Schema.optionalKey(Limit),
  cursor: Schema.optionalKey(Schema.String)
})

/** Reads a query: what is wrong with it, or unknown, is `InvalidRequest` with its name. */
export const read = <S extends Schema.ConstraintCodec<unknown, unknown>>(
  schema: S,
  query: unknown
): Effect.Effect<S["Type"], InvalidRequest> =>
  Effect.mapError(
    Schema.decodeUnknownEffect(schema)(isPlain(query) ? said(query) : query, {
      errors: "all",
      onExcessProperty: "error"
    }),
    (error) => {
      const refusal = toInvalidRequest("Query", error)
      return refusal._tag === "InvalidRequest" ? refusal : InvalidRequest.at("query", "is not valid")
    }
  )

/** Streams by a query, once it is read. */
export const streamBy = <S extends Schema.ConstraintCodec<unknown, unknown>, A, E, R>(
  schema: S,
  query: unknown,
  stream: (query: S["Type"]) => Stream.Stream<A, E, R>
): Stream.Stream<A, E | InvalidRequest, R> => Stream.unwrap(Effect.map(read(schema, query), stream))

// -----------------------------------------------------------------------------

const isPlain = (query: unknown): query is object =>
  typeof query === "object" && query !== null && !Array.isArray(query)

/** What is undefined is not said. */
const said = (query: object) =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined))
