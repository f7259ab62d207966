/** Why the market did not start, in a sentence for the person who started it. */
import type { Unavailable } from "@souk/core"
import type { SqliteClient } from "@souk/sql"
import type { Config } from "effect"
import type { HttpServerError } from "effect/http"
import type { Migrator, SqlError } from "effect/sql"

/** What can keep a market from starting. */
export type StartFailure =
  | Config.ConfigError
  | HttpServerError.ServeError
  | Migrator.MigrationError
  | SqlError.SqlError
  | SqliteClient.DatabaseInUse
  | Unavailable

/** Says what is wrong, and what to do about it where that is known. */
export const sentenceOf = (failure: StartFailure): string => {
  switch (failure._tag) {
    case "ConfigError":
      return `The environment is not as it should be: ${failure.message}`
    case "DatabaseInUse":
      return failure.message
    case "MigrationError":
      return `The schema of the database could not be brought up to date: ${failure.message}`
    case "ServeError":
      return isInUse(failure.cause)
        ? "The port is in use. Stop what listens there, or set PORT to another."
        : `The server cannot listen: ${String(failure.cause)}`
    case "SqlError":
      return `The database cannot be used: ${failure.message}`
    case "Unavailable":
      return `The market's store cannot answer: ${String(failure.cause ?? failure.message)}`
  }
}

const isInUse = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && cause.code === "EADDRINUSE"
