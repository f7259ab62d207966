/**
 * SQL client over `node:sqlite`, the SQLite that ships with Node.
 *
 * A client is one connection. `node:sqlite` is synchronous, so a statement
 * blocks the event loop while it runs; statements and transactions of different
 * fibers take turns. Journal WAL, foreign keys checked, transactions begin
 * `IMMEDIATE`.
 */
import { Context, Effect, Layer, Option, Schema, Semaphore, Stream } from "effect"
import type { Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, Statement } from "effect/sql"
import type { SqlConnection, SqlError } from "effect/sql"
import { backup, DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import * as SqliteConnection from "./SqliteConnection.ts"

/**
 * Says which file to open and how.
 */
export interface SqliteClientOptions {
  /** Path of the database file, created when missing, or `":memory:"`. */
  readonly filename: string
  /**
   * How long a statement waits for another process to let go of the file before
   * it fails with `LockTimeoutError`. The wait blocks the event loop. 5,000 by default.
   */
  readonly busyTimeoutMillis?: number
  /**
   * `"full"`, the default, survives a power cut. `"normal"` is several times
   * faster and may lose the last transactions in one, without corruption.
   */
  readonly synchronous?: "full" | "normal"
  /**
   * Opens a file that exists, to read it and no more. Off by default.
   */
  readonly readOnly?: boolean
  /**
   * Claims the file for this client until it closes or its process dies, however
   * it dies. Opening a file that anyone else has open fails with `DatabaseInUse`
   * at once; `busyTimeoutMillis` does not apply.
   *
   * **Gotchas**
   *
   * The claim is a lock of the operating system, which POSIX drops as soon as
   * anything in this process opens and closes the file by other means, such as
   * `fs.copyFile`. Copy with `backup`. Do not put the file on a network share.
   */
  readonly exclusive?: boolean
}

/**
 * `SqlClient` that can also copy its database while it is in use.
 */
export interface SqliteClient extends SqlClient.SqlClient {
  /**
   * Writes a copy of the database to `destination`, replacing what is there.
   *
   * **Details**
   *
   * The copy holds what was committed when it began. Other statements wait until
   * it is done, and it cannot be interrupted. Fails inside a transaction.
   */
  readonly backup: (destination: string) => Effect.Effect<void, SqlError.SqlError>
}

/**
 * Service tag of the client, for those who need `backup`; everything else asks
 * for `SqlClient`.
 */
export const SqliteClient = Context.Service<SqliteClient>("souk/sql/SqliteClient")

/**
 * Refuses an `exclusive` client because the file is open elsewhere.
 */
export class DatabaseInUse extends Schema.TaggedError<DatabaseInUse>()("DatabaseInUse", {
  filename: Schema.String
}) {
  override get message(): string {
    return (
      `The database ${this.filename} is in use and allows only one process at a time: ` +
      "stop the other process, or choose a different file."
    )
  }
}

/**
 * Opens a database and closes it with the scope.
 */
export const make = Effect.fnUntraced(function* (
  options: SqliteClientOptions
): Effect.fn.Return<SqliteClient, DatabaseInUse | SqlError.SqlError, Reactivity.Reactivity | Scope.Scope> {
  const db = yield* Effect.acquireRelease(
    SqliteConnection.attempt(
      "open",
      () =>
        new DatabaseSync(options.readOnly === true ? existing(options.filename) : options.filename, {
          enableForeignKeyConstraints: true
        })
    ),
    (db) => Effect.sync(() => db.close())
  )
  yield* configure(db, options)

  const connection = SqliteConnection.make(db)
  const shared = SqlClient.makeSqliteAcquirers({
    connection: Effect.succeed(connection),
    semaphore: yield* Semaphore.make(1),
    isTransaction: () => db.isTransaction
  })
  // Only streams outside a transaction use `acquirer`. A lease would last as long
  // as the stream, and a statement run for one of its rows would wait for ever.
  const unleased: SqlConnection.Connection = {
    ...connection,
    executeStream: (sql, params, transformRows) =>
      Stream.fromIterableEffect(
        shared.borrower((connection) => connection.execute(sql, params, transformRows))
      )
  }
  const client = yield* SqlClient.make({
    ...shared,
    acquirer: Effect.succeed(unleased),
    compiler: Statement.makeCompilerSqlite(),
    driver: "node-sqlite",
    spanAttributes: [["db.system.name", "sqlite"]],
    beginTransaction: "BEGIN IMMEDIATE",
    prepareTransactionControls: true,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`
  })
  return Object.assign(client, {
    backup: (destination: string) =>
      Effect.flatMap(Effect.serviceOption(client.transactionService), (transaction) =>
        Option.isSome(transaction)
          ? Effect.fail(
              SqliteConnection.toSqlError("backup")(
                new Error("A backup cannot be taken inside a transaction.")
              )
            )
          : shared.borrower(() =>
              Effect.uninterruptible(
                Effect.tryPromise({
                  try: () => backup(db, destination, { rate: 1_000 }),
                  catch: SqliteConnection.toSqlError("backup")
                })
              )
            )
      )
  })
})

/**
 * Provides the client, as `SqliteClient` and as `SqlClient`.
 */
export const layer = (
  options: SqliteClientOptions
): Layer.Layer<SqliteClient | SqlClient.SqlClient, DatabaseInUse | SqlError.SqlError> =>
  Layer.effectContext(
    Effect.map(make(options), (client) =>
      Context.add(Context.make(SqliteClient, client), SqlClient.SqlClient, client)
    )
  ).pipe(Layer.provide(Reactivity.layer))

// -----------------------------------------------------------------------------

/**
 * A file that is not made when it is missing. Not SQLite's own way to open a file for reading: that leaves its helper
 * files behind.
 */
const existing = (filename: string): URL => {
  const url = pathToFileURL(filename)
  url.searchParams.set("mode", "rw")
  return url
}

const configure = (db: DatabaseSync, options: SqliteClientOptions) => {
  const busyTimeout = `PRAGMA busy_timeout = ${Math.trunc(options.busyTimeoutMillis ?? 5_000)}`
  if (options.readOnly === true)
    return SqliteConnection.attempt("open", () => db.exec(`${busyTimeout}; PRAGMA query_only = ON`))
  const settings = SqliteConnection.attempt("open", () =>
    db.exec(
      `${busyTimeout}; PRAGMA journal_mode = WAL; PRAGMA synchronous = ${options.synchronous ?? "full"}`
    )
  )
  if (options.exclusive !== true) return settings
  // Set before anything reads the file, so that the lock is taken with the first
  // read and the WAL index stays in memory. The empty transaction is that read.
  const claim = SqliteConnection.attempt("open", () =>
    db.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; BEGIN IMMEDIATE; COMMIT")
  )
  return claim.pipe(
    Effect.mapError((error) =>
      error.reason._tag === "LockTimeoutError" ? new DatabaseInUse({ filename: options.filename }) : error
    ),
    Effect.andThen(settings)
  )
}
