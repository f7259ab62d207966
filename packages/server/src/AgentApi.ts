/**
 * The calls of one agent, from inside the host's process: every operation of the contract, as promises.
 *
 * Each is a request to the market's own handler that never leaves the process, so that nothing can be done here which
 * the contract does not have, and everything that it has is here: the same names, the same checks, the same JSON.
 */
import { failures, operationTable } from "@souk/api"
import type {
  CallOptions,
  EventPage,
  EventPageQuery,
  EventQuery,
  Operation,
  OperationsOf,
  OperationTable,
  WireEvent
} from "@souk/api"
import { checkOptions, makePages, pathOf, rulesOf, searchOf, signalRule } from "@souk/api/calling"
import { Effect, Schema } from "effect"

export interface AgentReadOptions {
  /** Ends the call; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

export interface AgentWriteOptions extends AgentReadOptions {
  /** Makes the write happen once in 24 hours, however often it is called with the same input. */
  readonly idempotencyKey?: string | undefined
  /** Checks the write and answers what it would give, without effect. */
  readonly validateOnly?: boolean | undefined
}

export interface AgentChangeOptions extends AgentWriteOptions {
  /** The `version` that was read: the write is refused with `VersionConflict` when there is a later one. */
  readonly ifMatch?: number | undefined
}

export interface AgentDeleteOptions extends AgentReadOptions {
  /** The `version` that was read: the write is refused with `VersionConflict` when there is a later one. */
  readonly ifMatch?: number | undefined
}

interface AgentCallOptions extends CallOptions {
  readonly read: AgentReadOptions
  readonly write: AgentWriteOptions
  readonly change: AgentChangeOptions
  readonly delete: AgentDeleteOptions
}

/** What an agent may hear. */
export interface AgentEvents {
  /** Follows the events until the signal or the market ends them. A cursor that is too old rejects. */
  (query?: EventQuery, options?: AgentReadOptions): AsyncIterable<WireEvent>
  /** Reads a page of events. */
  readonly page: (query?: EventPageQuery, options?: AgentReadOptions) => Promise<EventPage>
}

/**
 * One property for each group of the contract, as `@souk/client` has them, and `events`.
 *
 * What is refused rejects with the tagged class of its error: `InvalidRequest`, `NotFound`, `InvalidState` …, each with
 * its `code`, `message` and `recovery`. An agent that does not exist is `NotFound`. No rate limit counts these calls.
 */
export interface AgentApi extends OperationsOf<AgentCallOptions> {
  readonly events: AgentEvents
}

/** What the calls go to. */
export interface Behind {
  /** Answers a request of the agent's. */
  readonly answer: (request: Request) => Promise<Response>
  /** Follows what the agent may hear. */
  readonly follow: (query: EventQuery, signal: AbortSignal | undefined) => AsyncIterable<WireEvent>
}

/** Makes the calls. */
export const make = (behind: Behind): AgentApi => new Calls(behind)

// -----------------------------------------------------------------------------

/* oxlint-disable typescript/no-unsafe-declaration-merging, typescript/no-extraneous-class */

/** Its groups come from the table of the contract, their types from the contract itself; a test compares the two. */
interface Calls extends AgentApi {}

class Calls {
  constructor(behind: Behind) {
    for (const [group, operations] of Object.entries((table ??= operationTable()))) {
      if (group === "events") continue
      const { [group]: itself, ...others } = operations
      const namespace = itself === undefined ? {} : makeCall(behind, itself)
      for (const [name, operation] of Object.entries(others))
        Object.defineProperty(namespace, name, { value: makeCall(behind, operation), enumerable: true })
      Object.defineProperty(this, group, { value: namespace, enumerable: true })
    }
    Object.defineProperty(this, "events", { value: makeEvents(behind), enumerable: true })
  }
}

/** Read off the contract when it is first needed. */
let table: OperationTable | undefined

const subscription: Operation = { method: "GET", path: "/api/v1/events", input: "query" }

const makeEvents = (behind: Behind) =>
  Object.assign(
    (query: EventQuery = {}, options: AgentReadOptions = {}) => {
      checkOptions(options, signalRule)
      return behind.follow(query, options.signal)
    },
    { page: makeCall(behind, subscription) }
  )

const makeCall = (behind: Behind, operation: Operation) => {
  const { input, items, path } = operation
  const count = path.split(":").length - 1
  return (...args: ReadonlyArray<unknown>) => {
    const ids = args.slice(0, count)
    const given = input === undefined ? undefined : Object(args[count])
    const options = Object(args[input === undefined ? count : count + 1])
    const query = input === "query" ? given : {}
    const body = input === "body" ? given : undefined
    const call = (query: object) => ask(behind, operation, { ids, query, body }, options)
    return items === undefined
      ? call(query)
      : makePages((cursor) => call(cursor === undefined ? query : { ...query, cursor }), items)
  }
}

const ask = async (
  behind: Behind,
  { method, path }: Operation,
  {
    body,
    ids,
    query
  }: { readonly ids: ReadonlyArray<unknown>; readonly query: object; readonly body: unknown },
  options: AgentChangeOptions
): Promise<unknown> => {
  checkOptions(options, rulesOf(method))
  const { idempotencyKey, ifMatch, signal, validateOnly } = options
  signal?.throwIfAborted()
  const search = searchOf({ ...query, validateOnly: validateOnly === true || undefined })
  const response = await behind.answer(
    new Request(`http://localhost${pathOf(path, ids)}${search}`, {
      method,
      headers: {
        accept: "application/json",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
        ...(ifMatch === undefined ? {} : { "if-match": `"${ifMatch}"` })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal })
    })
  )
  signal?.throwIfAborted()
  const reply: unknown = await response.json()
  if (response.ok) return Reflect.get(Object(reply), "data")
  throw await Effect.runPromise(decodeRefusal(reply))
}

const decodeRefusal = Schema.decodeUnknownEffect(Schema.Union(Object.values(failures)))
