/** The `souk` command as a process of its own. Whatever a test starts ends with its scope. */
import { Effect } from "effect"
import type { Scope } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

export type Settings = Readonly<Record<string, string>>

export interface Options {
  readonly settings?: Settings
  readonly cwd?: string
}

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** How long after the last signal it ended. */
  readonly millis: number
  readonly stdout: string
  readonly stderr: string
}

export interface Process {
  /** Everything that it has printed so far. */
  readonly output: () => string
  /** Waits until stdout has a match; a defect when it ends without. */
  readonly printed: (pattern: RegExp) => Effect.Effect<RegExpExecArray>
  readonly signal: (signal: NodeJS.Signals) => Effect.Effect<void>
  readonly ended: Effect.Effect<Ended>
}

export interface Server extends Process {
  readonly url: string
  /** Tells it to stop and waits. */
  readonly stop: Effect.Effect<Ended>
  /** Ends it as a crash would and waits. */
  readonly kill: Effect.Effect<Ended>
}

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))

/** Runs `souk` with some arguments, to be watched. */
export const souk = (args: ReadonlyArray<string>, options: Options = {}) =>
  execute(process.execPath, ["--conditions=source", main, ...args], options)

/** Runs `souk` to its end. */
export const run = (args: ReadonlyArray<string>, options: Options = {}): Effect.Effect<Ended> =>
  Effect.scoped(Effect.flatMap(souk(args, options), ({ ended }) => ended))

/** Starts a market on a free port, and waits until it says where it is. */
export const start = (settings: Settings, cwd?: string): Effect.Effect<Server, never, Scope.Scope> =>
  Effect.flatMap(
    souk(["serve"], { settings: { PORT: "0", ...settings }, ...(cwd === undefined ? {} : { cwd }) }),
    serving
  )

/** Waits until a process that was started by other means says where it is. */
export const serving = (process: Process): Effect.Effect<Server> =>
  Effect.map(process.printed(/^Docs: (.*)\/docs\nTry: .*\n/mu), ([, url = ""]) => ({
    ...process,
    url,
    stop: Effect.andThen(process.signal("SIGTERM"), process.ended),
    kill: Effect.andThen(process.signal("SIGKILL"), process.ended)
  }))

/** A directory of the test's own. */
export const directory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "souk-cli-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
)

/** Runs any command. It leads a process group, and signals go to all of the group, as from a terminal. */
export const execute = (
  command: string,
  args: ReadonlyArray<string>,
  { settings = {}, cwd }: Options
): Effect.Effect<Process, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const child = spawn(command, args, {
          env: { ...inherited(), ...settings },
          stdio: ["ignore", "pipe", "pipe"],
          detached: true,
          ...(cwd === undefined ? {} : { cwd })
        })
        const exited = once(child, "exit").then(() => performance.now())
        return { child, exited, closed: once(child, "close") }
      }),
      ({ child, closed }) =>
        Effect.promise(() => {
          killGroup(child.pid, "SIGKILL")
          return closed
        })
    ),
    ({ child, exited, closed }) => {
      let stdout = ""
      let stderr = ""
      let signalled = performance.now()
      child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text))
      child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
      return {
        output: () => stdout + stderr,
        printed: (pattern) =>
          Effect.promise(async () => {
            for (;;) {
              const found = pattern.exec(stdout)
              if (found !== null) return found
              const more = await Promise.race([once(child.stdout, "data"), closed.then(() => undefined)])
              if (more === undefined) throw new Error(`It ended and printed\n${stdout}${stderr}`)
            }
          }),
        signal: (signal) =>
          Effect.sync(() => {
            signalled = performance.now()
            killGroup(child.pid, signal)
          }),
        ended: Effect.promise(async () => {
          const millis = (await exited) - signalled
          await closed
          return { code: child.exitCode, signal: child.signalCode, millis, stdout, stderr }
        })
      }
    }
  )

// -----------------------------------------------------------------------------

/** The environment of the tests without what would set up a market or colour its words. */
const inherited = () => ({
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:PORT|FORCE_COLOR|SOUK_.*)$/u.test(name))
  ),
  // A third of a start is reading the sources.
  NODE_COMPILE_CACHE: compileCache
})

const compileCache = fileURLToPath(new URL("../../../node_modules/.cache/souk-cli", import.meta.url))

const killGroup = (pid: number | undefined, signal: NodeJS.Signals) => {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // Nobody of the group is left.
  }
}
