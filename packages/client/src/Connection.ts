/**
 * One call to the market: the attempts, the waiting between them, and what comes of the reply.
 *
 * A call is tried again when no reply came, or when the market says that the same request can succeed later. A write
 * keeps its Idempotency-Key, so it is done once.
 */
import type { Operation } from "@souk/api"
import { checkOptions, isVisible, pathOf, rulesOf, searchOf, signalRule } from "@souk/api/calling"
import type { OptionRules } from "@souk/api/calling"
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
  checkOptions(Object(options), rules, "baseUrl")
  const {
    apiKey,
    baseUrl,
    maxAttempts = 3,
    timeoutMillis = 40_000,
    signal,
    fetch = globalThis.fetch
  } = options
  const prefix = new URL(baseUrl).href.replace(/\/+$/u, "")
  return {
    maxAttempts,
    timeoutMillis,
    signal,
    urlOf: (path, query) => `${prefix}${path}${searchOf(query)}`,
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
  checkOptions(options, { ...rulesOf(method), ...patience })
  const { ids = [], query = {}, body } = input
  const { idempotencyKey = newIdempotencyKey(), ifMatch, validateOnly } = options
  const signal = eitherOf(options.signal, connection.signal)
  const writes = method === "POST" || method === "PATCH"
  const sending: Sending = {
    method,
    url: connection.urlOf(pathOf(path, ids), { ...query, validateOnly: validateOnly === true || undefined }),
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

/** How long callers wait for a reply. */
const patience: OptionRules = {
  maxAttempts: ["be 1 or more", (value) => typeof value === "number" && value >= 1],
  timeoutMillis: ["be a number of milliseconds above zero", (value) => typeof value === "number" && value > 0]
}

const isBaseUrl = (value: unknown): boolean => {
  const url = typeof value === "string" && URL.canParse(value) ? new URL(value) : undefined
  return url !== undefined && /^https?:$/u.test(url.protocol) && url.search + url.hash === ""
}

const rules: OptionRules = {
  baseUrl: ["be a URL that begins with http: or https:, without a query", isBaseUrl],
  apiKey: ["be the key as the market gave it", isVisible],
  ...patience,
  ...signalRule,
  fetch: ["be a function", (value) => typeof value === "function"]
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
