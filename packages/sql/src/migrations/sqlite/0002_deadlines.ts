/** Creates the table of the deadlines, and notes those of what a market holds already. */

const millis = (text: string) => `CAST(round(unixepoch(${text}, 'subsec') * 1000) AS INTEGER)`
const field = (path: string) => `json_extract(document, '$.${path}')`

/** Notes the deadlines of a kind where `at` is one. */
const note = (kind: string, table: string, at: string, condition: string) => `
  INSERT INTO deadlines (id, kind, at)
  SELECT id, '${kind}', at FROM (SELECT id, ${at} AS at FROM ${table} WHERE ${condition}) WHERE at IS NOT NULL`

const deadlineOfRoom = `CASE status
    WHEN 'negotiating' THEN ${millis(`coalesce(${field("deadlines.offerExpiresAt")}, ${field("deadlines.offerDueBy")})`)}
    WHEN 'delivered' THEN ${millis(field("deadlines.reviewUntil"))}
    WHEN 'disputed' THEN ${millis(field("deadlines.resolveBy"))}
    ELSE ${millis(field("deadlines.deliverBy"))} + 86400000 END`

export default [
  `CREATE TABLE deadlines (
    id TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
  "CREATE INDEX deadlines_by_time ON deadlines (at, id, kind)",
  note("rfq", "rfqs", "iif(status = 'open', quote_deadline, award_by)", "status IN ('open', 'evaluating')"),
  note("quote", "quotes", millis(field("validUntil")), "status = 'active'"),
  note(
    "deal_room",
    "deal_rooms",
    deadlineOfRoom,
    "status IN ('negotiating', 'in_progress', 'changes_requested', 'delivered', 'disputed')"
  ),
  note("review", "reviews", "published_at", `${millis(field("updatedAt"))} < published_at`)
]
