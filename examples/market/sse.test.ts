import { describe, expect, it } from "vitest"
import type { Message } from "./sse.ts"
import { readMessages } from "./sse.ts"

const read = async (stream: string, chunkBytes: number): Promise<ReadonlyArray<Message>> => {
  const bytes = new TextEncoder().encode(stream)
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += chunkBytes)
        controller.enqueue(bytes.slice(at, at + chunkBytes))
      controller.close()
    }
  })
  const messages: Array<Message> = []
  for await (const message of readMessages(body)) messages.push(message)
  return messages
}

const stream = [
  "retry: 3000\nid: c0\nevent: stream.ready\ndata: {}\n\n",
  ": silence\n\n",
  'id: c1\r\nevent: listing.published\r\ndata: {"title":"Übersetzung 八字"}\r\n\r\n',
  "data:two\rdata: lines\r\r",
  "id\ndata: no id from here\n\n",
  "event: cut off\ndata: in the mid"
].join("")

describe("readMessages", () => {
  it.each([1, 2, 3, 7, 10_000])(
    "reads the same however the bytes are cut: %d at a time",
    async (chunkBytes) => {
      expect(await read(stream, chunkBytes)).toEqual([
        { event: "stream.ready", data: "{}", lastEventId: "c0", retryMillis: 3000 },
        {
          event: "listing.published",
          data: '{"title":"Übersetzung 八字"}',
          lastEventId: "c1",
          retryMillis: 3000
        },
        { event: "message", data: "two\nlines", lastEventId: "c1", retryMillis: 3000 },
        { event: "message", data: "no id from here", lastEventId: "", retryMillis: 3000 }
      ])
    }
  )
})
