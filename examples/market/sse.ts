/**
 * Reads server-sent events from the body of a response, as the HTML standard has them.
 *
 * Written out since it is short, and shows what an agent in any language has to do. In a program of your own, take a
 * library such as eventsource-parser.
 */

/** One message of a stream, with what to send as `Last-Event-ID` and how long to wait before coming back after it. */
export interface Message {
  readonly event: string
  readonly data: string
  readonly lastEventId: string | undefined
  readonly retryMillis: number | undefined
}

/** Gives the messages of a stream as they come. What is cut off in the middle is dropped. */
export async function* readMessages(body: ReadableStream<Uint8Array>): AsyncGenerator<Message> {
  let event = ""
  let data: Array<string> = []
  let lastEventId: string | undefined
  let retryMillis: number | undefined
  for await (const line of readLines(body)) {
    if (line === "") {
      if (data.length > 0) {
        yield { event: event === "" ? "message" : event, data: data.join("\n"), lastEventId, retryMillis }
      }
      event = ""
      data = []
      continue
    }
    const [, name = "", value = ""] = /^([^:]*):? ?(.*)$/su.exec(line) ?? []
    if (name === "event") event = value
    else if (name === "data") data.push(value)
    else if (name === "id" && !value.includes("\0")) lastEventId = value
    else if (name === "retry" && /^\d+$/u.test(value)) retryMillis = Number(value)
  }
}

/** Gives the lines of a text, ended by LF, CR or both, however the bytes are cut into chunks. */
async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = ""
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    // A CR at the end of a chunk may be the first half of a line's end.
    const [, whole = "", end = ""] = /^(.*?)(\r?)$/su.exec(rest + text) ?? []
    const lines = whole.split(/\r\n|\n|\r/u)
    rest = (lines.pop() ?? "") + end
    yield* lines
  }
}
