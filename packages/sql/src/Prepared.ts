/** What a commit comes to before a database sees it: its rows, with the documents encoded. */
import type { Commit, DeadlineNote, IdempotencyRecord, NewEvent, Reliance } from "@souk/core"
import { Result } from "effect"
import type { Dialect } from "./Dialect.ts"
import { audienceDocument, eventDocument, replyDocument, tables } from "./Tables.ts"
import type { Columns, EntityOf, Kind, Table, WriteOf } from "./Tables.ts"

export type Bound = Readonly<Record<string, unknown>>

export interface Side {
  readonly name: string
  readonly owner: string
  readonly rows: ReadonlyArray<Bound>
}

export interface Row {
  readonly kind: Kind
  readonly id: string
  readonly replaces: number | null
  readonly columns: Bound
  readonly sides: ReadonlyArray<Side>
}

export interface Reply {
  readonly createdAt: unknown
  readonly row: Bound
}

/** A deadline in place of another of the same entity; `null` where it has none. */
export interface Note {
  readonly kind: string
  readonly id: string
  readonly at: unknown
}

export interface Prepared {
  readonly reliesOn: ReadonlyArray<Reliance>
  readonly reply: Reply | undefined
  readonly writes: ReadonlyArray<Row>
  readonly events: ReadonlyArray<Bound>
  readonly deadlines: ReadonlyArray<Note>
}

export const prepare = (dialect: Dialect, commit: Commit) =>
  Result.gen(function* () {
    const writes: Array<Row> = []
    for (const write of commit.writes) writes.push(yield* rowOf(dialect, write))
    const events: Array<Bound> = []
    for (const event of commit.events) events.push(yield* eventRow(dialect, event))
    const reply = commit.idempotency === undefined ? undefined : yield* replyRow(dialect, commit.idempotency)
    const deadlines = (commit.deadlines ?? []).map((note) => noteOf(dialect, note))
    const prepared: Prepared = { reliesOn: commit.reliesOn, reply, writes, events, deadlines }
    return prepared
  })

const rowOf = <K extends Kind>(dialect: Dialect, write: WriteOf<K>) => {
  const table: Table<EntityOf[K]> = tables[write.kind]
  return Result.map(table.document.encode(write.value), (document): Row => ({
    kind: write.kind,
    id: write.value.id,
    replaces: write.replaces,
    columns: { ...bound(dialect, table.columns(write.value)), document: dialect.json(document) },
    sides: table.sides.map(({ name, owner, rows }) => ({
      name,
      owner,
      rows: rows(write.value).map((row) => ({ [owner]: write.value.id, ...bound(dialect, row) }))
    }))
  }))
}

const eventRow = (dialect: Dialect, { audience, event }: NewEvent) =>
  Result.gen(function* () {
    return {
      ...bound(dialect, { id: event.id, type: event.type, at: event.at }),
      audience: dialect.json(yield* audienceDocument.encode(audience)),
      document: dialect.json(yield* eventDocument.encode(event))
    }
  })

const noteOf = (dialect: Dialect, { at, id, kind }: DeadlineNote): Note => ({
  kind,
  id,
  at: at === null ? null : dialect.bind(at)
})

const replyRow = (dialect: Dialect, record: IdempotencyRecord) =>
  Result.map(replyDocument.encode(record), (document): Reply => ({
    createdAt: dialect.bind(record.createdAt),
    row: {
      ...bound(dialect, { id: record.id, expires_at: record.expiresAt }),
      document: dialect.json(document)
    }
  }))

const bound = (dialect: Dialect, columns: Columns): Bound =>
  Object.fromEntries(Object.entries(columns).map(([name, value]) => [name, dialect.bind(value)]))
