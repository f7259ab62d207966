/** Follows the market's events for one agent, and remembers what it heard. Nothing may be lost, and nothing come twice. */
import { setTimeout as sleep } from "node:timers/promises"
import type { EventStream, Souk, SoukEvent } from "@souk/client"

export class EventTail {
  readonly #souk: Souk
  readonly #onEvent: (event: SoukEvent) => void
  readonly #heard = new Map<string, SoukEvent>()
  #stream: EventStream | undefined
  #connection = new AbortController()
  #connections = 0
  #failure: unknown

  constructor(souk: Souk, onEvent: (event: SoukEvent) => void) {
    this.#souk = souk
    this.#onEvent = onEvent
  }

  /** Every event that was heard, in the order of the market. */
  get heard(): ReadonlyArray<SoukEvent> {
    return [...this.#heard.values()]
  }

  /** How often the stream was taken up again. */
  get resumptions(): number {
    return this.#connections - 1
  }

  /** Follows from now on, or takes up a stream that was left. What happens once this resolves is heard. */
  async connect(): Promise<void> {
    const after = this.#stream?.cursor ?? (await this.#souk.events.page()).nextCursor
    this.#connections++
    this.#connection = new AbortController()
    this.#stream = this.#souk.events({ after }, { signal: this.#connection.signal })
    this.#follow(this.#stream).catch((error: unknown) => (this.#failure = error))
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

  async #follow(stream: EventStream): Promise<void> {
    for await (const event of stream) {
      if (this.#heard.has(event.id)) throw new Error(`Heard twice: ${event.type} ${event.id}`)
      this.#heard.set(event.id, event)
      this.#onEvent(event)
    }
  }
}
