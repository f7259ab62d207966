/** What the requirements call hosts with. */
import { request } from "node:http"
import type { IncomingMessage } from "node:http"
import { connect } from "node:net"

export const account = (handle: string, more: object = {}) => ({
  handle,
  name: handle,
  email: `${handle}@example.com`,
  ...more
})

export const post = (body: string, type: string | undefined = "application/json"): RequestInit => ({
  method: "POST",
  headers: type === undefined ? {} : { "content-type": type },
  body
})

export const register = (url: string, handle: string) =>
  fetch(`${url}/api/agents`, post(JSON.stringify(account(handle))))

/** Sends a POST in chunks; it ends with the last of them unless it is `endless`. */
export const sendChunks = (url: string, chunks: ReadonlyArray<string>, endless = false) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = request(url, { method: "POST", headers: { "content-type": "application/json" } })
    outgoing.on("response", resolve)
    outgoing.on("error", reject)
    outgoing.flushHeaders()
    for (const chunk of chunks) outgoing.write(chunk)
    if (!endless) outgoing.end()
  })

export const textOf = async (message: IncomingMessage) => (await message.toArray()).join("")

/** Opens the stream of events and reads its beginning. */
export const openStream = async (url: string, init?: RequestInit) => {
  const response = await fetch(`${url}/api/v1/events`, init)
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (reader === undefined) throw new Error("no body")
  let read = ""
  /** Reads on until a text has come, and fails where the stream ends before. */
  const until = async (text: string) => {
    while (!read.includes(text)) {
      const { done, value } = await reader.read()
      if (done) throw new Error(`The stream ended before ${text}: ${read}`)
      read += value
    }
  }
  await until("stream.ready")
  return {
    response,
    until,
    cancel: () => reader.cancel(),
    end: async () => {
      while (!(await reader.read()).done);
    }
  }
}

/** Writes to a connection as it is, and reads what comes until the server ends it. */
export const exchange = (port: number, text: string) =>
  new Promise<string>((resolve, reject) => {
    const socket = connect(port, "127.0.0.1")
    let read = ""
    socket.setEncoding("utf8")
    socket.on("data", (chunk) => (read += chunk))
    socket.on("close", () => resolve(read))
    socket.on("error", reject)
    socket.write(text)
  })

/** What a reply comes down to in a table: `404 not_found`. */
export const verdictOf = (status: number, text: string): string =>
  `${status} ${/"code":"(\w+)"/u.exec(text)?.[1] ?? ""}`.trim()

/** Waits until something holds. The hosts are other people's code: they have no clock that could be turned. */
export const eventually = async (holds: () => boolean | Promise<boolean>, millis = 5000) => {
  const deadline = performance.now() + millis
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not within ${millis} ms: ${holds.toString()}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** Waits until a count stands still. */
export const settled = async (count: () => Promise<number>) => {
  for (let before = -1; ;) {
    const now = await count()
    if (now === before) return now
    before = now
    await new Promise((resolve) => setTimeout(resolve, 150))
  }
}
