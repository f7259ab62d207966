/**
 * Has every column that names an entity refuse what is not there, and `commit_change` write what others name before
 * those others, in whatever order a commit lists them.
 *
 * Nobody waits while a large market is read for this: what is there already is looked through behind the migration,
 * as `PostgresReferences.ts` says.
 */
import { commitChange, kinds } from "./0002_commit.ts"
import { request } from "./0004_requests.ts"
import { written } from "./0005_matches_and_tasks.ts"

/** The columns of each table that name a row of another. */
const named: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  api_keys: { agent_id: "agents" },
  listings: { agent_id: "agents" },
  requests: { agent_id: "agents" },
  rfqs: { agent_id: "agents" },
  rfq_invitees: { agent_id: "agents" },
  quotes: { rfq_id: "rfqs", agent_id: "agents" },
  deal_rooms: { buyer_id: "agents", seller_id: "agents" },
  offers: { room_id: "deal_rooms", from_id: "agents" },
  entries: { room_id: "deal_rooms" },
  reviews: { room_id: "deal_rooms", by_id: "agents", of_id: "agents" },
  matches: { supply_id: "listings", buyer_id: "agents", seller_id: "agents" },
  webhooks: { agent_id: "agents" }
}

// Deferrable, so that a dump or a host may load rows in any order. A commit needs it not, and learns at once.
const references = Object.entries(named).flatMap(([table, columns]) =>
  Object.entries(columns).map(
    ([column, other]) =>
      `ALTER TABLE ${table} ADD CONSTRAINT ${table}_${column} FOREIGN KEY (${column}) REFERENCES ${other} (id)
        DEFERRABLE NOT VALID`
  )
)

// A demand is an RFQ or a request, which no foreign key can say. As a foreign key does, it looks when the name is new,
// locks what is named, so that nobody removes that meanwhile, and looks for what names it when it is removed.
const demands = [
  `CREATE FUNCTION demand_is_there() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $body$
BEGIN
  IF TG_OP = 'UPDATE' AND OLD.demand_id = NEW.demand_id THEN
    RETURN NULL;
  END IF;
  PERFORM FROM rfqs WHERE id = NEW.demand_id FOR KEY SHARE;
  IF NOT FOUND THEN
    PERFORM FROM requests WHERE id = NEW.demand_id FOR KEY SHARE;
    IF NOT FOUND THEN
      RAISE foreign_key_violation USING CONSTRAINT = 'matches_demand_id', TABLE = 'matches',
        MESSAGE = 'a match names a demand that is not there', DETAIL = NEW.demand_id;
    END IF;
  END IF;
  RETURN NULL;
END
$body$`,
  `CREATE FUNCTION demand_is_free() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $body$
BEGIN
  PERFORM FROM matches WHERE demand_id = OLD.id;
  IF FOUND THEN
    RAISE foreign_key_violation USING CONSTRAINT = 'matches_demand_id', TABLE = 'matches',
      MESSAGE = 'a match names this demand', DETAIL = OLD.id;
  END IF;
  RETURN NULL;
END
$body$`,
  `CREATE CONSTRAINT TRIGGER matches_demand_id AFTER INSERT OR UPDATE OF demand_id ON matches DEFERRABLE
    FOR EACH ROW EXECUTE FUNCTION demand_is_there()`,
  ...["rfqs", "requests"].map(
    (
      table
    ) => `CREATE CONSTRAINT TRIGGER matches_demand_id AFTER DELETE OR UPDATE OF id ON ${table} DEFERRABLE
    FOR EACH ROW EXECUTE FUNCTION demand_is_free()`
  )
]

/** What others name, each kind behind those that it names itself. */
const parents = ["agent", "listing", "request", "rfq", "deal_room"]

const parentsFirst = `json_array_elements(change -> 'writes') WITH ORDINALITY AS given (value, place)
    ORDER BY array_position('{${parents.join(", ")}}', value ->> 'kind'), place`

export default [
  ...references,
  ...demands,
  commitChange(
    { ...kinds, request, ...written },
    "coalesce(max(position), (SELECT forgotten FROM feed))",
    parentsFirst
  )
]
