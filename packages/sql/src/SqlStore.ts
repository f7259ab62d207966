/** The store on any database: its reads, its commit, and whether its schema is that of the code. */
import { SchemaOutOfDate, Unavailable } from "@souk/core"
import type { Store } from "@souk/core"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Dialect } from "./Dialect.ts"
import * as SqlForget from "./SqlForget.ts"
import * as SqlReads from "./SqlReads.ts"

/** Makes the store of a client, which commits in its own way. */
export const make = (
  sql: SqlClient.SqlClient,
  dialect: Dialect,
  commit: Store["Service"]["commit"]
): Store["Service"] => ({
  ...SqlReads.make(sql, dialect),
  commit,
  forget: SqlForget.make(sql, dialect),
  ready: isUpToDate(dialect)
})

// -----------------------------------------------------------------------------

const isUpToDate = ({ latestVersion, schemaVersion }: Dialect) =>
  Effect.flatMap(Effect.mapError(schemaVersion, Unavailable.because), (version) =>
    version >= latestVersion
      ? Effect.void
      : Effect.fail(
          new SchemaOutOfDate({
            message:
              `The database has version ${version} of the schema and this version of Souk needs ${latestVersion}: ` +
              "run `souk migrate`, or open the store with `migrate: true`."
          })
        )
  )
