/**
 * Pages of a table, newest first: each is read by walking one index, or a few side by side, from the newest id down.
 */
import type { AgentId, Instant, Page, PageRequest, Unavailable } from "@souk/core"
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { ask } from "./Dialect.ts"
import type { Dialect } from "./Dialect.ts"
import * as Documents from "./Documents.ts"
import { tables } from "./Tables.ts"
import type { Table } from "./Tables.ts"

/** A way through an index, the greatest `id` first; `e` is the table of the entities. */
export interface Walk {
  readonly from: Statement.Fragment
  readonly id: string
  readonly where: ReadonlyArray<Statement.Fragment>
}

/** What listings, requests and RFQs are all filtered by. */
export interface CommonFilter {
  readonly agentId?: AgentId | undefined
  readonly tag?: string | undefined
  readonly category?: string | undefined
  readonly maxPriceMicros?: bigint | undefined
  readonly currency?: string | undefined
  readonly updatedSince?: Instant | undefined
}

export const make = (sql: SqlClient.SqlClient, dialect: Dialect) => {
  /** A condition where a value is given. */
  const given = <A>(value: A | undefined, condition: (value: A) => Statement.Fragment) =>
    value === undefined ? [] : [condition(value)]

  /** A bound of a moment. */
  const moment = (column: string, comparison: "<=" | ">" | ">=") => (bound: Instant) =>
    sql`${sql.literal(`e.${column} ${comparison}`)} ${dialect.bind(bound)}`

  /** Walks the index that suits some conditions. */
  const walk = (table: { readonly name: string }, where: ReadonlyArray<Statement.Fragment>): Walk => ({
    from: sql`${dialect.table(table.name)} AS e`,
    id: "e.id",
    where
  })

  /**
   * Walks the index that suits a filter. Every database reads `CROSS JOIN` as a join; SQLite also takes it as the
   * order to begin with the tags. An agent has few things of its own, so there its index comes first.
   */
  const walkTagged = (
    kind: "listing" | "request" | "rfq",
    status: string | undefined,
    filter: CommonFilter,
    where: ReadonlyArray<Statement.Fragment>
  ): Walk => {
    const table = tables[kind]
    const tags = dialect.table(`${kind}_tags`)
    const owner = `t.${kind}_id`
    const isOwner = sql`e.id = ${sql.literal(owner)}`
    const common = [...commonConditions(filter), ...where]
    const hasStatus = given(status, (status) => sql`e.status = ${status}`)
    if (filter.tag === undefined) return walk(table, [...hasStatus, ...common])
    if (filter.agentId !== undefined) return walk(table, [...hasStatus, ...common, hasTag(kind, filter.tag)])
    return {
      from: sql`${tags} AS t CROSS JOIN ${dialect.table(table.name)} AS e`,
      id: owner,
      where: [
        sql`t.tag = ${filter.tag}`,
        ...given(status, (status) => sql`t.status = ${status}`),
        isOwner,
        ...common
      ]
    }
  }

  /** Walks the RFQs to which an agent is invited. */
  const walkInvited = (
    invitee: AgentId,
    filter: CommonFilter,
    where: ReadonlyArray<Statement.Fragment>
  ): Walk => ({
    from: sql`${dialect.table("rfq_invitees")} AS n CROSS JOIN ${dialect.table(tables.rfq.name)} AS e`,
    id: "n.rfq_id",
    where: [
      sql`n.agent_id = ${invitee}`,
      sql`e.id = n.rfq_id`,
      ...commonConditions(filter),
      ...given(filter.tag, (tag) => hasTag("rfq", tag)),
      ...where
    ]
  })

  const hasTag = (kind: "listing" | "request" | "rfq", tag: string) => sql`
    EXISTS (SELECT 1 FROM ${dialect.table(`${kind}_tags`)} AS t
      WHERE t.${sql.literal(`${kind}_id`)} = e.id AND t.tag = ${tag})`

  const commonConditions = (filter: CommonFilter) => [
    ...given(filter.agentId, (id) => sql`e.agent_id = ${id}`),
    ...given(filter.category, (category) => sql`e.category = ${category}`),
    ...given(filter.maxPriceMicros, (micros) => sql`e.amount_micros <= ${dialect.bind(micros)}`),
    ...given(filter.currency, (currency) => sql`e.currency = ${currency}`),
    ...given(filter.updatedSince, moment("updated_at", ">="))
  ]

  const entity = sql`e.id, ${dialect.text("e.document")} AS document`

  const select = (columns: Statement.Fragment, { from, id, where }: Walk, { before, limit }: PageRequest) => {
    // Said of both sides of a join: no planner draws that conclusion by itself.
    const sides = id === "e.id" ? [id] : [id, "e.id"]
    const isBelow = given(before, (before) =>
      sql.and(sides.map((side) => sql`${sql.literal(side)} < ${before}`))
    )
    const conditions = [...where, ...isBelow]
    return sql<Documents.DocumentRow>`
      SELECT ${columns} FROM ${from} WHERE ${sql.and(conditions)}
      ORDER BY ${sql.literal(id)} DESC LIMIT ${limit + 1}`
  }

  /** Walks each index for the length of a page at most, and joins what was found. */
  const selectFromAll = (name: string, walks: ReadonlyArray<Walk>, page: PageRequest) => {
    const parts = walks.map((walk, n) => {
      const part = select(sql.literal(`${walk.id} AS id`), walk, page)
      return sql`SELECT id FROM (${part}) AS ${sql(`p${n}`)}`
    })
    return sql<Documents.DocumentRow>`
      SELECT ${entity} FROM (${sql.join(" UNION ALL ", false)(parts)}) AS p CROSS JOIN ${dialect.table(name)} AS e
      WHERE e.id = p.id ORDER BY p.id DESC LIMIT ${page.limit + 1}`
  }

  /** Reads a page of what the walks come upon; no two of them may come upon the same. */
  const pageOf = <E>(
    table: Table<E>,
    walks: ReadonlyArray<Walk>,
    page: PageRequest
  ): Effect.Effect<Page<E>, Unavailable> => {
    const [walk, ...others] = walks
    if (walk === undefined) return Effect.succeed({ items: [], hasMore: false })
    const query = others.length === 0 ? select(entity, walk, page) : selectFromAll(table.name, walks, page)
    return Effect.map(
      ask(
        dialect,
        Documents.read(query, (row) => table.document.decode(row.document))
      ),
      (entities) => ({ items: entities.slice(0, page.limit), hasMore: entities.length > page.limit })
    )
  }

  return { entity, given, moment, walk, walkTagged, walkInvited, pageOf }
}
