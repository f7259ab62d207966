/**
 * Creates `commit_change`, which carries a whole commit out in the database: one statement, so one transaction and
 * one round trip, with plans that each connection keeps.
 *
 * It returns what stood against the commit when nothing has been written yet, and raises `SK409` when something has:
 * that rolls back. Either names an entity as `kind id`.
 */

export interface Kind {
  readonly table: string
  /** The columns beside `id`. */
  readonly columns: ReadonlyArray<string>
  readonly sides?: ReadonlyArray<{ readonly table: string; readonly columns: ReadonlyArray<string> }>
  /** Entries are only ever added. */
  readonly isFinal?: boolean
}

export const kinds: Readonly<Record<string, Kind>> = {
  agent: { table: "agents", columns: ["handle", "status", "version", "document"] },
  key: { table: "api_keys", columns: ["agent_id", "digest", "version", "document"] },
  listing: {
    table: "listings",
    columns: [
      "agent_id",
      "status",
      "category",
      "pricing_model",
      "amount_micros",
      "currency",
      "updated_at",
      "version",
      "document"
    ],
    sides: [{ table: "listing_tags", columns: ["listing_id", "tag", "status"] }]
  },
  rfq: {
    table: "rfqs",
    columns: [
      "agent_id",
      "status",
      "visibility",
      "category",
      "amount_micros",
      "currency",
      "quote_deadline",
      "award_by",
      "updated_at",
      "version",
      "document"
    ],
    sides: [
      { table: "rfq_tags", columns: ["rfq_id", "tag", "status"] },
      { table: "rfq_invitees", columns: ["rfq_id", "agent_id"] }
    ]
  },
  quote: { table: "quotes", columns: ["rfq_id", "agent_id", "status", "version", "document"] },
  deal_room: { table: "deal_rooms", columns: ["buyer_id", "seller_id", "status", "version", "document"] },
  offer: { table: "offers", columns: ["room_id", "from_id", "status", "version", "document"] },
  review: {
    table: "reviews",
    columns: ["room_id", "by_id", "of_id", "rating", "published_at", "version", "document"]
  },
  entry: { table: "entries", columns: ["room_id", "seq", "kind", "document"], isFinal: true }
}

const branches = (kinds: Readonly<Record<string, Kind>>, of: (kind: Kind) => string) =>
  Object.entries(kinds)
    .map(([name, kind]) => `WHEN '${name}' THEN ${of(kind)}`)
    .join("\n      ")

const list = (columns: ReadonlyArray<string>, from = "") => columns.map((column) => from + column).join(", ")

/** Locks an entity for as long as the transaction lasts and learns its version. */
const lock = ({ isFinal = false, table }: Kind) => {
  if (isFinal) return "NULL;"
  const version = `SELECT version INTO present FROM ${table} WHERE id = item ->> 'id'`
  return `
        IF (item ->> 'shared')::boolean THEN ${version} FOR SHARE;
        ELSE ${version} FOR NO KEY UPDATE;
        END IF;`
}

const write = ({ columns, isFinal = false, sides = [], table }: Kind) => {
  const given = `json_populate_record(NULL::${table}, item -> 'columns') AS given`
  // Whatever else an entry clashes with, its writer had not seen the head of the transcript.
  const insert = `
        INSERT INTO ${table} (id, ${list(columns)}) SELECT id, ${list(columns)} FROM ${given}
        ON CONFLICT ${isFinal ? "" : "(id) "}DO NOTHING;
        written := FOUND;`
  if (isFinal) return insert
  const assignments = columns.map((column) => `${column} = given.${column}`).join(", ")
  const rowsOf = (side: string) =>
    `json_populate_recordset(NULL::${side}, item -> 'sides' -> '${side}') AS given`
  const add = sides.map(
    (side) => `
        INSERT INTO ${side.table} (${list(side.columns)}) SELECT ${list(side.columns)} FROM ${rowsOf(side.table)}
        ON CONFLICT DO NOTHING;`
  )
  // Removes what is no longer so and leaves the rest, which is mostly all of it.
  const remove = sides.map(
    (side) => `
          DELETE FROM ${side.table} AS old WHERE old.${side.columns[0]} = item ->> 'id' AND NOT EXISTS (
            SELECT FROM ${rowsOf(side.table)}
            WHERE (${list(side.columns, "given.")}) = (${list(side.columns, "old.")}));`
  )
  return `
        IF item ->> 'replaces' IS NULL THEN ${insert}
        ELSE
          UPDATE ${table} AS e SET ${assignments} FROM ${given}
          WHERE e.id = item ->> 'id' AND e.version = (item ->> 'replaces')::integer;
          written := FOUND;${remove.join("")}
        END IF;${add.join("")}`
}

