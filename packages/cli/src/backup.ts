/** `souk backup`: a copy of a market in a file, also while the market runs. */
import { SqliteClient, SqliteStore } from "@souk/sql"
import { Console, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync
} from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { placeOf } from "./Database.ts"
import type { Database } from "./Database.ts"
import { BackupImpossible, DatabaseUnusable, explained } from "./sentences.ts"
import { database } from "./Settings.ts"

const file = Argument.String("file").pipe(
  Argument.withDescription("Where the copy goes; a copy that is there is replaced")
)

export const backup = Command.make("backup", { file }, ({ file }) =>
  explained(Effect.flatMap(database, (database) => copy(database, resolve(file))))
).pipe(
  Command.withShortDescription("Copy a market in a SQLite file, also while it runs"),
  Command.withDescription(
    "Copies the market in SOUK_DATABASE_URL (sqlite:./souk.db) to a file, also while a market runs on it: all that was acknowledged before, and nothing by halves. The copy is a database like the first: name it in SOUK_DATABASE_URL, or put it in the place of the first while no market runs. PostgreSQL has tools of its own: pg_dump --schema."
  )
)

// -----------------------------------------------------------------------------

const copy = Effect.fnUntraced(function* (database: Database, destination: string) {
  if (database._tag !== "Sqlite") return yield* refused(reasonOf(database))
  const { filename } = database
  if (!existsSync(filename)) return yield* refused(`There is no database ${filename}.`)
  const unfinished = `${destination}.unfinished`
  const own = filesOf(filename)
  if (isDatabase(destination) || [destination, unfinished].some((file) => own.includes(realPathOf(file))))
    return yield* refused(
      `${destination} is a database that a market has run on, or a part of one, not a copy: choose another file.`
    )
  const isCopy = yield* Effect.try({
    try: () => holdsCopy(destination),
    catch: (cause) => failed(filename, destination, cause instanceof Error ? cause.message : String(cause))
  })
  if (!isCopy)
    return yield* refused(`${destination} is there and is no copy of a market: choose another file.`)
  const write = SqliteClient.SqliteClient.pipe(
    Effect.flatMap((client) =>
      Effect.mapError(client.backup(unfinished), (cause) => failed(filename, destination, cause.message))
    ),
    Effect.provide(SqliteClient.layer({ filename, readOnly: true })),
    Effect.andThen(Effect.provide(SqliteStore.setApart, SqliteClient.layer({ filename: unfinished }))),
    Effect.catchTag("SqlError", (cause) => Effect.fail(new DatabaseUnusable({ database, cause })))
  )
  // Whoever looks for the copy finds a whole one, whenever the machine stops.
  const keep = Effect.try({
    try: () => {
      sync(unfinished)
      renameSync(unfinished, destination)
      sync(dirname(destination))
    },
    catch: (cause) => failed(filename, destination, cause instanceof Error ? cause.message : String(cause))
  })
  yield* Effect.andThen(write, keep).pipe(
    Effect.onError(() =>
      Effect.sync(() =>
        ["", "-wal", "-shm"].forEach((suffix) => rmSync(`${unfinished}${suffix}`, { force: true }))
      )
    )
  )
  const { size } = statSync(destination)
  yield* Console.log(`Copied ${placeOf(database)} to ${destination} (${size} bytes)`)
})

/** Whether there is beside a file what a market leaves there, and SQLite would take for what belongs to the copy. */
const isDatabase = (file: string): boolean =>
  ["-wal", "-journal", "-lock"].some((suffix) => existsSync(`${file}${suffix}`))

/** The files of a database: itself, and what SQLite and the market keep beside it. */
const filesOf = (filename: string): ReadonlyArray<string> =>
  ["", "-wal", "-shm", "-journal", "-lock"].map((suffix) => `${realpathSync(filename)}${suffix}`)

/** The path of a file without links, whether it is there or not. */
const realPathOf = (file: string): string => {
  if (existsSync(file)) return realpathSync(file)
  const directory = dirname(file)
  return join(existsSync(directory) ? realpathSync(directory) : directory, basename(file))
}

/** Whether a file may give way to a copy: one that is not there, is empty, or is a database of SQLite. */
const holdsCopy = (file: string): boolean => {
  if (!existsSync(file)) return true
  if (!statSync(file).isFile()) return false
  const handle = openSync(file, "r")
  try {
    const start = Buffer.alloc(magic.length)
    const read = readSync(handle, start)
    return read === 0 || start.equals(magic)
  } finally {
    closeSync(handle)
  }
}

/** What each database of SQLite begins with. */
const magic = Buffer.from("SQLite format 3\0")

const sync = (path: string): void => {
  const handle = openSync(path, "r")
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

const refused = (sentence: string) => Effect.fail(new BackupImpossible({ sentence }))

const failed = (filename: string, destination: string, message: string) =>
  new BackupImpossible({ sentence: `${filename} cannot be copied to ${destination}: ${message}.` })

const reasonOf = (database: Exclude<Database, { readonly _tag: "Sqlite" }>): string =>
  database._tag === "Memory"
    ? "A market in memory cannot be copied."
    : `souk backup copies a SQLite file. Copy PostgreSQL by its own tools: pg_dump --schema=${database.schema}, and souk migrate after it was restored.`
