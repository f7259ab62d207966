/**
 * Follows the market's event stream for one agent, and remembers what it heard.
 *
 * A connection that breaks is taken up again behind the last event by `Last-Event-ID`, so nothing is lost and nothing
 * is heard twice; both are checked.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { Schema } from "effect"
import type { Client } from "./Client.ts"
import type { Message } from "./sse.ts"
import { readMessages } from "./sse.ts"
import { MarketEvent } from "./wire.ts"

const decodeEvent = Schema.decodeUnknownSync(Schema.fromJsonString(MarketEvent))

export class EventTail {
  readonly #client: Client
  readonly #onEvent: (event: MarketEvent) => void
  readonly #heard = new Map<string, MarketEvent>()
  #lastEventId: string | undefined
  #connection = new AbortController()
  #retryMillis = 3000
  #connections = 0
  #failure: unknown

  constructor(client: Client, onEvent: (event: MarketEvent) => void) {
    this.#client = client
    this.#onEvent = onEvent
  }

  /** Every event that was heard, in the order of the market. */
  get heard(): ReadonlyArray<MarketEvent> {
    return [...this.#heard.values()]
  }

  /** How often the stream was taken up again. */
  get resumptions(): number {
    return this.#connections - 1
  }

  /** Connects, or takes up a stream that was left. Resolves when the market has said that the stream is ready. */
  connect(): Promise<void> {
    const connection = new AbortController()
    this.#connection = connection
    return new Promise((resolve, reject) => {
      this.#follow(connection.signal, resolve).catch((error: unknown) => {
        if (connection.signal.aborted) return
        this.#failure = error
        reject(error)
      })
    })
  }

  /** Leaves the stream, as a lost connection would. */
  disconnect(): void {
    this.#connection.abort()
  }

  /** Waits until everything that is expected has been heard; throws what went wrong, or what is missing. */
  async waitFor(missing: () => ReadonlyArray<string>, timeoutMillis: number): Promise<void> {
    const end = Date.now() + timeoutMillis
    while (this.#failure === undefined && missing().length > 0 && Date.now() < end) await sleep(20)
    if (this.#failure !== undefined) throw this.#failure
    if (missing().length > 0) throw new Error(`Events that were not heard:\n  ${missing().join("\n  ")}`)
  }

  /** Reads the stream, and comes back when it ends, until it is left. */
  async #follow(signal: AbortSignal, onReady: () => void): Promise<void> {
    for (;;) {
      const resume = this.#lastEventId === undefined ? {} : { "last-event-id": this.#lastEventId }
      const response = await this.#client.stream("/api/v1/events", resume, signal)
      this.#connections++
      try {
        if (response.body !== null) {
          for await (const message of readMessages(response.body)) this.#take(message, onReady)
        }
      } catch (error) {
        signal.throwIfAborted()
        if (!isBrokenConnection(error)) throw error
      }
      signal.throwIfAborted()
      await sleep(this.#retryMillis, undefined, { signal })
    }
  }

  #take(message: Message, onReady: () => void): void {
    this.#retryMillis = message.retryMillis ?? this.#retryMillis
    this.#lastEventId = message.lastEventId ?? this.#lastEventId
    if (message.event === "stream.ready") return onReady()
    if (message.event === "stream.reset") throw new Error("The stream was reset: events have been lost.")
    const event = decodeEvent(message.data)
    if (this.#heard.has(event.id)) throw new Error(`Heard twice: ${event.type} ${event.id}`)
    if (message.event !== event.type) throw new Error(`A message named ${message.event} holds ${event.type}.`)
    this.#heard.set(event.id, event)
    this.#onEvent(event)
  }
}

/** `fetch` tells of a connection that broke while the body was read by a TypeError. */
const isBrokenConnection = (error: unknown): boolean => error instanceof TypeError
