/** `souk migrate`: the schema of a database brought up to date, without a market that runs on it. */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { migrateTo, placeOf } from "./Database.ts"
import type { Database } from "./Database.ts"
import { DatabaseUnusable, explained } from "./sentences.ts"
import { database } from "./Settings.ts"

export const migrate = Command.make("migrate", {}, () =>
  // Told to stop, it stops when the schema is whole.
  explained(Effect.flatMap(database, bringUpToDate)).pipe(Effect.uninterruptible)
).pipe(
  Command.withShortDescription("Bring the schema of the database up to date"),
  Command.withDescription(
    "Brings the schema of the database in SOUK_DATABASE_URL (sqlite:./souk.db), and of SOUK_DATABASE_SCHEMA on PostgreSQL, up to date, and says what that took: all of it is done, or nothing."
  )
)

const bringUpToDate = Effect.fnUntraced(function* (database: Database) {
  if (database._tag === "Memory") return yield* Console.log("A market in memory has no schema to keep.")
  const done = yield* migrateTo(database).pipe(
    Effect.catchTag(["MigrationError", "SqlError"], (cause) =>
      Effect.fail(new DatabaseUnusable({ database, cause }))
    )
  )
  for (const [id, name] of done) yield* Console.log(`Applied ${id} ${name}`)
  yield* Console.log(`${capitalized(placeOf(database))} is up to date`)
})

/** A sentence begins with a capital, a path does not. */
const capitalized = (text: string): string => text.replace(/^the /u, "The ")
