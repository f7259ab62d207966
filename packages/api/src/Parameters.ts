/**
 * The query parameters and headers of the operations, each defined once: one name means one thing everywhere.
 * Contract §1 and §5. A parameter arrives as text, so each is a codec from text.
 */
import {
  AgentId,
  Amount,
  Currency,
  Cursor,
  EventPattern,
  Instant,
  ListingId,
  ListingStatus,
  MatchStatus,
  OptionalReason,
  pageLimit,
  PricingModel,
  RequestId,
  RequestStatus,
  RfqId,
  RfqStatus,
  Slug
} from "@souk/core"
import { Effect, Option, Schema, SchemaIssue, SchemaTransformation } from "effect"

/** A value of `to` that is read from a text, or refused with what was expected. */
const fromText = <A>(options: {
  readonly to: Schema.Codec<A, A>
  readonly expected: string
  readonly read: (text: string) => Option.Option<A>
  readonly write: (value: A) => string
}) =>
  Schema.String.pipe(
    Schema.decodeTo(
      options.to,
      SchemaTransformation.transformEffect({
        decode: (text: string, parseOptions) =>
          Option.match(options.read(text), {
            onNone: () =>
              Effect.fail(new SchemaIssue.InvalidValue({ expected: options.expected }, text, parseOptions)),
            onSome: Effect.succeed
          }),
        encode: (value: A) => Effect.succeed(options.write(value))
      })
    )
  )

const Flag = fromText({
  to: Schema.Boolean,
  expected: "true or false",
  read: (text) => (text === "true" || text === "false" ? Option.some(text === "true") : Option.none()),
  write: String
})

/** A comma-separated list of different words. */
const commaList = <A extends string>(word: Schema.Codec<A, A>, max: number, expected: string) => {
  const words = Schema.Array(word).check(Schema.isMaxLength(max))
  const read = Schema.decodeUnknownOption(words)
  return fromText<ReadonlyArray<A>>({
    to: words,
    expected,
    read: (text) => read([...new Set(text.split(","))]),
    write: (words) => words.join(",")
  })
}

// -----------------------------------------------------------------------------
// Query parameters
// -----------------------------------------------------------------------------

const Limit = fromText({
  to: Schema.Int,
  expected: `an integer from ${pageLimit.min} to ${pageLimit.max}`,
  read: (text) => {
    const value = /^\d{1,3}$/u.test(text) ? Number(text) : Number.NaN
    return value >= pageLimit.min && value <= pageLimit.max ? Option.some(value) : Option.none()
  },
  write: String
})

/** The query of every list: where the page starts and how long it is. */
export const pageQuery = { limit: Schema.optionalKey(Limit), cursor: Schema.optionalKey(Cursor) }

const Words = Schema.String.check(Schema.isMaxLength(400))

const itemFilters = {
  q: Schema.optionalKey(Words),
  tag: Schema.optionalKey(Slug),
  category: Schema.optionalKey(Slug),
  agent: Schema.optionalKey(Schema.Union([Schema.Literal("me"), AgentId])),
  maxPrice: Schema.optionalKey(Amount),
  currency: Schema.optionalKey(Currency),
  updatedSince: Schema.optionalKey(Instant)
}

export const listingQuery = {
  ...pageQuery,
  ...itemFilters,
  pricingModel: Schema.optionalKey(PricingModel),
  status: Schema.optionalKey(ListingStatus)
}

export const requestQuery = {
  ...pageQuery,
  ...itemFilters,
  status: Schema.optionalKey(RequestStatus)
}

export const rfqQuery = {
  ...pageQuery,
  ...itemFilters,
  status: Schema.optionalKey(RfqStatus),
  closesBefore: Schema.optionalKey(Instant)
}

export const matchQuery = {
  ...pageQuery,
  demand: Schema.optionalKey(Schema.Union([RfqId, RequestId])),
  supply: Schema.optionalKey(ListingId),
  status: Schema.optionalKey(MatchStatus)
}

/** The query of an operation that takes no parameters; an empty struct would let any through. */
export const noQuery = Schema.Record(Schema.String, Schema.Never)

/** What a search can look for. */
export const SearchKind = Schema.Literals(["listing", "request", "rfq", "agent"])
export type SearchKind = typeof SearchKind.Type

export const searchQuery = {
  ...pageQuery,
  q: Schema.optionalKey(Words),
  types: Schema.optionalKey(
    commaList(SearchKind, 4, "a comma-separated list of listing, request, rfq and agent")
  ),
  tag: Schema.optionalKey(Slug),
  category: Schema.optionalKey(Slug),
  maxPrice: Schema.optionalKey(Amount),
  currency: Schema.optionalKey(Currency)
}

export const eventQuery = {
  types: Schema.optionalKey(
    commaList(
      Schema.toType(EventPattern),
      50,
      "a comma-separated list of at most 50 event types such as rfq.opened or rfq.*"
    )
  ),
  subject: Schema.optionalKey(
    Schema.String.check(Schema.isPattern(/^[a-z]{3,4}_[0-9a-z]{26}$/u, { expected: "an id" }))
  ),
  mine: Schema.optionalKey(Flag),
  after: Schema.optionalKey(Cursor),
  limit: Schema.optionalKey(Limit)
}

/** The query of every POST and PATCH. */
export const writeQuery = { validateOnly: Schema.optionalKey(Flag) }

// -----------------------------------------------------------------------------
// Headers
// -----------------------------------------------------------------------------

const IdempotencyKey = Schema.String.check(
  Schema.isPattern(/^[!-~]{1,255}$/u, { expected: "1 to 255 visible ASCII characters" })
)

/** A version that no entity has. */
const noVersion = 0

const readVersion = (tag: string): Option.Option<number | undefined> => {
  const opaque = /^(?:W\/)?"([\x21\x23-\x7e]*)"$/u.exec(tag)?.[1]
  if (opaque === undefined) return Option.none()
  return Option.some(Number(/^[1-9]\d{0,14}(?=$|-)/u.exec(opaque)?.[0] ?? noVersion))
}

/**
 * The version that `If-Match` names; `undefined` for `*`, which any version satisfies.
 *
 * A tag that the market did not give names no version, so it fails the precondition and not the syntax. A weak tag
 * counts as well: proxies that compress weaken the tags of what they pass on.
 */
const IfMatch = fromText<number | undefined>({
  to: Schema.UndefinedOr(Schema.Int),
  expected: "one ETag as the market gave it, or *",
  read: (text) => (text === "*" ? Option.some(undefined) : readVersion(text)),
  write: (version) => (version === undefined ? "*" : `"${version}"`)
})

/** The headers of a write that makes something new. */
export const createHeaders = { "idempotency-key": Schema.optionalKey(IdempotencyKey) }

/** The headers of a write to something that exists. */
export const changeHeaders = { ...createHeaders, "if-match": Schema.optionalKey(IfMatch) }

/** The headers of a single read. */
export const readHeaders = {
  "if-none-match": Schema.optionalKey(Schema.String.check(Schema.isMaxLength(1024)))
}

/** The headers of the event stream. */
export const streamHeaders = { "last-event-id": Schema.optionalKey(Cursor) }

// -----------------------------------------------------------------------------
// Bodies that can be left out
// -----------------------------------------------------------------------------

/** A body that can be left out, and is an empty object where it is not. */
export const noBody = [Schema.Record(Schema.String, Schema.Never), Schema.Undefined] as const

/** A reason that can be left out, with the whole body. */
export const optionalReason = [OptionalReason, Schema.Undefined] as const
