/** A line to a server on this machine that can go dead: nothing passes any more, and neither end is told. */
import { Effect } from "effect"
import type { Scope } from "effect"
import { once } from "node:events"
import { connect, createServer } from "node:net"
import type { Socket } from "node:net"

export interface Line {
  readonly port: number
  /** Lets nothing pass any more over the connections that there are, or over those on which something was said. */
  readonly goDead: (saying?: string) => Effect.Effect<void>
  /** Takes new connections, and lets nothing pass over those either. */
  readonly stayDead: Effect.Effect<void>
  /** Lets what is connected from now on pass again. */
  readonly mend: Effect.Effect<void>
}

interface Connection {
  readonly near: Socket
  readonly far: Socket
  said: string
  isDead: boolean
}

/** Opens a line to a port, until the scope ends. */
export const makeLine = Effect.fnUntraced(function* (
  port: number
): Effect.fn.Return<Line, never, Scope.Scope> {
  const connections = new Set<Connection>()
  let isDead = false
  const carry = (connection: Connection, from: Socket, to: Socket) => {
    from.on("data", (chunk: Buffer) => {
      if (from === connection.near) connection.said += chunk.toString("latin1")
      if (!connection.isDead) to.write(chunk)
    })
    from.on("error", () => {})
    from.on("close", () => void (connection.isDead || to.destroy()))
  }
  const server = createServer((near) => {
    const connection: Connection = { near, far: connect(port, "127.0.0.1"), said: "", isDead }
    connections.add(connection)
    carry(connection, near, connection.far)
    carry(connection, connection.far, near)
  }).listen(0, "127.0.0.1")
  yield* Effect.promise(() => once(server, "listening"))
  yield* Effect.addFinalizer(() =>
    Effect.promise(async () => {
      for (const { far, near } of connections) for (const socket of [far, near]) socket.destroy()
      server.close()
      await once(server, "close")
    })
  )
  const address = server.address()
  if (address === null || typeof address === "string") return yield* Effect.die(new Error("No port."))
  const goDead = (saying = "") =>
    Effect.sync(() => {
      for (const connection of connections) connection.isDead ||= connection.said.includes(saying)
    })
  const stay = (dead: boolean) =>
    Effect.andThen(
      goDead(),
      Effect.sync(() => void (isDead = dead))
    )
  return { port: address.port, goDead, stayDead: stay(true), mend: stay(false) }
})
