/**
 * The order of the events of a market on PostgreSQL.
 *
 * **A position** is made of the number of the transaction that wrote the event and of the event's place in it:
 * `(xid - origin) * 4096 + place`. So events are ordered by transaction, and no counter is locked for it. The numbers
 * are those of `xid8`, which do not wrap.
 *
 * **A reader** sees only what stands below the oldest transaction that is still running, `pg_snapshot_xmin` of the
 * snapshot that it reads by. Why nothing is ever missed:
 *
 * - Each transaction of a lower number had ended when that snapshot was taken, so its events, if any, are in it.
 * - Numbers are given in ascending order, so none below the bound is given again: what stands below it is all that
 *   ever will, and the bound never falls.
 * - So all readers of all nodes see the beginnings of one list, which only grows at its end. Who goes on from the last
 *   position that was seen finds what lies behind it, once and in that order.
 *
 * **Cause and effect.** A commit that builds on another has read it, so it began after that one had ended and has the
 * greater number. Commits that ran side by side stand in the order in which they began to write, which may not be the
 * order in which they ended, but is the same for everybody.
 *
 * **The price.** An event becomes readable when all transactions of lower numbers have ended: mostly at once. But one
 * that writes and stays open holds the feed back for as long, even one of another database of the same server; those
 * that only read do not. `idle_in_transaction_session_timeout` bounds that.
 */
import { Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import type { Dialect } from "./Dialect.ts"
import type { DropEvents } from "./SqlForget.ts"

/** Tells whether an event stands below the oldest transaction that is still running. */
export const isSettled = (sql: SqlClient.SqlClient, table: Dialect["table"]): Statement.Fragment =>
  sql`position < (
    SELECT (pg_snapshot_xmin(pg_current_snapshot())::text::bigint - origin) * 4096 FROM ${table("feed")})`

/**
 * Tells whether the newest event is of a transaction that is yet to come: a restored dump brings events to a server
 * that counts from a lower number.
 */
export const isAhead = (sql: SqlClient.SqlClient, table: Dialect["table"]): Statement.Fragment =>
  sql`${newest(sql, table)} >= (
    SELECT (pg_snapshot_xmax(pg_current_snapshot())::text::bigint - origin) * 4096 FROM ${table("feed")})`

/**
 * Moves the origin so that the feed goes on behind its newest event, where that is ahead: far behind, since the server
 * that the dump is of has told of more events since, and a cursor from there must not skip any of these.
 */
export const goOn = (
  sql: SqlClient.SqlClient,
  table: Dialect["table"]
): Effect.Effect<void, SqlError.SqlError> =>
  Effect.asVoid(sql`
    UPDATE ${table("feed")} SET origin = pg_current_xact_id()::text::bigint - ${newest(sql, table)} / 4096 - ${transactionsApart}::bigint
    WHERE ${isAhead(sql, table)}`)

/**
 * Drops events in one statement, so that nobody waits for the beginning or the end of a transaction over a line that is
 * dead. Of rows that another process has dropped in the meantime nothing is seen, so what is noted is the end of what
 * is gone.
 */
export const dropEvents =
  (sql: SqlClient.SqlClient, dialect: Dialect): DropEvents =>
  (until, limit) => {
    const [feed, events] = [dialect.table("feed"), dialect.table("events")]
    return Effect.map(
      sql<{ readonly count: bigint }>`
        WITH turn AS MATERIALIZED (
          SELECT is_only FROM ${feed} ${dialect.isFree}
        ), old AS MATERIALIZED (
          SELECT position, at FROM ${events}
          WHERE position <= ${until.position} AND ${dialect.isSettled} AND EXISTS (SELECT FROM turn)
          ORDER BY position LIMIT ${limit}
        ), kept AS (
          SELECT min(position) AS first FROM old WHERE at > ${dialect.bind(until.at)}
        ), gone AS (
          DELETE FROM ${events} WHERE position IN (
            SELECT position FROM old, kept WHERE first IS NULL OR position < first
          ) RETURNING position
        ), noted AS (
          UPDATE ${feed} SET forgotten = reached.position FROM (SELECT max(position) AS position FROM gone) AS reached
          WHERE forgotten < reached.position
        ) SELECT count(*) AS count FROM gone`,
      ([row]) => Number(row?.count ?? 0)
    )
  }

// -----------------------------------------------------------------------------

/** More transactions than a market has between a dump and the day when one goes back to it. */
const transactionsApart = 2 ** 28

/** The position of the newest event, kept or not. */
const newest = (sql: SqlClient.SqlClient, table: Dialect["table"]): Statement.Fragment =>
  sql`(SELECT coalesce((SELECT max(position) FROM ${table("events")}), forgotten) FROM ${table("feed")})`
