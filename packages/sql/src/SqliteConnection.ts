/**
 * Runs compiled SQL on an open `node:sqlite` database: prepared statements,
 * values in and out, errors by reason.
 *
 * An integer is read as a `number` where that is exact and as a `bigint` beyond
 * (always as a `bigint` under `SqlClient.SafeIntegers`), a blob as a `Uint8Array`.
 * A `boolean` is stored as 0 or 1, a `Date` as its ISO string, `undefined` as
 * `NULL`. Other objects, arrays and `NaN` are refused, and so is a second
 * statement in one call.
 */
import { Effect, Predicate, Stream } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import type { SqlConnection } from "effect/sql"
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite"

/**
 * Makes the connection. It keeps the 256 statements used last prepared.
 *
 * **Gotchas**
 *
 * A stream reads its whole result at once, because an open cursor would block
 * the one connection for as long as its consumer takes.
 */
export const make = (db: DatabaseSync): SqlConnection.Connection => {
  const cached = cachedStatements(db)
  const unprepared = (sql: string) => prepare(db, sql)

  const execute =
    (statementOf: StatementOf): SqlConnection.Connection["execute"] =>
    (sql, params, transformRows) => {
      const objects = run(statementOf, sql, params, toObjects)
      return transformRows === undefined ? objects : Effect.map(objects, transformRows)
    }
  const values =
    (statementOf: StatementOf): SqlConnection.Connection["executeValues"] =>
    (sql, params) =>
      run(statementOf, sql, params, (_, rows) => rows)

  return {
    execute: execute(cached),
    executeUnprepared: execute(unprepared),
    executeValues: values(cached),
    executeValuesUnprepared: values(unprepared),
    executeStream: (sql, params, transformRows) =>
      Stream.fromIterableEffect(execute(cached)(sql, params, transformRows)),
    executeRaw: (sql, params) =>
      Effect.flatMap(
        attempt("prepare", () => cached(sql)),
        (statement): Effect.Effect<unknown, SqlError.SqlError> =>
          statement.columns().length > 0
            ? execute(cached)(sql, params, undefined)
            : attempt("execute", () => {
                const { changes, lastInsertRowid } = statement.run(...params.map(encode))
                return { changes: Number(changes), lastInsertRowid: toNumberIfSafe(lastInsertRowid) }
              })
      )
  }
}

/**
 * Runs `f` and turns what it throws into a `SqlError`. Where that is about a file, its message ends in the file's name.
 */
export const attempt = <A>(
  operation: Operation,
  f: () => A,
  filename?: string
): Effect.Effect<A, SqlError.SqlError> => Effect.try({ try: f, catch: toSqlError(operation, filename) })

/**
 * Classifies an error of `node:sqlite` by its result code and keeps it as the cause.
 */
export const toSqlError =
  (operation: Operation, filename?: string) =>
  (cause: unknown): SqlError.SqlError =>
    new SqlError.SqlError({ reason: reasonOf(cause, operation, filename) })

/**
 * Names the step in which an error arose.
 */
export type Operation = "open" | "prepare" | "execute" | "backup"

// -----------------------------------------------------------------------------

type StatementOf = (sql: string) => StatementSync

type Row = ReadonlyArray<SQLOutputValue>

const run = <A>(
  statementOf: StatementOf,
  sql: string,
  params: ReadonlyArray<unknown>,
  read: (statement: StatementSync, rows: ReadonlyArray<Row>) => A
): Effect.Effect<A, SqlError.SqlError> =>
  Effect.withFiber((fiber) => {
    const safeIntegers = fiber.getRef(SqlClient.SafeIntegers)
    return Effect.flatMap(
      attempt("prepare", () => statementOf(sql)),
      (statement) =>
        attempt("execute", () => {
          const found: ReadonlyArray<unknown> = statement.all(...params.map(encode))
          const rows = found.filter(isRow)
          return read(statement, safeIntegers ? rows : rows.map((row) => row.map(toNumberIfSafe)))
        })
    )
  })

const maxCachedStatements = 256

const cachedStatements = (db: DatabaseSync): StatementOf => {
  // A `Map` keeps insertion order: its first key is the one unused for longest.
  const statements = new Map<string, StatementSync>()
  return (sql) => {
    const statement = statements.get(sql) ?? prepare(db, sql)
    statements.delete(sql)
    statements.set(sql, statement)
    const [oldest] = statements.size > maxCachedStatements ? statements.keys() : []
    if (oldest !== undefined) statements.delete(oldest)
    return statement
  }
}

