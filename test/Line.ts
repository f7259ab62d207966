/** A line to a server on this machine that can go dead: nothing passes any more, and neither end is told. */
import { Effect } from "effect"
import type { Scope } from "effect"
import { once } from "node:events"
import { connect, createServer } from "node:net"
import type { Socket } from "node:net"

export interface Line {
  readonly port: number
  /** Lets nothing pass any more over the connections that there are, without a word to anybody. */
  readonly goDead: Effect.Effect<void>
  /** Takes new connections, and lets nothing pass over those either. */
  readonly stayDead: Effect.Effect<void>
  /** Lets what is connected from now on pass again. */
  readonly mend: Effect.Effect<void>
  /** How many connections were ever made. */
  readonly made: () => number
}

/** Opens a line to a port, until the scope ends. */
export const makeLine = Effect.fnUntraced(function* (
  port: number
): Effect.fn.Return<Line, never, Scope.Scope> {
  const sockets = new Set<Socket>()
  let made = 0
  let isDead = false
  let era = 0
  const carry = (from: Socket, to: Socket, born: number) => {
    sockets.add(from)
    from.on("data", (chunk) => void (born === era && !isDead && to.write(chunk)))
    from.on("end", () => void (born === era && to.end()))
    from.on("error", () => {})
    from.on("close", () => {
      sockets.delete(from)
      if (born === era) to.destroy()
    })
  }
  const server = createServer((near) => {
    made += 1
    const far = connect(port, "127.0.0.1")
    carry(near, far, era)
    carry(far, near, era)
  }).listen(0, "127.0.0.1")
  yield* Effect.promise(() => once(server, "listening"))
  yield* Effect.addFinalizer(() =>
    Effect.promise(async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, "close")
    })
  )
  const address = server.address()
  if (address === null || typeof address === "string") return yield* Effect.die(new Error("No port."))
  const goDead = Effect.sync(() => void (era += 1))
  return {
    port: address.port,
    goDead,
    stayDead: Effect.andThen(
      goDead,
      Effect.sync(() => void (isDead = true))
    ),
    mend: Effect.andThen(
      goDead,
      Effect.sync(() => void (isDead = false))
    ),
    made: () => made
  }
})
