/** What comes back from the market: `{ ok, data }`, `{ ok, error }`, or something that is not the market's. */
import { errorClasses } from "./generated/errors.ts"
import { SoukError, UnexpectedReplyError } from "./SoukError.ts"
import type { Recovery } from "./SoukError.ts"

/** What a reply says: the `data` of a success, or its error. */
export const readReply = async (response: Response): Promise<{ readonly data: unknown } | SoukError> => {
  const reply = parse(await response.text())
  return response.ok && fieldOf(reply, "ok") === true
    ? { data: fieldOf(reply, "data") }
    : toError(response.status, response.headers.get("retry-after"), reply)
}

/** The error of a reply that is not a success. */
export const readError = async (response: Response): Promise<SoukError> =>
  toError(response.status, response.headers.get("retry-after"), parse(await response.text()))

/** The error of a status, the `Retry-After` with it, and a body. */
export const toError = (status: number, retryAfter: string | null, reply: unknown): SoukError => {
  const refusal = fieldOf(reply, "error")
  const code = fieldOf(refusal, "code")
  const message = fieldOf(refusal, "message")
  const recovery = fieldOf(refusal, "recovery")
  const retryAfterSeconds = readRetryAfter(retryAfter)
  if (typeof code !== "string" || typeof message !== "string" || !isRecovery(recovery))
    return new UnexpectedReplyError(status, retryAfterSeconds)
  const fields = { retryAfterSeconds, ...Object(refusal), code, message, recovery }
  const Class = Object.hasOwn(errorClasses, code) ? Reflect.get(errorClasses, code) : SoukError
  return new Class(fields, { httpStatus: status })
}

const isRecovery = (word: unknown): word is Recovery =>
  word === "transient" || word === "correctable" || word === "terminal"

/** Seconds, or a date: proxies send either. */
const readRetryAfter = (header: string | null): number | undefined => {
  if (header === null) return undefined
  const seconds = /^\d+$/u.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, Math.ceil(seconds))
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Reads a field of what came from the wire. */
export const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined
