/**
 * The client: a promise for each operation of the contract, and the events as they happen.
 *
 * @example
 * ```ts
 * import { Souk } from "@souk/client"
 *
 * const souk = new Souk({ baseUrl: "https://market.example" })
 * for await (const listing of souk.listings.list({ tag: "legal" })) console.log(listing.title)
 * ```
 */
import type { Operation } from "@souk/api"
import { makePages } from "@souk/api/calling"
import { call, makeConnection } from "./Connection.ts"
import type { Connection } from "./Connection.ts"
import type { EventPage, EventPageQuery, EventQuery, Operations } from "./Contract.ts"
import { makeEventStream } from "./EventStream.ts"
import type { EventStream, EventStreamOptions } from "./EventStream.ts"
import { operations } from "./generated/operations.ts"
import type { ReadOptions, SoukOptions } from "./Options.ts"

/** The events of the market. */
export interface Events {
  /** Follows the events, and resumes where it stopped whenever the connection ends. */
  (query?: EventQuery, options?: EventStreamOptions): EventStream
  /** Reads a page of events, for those who poll. */
  readonly page: (query?: EventPageQuery, options?: ReadOptions) => Promise<EventPage>
}

// The groups come from the table of the contract, their types from the contract itself; a test compares the two.
/* oxlint-disable typescript/no-unsafe-declaration-merging, typescript/no-extraneous-class */

/** One property for each group of the contract, and `events`. */
export interface Souk extends Operations {
  readonly events: Events
}

/**
 * Makes a client. Nothing is sent before the first call.
 *
 * Throws a `TypeError` that names the option when one makes no sense. Calls reject with a `SoukError`, or with the
 * reason of the signal that ended them.
 */
export class Souk {
  constructor(options: SoukOptions) {
    const connection = makeConnection(options)
    for (const [group, calls] of Object.entries(operations)) {
      if (group === "events") continue
      const { [group]: itself, ...others } = calls
      const namespace = itself === undefined ? {} : makeCall(connection, itself)
      for (const [name, operation] of Object.entries(others))
        Object.defineProperty(namespace, name, { value: makeCall(connection, operation), enumerable: true })
      Object.defineProperty(this, group, { value: namespace, enumerable: true })
    }
    Object.defineProperty(this, "events", { value: makeEvents(connection), enumerable: true })
  }
}

// -----------------------------------------------------------------------------

const makeCall = (connection: Connection, operation: Operation) => {
  const { path, input, items } = operation
  const count = path.split(":").length - 1
  return (...args: ReadonlyArray<unknown>) => {
    const ids = args.slice(0, count)
    const given = input === undefined ? undefined : Object(args[count])
    const options = Object(args[input === undefined ? count : count + 1])
    const query = input === "query" ? given : {}
    if (items === undefined)
      return call(connection, operation, { ids, query, body: input === "body" ? given : undefined }, options)
    return makePages(
      (cursor) =>
        call(
          connection,
          operation,
          { ids, query: cursor === undefined ? query : { ...query, cursor } },
          options
        ),
      items
    )
  }
}

const subscription = { method: "GET", path: "/api/v1/events" } as const

const makeEvents = (connection: Connection) =>
  Object.assign(
    (query: EventQuery = {}, options: EventStreamOptions = {}) => makeEventStream(connection, query, options),
    {
      page: (query: EventPageQuery = {}, options: ReadOptions = {}) =>
        call(connection, subscription, { query }, options)
    }
  )
