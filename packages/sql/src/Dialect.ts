/** What differs between the databases beside their migrations. */
import type { Constraint } from "@souk/core"
import type { Effect } from "effect"
import type { SqlError, Statement } from "effect/sql"
import type { Value } from "./Tables.ts"

export interface Dialect {
  /** What the driver is given for a column's value. */
  readonly bind: (value: Value) => unknown
  /** Tells whether a column is one of some values, however many there are. */
  readonly isOneOf: (column: Statement.Fragment, values: ReadonlyArray<string>) => Statement.Fragment
  /** Which of the port's constraints the database means when it refuses a duplicate. */
  readonly constraintOf: (name: string) => Constraint | undefined
  /** The number of the last migration that was run, 0 when there was none. */
  readonly schemaVersion: Effect.Effect<number, SqlError.SqlError>
  /** The number of the last migration that this version of the code knows. */
  readonly latestVersion: number
}
