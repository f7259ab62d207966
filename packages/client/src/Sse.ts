/** The text of a stream of server-sent events, taken apart. WHATWG HTML §9.2. */

/** One message of a stream. */
export interface Message {
  readonly id: string | undefined
  readonly event: string
  readonly data: string
}

/** Takes text as it comes, in pieces cut anywhere, and gives the messages that are complete. */
export class SseParser {
  /** How long the server asks to wait before coming back, in milliseconds. */
  retryMillis: number | undefined
  #rest = ""
  #id: string | undefined
  #event = ""
  #data: Array<string> = []

  push(text: string): ReadonlyArray<Message> {
    const messages: Array<Message> = []
    // A carriage return at the end may be half of a line break: it waits for what follows.
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/u)
    this.#rest = lines.pop() ?? ""
    for (const line of lines) {
      const message = this.#read(line)
      if (message !== undefined) messages.push(message)
    }
    return messages
  }

  #read(line: string): Message | undefined {
    if (line === "") return this.#dispatch()
    const colon = line.indexOf(":")
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /u, "")
    if (name === "id" && !value.includes("\0")) this.#id = value
    else if (name === "event") this.#event = value
    else if (name === "data") this.#data.push(value)
    else if (name === "retry" && /^\d+$/u.test(value)) this.retryMillis = Number(value)
    return undefined
  }

  #dispatch(): Message | undefined {
    const message = {
      id: this.#id,
      event: this.#event === "" ? "message" : this.#event,
      data: this.#data.join("\n")
    }
    const empty = this.#data.length === 0
    this.#event = ""
    this.#data = []
    return empty ? undefined : message
  }
}
