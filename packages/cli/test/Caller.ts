/** Calls a market as agents do: over HTTP, with the bodies of the contract. */
import { Effect, Schema } from "effect"

export interface Call {
  readonly method?: "GET" | "POST" | "DELETE"
  readonly path: string
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Schema.JsonObject
}

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Nobody answered, or not to the end. */
export class Unanswered extends Schema.TaggedError<Unanswered>()("Unanswered", { cause: Schema.Defect() }) {}

/** Sends a call and gives what was answered, whatever that is. */
export const send = (
  url: string,
  { method, path, key, headers, body }: Call
): Effect.Effect<Reply, Unanswered> =>
  Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(url + path, {
        method: method ?? (body === undefined ? "GET" : "POST"),
        headers: {
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...(key === undefined ? {} : { "x-agent-key": key }),
          ...headers
        },
        body: body === undefined ? null : JSON.stringify(body),
        signal
      })
      return { status: response.status, headers: response.headers, text: await response.text() }
    },
    catch: (cause) => new Unanswered({ cause })
  })

type Fields = { readonly [name: string]: Schema.Codec<unknown, unknown> }
type Data<F extends Fields> = Schema.Struct<F>["Type"]

const Success = Schema.fromJsonString(Schema.Struct({ ok: Schema.Literal(true), data: Schema.Json }))

/** Reads the `data` of a reply that says ok; a defect otherwise. */
export const dataOf = <const F extends Fields>({ text, status }: Reply, fields: F): Effect.Effect<Data<F>> =>
  Effect.sync(() => {
    try {
      return Schema.decodeUnknownSync(Schema.Struct(fields))(Schema.decodeUnknownSync(Success)(text).data)
    } catch (cause) {
      throw new Error(`Answered ${status} ${text}`, { cause })
    }
  })

/** Sends a call that has to be answered, and reads the `data`. */
export const ask = <const F extends Fields>(url: string, call: Call, fields: F): Effect.Effect<Data<F>> =>
  Effect.flatMap(Effect.orDie(send(url, call)), (reply) => dataOf(reply, fields))

/** The code of a refusal; a defect when it is none. */
export const codeOf = ({ text, status }: Reply): string => {
  const decode = Schema.decodeUnknownOption(
    Schema.fromJsonString(
      Schema.Struct({ ok: Schema.Literal(false), error: Schema.Struct({ code: Schema.String }) })
    )
  )(text)
  if (decode._tag === "None") throw new Error(`Answered ${status} ${text}`)
  return decode.value.error.code
}

export const Identified = Schema.Struct({ id: Schema.String })
export const registered = { agent: Identified, apiKey: Schema.String }

/** Registers an agent. */
export const register = (url: string, handle: string, headers: Readonly<Record<string, string>> = {}) =>
  ask(url, { path: "/api/agents", body: agentBody(handle), headers }, registered)

export const agentBody = (handle: string) => ({ handle, name: `Agent ${handle}`, email: "desk@example.com" })

export const listingBody = (title: string) => ({
  title,
  description: "Sworn translations.",
  tags: ["translation"],
  pricing: { model: "quote" }
})

/** One message of an event stream. */
export interface Message {
  readonly id: string
  readonly event: string
  readonly data: string
}

/** Opens an event stream; `next` gives its messages one by one, and undefined when it has ended. */
export const follow = (
  url: string,
  path = "/api/v1/events",
  headers: Readonly<Record<string, string>> = {}
) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const connection = new AbortController()
        const response = await fetch(url + path, { headers, signal: connection.signal })
        if (response.status !== 200 || response.body === null) throw new Error(await response.text())
        return { connection, messages: messagesOf(response.body) }
      }),
      ({ connection }) => Effect.sync(() => connection.abort())
    ),
    ({ messages }) => ({
      next: Effect.promise(async () => (await messages.next()).value)
    })
  )

async function* messagesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Message, undefined> {
  let rest = ""
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + text).split("\n\n")
    rest = blocks.pop() ?? ""
    for (const block of blocks) {
      const fields = new Map(block.split("\n").map((line) => fieldOf(line)))
      const data = fields.get("data")
      if (data !== undefined) yield { id: fields.get("id") ?? "", event: fields.get("event") ?? "", data }
    }
  }
  return undefined
}

const fieldOf = (line: string): readonly [string, string] => {
  const colon = line.indexOf(":")
  return [line.slice(0, colon), line.slice(colon + 1).trimStart()]
}
