/**
 * Creates the table of the deadlines, notes those of what a market holds already, and creates `commit_all`: what
 * `commit_change` does, with the deadlines of the commit.
 */

const moment = (path: string) => `(document #>> '{${path}}')::timestamptz`

/** Notes the deadlines of a kind where `at` is one. */
const note = (kind: string, table: string, at: string, condition: string) => `
  INSERT INTO deadlines (id, kind, at)
  SELECT id, '${kind}', at FROM (SELECT id, ${at} AS at FROM ${table} WHERE ${condition}) AS found
  WHERE at IS NOT NULL`

const deadlineOfRoom = `CASE status
    WHEN 'negotiating' THEN coalesce(${moment("deadlines,offerExpiresAt")}, ${moment("deadlines,offerDueBy")})
    WHEN 'delivered' THEN ${moment("deadlines,reviewUntil")}
    WHEN 'disputed' THEN ${moment("deadlines,resolveBy")}
    ELSE ${moment("deadlines,deliverBy")} + interval '24 hours' END`

// Whoever changes an entity has it locked when its deadline is noted, so that two never wait for each other here.
const commitAll = `
CREATE FUNCTION commit_all(change json, OUT reached bigint, OUT stale text, OUT taken text)
LANGUAGE plpgsql VOLATILE SET search_path FROM CURRENT SET lock_timeout = '10s' AS $body$
#variable_conflict use_column
BEGIN
  SELECT done.reached, done.stale, done.taken INTO reached, stale, taken FROM commit_change(change) AS done;
  IF stale IS NOT NULL OR taken IS NOT NULL THEN
    RETURN;
  END IF;
  DELETE FROM deadlines WHERE id IN (
    SELECT note.id FROM json_populate_recordset(NULL::deadlines, change -> 'deadlines') AS note
    WHERE note.at IS NULL);
  INSERT INTO deadlines (id, kind, at)
  SELECT note.id, note.kind, note.at FROM json_populate_recordset(NULL::deadlines, change -> 'deadlines') AS note
  WHERE note.at IS NOT NULL
  ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, at = excluded.at;
END
$body$`

export default [
  `CREATE TABLE deadlines (
    id text COLLATE "C" PRIMARY KEY,
    kind text COLLATE "C" NOT NULL,
    at timestamptz NOT NULL
  )`,
  "CREATE INDEX deadlines_by_time ON deadlines (at, id)",
  note(
    "rfq",
    "rfqs",
    "CASE status WHEN 'open' THEN quote_deadline ELSE award_by END",
    "status IN ('open', 'evaluating')"
  ),
  note("quote", "quotes", moment("validUntil"), "status = 'active'"),
  note(
    "deal_room",
    "deal_rooms",
    deadlineOfRoom,
    "status IN ('negotiating', 'in_progress', 'changes_requested', 'delivered', 'disputed')"
  ),
  note("review", "reviews", "published_at", `${moment("updatedAt")} < published_at`),
  commitAll
]
