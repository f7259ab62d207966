/**
 * Identifiers in the TypeID form: a kind prefix and a time-sortable UUIDv7 in Crockford's base 32.
 *
 * Ids of one kind sort by the moment they were made, so "newest first" is "greatest id first". Contract §1, "Ids".
 */
import { Schema } from "effect"

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

const id = <const Prefix extends string, const Brand extends string>(prefix: Prefix, brand: Brand) =>
  Schema.String.check(
    Schema.isPattern(new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`, "u"), {
      expected: `an id that starts with ${prefix}_`
    })
  ).annotate({ identifier: brand, examples: [`${prefix}_01jd8wq0z7f3mbk5r2v6txn4ce`] })

export const AgentId = id("agt", "AgentId").pipe(Schema.brand("AgentId"))
export type AgentId = typeof AgentId.Type

export const ApiKeyId = id("key", "ApiKeyId").pipe(Schema.brand("ApiKeyId"))
export type ApiKeyId = typeof ApiKeyId.Type

export const ListingId = id("lst", "ListingId").pipe(Schema.brand("ListingId"))
export type ListingId = typeof ListingId.Type

export const RequestId = id("req", "RequestId").pipe(Schema.brand("RequestId"))
export type RequestId = typeof RequestId.Type

export const RfqId = id("rfq", "RfqId").pipe(Schema.brand("RfqId"))
export type RfqId = typeof RfqId.Type

export const QuoteId = id("quo", "QuoteId").pipe(Schema.brand("QuoteId"))
export type QuoteId = typeof QuoteId.Type

export const MatchId = id("mat", "MatchId").pipe(Schema.brand("MatchId"))
export type MatchId = typeof MatchId.Type

export const DealRoomId = id("room", "DealRoomId").pipe(Schema.brand("DealRoomId"))
export type DealRoomId = typeof DealRoomId.Type

export const OfferId = id("off", "OfferId").pipe(Schema.brand("OfferId"))
export type OfferId = typeof OfferId.Type

export const EntryId = id("ent", "EntryId").pipe(Schema.brand("EntryId"))
export type EntryId = typeof EntryId.Type

export const ReviewId = id("rev", "ReviewId").pipe(Schema.brand("ReviewId"))
export type ReviewId = typeof ReviewId.Type

export const QuestionId = id("que", "QuestionId").pipe(Schema.brand("QuestionId"))
export type QuestionId = typeof QuestionId.Type

export const WebhookId = id("whk", "WebhookId").pipe(Schema.brand("WebhookId"))
export type WebhookId = typeof WebhookId.Type

export const TaskId = id("tsk", "TaskId").pipe(Schema.brand("TaskId"))
export type TaskId = typeof TaskId.Type

export const HoldId = id("hld", "HoldId").pipe(Schema.brand("HoldId"))
export type HoldId = typeof HoldId.Type

export const EventId = id("evt", "EventId").pipe(Schema.brand("EventId"))
export type EventId = typeof EventId.Type

/** The kinds of entity, each with its schema. */
export const idSchemas = {
  agent: AgentId,
  key: ApiKeyId,
  listing: ListingId,
  request: RequestId,
  rfq: RfqId,
  quote: QuoteId,
  match: MatchId,
  deal_room: DealRoomId,
  offer: OfferId,
  entry: EntryId,
  review: ReviewId,
  question: QuestionId,
  webhook: WebhookId,
  task: TaskId,
  hold: HoldId,
  event: EventId
}

export type IdKind = keyof typeof idSchemas

/** The id type of a kind of entity. */
export type IdOf<K extends IdKind> = (typeof idSchemas)[K]["Type"]

const prefixes: { readonly [K in IdKind]: string } = {
  agent: "agt",
  key: "key",
  listing: "lst",
  request: "req",
  rfq: "rfq",
  quote: "quo",
  match: "mat",
  deal_room: "room",
  offer: "off",
  entry: "ent",
  review: "rev",
  question: "que",
  webhook: "whk",
  task: "tsk",
  hold: "hld",
  event: "evt"
}

/** Writes a UUIDv7 (16 bytes) as the id of a kind. */
export const idOfUuid = <K extends IdKind>(kind: K, uuid: Uint8Array): IdOf<K> => {
  let value = 0n
  for (const byte of uuid) value = (value << 8n) | BigInt(byte)
  return write(kind, value)
}

/**
 * Makes an id that follows from a moment and some bytes, for what must come out alike whenever it is made.
 *
 * `ordinal` (0 to 4,095) fills the twelve bits behind the millisecond; eight of the bytes are used.
 */
export const makeId = <K extends IdKind>(
  kind: K,
  parts: { readonly millis: number; readonly ordinal: number; readonly bytes: Uint8Array }
): IdOf<K> => {
  const time = BigInt(Math.max(0, Math.trunc(parts.millis))) & 0xffff_ffff_ffffn
  let tail = 0n
  for (const byte of parts.bytes.subarray(0, 8)) tail = (tail << 8n) | BigInt(byte)
  const head = (time << 16n) | 0x7000n | BigInt(parts.ordinal & 0xfff)
  return write(kind, (head << 64n) | 0x8000_0000_0000_0000n | (tail & 0x3fff_ffff_ffff_ffffn))
}

/**
 * The id itself where it sorts behind another one of its kind, and otherwise one that does, a millisecond behind it: for
 * what follows upon something of another process, whose clock may be ahead.
 */
export const idBehind = <K extends IdKind>(kind: K, other: IdOf<K>, id: IdOf<K>): IdOf<K> => {
  if (id > other) return id
  const tail = read(id) & ((1n << tailBits) - 1n)
  return write(kind, (((read(other) >> tailBits) + 1n) << tailBits) | tail)
}

/** What of an id is not the millisecond. */
const tailBits = 80n

const read = (id: string): bigint => {
  let value = 0n
  for (const letter of id.slice(id.indexOf("_") + 1)) value = (value << 5n) | BigInt(alphabet.indexOf(letter))
  return value
}

const write = <K extends IdKind>(kind: K, value: bigint): IdOf<K> => {
  let text = ""
  for (let shift = 125n; shift >= 0n; shift -= 5n) text += alphabet.charAt(Number((value >> shift) & 31n))
  return idSchemas[kind].make(`${prefixes[kind]}_${text}`)
}
