/**
 * What a schema held before its references were there. It is looked through in a transaction behind the migrations,
 * whose locks are let go of by then: others read and write meanwhile, however long it takes.
 */
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

/**
 * Looks through what has not been yet. A reference that does not hold for all that was there stays as it is, with a
 * warning: it refuses what comes, and is looked through again with the next migration.
 */
export const lookThrough = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  schema: string
): Effect.fn.Return<void, SqlError.SqlError> {
  yield* sql.withTransaction(
    Effect.andThen(sql`SET LOCAL statement_timeout = 0`, sql.unsafe(validation(schema)).unprepared)
  )
  const names = yield* unknown(sql, schema)
  if (names.length === 0) return
  yield* Effect.logWarning(
    `Rows in the schema ${schema} name what is not there (${names.join(", ")}). ` +
      "They stay as they are, new ones are refused."
  )
})

/** The same as SQL, for those who change a database by hand. */
export const lookThroughSql = (schema: string): string =>
  ["BEGIN;", "SET LOCAL statement_timeout = 0;", `${validation(schema)};`, "COMMIT;\n"].join("\n\n")

/** The references that are not known to hold for all that is there. */
export const unknown = (
  sql: SqlClient.SqlClient,
  schema: string
): Effect.Effect<ReadonlyArray<string>, SqlError.SqlError> =>
  Effect.map(
    sql<{ readonly name: string }>`
      SELECT conname AS name FROM pg_constraint
      WHERE connamespace = ${schema}::regnamespace AND contype = 'f' AND NOT convalidated
      UNION ALL SELECT tgname FROM pg_trigger
      WHERE tgrelid = ${`${schema}.matches`}::regclass AND tgname = 'matches_demand_id'
        AND obj_description(oid, 'pg_trigger') IS NULL
      ORDER BY 1`,
    (rows) => rows.map(({ name }) => name)
  )

// -----------------------------------------------------------------------------

// That a trigger holds for what was there before it is said by a comment on it, since PostgreSQL does not keep that.
const validation = (schema: string) => `DO $body$
DECLARE
  item record;
BEGIN
  FOR item IN
    SELECT conrelid::regclass AS name, conname FROM pg_constraint
    WHERE connamespace = '${schema}'::regnamespace AND contype = 'f' AND NOT convalidated ORDER BY 1, 2
  LOOP
    BEGIN
      EXECUTE format('ALTER TABLE %s VALIDATE CONSTRAINT %I', item.name, item.conname);
    EXCEPTION WHEN foreign_key_violation OR insufficient_privilege THEN
      RAISE WARNING '% is not known to hold for all that was there: %', item.conname, SQLERRM;
    END;
  END LOOP;
  IF EXISTS (
    SELECT FROM pg_trigger WHERE tgrelid = '${schema}.matches'::regclass AND tgname = 'matches_demand_id'
      AND obj_description(oid, 'pg_trigger') IS NULL)
  THEN
    IF EXISTS (
      SELECT FROM "${schema}".matches AS m WHERE NOT EXISTS (SELECT FROM "${schema}".rfqs WHERE id = m.demand_id)
        AND NOT EXISTS (SELECT FROM "${schema}".requests WHERE id = m.demand_id))
    THEN
      RAISE WARNING 'matches_demand_id does not hold for all that was there';
    ELSE
      COMMENT ON TRIGGER matches_demand_id ON "${schema}".matches IS 'Holds for every match.';
    END IF;
  END IF;
END
$body$`
