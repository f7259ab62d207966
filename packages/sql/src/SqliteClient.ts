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
import { realpathSync } from "node:fs"
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
   * Opens a file that exists, to read or copy it and no more. Off by default.
   */
  readonly readOnly?: boolean
  /**
   * Claims the file for this client until it closes or its process dies, however
   * it dies. Opening a file that anyone else has claimed fails with `DatabaseInUse`
   * at once; `busyTimeoutMillis` does not apply. Who asks for no claim can open
   * the file beside it, to look into it or to copy it; who writes to it so is not
   * noticed by the one who has claimed it.
   *
   * **Gotchas**
   *
   * The claim is a lock of the operating system on an empty file beside, whose
   * name ends in `-lock` and which stays there. POSIX drops the locks of a file as
   * soon as anything in this process opens and closes it by other means, such as
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
   * The copy holds what was committed when it began. Other statements of this
   * client wait until it is done, and it cannot be interrupted; other processes go
   * on. Fails inside a transaction.
   */
  readonly backup: (destination: string) => Effect.Effect<void, SqlError.SqlError>
}

/**
 * Service tag of the client, for those who need `backup`; everything else asks
 * for `SqlClient`.
 */
export const SqliteClient = Context.Service<SqliteClient>("souk/sql/SqliteClient")

/**
 * Refuses an `exclusive` client because another one has claimed the file.
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
        }),
      options.filename
    ),
    (db) => Effect.sync(() => db.close())
  )
  if (options.exclusive === true && options.filename !== ":memory:") yield* claim(options.filename)
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
                  // In one step: after each, a change by another process would begin it anew.
                  try: () => backup(db, destination, { rate: everyPage }),
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

/** As many pages as a file can have in one step. */
const everyPage = 2_147_483_647

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
  const manner =
    options.readOnly === true
      ? "PRAGMA query_only = ON"
      : `PRAGMA journal_mode = WAL; PRAGMA synchronous = ${options.synchronous ?? "full"}`
  return SqliteConnection.attempt("open", () => db.exec(`${busyTimeout}; ${manner}`), options.filename)
}

/**
 * Claims a file until the scope closes: a transaction on a file beside it that lasts as long. On a file of its own, so
 * that others can read this one; by its real path, so that it is the same file for everybody.
 */
const claim = (filename: string) =>
  Effect.acquireRelease(
    SqliteConnection.attempt(
      "open",
      () => new DatabaseSync(`${realpathSync(filename)}-lock`),
      `${filename}-lock`
    ),
    (lock) => Effect.sync(() => lock.close())
  ).pipe(
    Effect.flatMap((lock) =>
      SqliteConnection.attempt("open", () => lock.exec("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE"))
    ),
    Effect.mapError((error) =>
      error.reason._tag === "LockTimeoutError" ? new DatabaseInUse({ filename }) : error
    )
  )
