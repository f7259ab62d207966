import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import fc from "fast-check"
import { createHash } from "node:crypto"
import { Amount, compareAmounts, Terms, termsDigest, toMicros } from "../../src/index.ts"
import { terms } from "../fixtures.ts"

const read = Schema.decodeUnknownResult(Schema.toCodecJson(Terms))

/** An amount in millionths as the contract writes it. */
const written = (micros: bigint): string => {
  const digits = micros.toString().padStart(7, "0")
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`
}

const micros = fc.bigInt({ min: 0n, max: 10n ** 11n })
const line = fc.record({ quantity: fc.integer({ min: 1, max: 1000 }), price: micros })

const priced = (
  lines: ReadonlyArray<{ readonly quantity: number; readonly price: bigint }>,
  total: bigint
) => ({
  ...terms("0"),
  total: { amount: written(total), currency: "EUR" },
  lines: lines.map(({ quantity, price }) => ({
    description: "Pages",
    quantity,
    unitPrice: { amount: written(price), currency: "EUR" }
  }))
})

const sumOf = (lines: ReadonlyArray<{ readonly quantity: number; readonly price: bigint }>): bigint =>
  lines.reduce((sum, { quantity, price }) => sum + BigInt(quantity) * price, 0n)

describe("money", () => {
  it("is exact to the millionth and below 10¹²", () => {
    const isAmount = Schema.is(Amount)
    for (const good of ["0", "0.1", "12.50", "999999999999.999999", "0.000001"])
      assert.isTrue(isAmount(good), good)
    const bad = [
      "",
      "-1",
      "+1",
      "01",
      ".5",
      "1.",
      "1e3",
      "1,5",
      " 1",
      "1 ",
      "0.0000001",
      "1000000000000",
      "١",
      "NaN"
    ]
    for (const amount of bad) assert.isFalse(isAmount(amount), amount)
  })

  it("compares as the numbers that it writes", () => {
    fc.assert(
      fc.property(micros, micros, (a, b) => {
        assert.strictEqual(toMicros(written(a)), a)
        assert.strictEqual(compareAmounts(written(a), written(b)), a < b ? -1 : a > b ? 1 : 0)
      })
    )
    assert.strictEqual(compareAmounts("1.5", "1.500000"), 0)
  })
})

describe("the total of terms", () => {
  it("is the sum of the lines, to the millionth", () => {
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 50 }), (lines) => {
        assert.isTrue(Result.isSuccess(read(priced(lines, sumOf(lines)))))
        assert.isTrue(Result.isFailure(read(priced(lines, sumOf(lines) + 1n))))
      })
    )
  })

  it("does not fall for sums that a float gets right only nearly", () => {
    const dimes = [{ quantity: 3, price: 100_000n }]
    assert.isTrue(Result.isSuccess(read(priced(dimes, 300_000n))))
    const great = [
      { quantity: 1, price: 999_999_999_998_999_999n },
      { quantity: 1, price: 1_000_000n }
    ]
    assert.isTrue(Result.isSuccess(read(priced(great, 999_999_999_999_999_999n))))
    assert.isTrue(Result.isFailure(read(priced(great, 999_999_999_999_999_998n))))
  })

  it("is of one currency and below 10¹²", () => {
    const { lines, ...rest } = priced([{ quantity: 1, price: 1n }], 1n)
    const dollars = lines.map((line) => ({ ...line, unitPrice: { ...line.unitPrice, currency: "USD" } }))
    assert.isTrue(Result.isFailure(read({ ...rest, lines: dollars })))
    const huge = [{ quantity: 1000, price: 10n ** 15n }]
    assert.isTrue(Result.isFailure(read(priced(huge, sumOf(huge)))))
  })
})

describe("the digest of terms", () => {
  it("is the SHA-256 of their canonical JSON", () => {
    const canonical =
      '{"acceptance":["all pages"],"deliverWithinSeconds":86400,"revisions":1,"total":{"amount":"12.50","currency":"EUR"}}'
    const hex = createHash("sha256").update(canonical).digest("hex")
    assert.strictEqual(termsDigest(terms("12.50")), `sha256:${hex}`)
  })

  it("does not depend on the order of fields, and tells every other value apart", () => {
    const a = terms("12.50", { notes: "x", custom: { a: 1, b: { c: [1, 2], d: null } } })
    const b = { custom: { b: { d: null, c: [1, 2] }, a: 1 }, ...terms("12.50"), notes: "x" }
    assert.strictEqual(termsDigest(a), termsDigest(b))
    const others = [
      terms("12.50"),
      terms("12.5"),
      terms("12.51"),
      terms("12.50", { revisions: 2 }),
      terms("12.50", { notes: "x", custom: { a: 1, b: { c: [2, 1], d: null } } }),
      terms("12.50", { notes: "x", custom: { a: 1, b: { c: [1, 2] } } }),
      terms("12.50", { notes: "X", custom: { a: 1, b: { c: [1, 2], d: null } } })
    ].map(termsDigest)
    assert.strictEqual(new Set([...others, termsDigest(a)]).size, others.length + 1)
  })

  it("covers a custom field of any name", () => {
    const hidden = (n: number) => {
      const read = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.toCodecJson(Terms)))
      return termsDigest(
        read(`${JSON.stringify(terms("1")).slice(0, -1)},"custom":{"__proto__":{"n":${n}}}}`)
      )
    }
    assert.notStrictEqual(hidden(1), hidden(2))
    assert.notStrictEqual(hidden(1), termsDigest(terms("1")))
  })
})
