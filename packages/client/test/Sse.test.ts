import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { SseParser } from "../src/Sse.ts"

const parse = (pieces: ReadonlyArray<string>) => {
  const parser = new SseParser()
  return { messages: pieces.flatMap((piece) => [...parser.push(piece)]), retryMillis: parser.retryMillis }
}

const lines = [
  "retry: 20",
  "id: 1",
  "event: a",
  "data: one",
  "",
  ":",
  "",
  "data",
  "data: two",
  "data:  three ",
  "unknown: x",
  "",
  "id: 2",
  "",
  "event: c",
  "data: four: five",
  "",
  "data: unfinished"
]

const messages = [
  { id: "1", event: "a", data: "one" },
  { id: "1", event: "message", data: "\ntwo\n three " },
  { id: "2", event: "c", data: "four: five" }
]

describe("the text of a stream", () => {
  it("is taken apart alike wherever it is cut, and with every kind of line break", () => {
    fc.assert(
      fc.property(fc.constantFrom("\n", "\r\n", "\r"), fc.array(fc.nat(200)), (lineBreak, cuts) => {
        const text = lines.join(lineBreak)
        const places = [0, ...cuts.filter((cut) => cut < text.length).toSorted((a, b) => a - b), text.length]
        const pieces = places.slice(1).map((place, index) => text.slice(places[index], place))
        assert.deepStrictEqual(parse(pieces), { messages, retryMillis: 20 })
      })
    )
  })
})
