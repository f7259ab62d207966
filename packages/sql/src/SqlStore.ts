/** The store on any database: its reads, its commit, and whether its schema is that of the code. */
import { SchemaOutOfDate } from "@souk/core"
import type { Store } from "@souk/core"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { ask } from "./Dialect.ts"
import type { Dialect } from "./Dialect.ts"
import * as SqlForget from "./SqlForget.ts"
import * as SqlReads from "./SqlReads.ts"

/** Makes the store of a client, which commits and drops events in its own way. */
export const make = (
  sql: SqlClient.SqlClient,
  dialect: Dialect,
  commit: Store["Service"]["commit"],
  dropEvents: SqlForget.DropEvents
): Store["Service"] => ({
  ...SqlReads.make(sql, dialect),
  commit,
  forget: SqlForget.make(sql, dialect, dropEvents),
  ready: isUpToDate(dialect)
})

// -----------------------------------------------------------------------------

const isUpToDate = (dialect: Dialect) =>
  Effect.flatMap(ask(dialect, dialect.schemaVersion), (version) =>
    version >= dialect.latestVersion
      ? Effect.void
      : Effect.fail(
          new SchemaOutOfDate({
            message:
              `The database has version ${version} of the schema and this version of Souk needs ${dialect.latestVersion}: ` +
              "run `souk migrate`, or open the store with `migrate: true`."
          })
        )
  )