/**
 * The function for some kinds of entities, in place of the one that is there. `newest` is the position that a commit
 * without events has reached, `writes` gives what it writes in the order of writing.
 */
export const commitChange = (
  kinds: Readonly<Record<string, Kind>>,
  newest = "coalesce(max(position), 0)",
  writes = "json_array_elements(change -> 'writes')"
) => `
CREATE OR REPLACE FUNCTION commit_change(change json, OUT reached bigint, OUT stale text, OUT taken text)
LANGUAGE plpgsql VOLATILE SET search_path FROM CURRENT SET lock_timeout = '10s' AS $body$
#variable_conflict use_column
DECLARE
  item json;
  present integer;
  written boolean;
  first bigint;
  number integer;
BEGIN
  -- What the commit relies upon and what it replaces, in the order in which every commit locks: no two can wait for
  -- each other here, and none can change what another has relied upon until that one is done.
  FOR item IN SELECT value FROM json_array_elements(change -> 'locks') LOOP
    present := NULL;
    CASE item ->> 'kind'
      ${branches(kinds, lock)}
    END CASE;
    IF present IS DISTINCT FROM (item ->> 'version')::integer AND stale IS NULL THEN
      stale := concat_ws(' ', item ->> 'kind', item ->> 'id');
    END IF;
  END LOOP;

  -- The reply comes before what is stale: whoever repeats a request shall find the reply, which made it so.
  item := change -> 'reply';
  IF item ->> 'row' IS NOT NULL THEN
    SELECT 'idempotency' INTO taken FROM idempotency
    WHERE id = item -> 'row' ->> 'id' AND expires_at > (item ->> 'created_at')::timestamptz;
  END IF;
  IF taken IS NOT NULL THEN
    stale := NULL;
    RETURN;
  END IF;
  IF stale IS NOT NULL THEN
    RETURN;
  END IF;

  -- Keeps the reply in place of an expired one of the same id, and forgets some others that have expired.
  IF item ->> 'row' IS NOT NULL THEN
    DELETE FROM idempotency WHERE id IN (
      SELECT id FROM idempotency WHERE expires_at <= (item ->> 'created_at')::timestamptz
      ORDER BY expires_at LIMIT 8 FOR UPDATE SKIP LOCKED);
    INSERT INTO idempotency (id, expires_at, document)
    SELECT id, expires_at, document FROM json_populate_record(NULL::idempotency, item -> 'row')
    ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at, document = excluded.document
    WHERE idempotency.expires_at <= (item ->> 'created_at')::timestamptz;
    IF NOT FOUND THEN
      taken := 'idempotency';
      RETURN;
    END IF;
  END IF;

  FOR item IN SELECT value FROM ${writes} LOOP
    CASE item ->> 'kind'
      ${branches(kinds, write)}
    END CASE;
    IF NOT written THEN
      RAISE EXCEPTION USING ERRCODE = 'SK409', MESSAGE = 'has another version by now',
        DETAIL = concat_ws(' ', item ->> 'kind', item ->> 'id');
    END IF;
  END LOOP;

  number := json_array_length(change -> 'events');
  IF number > 0 THEN
    -- A transaction has 4096 places, and may hold several commits where a host wraps them in one.
    SELECT (pg_current_xact_id()::text::bigint - origin) * 4096 INTO first FROM feed;
    SELECT coalesce(max(position) + 1, first) INTO reached FROM events
    WHERE position >= first AND position < first + 4096;
    IF reached + number > first + 4096 THEN
      RAISE EXCEPTION USING MESSAGE = 'a transaction cannot have more than 4096 events';
    END IF;
    INSERT INTO events (position, id, type, at, audience, document)
    SELECT reached + place - 1, id, type, at, audience, document FROM ROWS FROM (
      json_to_recordset(change -> 'events') AS (id text, type text, at timestamptz, audience json, document json)
    ) WITH ORDINALITY AS given (id, type, at, audience, document, place);
    reached := reached + number - 1;
  ELSE
    SELECT ${newest} INTO reached FROM events;
  END IF;
END
$body$`

export default [commitChange(kinds)]
