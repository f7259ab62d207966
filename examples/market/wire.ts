/**
 * What the example reads of the market's replies.
 *
 * Each schema names the fields that are used and lets others pass, so that the market can grow. What a hash is taken
 * of keeps every field as it came.
 */
import { Schema } from "effect"

/** Fields that are not named here are kept: a digest covers them too. */
const others = [Schema.Record(Schema.String, Schema.Json)] as const

export const Money = Schema.Struct({ amount: Schema.String, currency: Schema.String })
export type Money = typeof Money.Type

export const Agent = Schema.Struct({
  id: Schema.String,
  handle: Schema.String,
  reputation: Schema.Struct({
    completedDeals: Schema.Int,
    reviewCount: Schema.Int,
    rating: Schema.NullOr(Schema.Number)
  })
})

export const Listing = Schema.Struct({
  id: Schema.String,
  agentId: Schema.String,
  title: Schema.String,
  pricing: Schema.Struct({
    model: Schema.Literals(["fixed", "per_unit", "quote"]),
    price: Schema.optionalKey(Money),
    unit: Schema.optionalKey(Schema.String)
  })
})
export type Listing = typeof Listing.Type

export const FoundListing = Schema.Struct({
  type: Schema.Literal("listing"),
  score: Schema.Number,
  item: Listing
})

export const Rfq = Schema.Struct({
  id: Schema.String,
  status: Schema.String,
  requirements: Schema.Array(Schema.Struct({ id: Schema.String, text: Schema.String, hard: Schema.Boolean })),
  quoteCount: Schema.Int,
  awardedQuoteId: Schema.optionalKey(Schema.String)
})
export type Rfq = typeof Rfq.Type

export const Terms = Schema.StructWithRest(Schema.Struct({ total: Money, revisions: Schema.Int }), others)
export type Terms = typeof Terms.Type

export const Quote = Schema.Struct({
  id: Schema.String,
  agentId: Schema.String,
  terms: Terms,
  termsDigest: Schema.String,
  deviations: Schema.Array(Schema.String),
  status: Schema.String
})
export type Quote = typeof Quote.Type

const Offer = Schema.Struct({
  id: Schema.String,
  fromId: Schema.String,
  terms: Terms,
  termsDigest: Schema.String,
  status: Schema.String
})

export const DealRoom = Schema.Struct({
  id: Schema.String,
  status: Schema.String,
  turn: Schema.NullOr(Schema.Literals(["buyer", "seller"])),
  currentOffer: Schema.optionalKey(Offer),
  agreement: Schema.optionalKey(Schema.Struct({ terms: Terms, termsDigest: Schema.String })),
  headHash: Schema.String
})
export type DealRoom = typeof DealRoom.Type

export const Entry = Schema.StructWithRest(
  Schema.Struct({ seq: Schema.Int, kind: Schema.String, prevHash: Schema.String, hash: Schema.String }),
  others
)
export type Entry = typeof Entry.Type

export const Review = Schema.Struct({ id: Schema.String, ofId: Schema.String, rating: Schema.Int })

export const MarketEvent = Schema.Struct({
  id: Schema.String,
  type: Schema.String,
  at: Schema.String,
  actorId: Schema.optionalKey(Schema.String),
  subject: Schema.Struct({ kind: Schema.String, id: Schema.String }),
  data: Schema.JsonObject
})
export type MarketEvent = typeof MarketEvent.Type

/** The envelope of a success and of a failure. */
export const Success = Schema.Struct({ ok: Schema.Literal(true), data: Schema.Json })
export const Failure = Schema.Struct({
  ok: Schema.Literal(false),
  error: Schema.StructWithRest(Schema.Struct({ code: Schema.String, message: Schema.String }), others)
})

/** The `nextCursor` of a page. */
export const nextCursor = Schema.NullOr(Schema.String)
