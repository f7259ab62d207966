/** A host under test: a server of some framework with a market in it, on a real socket. */
import { once } from "node:events"
import type { Server } from "node:http"
import type { Marketplace } from "../../src/index.ts"

/** What a host is started with. */
export interface Setting {
  readonly marketplace: Marketplace
  /** Where the market is, in the host's own way of nesting: empty, `/market` or `/a/b/market`. */
  readonly mount: string
  /** Whether the host reads bodies with its own parser before the market gets them. */
  readonly parses: boolean
  /** Whether the host has its CORS, security headers and compression, and sets the two cookies, before the market. */
  readonly dressed: boolean
}

export interface Running {
  readonly port: number
  /** Closes as the host's users do, and waits for it. */
  readonly close: () => Promise<void>
}

/** What a host cannot do, and why: the tests then expect that. */
export interface Limitations {
  /** It has no `next()`: the host's router decides which paths are the market's. */
  readonly noNext?: string
  /** It has no parser that could stand before the market. */
  readonly noParser?: string
  /** It does not know the address of the connection. */
  readonly noAddress?: string
  /** It goes on to read a body that was refused, and drops what it reads. */
  readonly readsOn?: string
  /** It has no middleware of its own for CORS, security headers, compression and cookies. */
  readonly undressed?: string
}

export interface Host {
  readonly name: string
  readonly cannot: Limitations
  readonly start: (setting: Setting) => Promise<Running>
}

/** What was seen of the work behind requests: reads that never end, and those that were stopped; events taken. */
export interface Seen {
  readonly started: number
  readonly stopped: number
  readonly taken: number
}

/** How many events a flooded store has. */
export const eventCount = 200_000

/** What the host answers itself, at `/about` and `/marketing`. */
export const ownPage = "the host's own page"
export const ownPaths = ["/about", "/marketing"]
export const cookies = ["theme=dark; Path=/", "seen=1; Path=/"]

/** The parts of a mount: `["/a", "/b", "/market"]`. */
export const segmentsOf = (mount: string): ReadonlyArray<string> => mount.match(/\/[^/]+/gu) ?? []

export const portOf = (server: Server): number => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

/** Listens on a free port of this machine. */
export const listening = async (server: Server): Promise<Running> => {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    port: portOf(server),
    close: () => new Promise((resolve) => server.close(() => resolve()))
  }
}
