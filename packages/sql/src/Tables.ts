/**
 * The tables of the entities: what stands in typed columns beside the document, alike for every database.
 *
 * A column repeats a value of the document because something is filtered, ordered, joined or constrained by it.
 */
import * as Model from "@souk/core"
import { Schema } from "effect"
import * as Documents from "./Documents.ts"

/** A value of a column; the dialect says how it is bound. */
export type Value = string | number | bigint | Model.Instant | null

export type Columns = Readonly<Record<string, Value>>

export type EntityOf = { readonly [W in Model.Write as W["kind"]]: W["value"] }

export type Kind = keyof EntityOf

/** A write whose kind and value are known to go together. */
export type WriteOf<K extends Kind> = {
  readonly [P in K]: { readonly kind: P; readonly value: EntityOf[P]; readonly replaces: number | null }
}[K]

/** Rows of another table that belong to an entity and are replaced with it. */
interface SideTable<in E> {
  readonly name: string
  readonly owner: string
  readonly rows: (entity: E) => ReadonlyArray<Columns>
}

export interface Table<in out E> {
  readonly name: string
  readonly document: Documents.Document<E>
  readonly columns: (entity: E) => Columns
  readonly sides: ReadonlyArray<SideTable<E>>
}

// -----------------------------------------------------------------------------

const amount = (money: Model.Money | undefined) => ({
  amount_micros: money === undefined ? null : Model.toMicros(money.amount),
  currency: money?.currency ?? null
})

const tagsOf = (
  owner: string
): SideTable<{ readonly tags: ReadonlyArray<string>; readonly status: string }> => ({
  name: `${owner}_tags`,
  owner: `${owner}_id`,
  rows: ({ tags, status }) => tags.map((tag) => ({ tag, status }))
})

export const tables: { readonly [K in Kind]: Table<EntityOf[K]> } = {
  agent: {
    name: "agents",
    document: Documents.make(Model.Agent),
    columns: ({ handle, id, status, version }) => ({
      id,
      handle: Model.normalizeHandle(handle),
      status,
      version
    }),
    sides: []
  },
  key: {
    name: "api_keys",
    document: Documents.make(Model.ApiKey),
    columns: ({ agentId, digest, id, version }) => ({ id, agent_id: agentId, digest, version }),
    sides: []
  },
  listing: {
    name: "listings",
    document: Documents.make(Model.Listing),
    columns: ({ agentId, category, id, pricing, status, updatedAt, version }) => ({
      id,
      agent_id: agentId,
      status,
      category: category ?? null,
      pricing_model: pricing.model,
      ...amount(pricing.price),
      updated_at: updatedAt,
      version
    }),
    sides: [tagsOf("listing")]
  },
  request: {
    name: "requests",
    document: Documents.make(Model.Request),
    columns: (request) => ({
      id: request.id,
      agent_id: request.agentId,
      status: request.status,
      category: request.category ?? null,
      ...amount(request.budget),
      expires_at: request.expiresAt ?? null,
      updated_at: request.updatedAt,
      version: request.version
    }),
    sides: [tagsOf("request")]
  },
  rfq: {
    name: "rfqs",
    document: Documents.make(Model.Rfq),
    columns: (rfq) => ({
      id: rfq.id,
      agent_id: rfq.agentId,
      status: rfq.status,
      visibility: rfq.visibility,
      category: rfq.category ?? null,
      ...amount(rfq.budget),
      quote_deadline: rfq.quoteDeadline,
      award_by: rfq.awardBy,
      updated_at: rfq.updatedAt,
      version: rfq.version
    }),
    sides: [
      tagsOf("rfq"),
      {
        name: "rfq_invitees",
        owner: "rfq_id",
        rows: ({ invitees }) => invitees.map((invitee) => ({ agent_id: invitee }))
      }
    ]
  },
  quote: {
    name: "quotes",
    document: Documents.make(Model.Quote),
    columns: ({ agentId, id, rfqId, status, version }) => ({
      id,
      rfq_id: rfqId,
      agent_id: agentId,
      status,
      version
    }),
    sides: []
  },
  deal_room: {
    name: "deal_rooms",
    document: Documents.make(Model.DealRoom),
    columns: ({ buyerId, id, sellerId, status, version }) => ({
      id,
      buyer_id: buyerId,
      seller_id: sellerId,
      status,
      version
    }),
    sides: []
  },
  offer: {
    name: "offers",
    document: Documents.make(Model.Offer),
    columns: ({ fromId, id, roomId, status, version }) => ({
      id,
      room_id: roomId,
      from_id: fromId,
      status,
      version
    }),
    sides: []
  },
  review: {
    name: "reviews",
    document: Documents.make(Model.Review),
    columns: ({ byId, id, ofId, publishedAt, rating, roomId, version }) => ({
      id,
      room_id: roomId,
      by_id: byId,
      of_id: ofId,
      rating,
      published_at: publishedAt,
      version
    }),
    sides: []
  },
  match: {
    name: "matches",
    document: Documents.make(Model.Match),
    columns: ({ buyerId, demand, id, sellerId, status, supply, version }) => ({
      id,
      demand_id: demand.id,
      supply_id: supply.id,
      buyer_id: buyerId,
      seller_id: sellerId,
      status,
      version
    }),
    sides: []
  },
  webhook: {
    name: "webhooks",
    document: Documents.make(Model.Webhook),
    columns: ({ agentId, id, status, version }) => ({ id, agent_id: agentId, status, version }),
    sides: []
  },
  task: {
    name: "tasks",
    document: Documents.make(Model.Task),
    columns: ({ dueAt, id, queue, status, updatedAt, version, work }) => ({
      id,
      queue,
      kind: work.kind,
      status,
      due_at: dueAt,
      updated_at: updatedAt,
      version
    }),
    sides: []
  },
  hold: {
    name: "holds",
    document: Documents.make(Model.Hold),
    columns: ({ id, status, version }) => ({ id, status, version }),
    sides: []
  },
  bookmark: {
    name: "bookmarks",
    document: Documents.make(Model.Bookmark),
    columns: ({ id, version }) => ({ id, version }),
    sides: []
  },
  entry: {
    name: "entries",
    document: Documents.make(Model.Entry),
    columns: ({ id, kind, roomId, seq }) => ({ id, room_id: roomId, seq, kind }),
    sides: []
  }
}

/** The document and the readers of an event. */
export const eventDocument = Documents.make(Model.Event)
export const audienceDocument = Documents.make(
  Schema.Union([Schema.Literal("public"), Schema.Array(Model.AgentId)])
)

/** The kept reply of a request. */
export const replyDocument = Documents.make(
  Schema.Struct({
    id: Schema.String,
    bodyDigest: Schema.String,
    reply: Schema.String,
    createdAt: Model.Instant,
    expiresAt: Model.Instant
  })
)
