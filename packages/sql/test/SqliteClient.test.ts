import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Schema, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import { Migrator, SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as SqliteClient from "../src/SqliteClient.ts"

const memory = SqliteClient.layer({ filename: ":memory:" })

const databaseFile = Effect.map(
  Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "souk-sqlite-"))),
    (directory) => Effect.promise(() => rm(directory, { recursive: true }))
  ),
  (directory) => join(directory, "souk.db")
)

const open = (options: SqliteClient.SqliteClientOptions) =>
  Effect.provide(SqliteClient.make(options), Reactivity.layer)

const reason = <A>(effect: Effect.Effect<A, SqlError.SqlError>) =>
  Effect.map(Effect.flip(effect), (error) => error.reason)

/** Starts a process that opens the file; yields its first line and the process. */
const hold = (filename: string, mode: "exclusive" | "shared") =>
  Effect.gen(function* () {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(
          process.execPath,
          [
            "--conditions=source",
            fileURLToPath(new URL("fixtures/holdDatabase.ts", import.meta.url)),
            filename,
            mode
          ],
          { stdio: ["ignore", "pipe", "inherit"] }
        )
      ),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
    const [line] = yield* Effect.promise(() => once(child.stdout, "data"))
    const kill = Effect.promise(() => {
      const exit = once(child, "exit")
      child.kill("SIGKILL")
      return exit
    })
    return { said: String(line).trim(), kill }
  })

