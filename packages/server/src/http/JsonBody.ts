/**
 * Reads JSON bodies strictly: valid UTF-8, not empty, JSON, and not nested too deeply; else 400 `invalid_json` with a
 * message that says which. Contract §1, "Size, time".
 *
 * The body is looked at when it is read, that is after the caller was authenticated and the path and the query were
 * decoded, so that the failures of a call come in the order in which a caller mends them.
 */
import { UnsupportedMediaType } from "@souk/api"
import { InvalidJson } from "@souk/core"
import { Effect, Fiber } from "effect"
import { HttpServerError } from "effect/http"
import type { HttpServerRequest } from "effect/http"

export interface JsonRules {
  readonly maxDepth: number
  readonly maxValues: number
  /** Whether the call may come without a body. */
  readonly optional: () => boolean
}

/** How deep a JSON text nests arrays and objects, and how many values it lists: brackets and commas outside strings. */
export interface JsonShape {
  readonly depth: number
  readonly values: number
}

/** Measures a JSON text without parsing it. Of what is not JSON it says something, which the parser then refuses. */
export const shapeOf = (json: string): JsonShape => {
  let level = 0
  let depth = 0
  let values = 1
  for (let index = 0; index < json.length; index++) {
    const code = json.charCodeAt(index)
    if (code === quote) index = endOfString(json, index)
    else if (code === comma) values++
    else if (code === openBracket || code === openBrace) {
      level++
      values++
      if (level > depth) depth = level
    } else if (code === closeBracket || code === closeBrace) level--
  }
  return { depth, values }
}

/** Gives a view of a request whose text is checked when it is read. Bodies of other media types are left alone. */
export const checked = (
  request: HttpServerRequest.HttpServerRequest,
  rules: JsonRules
): HttpServerRequest.HttpServerRequest => {
  if (!isJson(request.headers["content-type"])) return request
  const text = Effect.flatMap(unhurried(request.arrayBuffer), (buffer) => {
    // Without a type a page of another origin could send it in its visitor's name, and no browser would ask before.
    const isUntyped = buffer.byteLength > 0 && request.headers["content-type"] === undefined
    const body = isUntyped ? untyped() : judge(buffer, rules)
    return typeof body === "string" ? Effect.succeed(body) : Effect.fail(unreadable(request, body))
  })
  // A view and not a class of its own: a host's request has members beyond the interface, which its adapter reads.
  return Object.create(request, {
    arrayBuffer: { value: request.arrayBuffer },
    text: { value: text },
    json: { value: Effect.map(text, (body): unknown => (body === "" ? null : JSON.parse(body))) },
    modify: {
      value: (...change: Parameters<typeof request.modify>) => checked(request.modify(...change), rules)
    }
  })
}

// -----------------------------------------------------------------------------

const quote = 0x22
const comma = 0x2c
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** The index of the quote that ends the string begun at `start`, or the end of the text. */
const endOfString = (json: string, start: number): number => {
  for (let index = start + 1; index < json.length; index++) {
    const code = json.charCodeAt(index)
    if (code === quote) return index
    if (code === backslash) index++
  }
  return json.length
}

/** HttpApi takes a body without a type for JSON as well: it is read to be refused. */
const isJson = (contentType: string | undefined): boolean =>
  contentType === undefined || /^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;|$)/iu.test(contentType.trim())

const untyped = () =>
  new UnsupportedMediaType({
    message: "The body is of no type. Send it with Content-Type: application/json."
  })

const judge = (buffer: ArrayBuffer, rules: JsonRules): string | InvalidJson => {
  const text = decodeUtf8(buffer)
  if (text === undefined) return refuse("The body is not valid UTF-8.")
  if (text.trim() === "") {
    return rules.optional() ? "" : refuse("The body is empty. This call takes a JSON object.")
  }
  const { depth, values } = shapeOf(text)
  if (depth > rules.maxDepth) {
    return refuse(`The body nests arrays and objects deeper than ${rules.maxDepth} levels.`)
  }
  if (values > rules.maxValues) return refuse(`The body holds more than ${rules.maxValues} values.`)
  const flaw = syntaxFlaw(text)
  return flaw === undefined ? text : refuse(`The body is not JSON: ${flaw}.`)
}

/**
 * Reads in a fiber of its own. Node destroys the connection when a read is interrupted, and a request that took too
 * long is to be told so; the read ends with the connection.
 */
const unhurried = <A, E>(read: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(Effect.forkDetach(read, { startImmediately: true }), Fiber.join)

const refuse = (message: string) => new InvalidJson({ message })

const decodeUtf8 = (buffer: ArrayBuffer): string | undefined => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(buffer)
  } catch {
    return undefined
  }
}

/** What the parser says, without what it quotes of the body, which may be a secret. */
const syntaxFlaw = (text: string): string | undefined => {
  try {
    JSON.parse(text)
    return undefined
  } catch (flaw) {
    const said = flaw instanceof Error ? flaw.message : "unknown"
    return said.replace(/, (?:\.\.\.)?".*$/su, "")
  }
}

/** Wraps the refusal as a failed read, which is what the readers of a body expect; the failsafe takes it out again. */
const unreadable = (
  request: HttpServerRequest.HttpServerRequest,
  refusal: InvalidJson | UnsupportedMediaType
) =>
  new HttpServerError.HttpServerError({
    reason: new HttpServerError.RequestParseError({ request, reason: "Parse", cause: refusal })
  })
