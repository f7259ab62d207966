/** A Redis server for tests: the `redis-server` of the machine, on a port of its own, which keeps nothing. */
import { Effect } from "effect"
import type { Scope } from "effect"
import { spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { once } from "node:events"
import { accessSync, constants } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { describe } from "vitest"
import { freePort } from "./freePort.ts"

export interface RedisServer {
  readonly port: number
  readonly url: string
  /** Starts it, empty. */
  readonly start: Effect.Effect<void>
  /** Ends it as a crash does. */
  readonly crash: Effect.Effect<void>
}

/** Describes what needs `redis-server`: skipped by a person who has none, but never where tests run by themselves. */
export const describeWithRedis = (name: string, tests: () => void): void => {
  const isMissing = onPath("redis-server") === undefined && !process.env["CI"]
  describe.skipIf(isMissing)(isMissing ? `${name} (there is no redis-server on the PATH)` : name, tests)
}

/** A server that is not started yet, and ends with the scope. */
export const makeRedis = Effect.fnUntraced(function* ({ password = "" } = {}): Effect.fn.Return<
  RedisServer,
  never,
  Scope.Scope
> {
  const executable = onPath("redis-server")
  if (executable === undefined) return yield* Effect.die(new Error("There is no redis-server on the PATH."))
  const port = yield* Effect.promise(freePort)
  const options = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
  const secret = password === "" ? [] : ["--requirepass", password]
  let running: ChildProcess | undefined
  const crash = Effect.promise(async () => {
    if (running === undefined || running.exitCode !== null) return
    const ended = once(running, "exit")
    running.kill("SIGKILL")
    await ended
    running = undefined
  })
  const start = Effect.promise(async () => {
    running = spawn(executable, [...options, ...secret, "--dir", tmpdir()], { stdio: "ignore" })
    while (!(await listens(port))) {
      if (running.exitCode !== null) throw new Error("redis-server ended at once.")
      await setTimeout(5)
    }
  })
  yield* Effect.addFinalizer(() => crash)
  return { port, url: `redis://127.0.0.1:${port}`, start, crash }
})

/** A server that runs until the scope ends. */
export const startRedis = Effect.tap(makeRedis(), ({ start }) => start)

// -----------------------------------------------------------------------------

const onPath = (name: string): string | undefined =>
  (process.env["PATH"] ?? "")
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK)
        return true
      } catch {
        return false
      }
    })

const listens = async (port: number): Promise<boolean> => {
  const socket = connect(port, "127.0.0.1")
  try {
    await once(socket, "connect")
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
