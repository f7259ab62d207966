/** A match: a demand and a supply that fit, seen by its two sides. Contract §3, Match. */
import { Schema } from "effect"
import { stamps } from "./Entity.ts"
import { AgentId, ListingId, MatchId, RequestId, RfqId } from "./Id.ts"

export const MatchStatus = Schema.Literals(["suggested", "dismissed", "engaged"])
export type MatchStatus = typeof MatchStatus.Type

export const DemandRef = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("rfq"), id: RfqId }),
  Schema.Struct({ kind: Schema.Literal("request"), id: RequestId })
]).annotate({ identifier: "DemandRef" })
export type DemandRef = typeof DemandRef.Type

export const SupplyRef = Schema.Struct({ kind: Schema.Literal("listing"), id: ListingId }).annotate({
  identifier: "SupplyRef"
})
export interface SupplyRef extends Schema.Schema.Type<typeof SupplyRef> {}

/** Why two fit, for programs (`code`) and for people (`text`). */
export const MatchReason = Schema.Struct({
  code: Schema.Literals(["text", "tags", "category", "price", "record"]),
  text: Schema.String
}).annotate({ identifier: "MatchReason" })
export interface MatchReason extends Schema.Schema.Type<typeof MatchReason> {}

/** `buyerId` is whose demand it is, `sellerId` whose supply. */
export const Match = Schema.Struct({
  id: MatchId,
  demand: DemandRef,
  supply: SupplyRef,
  buyerId: AgentId,
  sellerId: AgentId,
  score: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })),
  reasons: Schema.Array(MatchReason),
  status: MatchStatus,
  ...stamps
}).annotate({ identifier: "Match" })
export interface Match extends Schema.Schema.Type<typeof Match> {}
