/**
 * Creates the tables of the matches and of what the market does beside its callers, webhooks, tasks, holds and
 * bookmarks, and has `commit_change` write them. Rooms are found by status and by their last change; RFQs have
 * questions.
 */
import { commitChange, kinds } from "./0002_commit.ts"
import type { Kind } from "./0002_commit.ts"
import { request } from "./0004_requests.ts"

const word = 'text COLLATE "C"'

const oneOf = (column: string, ...values: ReadonlyArray<string>) =>
  `${word} NOT NULL CHECK (${column} IN (${values.map((value) => `'${value}'`).join(", ")}))`

const id = `id ${word} PRIMARY KEY`
const version = "version integer NOT NULL CHECK (version >= 1)"
const document = "document json NOT NULL"

const matches = [
  `CREATE TABLE matches (
    ${id},
    demand_id ${word} NOT NULL,
    supply_id ${word} NOT NULL,
    buyer_id ${word} NOT NULL,
    seller_id ${word} NOT NULL,
    status ${oneOf("status", "suggested", "dismissed", "engaged")},
    ${version},
    ${document}
  )`,
  "CREATE INDEX matches_by_buyer ON matches (buyer_id, id)",
  "CREATE INDEX matches_by_buyer_and_status ON matches (buyer_id, status, id)",
  "CREATE INDEX matches_by_seller ON matches (seller_id, id)",
  "CREATE INDEX matches_by_seller_and_status ON matches (seller_id, status, id)",
  "CREATE INDEX matches_by_demand ON matches (demand_id, id)",
  "CREATE INDEX matches_by_supply ON matches (supply_id, id)"
]

const webhooks = [
  `CREATE TABLE webhooks (
    ${id},
    agent_id ${word} NOT NULL,
    status ${oneOf("status", "active", "disabled", "deleted")},
    ${version},
    ${document}
  )`,
  "CREATE INDEX webhooks_by_agent ON webhooks (agent_id, id) WHERE status <> 'deleted'",
  "CREATE INDEX webhooks_active ON webhooks (id) WHERE status = 'active'"
]

// A task is in the indexes of what is due until it has ended. `SqlTasks.ts` says what each is for.
const tasks = [
  `CREATE TABLE tasks (
    ${id},
    queue ${word} NOT NULL,
    kind ${word} NOT NULL,
    status ${oneOf("status", "pending", "done", "failed")},
    due_at timestamptz,
    updated_at timestamptz NOT NULL,
    ${version},
    ${document}
  )`,
  "CREATE INDEX tasks_by_queue ON tasks (queue, id)",
  "CREATE INDEX tasks_due ON tasks (queue, due_at, id) WHERE due_at IS NOT NULL",
  "CREATE INDEX tasks_due_by_kind ON tasks (kind, due_at) WHERE due_at IS NOT NULL",
  "CREATE INDEX tasks_due_by_kind_and_queue ON tasks (kind, queue, due_at) WHERE due_at IS NOT NULL",
  "CREATE INDEX tasks_ended ON tasks (updated_at, id) WHERE due_at IS NULL"
]

const holds = [
  `CREATE TABLE holds (
    ${id},
    status ${oneOf("status", "held", "released", "refused")},
    ${version},
    ${document}
  )`,
  "CREATE INDEX holds_by_status ON holds (status, id)"
]

const bookmarks = [
  `CREATE TABLE bookmarks (
    ${id},
    ${version},
    ${document}
  )`
]

// Made of the document, so that an older version of the code, which knows no such column, keeps it right as well.
// What a document says of a moment ends in Z: it means the same in every time zone, which PostgreSQL cannot know.
const rooms = [
  `CREATE FUNCTION moment_of(written text) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS 'SELECT written::timestamptz'`,
  `ALTER TABLE deal_rooms ADD COLUMN updated_at timestamptz
    GENERATED ALWAYS AS (moment_of(document ->> 'updatedAt')) STORED`,
  "CREATE INDEX deal_rooms_by_buyer_and_status ON deal_rooms (buyer_id, status, id)",
  "CREATE INDEX deal_rooms_by_seller_and_status ON deal_rooms (seller_id, status, id)"
]

// As text: `jsonb` would refuse a whole migration for one character that it does not know.
const rfqs = [
  `UPDATE rfqs SET document = overlay(document::text PLACING '{"questions":[],' FROM 1 FOR 1)::json
    WHERE document -> 'questions' IS NULL`
]

export const written: Readonly<Record<string, Kind>> = {
  match: {
    table: "matches",
    columns: ["demand_id", "supply_id", "buyer_id", "seller_id", "status", "version", "document"]
  },
  webhook: { table: "webhooks", columns: ["agent_id", "status", "version", "document"] },
  task: {
    table: "tasks",
    columns: ["queue", "kind", "status", "due_at", "updated_at", "version", "document"]
  },
  hold: { table: "holds", columns: ["status", "version", "document"] },
  bookmark: { table: "bookmarks", columns: ["version", "document"] }
}

export default [
  ...matches,
  ...webhooks,
  ...tasks,
  ...holds,
  ...bookmarks,
  ...rooms,
  ...rfqs,
  commitChange({ ...kinds, request, ...written })
]
