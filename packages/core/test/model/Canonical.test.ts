import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import fc from "fast-check"
import { createHash } from "node:crypto"
import { Canonical } from "../../src/index.ts"

const parse = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Json))

/** The same value with the keys of its objects in another order. */
const reordered = (value: Schema.Json): Schema.Json => {
  if (Array.isArray(value)) return value.map(reordered)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, value]): [string, Schema.Json] => [key, reordered(value)])
  )
}

const json = fc.jsonValue().map((value) => parse(JSON.stringify(value)))

describe("canonical JSON", () => {
  it("is that of RFC 8785, section 3.2", () => {
    const input = String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`
    assert.strictEqual(
      Canonical.stringify(parse(input)),
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`
    )
  })

  it("sorts keys by their UTF-16 code units", () => {
    const input = String.raw`{
      "\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis"
    }`
    assert.deepStrictEqual(
      [...Canonical.stringify(parse(input)).matchAll(/":"([A-Z]\w+)/gu)].map((match) => match[1]),
      ["Carriage", "One", "Control", "Latin", "Euro", "Emoji", "Hebrew"]
    )
  })

  it.each([
    [0, "0"],
    [-0, "0"],
    [5e-324, "5e-324"],
    [-5e-324, "-5e-324"],
    [1.7976931348623157e308, "1.7976931348623157e+308"],
    [9007199254740992, "9007199254740992"],
    [295147905179352830000, "295147905179352830000"],
    [9.999999999999997e22, "9.999999999999997e+22"],
    [1e23, "1e+23"],
    [999999999999999700000, "999999999999999700000"],
    [1e21, "1e+21"],
    [9.999999999999997e-7, "9.999999999999997e-7"],
    [0.000001, "0.000001"],
    [333333333.33333325, "333333333.33333325"],
    [-0.0000033333333333333333, "-0.0000033333333333333333"],
    [4.5, "4.5"]
  ])("writes the number %d of RFC 8785, appendix B", (number, text) => {
    assert.strictEqual(Canonical.stringify(number), text)
  })

  it("does not depend on the order of keys, and is read back as the same value", () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = Canonical.stringify(value)
        assert.strictEqual(Canonical.stringify(reordered(value)), text)
        assert.deepStrictEqual(parse(text), value)
      })
    )
  })

  it("is digested as anybody with SHA-256 would", () => {
    fc.assert(
      fc.property(json, (value) => {
        const hex = createHash("sha256").update(Canonical.stringify(value), "utf8").digest("hex")
        assert.strictEqual(Canonical.digest(value), `sha256:${hex}`)
      })
    )
  })
})