describe("SqliteClient", () => {
  describe("values", () => {
    it.effect("reads each type back as it was written", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const row = {
          text: "señor \u0000 🧺",
          int: 42,
          negative: -7,
          real: 1.5,
          big: 9_223_372_036_854_775_807n,
          blob: new Uint8Array([0, 1, 255]),
          missing: null
        }
        yield* sql`CREATE TABLE v (text TEXT, int INTEGER, negative INTEGER, real REAL, big INTEGER, blob BLOB, missing)`
        yield* sql`INSERT INTO v ${sql.insert(row)}`
        assert.deepStrictEqual(yield* sql`SELECT * FROM v`, [row])
        assert.deepStrictEqual(yield* sql`SELECT * FROM v WHERE blob = ${row.blob} AND text = ${row.text}`, [
          row
        ])
        assert.deepStrictEqual(yield* sql`SELECT int, big FROM v`.values, [[42, row.big]])
      }).pipe(Effect.provide(memory))
    )

    it.effect("stores booleans as 0 and 1, dates as ISO text and undefined as NULL", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const at = new Date("2026-02-03T04:05:06.789Z")
        assert.deepStrictEqual(
          yield* sql`SELECT ${true} AS yes, ${false} AS no, ${at} AS at, ${undefined} AS gone`,
          [{ yes: 1, no: 0, at: "2026-02-03T04:05:06.789Z", gone: null }]
        )
      }).pipe(Effect.provide(memory))
    )

    it.effect("binds a whole number as an integer", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        assert.deepStrictEqual(
          yield* sql`SELECT typeof(${1}) AS type, ${1} || '' AS text, json_array(${1}, ${0.5}) AS json`,
          [{ type: "integer", text: "1", json: "[1,0.5]" }]
        )
      }).pipe(Effect.provide(memory))
    )

    it.effect("reads an integer as a number up to 2^53 - 1 and as a bigint beyond", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const max = Number.MAX_SAFE_INTEGER
        const select = sql`SELECT ${max} AS safe, ${BigInt(max) + 1n} AS beyond, ${-max} AS least, ${1n} AS one`
        assert.deepStrictEqual(yield* select, [
          { safe: max, beyond: 9_007_199_254_740_992n, least: -max, one: 1 }
        ])
        assert.deepStrictEqual(
          yield* Effect.provideService(sql`SELECT ${1} AS one`, SqlClient.SafeIntegers, true),
          [{ one: 1n }]
        )
      }).pipe(Effect.provide(memory))
    )

    it.effect("refuses what SQLite would store as something else", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        for (const value of [{ a: 1 }, [1], NaN, () => 1, 2n ** 63n]) {
          assert.strictEqual((yield* reason(sql`SELECT ${value} AS a`))._tag, "UnknownError")
        }
      }).pipe(Effect.provide(memory))
    )

    it.effect("yields rows that a schema decodes", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const Row = Schema.Struct({ id: Schema.Int, name: Schema.NullOr(Schema.String) })
        const rows = yield* sql`SELECT 1 AS id, NULL AS name`
        assert.deepStrictEqual(yield* Schema.decodeUnknownEffect(Schema.Array(Row))(rows), [
          { id: 1, name: null }
        ])
      }).pipe(Effect.provide(memory))
    )

    it.effect("answers a raw write with the number of changes", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`CREATE TABLE t (id INTEGER PRIMARY KEY)`
        assert.deepStrictEqual(yield* sql`INSERT INTO t VALUES (7), (8)`.raw, {
          changes: 2,
          lastInsertRowid: 8
        })
        assert.deepStrictEqual(yield* sql`DELETE FROM t WHERE id = 7 RETURNING id`.raw, [{ id: 7 }])
      }).pipe(Effect.provide(memory))
    )
  })

  describe("statements", () => {
    it.effect("follows a table that changes under a prepared statement", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`CREATE TABLE t (a)`
        yield* sql`INSERT INTO t VALUES (1)`
        const all = sql`SELECT * FROM t`
        assert.deepStrictEqual(yield* all, [{ a: 1 }])
        yield* sql`ALTER TABLE t ADD COLUMN b DEFAULT 2`
        assert.deepStrictEqual(yield* all, [{ a: 1, b: 2 }])
      }).pipe(Effect.provide(memory))
    )

    it.effect("keeps working past the number of statements it caches", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        for (let i = 0; i < 600; i++) {
          assert.deepStrictEqual(yield* sql.unsafe(`SELECT ${i % 400} AS n`), [{ n: i % 400 }])
        }
      }).pipe(Effect.provide(memory))
    )

    it.effect("refuses two statements in one call and runs neither", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const refused = yield* reason(sql`CREATE TABLE a (x); CREATE TABLE b (x)`)
        assert.strictEqual(refused._tag, "SqlSyntaxError")
        assert.deepStrictEqual(yield* sql`SELECT name FROM sqlite_schema`, [])
        assert.deepStrictEqual(yield* sql`SELECT ';' AS s; -- the end; really /* */`, [{ s: ";" }])
        assert.deepStrictEqual(yield* sql`SELECT 1 AS s; /* the; end */ `, [{ s: 1 }])
      }).pipe(Effect.provide(memory))
    )

    it.effect("streams rows, and lets their consumer use the client", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const doubled = sql<{ n: number }>`SELECT value AS n FROM json_each('[1,2,3]')`.stream.pipe(
          Stream.mapEffect(({ n }) => sql<{ m: number }>`SELECT ${n} * 2 AS m`),
          Stream.runCollect
        )
        const expected = [[{ m: 2 }], [{ m: 4 }], [{ m: 6 }]]
        assert.deepStrictEqual(yield* doubled, expected)
        assert.deepStrictEqual(yield* sql.withTransaction(doubled), expected)
      }).pipe(Effect.provide(memory))
    )
  })

  describe("transactions", () => {
    const counted = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE TABLE t (n INTEGER)`
      const insert = (n: number) => sql`INSERT INTO t VALUES (${n})`
      const read = Effect.map(sql<{ n: number }>`SELECT n FROM t ORDER BY n`, (rows) =>
        rows.map((row) => row.n)
      )
      return { sql, insert, read }
    })

    it.effect("commits on success and rolls back on failure, on a defect and on interruption", () =>
      Effect.gen(function* () {
        const { insert, read, sql } = yield* counted
        yield* sql.withTransaction(insert(1))
        yield* Effect.exit(sql.withTransaction(Effect.andThen(insert(2), Effect.fail("no"))))
        yield* Effect.exit(sql.withTransaction(Effect.andThen(insert(3), Effect.die("no"))))
        const inserted = yield* Deferred.make<void>()
        const fiber = yield* Effect.forkChild(
          sql.withTransaction(
            insert(4).pipe(
              Effect.andThen(Deferred.succeed(inserted, undefined)),
              Effect.andThen(Effect.never)
            )
          )
        )
        yield* Deferred.await(inserted)
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual(yield* read, [1])
      }).pipe(Effect.provide(memory))
    )

    it.effect("rolls a nested transaction back alone", () =>
      Effect.gen(function* () {
        const { insert, read, sql } = yield* counted
        yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* insert(1)
            yield* Effect.exit(
              sql.withTransaction(
                Effect.gen(function* () {
                  yield* insert(2)
                  yield* sql.withTransaction(insert(3))
                  return yield* Effect.fail("no")
                })
              )
            )
            yield* sql.withTransaction(insert(4))
          })
        )
        assert.deepStrictEqual(yield* read, [1, 4])
      }).pipe(Effect.provide(memory))
    )

    it.effect("does not interleave the transactions and statements of different fibers", () =>
      Effect.gen(function* () {
        const { insert, read, sql } = yield* counted
        const events: Array<string> = []
        const transaction = (n: number) =>
          sql.withTransaction(
            Effect.gen(function* () {
              events.push(`begin ${n}`)
              yield* insert(n)
              yield* Effect.yieldNow
              const seen = yield* read
              assert.ok(seen.includes(n))
              yield* Effect.yieldNow
              events.push(`end ${n}`)
              if (n % 2 === 1) return yield* Effect.fail("odd")
            })
          )
        const outside = Effect.map(read, (seen) =>
          assert.ok(
            seen.every((n) => n % 2 === 0),
            "read uncommitted rows"
          )
        )
        yield* Effect.forEach(
          Array.from({ length: 20 }, (_, n) => n),
          (n) => Effect.all([Effect.exit(transaction(n)), outside], { concurrency: 2 }),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(events.length, 40)
        for (let i = 0; i < events.length; i += 2) {
          assert.strictEqual(events[i]?.replace("begin", "end"), events[i + 1])
        }
        assert.deepStrictEqual(yield* read, [0, 2, 4, 6, 8, 10, 12, 14, 16, 18])
      }).pipe(Effect.provide(memory))
    )

    it.effect("is usable after a commit that a deferred foreign key refused", () =>
      Effect.gen(function* () {
        const { insert, read, sql } = yield* counted
        yield* sql`CREATE TABLE parent (id INTEGER PRIMARY KEY)`
        yield* sql`CREATE TABLE child (p INTEGER REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED)`
        const orphan = sql.withTransaction(sql`INSERT INTO child VALUES (1)`)
        assert.strictEqual((yield* reason(orphan))._tag, "ConstraintError")
        assert.deepStrictEqual(yield* sql`SELECT * FROM child`, [])
        yield* sql.withTransaction(insert(1))
        assert.deepStrictEqual(yield* read, [1])
      }).pipe(Effect.provide(memory))
    )
  })

  describe("errors", () => {
    it.effect("names the columns of a unique violation and keeps the cause", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`CREATE TABLE t (id TEXT PRIMARY KEY, a INTEGER, b INTEGER, email TEXT, UNIQUE (a, b))`
        yield* sql`CREATE UNIQUE INDEX t_email ON t (lower(email))`
        yield* sql`INSERT INTO t VALUES ('x', 1, 2, 'a@b.c')`
        const violated = (insert: Effect.Effect<unknown, SqlError.SqlError>) =>
          Effect.map(reason(insert), (reason) => {
            if (reason._tag !== "UniqueViolation") return assert.fail(reason._tag)
            assert.instanceOf(reason.cause, Error)
            assert.propertyVal(reason.cause, "code", "ERR_SQLITE_ERROR")
            return reason.constraint
          })
        assert.strictEqual(yield* violated(sql`INSERT INTO t (id) VALUES ('x')`), "t.id")
        assert.strictEqual(yield* violated(sql`INSERT INTO t (id, a, b) VALUES ('y', 1, 2)`), "t.a, t.b")
        assert.strictEqual(yield* violated(sql`INSERT INTO t (id, email) VALUES ('y', 'A@b.c')`), "t_email")
      }).pipe(Effect.provide(memory))
    )

    it.effect("gives the other failures their reason", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER NOT NULL CHECK (a < 10), p REFERENCES t (id))`
        const tag = (effect: Effect.Effect<unknown, SqlError.SqlError>) =>
          Effect.map(reason(effect), ({ _tag }) => _tag)
        assert.strictEqual(yield* tag(sql`INSERT INTO t (a) VALUES (NULL)`), "ConstraintError")
        assert.strictEqual(yield* tag(sql`INSERT INTO t (a) VALUES (11)`), "ConstraintError")
        assert.strictEqual(yield* tag(sql`INSERT INTO t (a, p) VALUES (1, 99)`), "ConstraintError")
        assert.strictEqual(yield* tag(sql`SELEC 1`), "SqlSyntaxError")
        assert.strictEqual(yield* tag(sql`SELECT * FROM nowhere`), "SqlSyntaxError")
        assert.strictEqual(yield* tag(sql``), "SqlSyntaxError")
        yield* sql`PRAGMA query_only = 1`
        assert.strictEqual(yield* tag(sql`DELETE FROM t`), "AuthorizationError")
        yield* sql`PRAGMA query_only = 0`
        yield* sql`PRAGMA max_page_count = 2`
        const full = yield* reason(sql`CREATE TABLE u AS SELECT zeroblob(100000) AS z`)
        assert.strictEqual(full._tag, "UnknownError")
        assert.isFalse(full.isRetryable)
        assert.strictEqual(full.message, "database or disk is full")
      }).pipe(Effect.provide(memory))
    )

    it.effect("says why a file cannot be opened", () =>
      Effect.gen(function* () {
        const missing = yield* Effect.flip(open({ filename: "/nowhere/souk.db" }))
        assert.strictEqual(missing._tag === "SqlError" && missing.reason._tag, "ConnectionError")
        const filename = fileURLToPath(import.meta.url)
        const script = yield* Effect.flip(open({ filename }))
        assert.strictEqual(script.message, `file is not a database: ${filename}`)
      }).pipe(Effect.scoped)
    )

    it.effect("fails once its scope is closed", () =>
      Effect.gen(function* () {
        const sql = yield* Effect.scoped(open({ filename: ":memory:" }))
        assert.strictEqual((yield* reason(sql`SELECT 1`))._tag, "ConnectionError")
      })
    )
  })

  describe("files", () => {
    it.effect("keep their rows, in WAL and with foreign keys checked", () =>
      Effect.gen(function* () {
        const filename = yield* databaseFile
        yield* Effect.scoped(
          Effect.gen(function* () {
            const sql = yield* open({ filename })
            yield* sql`CREATE TABLE t (n INTEGER)`
            yield* sql`INSERT INTO t VALUES (1)`
          })
        )
        const sql = yield* open({ filename, synchronous: "normal", busyTimeoutMillis: 250 })
        assert.deepStrictEqual(yield* sql`SELECT n FROM t`, [{ n: 1 }])
        assert.deepStrictEqual(yield* sql`PRAGMA journal_mode`.values, [["wal"]])
        assert.deepStrictEqual(yield* sql`PRAGMA foreign_keys`.values, [[1]])
        assert.deepStrictEqual(yield* sql`PRAGMA synchronous`.values, [[1]])
        assert.deepStrictEqual(yield* sql`PRAGMA busy_timeout`.values, [[250]])
      })
    )

    it.effect("are synchronous=full unless told otherwise", () =>
      Effect.gen(function* () {
        const sql = yield* open({ filename: yield* databaseFile, exclusive: true })
        assert.deepStrictEqual(yield* sql`PRAGMA synchronous`.values, [[2]])
        assert.deepStrictEqual(yield* sql`PRAGMA busy_timeout`.values, [[5_000]])
      })
    )

    it.effect("can be shared when nobody claims them", () =>
      Effect.gen(function* () {
        const filename = yield* databaseFile
        const sql = yield* open({ filename })
        assert.strictEqual((yield* hold(filename, "shared")).said, "held")
        assert.strictEqual((yield* sql`SELECT * FROM held`).length, 1)
      })
    )

    it.effect("fail with LockTimeoutError when another writer does not let go", () =>
      Effect.gen(function* () {
        const filename = yield* databaseFile
        const one = yield* open({ filename })
        const two = yield* open({ filename, busyTimeoutMillis: 20 })
        yield* one.withTransaction(
          Effect.gen(function* () {
            assert.strictEqual((yield* reason(two.withTransaction(two`SELECT 1`)))._tag, "LockTimeoutError")
          })
        )
        yield* two.withTransaction(two`SELECT 1`)
      })
    )
  })

  describe("exclusive", () => {
    it.live("refuses a second process at once, until the holder closes", () =>
      Effect.gen(function* () {
        const filename = yield* databaseFile
        yield* Effect.scoped(
          Effect.gen(function* () {
            const sql = yield* open({ filename, exclusive: true })
            assert.strictEqual((yield* hold(filename, "exclusive")).said, "DatabaseInUse")
            yield* sql`CREATE TABLE t (n INTEGER)`
            assert.strictEqual((yield* hold(filename, "exclusive")).said, "DatabaseInUse")
          })
        )
        assert.strictEqual((yield* hold(filename, "exclusive")).said, "held")
      })
    )

    it.live("tells who is refused what to do", () =>
      Effect.gen(function* () {
        const filename = yield* databaseFile
        assert.strictEqual((yield* hold(filename, "exclusive")).said, "held")
        const started = performance.now()
        const refused = yield* Effect.flip(open({ filename, exclusive: true }))
        assert.isBelow(performance.now() - started, 1_000)
        assert.strictEqual(refused._tag, "DatabaseInUse")
        assert.strictEqual(
          refused.message,
          `The database ${filename} is in use and allows only one process at a time: ` +
            "stop the other process, or choose a different file."
        )
      })
    )

    it.live("lets others read the file, and look at what was committed last", () =>
      Effect.gen(function* () {
        const filename = yield* databaseFile
        const sql = yield* open({ filename, exclusive: true })
        yield* sql`CREATE TABLE t (n INTEGER)`
        const reader = yield* open({ filename, readOnly: true })
        for (const n of [1, 2]) {
          yield* sql`INSERT INTO t VALUES (${n})`
          assert.deepStrictEqual(yield* reader`SELECT count(*) AS n FROM t`, [{ n }])
        }
        assert.isTrue(Exit.isFailure(yield* Effect.exit(reader`INSERT INTO t VALUES (3)`)))
      })
    )

    it.live("is known under every name of the file", () =>
      Effect.gen(function* () {
        const filename = yield* databaseFile
        yield* open({ filename, exclusive: true })
        yield* Effect.promise(() => symlink(filename, `${filename}.link`))
        const refused = yield* Effect.flip(open({ filename: `${filename}.link`, exclusive: true }))
        assert.strictEqual(refused._tag, "DatabaseInUse")
      })
    )

    it.live("refuses a second client in the same process", () =>
      Effect.gen(function* () {
        const filename = yield* databaseFile
        yield* open({ filename, exclusive: true })
        assert.strictEqual((yield* Effect.flip(open({ filename, exclusive: true })))._tag, "DatabaseInUse")
        assert.strictEqual((yield* hold(filename, "exclusive")).said, "DatabaseInUse")
      })
    )

    it.live("frees the file of a killed holder, with what it had committed", () =>
      Effect.gen(function* () {
        const filename = yield* databaseFile
        const holder = yield* hold(filename, "exclusive")
        assert.strictEqual(holder.said, "held")
        yield* holder.kill
        const sql = yield* open({ filename, exclusive: true })
        assert.strictEqual((yield* sql`SELECT * FROM held`).length, 1)
        assert.strictEqual((yield* hold(filename, "exclusive")).said, "DatabaseInUse")
      })
    )

    it.live("allows a backup while in use, and keeps the claim", () =>
      Effect.gen(function* () {
        const filename = yield* databaseFile
        const sql = yield* open({ filename, exclusive: true })
        yield* sql`CREATE TABLE t (x BLOB)`
        yield* sql`WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 5000)
                   INSERT INTO t SELECT randomblob(1000) FROM c`
        const running = yield* Effect.forkChild(sql.backup(`${filename}.copy`), { startImmediately: true })
        yield* sql.withTransaction(sql`INSERT INTO t VALUES (zeroblob(1))`)
        yield* Fiber.join(running)
        const copy = yield* open({ filename: `${filename}.copy` })
        assert.deepStrictEqual(yield* copy`SELECT count(*) AS n FROM t`, [{ n: 5_000 }])
        assert.deepStrictEqual(yield* sql`SELECT count(*) AS n FROM t`, [{ n: 5_001 }])
        assert.strictEqual((yield* hold(filename, "exclusive")).said, "DatabaseInUse")
        assert.isTrue(
          Exit.isFailure(yield* Effect.exit(sql.withTransaction(sql.backup(`${filename}.copy2`))))
        )
      })
    )
  })

  describe("with Migrator", () => {
    const migrate = (migrations: Parameters<typeof Migrator.fromRecord>[0]) =>
      Migrator.make({})({ loader: Migrator.fromRecord(migrations), table: "migrations" })
    const first = {
      "1_create": Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.asVoid(sql`CREATE TABLE t (a)`))
    }
    const second = {
      ...first,
      "2_alter": Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.asVoid(sql`ALTER TABLE t ADD COLUMN b`))
    }

    it.effect("runs each migration once", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        assert.deepStrictEqual(yield* migrate(first), [[1, "create"]])
        assert.deepStrictEqual(yield* migrate(second), [[2, "alter"]])
        assert.deepStrictEqual(yield* migrate(second), [])
        assert.deepStrictEqual(yield* sql`SELECT a, b FROM t`, [])
      }).pipe(Effect.provide(memory))
    )

    it.effect("takes everything back when one fails", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const failed = yield* Effect.flip(migrate({ ...second, "3_wrong": Effect.fail("wrong") }))
        assert.strictEqual(failed._tag, "MigrationError")
        assert.deepStrictEqual(yield* sql`SELECT name FROM sqlite_schema WHERE name = 't'`, [])
        assert.strictEqual((yield* migrate(second)).length, 2)
      }).pipe(Effect.provide(memory))
    )

    it.effect("lets one of two concurrent runs do the work", () =>
      Effect.gen(function* () {
        const runs = yield* Effect.all([migrate(second), migrate(second)], { concurrency: 2 })
        assert.deepStrictEqual(runs.map((run) => run.length).toSorted(), [0, 2])
      }).pipe(Effect.provide(memory))
    )
  })
})