const prepare = (db: DatabaseSync, sql: string): StatementSync => {
  const statement = db.prepare(sql)
  // SQLite compiles up to the first semicolon and would ignore the rest in silence.
  if (!nothingToRun.test(sql.slice(statement.sourceSQL.length))) {
    throw new SyntaxError("Only one SQL statement can be run in a call.")
  }
  // A number read inexactly throws, by which time an INSERT has happened.
  statement.setReadBigInts(true)
  statement.setReturnArrays(true)
  return statement
}

// Each comment can match in one way only, so that a long one costs no backtracking.
const nothingToRun = /^(?:[\s;]|--[^\n]*(?:\n|$)|\/\*(?:[^*]|\*(?!\/))*(?:\*\/|$))*$/

// The types of node:sqlite do not know of `setReturnArrays`.
const isRow = (row: unknown): row is Row => Array.isArray(row)

const toObjects = (statement: StatementSync, rows: ReadonlyArray<Row>): ReadonlyArray<SqlConnection.Row> => {
  // Read after the rows: a cached statement learns of a changed table when it runs.
  const names = rows.length === 0 ? [] : statement.columns().map((column) => column.name)
  return rows.map((row) => {
    const object: Record<string, unknown> = {}
    names.forEach((name, i) => (object[name] = row[i]))
    return object
  })
}

const toNumberIfSafe = (value: SQLOutputValue): SQLOutputValue =>
  typeof value === "bigint" && value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER
    ? Number(value)
    : value

const encode = (value: unknown): SQLInputValue => {
  if (value === undefined || value === null) return null
  if (typeof value === "string" || typeof value === "bigint" || value instanceof Uint8Array) return value
  if (typeof value === "boolean") return value ? 1n : 0n
  if (value instanceof Date) return value.toISOString()
  // node:sqlite binds every number as a REAL, and 1 would become "1.0" in text and JSON.
  if (typeof value === "number" && !Number.isNaN(value))
    return Number.isSafeInteger(value) ? BigInt(value) : value
  throw new TypeError(
    `A value of type ${Number.isNaN(value) ? "NaN" : typeof value} cannot be an SQL parameter.`
  )
}

const reasonOf = (
  cause: unknown,
  operation: Operation,
  filename: string | undefined
): SqlError.SqlErrorReason => {
  const said = cause instanceof Error ? cause.message : String(cause)
  const message = filename === undefined ? said : `${said}: ${filename}`
  const props = { cause, message, operation }
  const code =
    Predicate.hasProperty(cause, "errcode") && typeof cause.errcode === "number" ? cause.errcode : undefined
  switch (code) {
    case 1555: // CONSTRAINT_PRIMARYKEY
    case 2067: // CONSTRAINT_UNIQUE
    case 2579: // CONSTRAINT_ROWID
      return new SqlError.UniqueViolation({ ...props, constraint: constraintOf(message) })
    case 517: // BUSY_SNAPSHOT
      return new SqlError.SerializationError(props)
    case undefined:
      // Thrown by Node, or by this module, before SQLite was asked.
      if (isClosed(cause)) return new SqlError.ConnectionError(props)
      return operation === "prepare" ? new SqlError.SqlSyntaxError(props) : new SqlError.UnknownError(props)
  }
  switch (code & 0xff) {
    case 1: // ERROR, which at run time is anything but the text of the statement
      return operation === "prepare" ? new SqlError.SqlSyntaxError(props) : new SqlError.UnknownError(props)
    case 3: // PERM
    case 8: // READONLY
    case 23: // AUTH
      return new SqlError.AuthorizationError(props)
    case 5: // BUSY
    case 6: // LOCKED
      return new SqlError.LockTimeoutError(props)
    case 14: // CANTOPEN
      return new SqlError.ConnectionError(props)
    case 19: // CONSTRAINT
      return new SqlError.ConstraintError(props)
    default: // FULL, IOERR, CORRUPT, NOTADB: none of them passes by itself, so none may look retryable
      return new SqlError.UnknownError(props)
  }
}

/** "UNIQUE constraint failed: t.a, t.b" names the columns, or `index 'name'` where it is on an expression. */
const constraintOf = (message: string): string =>
  /failed: (?:index ')?(.+?)'?$/.exec(message)?.[1] ?? "unknown"

const isClosed = (cause: unknown): boolean =>
  Predicate.hasProperty(cause, "code") && cause.code === "ERR_INVALID_STATE"
