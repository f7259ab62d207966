/**
 * The events of the market as an async iterable that outlives its connections. Contract §6.
 *
 * It keeps the cursor of the last event that was handed over and comes back with it, so that no event is lost and none
 * comes twice. A connection that is silent for too long is given up: the market says at least every 15 seconds that
 * it lives.
 */
import { checkOptions, signalRule } from "@souk/api/calling"
import type { OptionRules } from "@souk/api/calling"
import type { Connection } from "./Connection.ts"
import type { EventQuery, SoukEvent } from "./Contract.ts"
import { fieldOf, readError } from "./Reply.ts"
import { ConnectionFailedError, SoukError, StreamResetError, UnexpectedReplyError } from "./SoukError.ts"
import { SseParser } from "./Sse.ts"
import type { Message } from "./Sse.ts"
import { backOff, eitherOf, sleep } from "./Waiting.ts"

export interface EventStreamOptions {
  /** Ends the stream: the iteration is over as if there were no more events. */
  readonly signal?: AbortSignal | undefined
  /**
   * Called when events were missed, since the cursor was too old: read the state anew. The stream waits for it and
   * goes on from there. Without it the iteration fails with a `StreamResetError`.
   */
  readonly onReset?: ((cursor: string) => void | Promise<void>) | undefined
  /** After how much silence a connection counts as dead; 45,000 by default. */
  readonly silenceMillis?: number | undefined
}

/** Events in their order. Each iteration begins at `cursor`; run one at a time. */
export interface EventStream extends AsyncIterable<SoukEvent> {
  /**
   * Where the stream is: behind the last event that was handed over. Kept, it is the `after` of a later stream.
   * Undefined until the market has said where the stream begins.
   */
  readonly cursor: string | undefined
}

/** Makes a stream. Nothing is sent before it is iterated. */
export const makeEventStream = (
  connection: Connection,
  query: EventQuery,
  options: EventStreamOptions
): EventStream => {
  checkOptions(options, rules)
  return new Following(connection, query, options)
}

// -----------------------------------------------------------------------------

const rules: OptionRules = {
  ...signalRule,
  onReset: ["be a function", (value) => typeof value === "function"],
  silenceMillis: ["be a number of milliseconds above zero", (value) => typeof value === "number" && value > 0]
}

/** Until the market has said how long to wait. */
const firstRetryMillis = 500
const maxRetryMillis = 30_000
const defaultSilenceMillis = 45_000

class Following implements EventStream {
  cursor: string | undefined
  readonly #connection: Connection
  readonly #query: EventQuery
  readonly #options: EventStreamOptions

  constructor(connection: Connection, query: EventQuery, options: EventStreamOptions) {
    this.#connection = connection
    this.#query = query
    this.#options = options
    this.cursor = query.after === "earliest" ? undefined : query.after
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SoukEvent, void, undefined> {
    const { silenceMillis = defaultSilenceMillis } = this.#options
    const signal = eitherOf(this.#options.signal, this.#connection.signal)
    let retryMillis = firstRetryMillis
    let wasOpen = false
    let failures = 0
    const ended = () => signal?.aborted === true
    while (!ended()) {
      const ending = new AbortController()
      const either = eitherOf(signal, ending.signal) ?? ending.signal
      let waitSeconds = 0
      try {
        const reader = await this.#open(ending, either)
        if (reader instanceof SoukError) {
          if (ended()) return
          const isLast = !wasOpen && failures + 1 >= this.#connection.maxAttempts
          if (isLast || reader.recovery !== "transient") throw reader
          waitSeconds = reader.retryAfterSeconds ?? 0
        } else {
          wasOpen = true
          failures = 0
          const parser = new SseParser()
          for (;;) {
            const text = await take(reader, silenceMillis)
            if (text === undefined) break
            for (const message of parser.push(text)) {
              const event = await this.#accept(message)
              if (event !== undefined) yield event
            }
            retryMillis = parser.retryMillis ?? retryMillis
          }
        }
      } finally {
        ending.abort()
      }
      failures++
      const wait = Math.max(waitSeconds * 1000, backOff(failures, retryMillis, maxRetryMillis))
      await sleep(wait, signal).catch(() => {})
    }
  }

  /** Opens a connection behind the cursor; the error says why it cannot be. */
  async #open(ending: AbortController, either: AbortSignal): Promise<Reader | SoukError> {
    const { open, urlOf, timeoutMillis } = this.#connection
    const headers = { accept: "text/event-stream" }
    const timer = setTimeout(() => ending.abort(), timeoutMillis)
    try {
      const response = await open(
        {
          method: "GET",
          url: urlOf("/api/v1/events", { ...this.#query }),
          headers: this.cursor === undefined ? headers : { ...headers, "last-event-id": this.cursor }
        },
        either
      )
      if (!response.ok) return await readError(response)
      const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true
      if (!isStream || response.body === null) return new UnexpectedReplyError(response.status, undefined)
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
      // A `fetch` of one's own may end its body without regard to the signal.
      either.addEventListener("abort", () => void reader.cancel().catch(() => {}))
      return reader
    } catch (cause) {
      return new ConnectionFailedError(cause)
    } finally {
      clearTimeout(timer)
    }
  }

  /** Notes where the stream is, and gives the event of the message if it is one. */
  async #accept({ id, event, data }: Message): Promise<SoukEvent | undefined> {
    const content = JSON.parse(data)
    if (event === "stream.ready") {
      // With a cursor of its own the stream stays there: if this connection ends before a `stream.reset` has come
      // through, the next one must be told of it again.
      this.cursor ??= id
      return undefined
    }
    this.cursor = id
    if (event !== "stream.reset") return content
    const cursor = String(fieldOf(content, "cursor"))
    if (this.#options.onReset === undefined) throw new StreamResetError(cursor)
    await this.#options.onReset(cursor)
    return undefined
  }
}

type Reader = ReadableStreamDefaultReader<string>

/** The next text of a connection; undefined when it has ended, however that came, or is silent for too long. */
const take = async (reader: Reader, silenceMillis: number): Promise<string | undefined> => {
  const timer = setTimeout(() => void reader.cancel().catch(() => {}), silenceMillis)
  try {
    return (await reader.read()).value
  } catch {
    return undefined
  } finally {
    clearTimeout(timer)
  }
}
