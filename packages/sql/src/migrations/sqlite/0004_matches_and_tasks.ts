/**
 * Creates the tables of the matches and of what the market does beside its callers: webhooks, tasks, holds and
 * bookmarks. Rooms are found by status and by their last change, RFQs by whom they invite; RFQs have questions.
 */

const oneOf = (column: string, ...values: ReadonlyArray<string>) =>
  `TEXT NOT NULL CHECK (${column} IN (${values.map((value) => `'${value}'`).join(", ")}))`

const id = "id TEXT NOT NULL PRIMARY KEY"
const version = "version INTEGER NOT NULL CHECK (version >= 1)"
const document = "document TEXT NOT NULL"

const matches = [
  `CREATE TABLE matches (
    ${id},
    demand_id TEXT NOT NULL,
    supply_id TEXT NOT NULL,
    buyer_id TEXT NOT NULL,
    seller_id TEXT NOT NULL,
    status ${oneOf("status", "suggested", "dismissed", "engaged")},
    ${version},
    ${document}
  ) STRICT`,
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
    agent_id TEXT NOT NULL,
    status ${oneOf("status", "active", "disabled", "deleted")},
    ${version},
    ${document}
  ) STRICT`,
  "CREATE INDEX webhooks_by_agent ON webhooks (agent_id, id) WHERE status <> 'deleted'",
  "CREATE INDEX webhooks_active ON webhooks (id) WHERE status = 'active'"
]

// A task is in the indexes of what is due until it has ended. `SqlTasks.ts` says what each is for.
const tasks = [
  `CREATE TABLE tasks (
    ${id},
    queue TEXT NOT NULL,
    kind TEXT NOT NULL,
    status ${oneOf("status", "pending", "done", "failed")},
    due_at INTEGER,
    updated_at INTEGER NOT NULL,
    ${version},
    ${document}
  ) STRICT`,
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
  ) STRICT`,
  "CREATE INDEX holds_by_status ON holds (status, id)"
]

const bookmarks = [
  `CREATE TABLE bookmarks (
    ${id},
    ${version},
    ${document}
  ) STRICT`
]

// Made of the document, so that an older version of the code, which knows no such column, keeps it right as well.
const rooms = [
  `ALTER TABLE deal_rooms ADD COLUMN updated_at INTEGER GENERATED ALWAYS AS (
    CAST(round(unixepoch(json_extract(document, '$.updatedAt'), 'subsec') * 1000) AS INTEGER)) VIRTUAL`,
  "CREATE INDEX deal_rooms_by_buyer_and_status ON deal_rooms (buyer_id, status, id)",
  "CREATE INDEX deal_rooms_by_seller_and_status ON deal_rooms (seller_id, status, id)"
]

const rfqs = [
  "CREATE INDEX rfq_invitees_by_agent ON rfq_invitees (agent_id, rfq_id)",
  `UPDATE rfqs SET document = json_set(document, '$.questions', json('[]'))
    WHERE json_type(document, '$.questions') IS NULL`
]

export default [...matches, ...webhooks, ...tasks, ...holds, ...bookmarks, ...rooms, ...rfqs]
