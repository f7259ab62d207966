/** `souk migrate`: the schema of a database looked at and brought up to date, without a market that runs on it. */
import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { placeOf, schemaOf } from "./Database.ts"
import type { Database, DatabaseFailure, DatabaseSchema } from "./Database.ts"
import { DatabaseUnusable, explained } from "./sentences.ts"
import { database } from "./Settings.ts"

const inDatabase =
  "the database in SOUK_DATABASE_URL (sqlite:./souk.db), and of SOUK_DATABASE_SCHEMA on PostgreSQL"

const up = Command.make("up", {}, () => bringUpToDate).pipe(
  Command.withShortDescription("Bring the schema up to date; what souk migrate does by itself"),
  Command.withDescription(
    `Brings the schema of ${inDatabase}, up to date, and says what that took: all of it is done, or nothing.`
  )
)

const status = Command.make("status", {}, () =>
  withSchema(
    Effect.fnUntraced(function* (schema, place) {
      const { latest, pending, version } = yield* schema.status
      yield* Console.log(`${place} is at version ${version}; this souk needs ${latest}.`)
      yield* Console.log(
        pending.length === 0
          ? "Nothing is pending."
          : `Pending: ${pending.map(({ id, name }) => `${id} ${name}`).join(", ")}`
      )
    })
  )
).pipe(
  Command.withShortDescription("Say how old the schema is and what is pending"),
  Command.withDescription(
    `Says which version the schema of ${inDatabase}, has, and which migrations are pending. Changes nothing.`
  )
)

const plan = Command.make("plan", {}, () =>
  withSchema(
    Effect.fnUntraced(function* (schema, place) {
      const { pending } = yield* schema.status
      for (const { id, name, statements } of pending)
        yield* Console.log(`Would apply ${id} ${name} (${counted(statements.length, "statement")})`)
      yield* Console.log(
        pending.length === 0
          ? `${place} is up to date`
          : `${counted(pending.length, "migration")} pending; nothing was changed`
      )
    })
  )
).pipe(
  Command.withShortDescription("List what souk migrate up would do"),
  Command.withDescription(
    `Lists the migrations that are pending on the schema of ${inDatabase}. Changes nothing.`
  )
)

const all = Flag.Boolean("all").pipe(
  Flag.withDefault(false),
  Flag.withDescription("Every migration from an empty database on, without looking at the database")
)

const sql = Command.make("sql", { all }, ({ all }) =>
  withSchema(
    Effect.fnUntraced(function* (schema) {
      const behind = all ? 0 : (yield* schema.status).version
      yield* Console.log((yield* schema.sql(behind)).trimEnd())
    })
  )
).pipe(
  Command.withShortDescription("Print the SQL of what is pending, to be read or run by hand"),
  Command.withDescription(
    `Prints the SQL of the migrations that are pending on the schema of ${inDatabase}, as one transaction that notes them as applied. Run it with psql -v ON_ERROR_STOP=1, or with sqlite3 -bail. Changes nothing itself.`
  )
)

export const migrate = Command.make("migrate", {}, () => bringUpToDate).pipe(
  Command.withShortDescription("Bring the schema of the database up to date"),
  Command.withDescription(
    `Brings the schema of ${inDatabase}, up to date, and says what that took: all of it is done, or nothing.`
  ),
  Command.withSubcommands([up, status, plan, sql])
)

// -----------------------------------------------------------------------------

/** Does something with the schema of the database that the settings name. */
const withSchema = (work: (schema: DatabaseSchema, place: string) => Effect.Effect<void, DatabaseFailure>) =>
  explained(
    Effect.flatMap(database, (database: Database) =>
      database._tag === "Memory"
        ? Console.log("A market in memory has no schema to keep.")
        : work(schemaOf(database), capitalized(placeOf(database))).pipe(
            Effect.catchTag(["MigrationError", "SqlError"], (cause) =>
              Effect.fail(new DatabaseUnusable({ database, cause }))
            )
          )
    )
  )

// Told to stop, it stops when the schema is whole.
const bringUpToDate = Effect.suspend(() =>
  withSchema(
    Effect.fnUntraced(function* (schema, place) {
      for (const [id, name] of yield* schema.migrate) yield* Console.log(`Applied ${id} ${name}`)
      yield* Console.log(`${place} is up to date`)
    })
  )
).pipe(Effect.uninterruptible)

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

/** A sentence begins with a capital, a path does not. */
const capitalized = (text: string): string => text.replace(/^the /u, "The ")
