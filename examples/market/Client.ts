/**
 * One agent's way to the market: plain HTTP.
 *
 * Every write carries an `Idempotency-Key`, so that it can be sent again when the connection broke or the market was
 * busy, and is done once. A 429 is waited out as `Retry-After` says. Every other refusal is thrown.
 */
import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { Schema } from "effect"
import { Failure, Success } from "./wire.ts"

/** The fields of a reply's `data`. */
type Fields = { readonly [name: string]: Schema.Codec<unknown, unknown> }
type Data<F extends Fields> = Schema.Struct<F>["Type"]
type Query = { readonly [name: string]: string | undefined }

/** The market refused a call, or its reply is not what the contract says. */
export class Refused extends Error {
  override readonly name = "Refused"
  readonly code: string

  constructor(call: string, status: number, code: string, body: string) {
    super(`${call} was answered ${status} ${code}\n${body}`)
    this.code = code
  }
}

/** Nobody answers at the market's address. */
export class Unreachable extends Error {
  override readonly name = "Unreachable"
}

/** Longer waits than this are not worth it: the host has to lift the limit. */
const patienceSeconds = 90
const attempts = 3

export class Client {
  readonly #baseUrl: string
  readonly #say: (line: string) => void
  readonly #key: string | undefined

  constructor(baseUrl: string, say: (line: string) => void, key?: string) {
    this.#baseUrl = baseUrl.replace(/\/+$/u, "")
    this.#say = say
    this.#key = key
  }

  /** The same market, called with an agent's key. */
  as(key: string): Client {
    return new Client(this.#baseUrl, this.#say, key)
  }

  get<const F extends Fields>(path: string, fields: F, query: Query = {}): Promise<Data<F>> {
    return this.#call("GET", withQuery(path, query), fields, {})
  }

  /** Writes; `body` is left out where a move needs none. */
  post<const F extends Fields>(path: string, fields: F, body?: Schema.JsonObject): Promise<Data<F>> {
    return this.#call("POST", path, fields, {
      headers: {
        "idempotency-key": randomUUID(),
        ...(body === undefined ? {} : { "content-type": "application/json" })
      },
      body: body === undefined ? null : JSON.stringify(body)
    })
  }

  /** Opens the event stream; the caller reads the body. */
  async stream(path: string, headers: Record<string, string>, signal: AbortSignal): Promise<Response> {
    const response = await this.#fetch("GET", path, {
      headers: { ...headers, accept: "text/event-stream" },
      signal
    })
    if (!response.ok) throw refusal(`GET ${path}`, response.status, await response.text())
    return response
  }

  async #call<F extends Fields>(
    method: string,
    path: string,
    fields: F,
    init: RequestInit
  ): Promise<Data<F>> {
    const call = `${method} ${path}`
    for (let attempt = 1; ; attempt++) {
      const response = await this.#fetch(method, path, init)
      const body = await response.text()
      if (response.ok) return read(call, response.status, body, fields)
      const waitSeconds = Number(response.headers.get("retry-after") ?? "1")
      const passes = response.status === 429 || response.status === 503
      if (!passes || waitSeconds > patienceSeconds || attempt === attempts)
        throw refusal(call, response.status, body)
      this.#say(`${call} was answered ${response.status}: waiting ${waitSeconds} s`)
      await sleep(waitSeconds * 1000)
    }
  }

  async #fetch(method: string, path: string, init: RequestInit): Promise<Response> {
    const key = this.#key === undefined ? {} : { "x-agent-key": this.#key }
    for (let attempt = 1; ; attempt++) {
      try {
        return await fetch(this.#baseUrl + path, { ...init, method, headers: { ...key, ...init.headers } })
      } catch (error) {
        init.signal?.throwIfAborted()
        if (attempt === attempts) {
          throw new Unreachable(`${method} ${this.#baseUrl}${path}: nobody answers`, { cause: error })
        }
        await sleep(100 * attempt)
      }
    }
  }
}

/** Reads a list to its end, page by page. */
export async function* pages<P extends { readonly nextCursor: string | null }>(
  read: (cursor: string | undefined) => Promise<P>
): AsyncGenerator<P> {
  let cursor: string | undefined
  do {
    const page = await read(cursor)
    yield page
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
}

// -----------------------------------------------------------------------------

const withQuery = (path: string, query: Query): string => {
  const words = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) words.set(name, value)
  return words.size === 0 ? path : `${path}?${words}`
}

const read = <F extends Fields>(call: string, status: number, body: string, fields: F): Data<F> => {
  try {
    const { data } = Schema.decodeUnknownSync(Success)(JSON.parse(body))
    return Schema.decodeUnknownSync(Schema.Struct(fields))(data)
  } catch (error) {
    throw new Refused(call, status, "with a body that is not what was expected", `${error}\n${body}`)
  }
}

const refusal = (call: string, status: number, body: string): Refused => {
  try {
    const { error } = Schema.decodeUnknownSync(Failure)(JSON.parse(body))
    return new Refused(call, status, error.code, JSON.stringify(error, null, 2))
  } catch {
    return new Refused(call, status, "without the envelope", body)
  }
}
