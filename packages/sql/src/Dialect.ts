/** What differs between the databases beside their migrations and the way in which they commit. */
import { Unavailable } from "@souk/core"
import type { Constraint, Instant, Store } from "@souk/core"
import { DateTime, Effect } from "effect"
import type { SqlError, Statement } from "effect/sql"
import type { Value } from "./Tables.ts"

export interface Dialect {
  /** Names a table where it stands. */
  readonly table: (name: string) => Statement.Fragment
  /** Reads a column of JSON as its text. */
  readonly text: (column: string) => Statement.Fragment
  /** Reads a column of a moment as its milliseconds since 1970. */
  readonly millis: (column: Statement.Fragment) => Statement.Fragment
  /** What the driver is given for a column's value. */
  readonly bind: (value: Value) => unknown
  /** What the driver is given for a column of JSON. */
  readonly json: (value: unknown) => unknown
  /** Tells whether a column is one of some values, however many there are. */
  readonly isOneOf: (column: Statement.Fragment, values: ReadonlyArray<string>) => Statement.Fragment
  /** Tells whether a column is none of some values, however many there are. */
  readonly isNoneOf: (column: Statement.Fragment, values: ReadonlyArray<string>) => Statement.Fragment
  /** Ends a query of rows to be deleted: leaves out those that another transaction has locked. */
  readonly isFree: Statement.Fragment
  /** Tells whether an event may be read: whether all that will ever stand before it can be read as well. */
  readonly isSettled: Statement.Fragment
  /** Tells of the commits of other processes, where there can be any. */
  readonly signals: Store["Service"]["events"]["signals"]
  /** Ends a call that the database leaves without an answer: it is unavailable. */
  readonly inTime: <A, E>(call: Effect.Effect<A, E>) => Effect.Effect<A, E | Unavailable>
  /** Which of the port's constraints the database means when it refuses a duplicate. */
  readonly constraintOf: (name: string) => Constraint | undefined
  /** The number of the last migration that was run, 0 when there was none. */
  readonly schemaVersion: Effect.Effect<number, SqlError.SqlError>
  /** The number of the last migration that this version of the code knows. */
  readonly latestVersion: number
}

/** Asks the database: where that fails, or is not answered in time, it is unavailable. */
export const ask = <A, E>(dialect: Dialect, question: Effect.Effect<A, E>): Effect.Effect<A, Unavailable> =>
  dialect.inTime(Effect.mapError(question, Unavailable.because))

/** What a driver reads of a moment's milliseconds. */
export type Millis = number | bigint

export const momentOf = (millis: Millis | null | undefined): Instant | undefined =>
  millis === null || millis === undefined ? undefined : DateTime.makeUnsafe(Number(millis))
