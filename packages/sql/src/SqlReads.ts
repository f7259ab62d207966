/** Reads from a database: one statement for each read, documents decoded as they were written. */
import type {
  AgentId,
  RequestStateWindow,
  RfqFilter,
  RfqStateWindow,
  Store,
  StoredEvent,
  Unavailable
} from "@souk/core"
import { Effect, Result } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { ask } from "./Dialect.ts"
import type { Dialect } from "./Dialect.ts"
import * as Documents from "./Documents.ts"
import * as SqlDeadlines from "./SqlDeadlines.ts"
import * as SqlPages from "./SqlPages.ts"
import * as SqlTasks from "./SqlTasks.ts"
import { audienceDocument, eventDocument, replyDocument, tables } from "./Tables.ts"
import type { Table } from "./Tables.ts"

type Read<A> = Effect.Effect<A, Unavailable>

type Reads = Omit<Store["Service"], "commit" | "forget" | "ready">

/** Makes the readers of a store. */
export const make = (sql: SqlClient.SqlClient, dialect: Dialect): Reads => {
  const { entity, given, moment, pageOf, walk, walkInvited, walkTagged } = SqlPages.make(sql, dialect)

  /** All entities of a table for which a condition holds. */
  const where = <E>(table: Table<E>, condition: Statement.Fragment): Read<ReadonlyArray<E>> =>
    ask(
      dialect,
      Documents.read(
        sql<Documents.DocumentRow>`SELECT ${entity} FROM ${dialect.table(table.name)} AS e WHERE ${condition}`,
        (row) => table.document.decode(row.document)
      )
    )

  const one = <E>(table: Table<E>, condition: Statement.Fragment): Read<E | undefined> =>
    Effect.map(where(table, condition), ([entity]) => entity)

  const byId =
    <E>(table: Table<E>) =>
    (id: string) =>
      one(table, sql`e.id = ${id}`)

  const byIds =
    <E>(table: Table<E>) =>
    (ids: ReadonlyArray<string>) =>
      ids.length === 0 ? Effect.succeed([]) : where(table, dialect.isOneOf(sql`e.id`, ids))

  const isVisibleTo = (viewer: RfqFilter["viewer"]) => {
    if (viewer === "market") return []
    const isPublic = sql`e.visibility = 'public'`
    if (viewer === undefined) return [isPublic]
    const isInvited = sql`
      EXISTS (SELECT 1 FROM ${dialect.table("rfq_invitees")} AS i WHERE i.rfq_id = e.id AND i.agent_id = ${viewer})`
    return [sql`(${isPublic} OR e.agent_id = ${viewer} OR ${isInvited})`]
  }

  const isRequestWithin = (window: RequestStateWindow) =>
    sql.and([
      sql`e.status = ${window.status}`,
      ...given(
        window.expiresAfter,
        (bound) => sql`(e.expires_at IS NULL OR ${moment("expires_at", ">")(bound)})`
      ),
      ...given(window.expiresUpTo, moment("expires_at", "<="))
    ])

  const isWithin = (window: RfqStateWindow) =>
    sql.and([
      sql`e.status = ${window.status}`,
      ...given(window.quoteDeadlineAfter, moment("quote_deadline", ">")),
      ...given(window.quoteDeadlineUpTo, moment("quote_deadline", "<=")),
      ...given(window.awardByAfter, moment("award_by", ">")),
      ...given(window.awardByUpTo, moment("award_by", "<="))
    ])

  /** Walks what an agent is a side of: each side for itself, and each status where some are asked for. */
  const walksOfParty = (
    table: { readonly name: string },
    party: AgentId,
    statuses: ReadonlyArray<string> | undefined,
    where: ReadonlyArray<Statement.Fragment>
  ) => {
    const groups =
      statuses === undefined ? [[]] : Array.from(new Set(statuses), (status) => [sql`e.status = ${status}`])
    const isBuyer = [sql`e.buyer_id = ${party}`]
    const isSeller = [sql`e.seller_id = ${party}`, sql`e.buyer_id <> ${party}`]
    return groups.flatMap((hasStatus) =>
      [isBuyer, isSeller].map((isSide) => walk(table, [...isSide, ...hasStatus, ...where]))
    )
  }

  const events = dialect.table("events")

  const feed = dialect.table("feed")

  const position = (query: Effect.Effect<ReadonlyArray<PositionRow>, SqlError.SqlError>): Read<number> =>
    ask(
      dialect,
      Effect.map(query, ([row]) => Number(row?.position ?? 0))
    )

  /** The position of the last event that may be read, or could be when it was there. */
  const latest = position(sql<PositionRow>`
    SELECT coalesce(max(position), (SELECT forgotten FROM ${feed})) AS position FROM ${events}
    WHERE ${dialect.isSettled}`)

  return {
    agents: {
      byId: byId(tables.agent),
      byHandle: (handle) => one(tables.agent, sql`e.handle = ${handle}`),
      byIds: byIds(tables.agent),
      list: (page) => pageOf(tables.agent, [walk(tables.agent, [sql`e.status = 'active'`])], page)
    },
    keys: {
      byId: byId(tables.key),
      ofAgent: (agentId) => where(tables.key, sql`e.agent_id = ${agentId} ORDER BY e.id DESC`),
      byDigest: (digest) => one(tables.key, sql`e.digest = ${digest}`)
    },
    listings: {
      byId: byId(tables.listing),
      byIds: byIds(tables.listing),
      list: ({ pricingModel, status, ...filter }, page) => {
        const isPricedBy = given(pricingModel, (model) => sql`e.pricing_model = ${model}`)
        return pageOf(tables.listing, [walkTagged("listing", status, filter, isPricedBy)], page)
      }
    },
    requests: {
      byId: byId(tables.request),
      byIds: byIds(tables.request),
      list: ({ states, ...filter }, page) => {
        const walks = groupsOf(states, filter.agentId).map(([status, windows]) =>
          walkTagged("request", status, filter, [sql.or(windows.map(isRequestWithin))])
        )
        return pageOf(tables.request, walks, page)
      }
    },
    rfqs: {
      byId: byId(tables.rfq),
      byIds: byIds(tables.rfq),
      list: ({ closesBefore, invitee, states, viewer, ...filter }, page) => {
        const others = [...isVisibleTo(viewer), ...given(closesBefore, moment("quote_deadline", "<="))]
        if (invitee !== undefined) {
          const invited = walkInvited(invitee, filter, [sql.or(states.map(isWithin)), ...others])
          return pageOf(tables.rfq, states.length === 0 ? [] : [invited], page)
        }
        const walks = groupsOf(states, filter.agentId).map(([status, windows]) =>
          walkTagged("rfq", status, filter, [sql.or(windows.map(isWithin)), ...others])
        )
        return pageOf(tables.rfq, walks, page)
      }
    },
    quotes: {
      byId: byId(tables.quote),
      byIds: byIds(tables.quote),
      activeOf: (rfqId, agentId) =>
        one(tables.quote, sql`e.rfq_id = ${rfqId} AND e.agent_id = ${agentId} AND e.status = 'active'`),
      allActive: (rfqId) =>
        where(tables.quote, sql`e.rfq_id = ${rfqId} AND e.status = 'active' ORDER BY e.id DESC`),
      list: ({ agentId, rfqId }, page) => {
        const conditions = [
          ...given(rfqId, (id) => sql`e.rfq_id = ${id}`),
          ...given(agentId, (id) => sql`e.agent_id = ${id}`)
        ]
        return pageOf(tables.quote, [walk(tables.quote, conditions)], page)
      }
    },
    rooms: {
      byId: byId(tables.deal_room),
      list: ({ participant, statuses, updatedSince }, page) => {
        const isSince = given(updatedSince, moment("updated_at", ">="))
        return pageOf(tables.deal_room, walksOfParty(tables.deal_room, participant, statuses, isSince), page)
      },
      offer: byId(tables.offer),
      entries: (roomId, afterSeq, limit) =>
        where(tables.entry, sql`e.room_id = ${roomId} AND e.seq > ${afterSeq} ORDER BY e.seq LIMIT ${limit}`)
    },
    reviews: {
      byId: byId(tables.review),
      ofRoom: (roomId) => where(tables.review, sql`e.room_id = ${roomId} ORDER BY e.id DESC`),
      publishedOf: (agentId, at, page) => {
        const isPublished = moment("published_at", "<=")(at)
        return pageOf(tables.review, [walk(tables.review, [sql`e.of_id = ${agentId}`, isPublished])], page)
      }
    },
    matches: {
      byId: byId(tables.match),
      byIds: byIds(tables.match),
      list: ({ demandId, party, statuses, supplyId }, page) => {
        const conditions = [
          ...given(demandId, (id) => sql`e.demand_id = ${id}`),
          ...given(supplyId, (id) => sql`e.supply_id = ${id}`)
        ]
        // A demand or a supply has few matches, so there its index comes first.
        if (party !== undefined && conditions.length === 0) {
          return pageOf(tables.match, walksOfParty(tables.match, party, statuses, []), page)
        }
        const isParty = given(party, (id) => sql`(e.buyer_id = ${id} OR e.seller_id = ${id})`)
        const hasStatus = given(statuses, (statuses) => dialect.isOneOf(sql`e.status`, statuses))
        return pageOf(tables.match, [walk(tables.match, [...conditions, ...isParty, ...hasStatus])], page)
      }
    },
    webhooks: {
      byId: byId(tables.webhook),
      ofAgent: (agentId) =>
        where(tables.webhook, sql`e.agent_id = ${agentId} AND e.status <> 'deleted' ORDER BY e.id DESC`),
      active: (page) => pageOf(tables.webhook, [walk(tables.webhook, [sql`e.status = 'active'`])], page)
    },
    tasks: {
      byId: byId(tables.task),
      list: (queue, page) => pageOf(tables.task, [walk(tables.task, [sql`e.queue = ${queue}`])], page),
      due: (queue, until, limit) => {
        const isDue = moment("due_at", "<=")(until)
        return where(tables.task, sql`e.queue = ${queue} AND ${isDue} ORDER BY e.due_at, e.id LIMIT ${limit}`)
      },
      ...SqlTasks.make(sql, dialect)
    },
    holds: {
      byId: byId(tables.hold),
      list: (status, page) => pageOf(tables.hold, [walk(tables.hold, [sql`e.status = ${status}`])], page)
    },
    bookmarks: { byId: byId(tables.bookmark) },
    deadlines: SqlDeadlines.make(sql, dialect),
    events: {
      after: (position, limit) =>
        ask(
          dialect,
          Documents.read(
            sql<EventRow>`
              SELECT position, id, ${dialect.text("audience")} AS audience, ${dialect.text("document")} AS document
              FROM ${events} WHERE position > ${position} AND ${dialect.isSettled}
              ORDER BY position LIMIT ${limit}`,
            decodeEvent
          )
        ),
      latest,
      forgotten: position(sql<PositionRow>`SELECT forgotten AS position FROM ${feed}`),
      signals: dialect.signals
    },
    idempotency: {
      byId: (id) =>
        Effect.map(
          ask(
            dialect,
            Documents.read(
              sql<Documents.DocumentRow>`
                SELECT id, ${dialect.text("document")} AS document FROM ${dialect.table("idempotency")}
                WHERE id = ${id}`,
              (row) => replyDocument.decode(row.document)
            )
          ),
          ([record]) => record
        )
    }
  }
}

// -----------------------------------------------------------------------------

/** The windows that one index is walked for: those of a status, or all where the index is that of an agent. */
const groupsOf = <W extends { readonly status: string }>(
  states: ReadonlyArray<W>,
  agentId: AgentId | undefined
): ReadonlyArray<readonly [status: W["status"] | undefined, ReadonlyArray<W>]> => {
  if (agentId === undefined) return Array.from(Map.groupBy(states, ({ status }) => status))
  return states.length === 0 ? [] : [[undefined, states]]
}

interface PositionRow {
  readonly position: number | bigint | null
}

interface EventRow extends Documents.DocumentRow {
  readonly position: number | bigint
  readonly audience: unknown
}

const decodeEvent = ({ audience, document, position }: EventRow) =>
  Result.gen(function* () {
    const stored: StoredEvent = {
      position: Number(position),
      event: yield* eventDocument.decode(document),
      audience: yield* audienceDocument.decode(audience)
    }
    return stored
  })
