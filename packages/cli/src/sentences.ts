/** Why a command could not do its work, in a sentence for the person who gave it. */
import type { SchemaOutOfDate, Unavailable } from "@souk/core"
import type { SqliteClient } from "@souk/sql"
import type { PostgresStore } from "@souk/sql/postgres"
import { Data, Effect, SchemaIssue } from "effect"
import type { Config } from "effect"
import { CliError } from "effect/cli"
import type { HttpServerError } from "effect/http"
import type { Migrator, SqlError } from "effect/sql"
import { existsSync } from "node:fs"
import { dirname } from "node:path"
import { placeOf } from "./Database.ts"
import type { Database } from "./Database.ts"

/** The database that was named cannot hold the market. */
export class DatabaseUnusable extends Data.TaggedError("DatabaseUnusable")<{
  readonly database: Database
  readonly cause: SqlError.SqlError | Migrator.MigrationError
}> {}

/** There is nothing to copy, or nowhere to copy it to. */
export class BackupImpossible extends Data.TaggedError("BackupImpossible")<{ readonly sentence: string }> {}

/** What can keep a command from its work. */
export type Failure =
  | BackupImpossible
  | Config.ConfigError
  | DatabaseUnusable
  | HttpServerError.ServeError
  | PostgresStore.InvalidSchemaName
  | SchemaOutOfDate
  | SqliteClient.DatabaseInUse
  | Unavailable

/** Makes a command say what keeps it from its work, and end with exit code 1. */
export const explained = <A, R>(
  work: Effect.Effect<A, Failure, R>
): Effect.Effect<A, CliError.UserError, R> =>
  Effect.mapError(work, (cause) => new CliError.UserError({ userMessage: sentenceOf(cause), cause }))

/** Says what is wrong, and what to do about it where that is known. */
const sentenceOf = (failure: Failure): string => {
  switch (failure._tag) {
    case "BackupImpossible":
      return failure.sentence
    case "ConfigError":
      return aboutSetting(failure)
    case "DatabaseInUse":
    case "InvalidSchemaName":
    case "SchemaOutOfDate":
      return failure.message
    case "DatabaseUnusable":
      return aboutDatabase(failure)
    case "ServeError":
      return hasCode(failure.cause, "EADDRINUSE")
        ? "The port is in use. Stop what listens there, or set PORT to another."
        : `The server cannot listen: ${messageOf(failure.cause)}.`
    case "Unavailable":
      return `The market cannot be read from its database: ${messageOf(failure.cause ?? failure)}.`
  }
}

// -----------------------------------------------------------------------------

const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1()

/** Names the setting and what it may be, but not what it was: a URL may hold a password. */
const aboutSetting = ({ cause }: Config.ConfigError): string => {
  if (cause._tag !== "SchemaError") return `The settings cannot be read: ${cause.message}.`
  const [issue] = formatIssue(cause.issue).issues
  const name = issue?.path?.map(String).join(".") ?? "The environment"
  return `${name} is not as it should be: ${(issue?.message ?? "unknown").replace(/^E/u, "e")}.`
}

const aboutDatabase = ({ database, cause }: DatabaseUnusable): string => {
  if (database._tag === "Sqlite" && !existsSync(dirname(database.filename)))
    return `The database ${database.filename} cannot be made, since there is no such directory. Create it, or choose a different file.`
  const beneath =
    cause._tag === "MigrationError" && cause.cause !== undefined ? `: ${messageOf(cause.cause)}` : ""
  const place = placeOf(database)
  // SQLite's own sentence ends in the name that this one begins with.
  return `The database ${place} cannot be used: ${`${cause.message}${beneath}`.replace(`: ${place}`, "")}.`
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

const hasCode = (cause: unknown, code: string): boolean =>
  cause instanceof Error && "code" in cause && cause.code === code
