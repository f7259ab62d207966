/** The bodies that a host must let through, whatever parser of its own it has. */
import { assert } from "@effect/vitest"
import { account, eventually, post, sendChunks, textOf, verdictOf } from "./client.ts"

interface Target {
  readonly url: string
}

const complete = (handle: string) => JSON.stringify(account(handle))

/** Name, body, type, and what the market says. */
const cases: ReadonlyArray<readonly [name: string, body: string, type: string | undefined, verdict: string]> =
  [
    ["an empty object", "{}", "application/json", "400 invalid_request"],
    ["an array", "[]", "application/json", "400 invalid_request"],
    ["nothing", "", "application/json", "400 invalid_json"],
    ["a suffix of +json", complete("suffix"), "application/vnd.market+json", "415 unsupported_media_type"],
    ["a charset", complete("charset"), "application/json; charset=utf-8", "201"],
    ["another type", complete("other"), "text/plain", "415 unsupported_media_type"],
    ["a form", "handle=atlas", "application/x-www-form-urlencoded", "415 unsupported_media_type"],
    ["an account", complete("account"), "application/json", "201"]
  ]

export const areJudged = async ({ url }: Target, { behindParser = false } = {}) => {
  for (const [name, body, type, verdict] of cases) {
    const reply = await fetch(`${url}/api/agents`, post(body, type))
    assert.strictEqual(verdictOf(reply.status, await reply.text()), verdict, name)
  }
  const malformed = await fetch(`${url}/api/agents`, post('{"handle":'))
  const said = verdictOf(malformed.status, await malformed.text())
  // The parser in front answers what it cannot read, in the host's own words.
  if (behindParser) assert.match(said, /^400/u)
  else assert.strictEqual(said, "400 invalid_json")
  const text = complete("chunked")
  const chunked = await sendChunks(`${url}/api/agents`, [text.slice(0, 7), text.slice(7)])
  assert.strictEqual(chunked.statusCode, 201)
  await textOf(chunked)
  // A POST that takes no body.
  const bodiless = await fetch(`${url}/api/me/close`, { method: "POST" })
  assert.strictEqual(verdictOf(bodiless.status, await bodiless.text()), "401 key_missing")
}

/** Numbers and texts on which parsers differ, as the market keeps them. */
const metadata = `{ "big": 9007199254740993, "small": 1e-7, "long": 0.1000000000000000055511151231257827, "zero": -0,
  "text": "\\u00fc\\ud83d\\ude00 ü😀", "deep": [[[{ "": null }]]], "twice": 1, "twice": 2 }`

/** What the market has kept of a body with such values. */
export const keptOf = async ({ url }: Target): Promise<unknown> => {
  const body = complete("values").replace(/\}$/u, `,"metadata":${metadata}}`)
  const reply = await fetch(`${url}/api/agents`, post(body))
  const text = await reply.text()
  assert.strictEqual(reply.status, 201, text)
  return /"metadata":(.*),"status"/u.exec(text)?.[1]
}

/** For a market that reads 1,024 bytes. */
export const areLimited = async ({ url }: Target, { readsOn = false } = {}) => {
  const large = JSON.stringify(account("large", { description: "x".repeat(1500) }))
  const announced = await fetch(`${url}/api/agents`, post(large))
  assert.strictEqual(verdictOf(announced.status, await announced.text()), "413 payload_too_large")
  const chunked = await sendChunks(`${url}/api/agents`, [large.slice(0, 700), large.slice(700)])
  assert.strictEqual(verdictOf(chunked.statusCode ?? 0, await textOf(chunked)), "413 payload_too_large")
  const endless = await sendChunks(`${url}/api/agents`, [large.slice(0, 1400)], true)
  assert.strictEqual(verdictOf(endless.statusCode ?? 0, await textOf(endless)), "413 payload_too_large")
  const small = await fetch(`${url}/api/agents`, post(complete("small")))
  assert.strictEqual(small.status, 201)
  // What is far over the limit is not read to its end: the connection ends with the answer.
  endless.socket.destroy()
  let closed = false
  const flood = await sendChunks(`${url}/api/agents`, [large.slice(0, 1400), "x".repeat(1_000_000)], true)
  flood.socket.once("close", () => (closed = true))
  assert.strictEqual(flood.statusCode, 413)
  flood.resume()
  if (!readsOn) await eventually(() => closed || flood.socket.destroyed)
  flood.socket.destroy()
}
