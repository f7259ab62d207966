/**
 * One call to the market: the attempts, the waiting between them, and what comes of the reply.
 *
 * A call is tried again when no reply came, or when the market says that the same request can succeed later. A write
 * keeps its Idempotency-Key, so it is done once.
 */
import type { Operation } from "@souk/api"
import { newIdempotencyKey } from "./IdempotencyKey.ts"
import type { ChangeOptions, SoukOptions } from "./Options.ts"
import { readReply } from "./Reply.ts"
import { ConnectionFailedError, NoReplyError, SoukError } from "./SoukError.ts"
import { eitherOf, sleep, waitBefore } from "./Waiting.ts"

/** A query as callers write it. */
export type QueryInput = { readonly [name: string]: unknown }

/** A request as it is sent, however often. */
interface Sending {
  readonly method: string
  readonly url: string
  readonly headers: Record<string, string>
  readonly body?: string
}

/** Where and how a client sends. */
export interface Connection {
  readonly open: (sending: Sending, signal: AbortSignal | undefined) => Promise<Response>
  readonly urlOf: (path: string, query: QueryInput) => string
  readonly maxAttempts: number
  readonly timeoutMillis: number
  /** Ends all that is done over this connection. */
  readonly signal: AbortSignal | undefined
}

/** Checks the options and connects nothing yet. Throws a `TypeError` that names the option which makes no sense. */
export const makeConnection = (options: SoukOptions): Connection => {
  const base = URL.canParse(options.baseUrl) ? new URL(options.baseUrl) : undefined
  if (base === undefined || !/^https?:$/u.test(base.protocol) || base.search !== "" || base.hash !== "")
    throw new TypeError("baseUrl must be a URL that begins with http: or https:, without a query.")
  const { apiKey, maxAttempts = 3, timeoutMillis = 40_000, signal, fetch = globalThis.fetch } = options
  // What no header can hold makes `fetch` fail with a message that tells it.
  if (apiKey !== undefined && !isVisible(apiKey))
    throw new TypeError("apiKey must be the key as the market gave it.")
  if (!(maxAttempts >= 1)) throw new TypeError("maxAttempts must be 1 or more.")
  if (!(timeoutMillis > 0)) throw new TypeError("timeoutMillis must be a number of milliseconds above zero.")
  const prefix = base.href.replace(/\/+$/u, "")
  return {
    maxAttempts,
    timeoutMillis,
    signal,
    urlOf: (path, query) => `${prefix}${path}${toSearch(query)}`,
    open: ({ method, url, headers, body }, signal) =>
      fetch(url, {
        method,
        headers: apiKey === undefined ? headers : { ...headers, "x-agent-key": apiKey },
        // The market redirects nowhere, and a key must not follow to where somebody else sends it.
        redirect: "manual",
        ...(body === undefined ? {} : { body }),
        ...(signal === undefined ? {} : { signal })
      })
  }
}

/** Calls an operation and resolves to the `data` of its reply. */
export const call = async (
  connection: Connection,
  { method, path }: Pick<Operation, "method" | "path">,
  input: { readonly ids?: ReadonlyArray<unknown>; readonly query?: QueryInput; readonly body?: unknown },
  options: ChangeOptions = {}
): Promise<unknown> => {
  const { ids = [], query = {}, body } = input
  const { idempotencyKey = newIdempotencyKey(), ifMatch, validateOnly } = options
  const signal = eitherOf(options.signal, connection.signal)
  if (!isVisible(idempotencyKey)) throw new TypeError("idempotencyKey must be of visible ASCII characters.")
  const writes = method === "POST" || method === "PATCH"
  const sending: Sending = {
    method,
    url: connection.urlOf(fill(path, ids), { ...query, validateOnly: validateOnly === true || undefined }),
    headers: {
      accept: "application/json",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(writes ? { "idempotency-key": idempotencyKey } : {}),
      ...(ifMatch === undefined ? {} : { "if-match": `"${ifMatch}"` })
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  }
  const { maxAttempts = connection.maxAttempts, timeoutMillis = connection.timeoutMillis } = options
  for (let attempt = 1; ; attempt++) {
    const outcome = await tryOnce(connection, sending, timeoutMillis, signal)
    if (!(outcome instanceof SoukError)) return outcome.data
    const wait = attempt < maxAttempts ? waitBefore(attempt, outcome) : undefined
    if (wait === undefined) throw outcome
    await sleep(wait, signal)
  }
}

// -----------------------------------------------------------------------------

const isVisible = (text: string): boolean => /^[!-~]+$/u.test(text)

const fill = (path: string, ids: ReadonlyArray<unknown>): string => {
  let next = 0
  return path.replaceAll(/:\w+/gu, (name) => {
    const id = ids[next++]
    // An empty id, or `..`, would make another path of it.
    if (typeof id !== "string" || /^\.{0,2}$/u.test(id))
      throw new TypeError(`${name.slice(1)} must be a text that is not empty.`)
    return encodeURIComponent(id)
  })
}

const toSearch = (query: QueryInput): string => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    parameters.set(name, Array.isArray(value) ? value.join(",") : String(value))
  }
  return parameters.size === 0 ? "" : `?${parameters}`
}

const tryOnce = async (
  connection: Connection,
  sending: Sending,
  timeoutMillis: number,
  signal: AbortSignal | undefined
): Promise<{ readonly data: unknown } | SoukError> => {
  // A longer timer would end at once.
  const timeout = AbortSignal.timeout(Math.min(timeoutMillis, 2 ** 31 - 1))
  const either = eitherOf(signal, timeout)
  try {
    signal?.throwIfAborted()
    return await readReply(await connection.open(sending, either))
  } catch (cause) {
    signal?.throwIfAborted()
    return timeout.aborted ? new NoReplyError(timeoutMillis) : new ConnectionFailedError(cause)
  }
}
