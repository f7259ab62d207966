/** `souk migrate`: the schema of a database brought up to date, without a market that runs on it. */
import { SqliteClient, SqliteStore } from "@souk/sql"
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { DatabaseUnusable, explained } from "./sentences.ts"
import { database } from "./Settings.ts"
import type { Database } from "./Settings.ts"

export const migrate = Command.make("migrate", {}, () =>
  // Told to stop, it stops when the schema is whole.
  explained(Effect.flatMap(database, bringUpToDate)).pipe(Effect.uninterruptible)
).pipe(
  Command.withShortDescription("Bring the schema of the database up to date"),
  Command.withDescription(
    "Brings the schema of the database in SOUK_DATABASE_URL (sqlite:./souk.db) up to date, and says what that took: all of it is done, or nothing."
  )
)

const bringUpToDate = Effect.fnUntraced(function* (database: Database) {
  if (database._tag === "Memory") return yield* Console.log("A market in memory has no schema to keep.")
  const { filename } = database
  const done = yield* SqliteStore.migrate.pipe(
    Effect.provide(SqliteClient.layer({ filename, exclusive: true })),
    Effect.catchTag(["MigrationError", "SqlError"], (cause) =>
      Effect.fail(new DatabaseUnusable({ filename, cause }))
    )
  )
  for (const [id, name] of done) yield* Console.log(`Applied ${id} ${name}`)
  yield* Console.log(`${filename} is up to date`)
})
