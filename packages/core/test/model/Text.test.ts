import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import fc from "fast-check"
import {
  AgentInput,
  HttpUrl,
  Instant,
  isWellFormedKey,
  JsonDocument,
  ListingInput,
  Message,
  RfqInput,
  writeKey
} from "../../src/index.ts"

const accepts =
  <S extends Schema.Top & { readonly DecodingServices: never }>(schema: S) =>
  (input: unknown): boolean =>
    Schema.decodeUnknownExit(schema)(input)._tag === "Success"

/** What neither RFC 8785 nor PostgreSQL can take. */
const poison = ["a\u0000b", "\u0000", "\ud800", "a\udc00b", "\udc00\ud800"]

const agent = { handle: "atlas", name: "Atlas", email: "desk@atlas.example" }
const listing = { title: "Translations", pricing: { model: "quote" } }
const rfq = { title: "Translate", quoteDeadline: "2026-01-31T12:00:00.000Z" }

describe("text", () => {
  it("takes no NUL and no half of a character, in whatever field it stands", () => {
    for (const bad of poison) {
      const inputs = [
        accepts(AgentInput)({ ...agent, name: `Atlas ${bad}` }),
        accepts(AgentInput)({ ...agent, description: bad }),
        accepts(AgentInput)({ ...agent, email: `a${bad}@b.example` }),
        accepts(AgentInput)({ ...agent, skills: [{ id: "x", name: `x${bad}`, tags: [] }] }),
        accepts(AgentInput)({ ...agent, endpoints: [{ type: "http", url: `https://a.example/${bad}` }] }),
        accepts(AgentInput)({ ...agent, metadata: { deep: [{ value: bad }] } }),
        accepts(AgentInput)({ ...agent, metadata: { deep: [{ [bad]: 1 }] } }),
        accepts(ListingInput)({ ...listing, title: `Translations ${bad}` }),
        accepts(ListingInput)({ ...listing, inputSchema: { [bad]: {} } }),
        accepts(ListingInput)({
          ...listing,
          pricing: { model: "per_unit", price: { amount: "1", currency: "EUR" }, unit: bad }
        }),
        accepts(RfqInput)({ ...rfq, requirements: [{ id: "x", text: `x${bad}`, hard: true }] }),
        accepts(Message)({ text: `x${bad}` }),
        accepts(Message)({ text: "x", data: { [bad]: bad } })
      ]
      assert.deepStrictEqual(new Set(inputs), new Set([false]), JSON.stringify(bad))
    }
    assert.isTrue(accepts(AgentInput)({ ...agent, name: "Ätlas 😀 \u200d", metadata: { "😀": "\u0001" } }))
  })

  it("is counted by the contract's limits", () => {
    assert.isTrue(accepts(ListingInput)({ ...listing, title: "x".repeat(120) }))
    assert.isFalse(accepts(ListingInput)({ ...listing, title: "x".repeat(121) }))
    assert.isFalse(accepts(ListingInput)({ ...listing, title: "   " }))
    assert.isTrue(accepts(ListingInput)({ ...listing, description: "x".repeat(4000) }))
    assert.isFalse(accepts(ListingInput)({ ...listing, description: "x".repeat(4001) }))
    const tags = Array.from({ length: 21 }, (_, n) => `t${n}`)
    assert.isTrue(accepts(ListingInput)({ ...listing, tags: tags.slice(1) }))
    assert.isFalse(accepts(ListingInput)({ ...listing, tags }))
    assert.isFalse(accepts(ListingInput)({ ...listing, tags: ["a", "a"] }))
  })
})

describe("a JSON document", () => {
  it("is at most 16 KiB as UTF-8", () => {
    const sized = (bytes: number) => ({ k: "x".repeat(bytes - 8) })
    assert.isTrue(accepts(JsonDocument)(sized(16 * 1024)))
    assert.isFalse(accepts(JsonDocument)(sized(16 * 1024 + 1)))
    assert.isFalse(accepts(JsonDocument)({ k: "€".repeat(6000) }))
  })

  it("is an object of finite numbers", () => {
    for (const bad of [[], "x", 1, null, { n: Number.NaN }, { n: Infinity }])
      assert.isFalse(accepts(JsonDocument)(bad))
  })
})

describe("a URL", () => {
  it("is an absolute http or https URL, as it stands", () => {
    for (const good of ["https://a.example", "http://localhost:4100/x?y#z", "https://ä.example/ü"])
      assert.isTrue(accepts(HttpUrl)(good), good)
    const bad = [
      "ftp://a.example",
      "javascript:alert(1)",
      "/x",
      "a.example",
      "https://",
      "https:a.example",
      "https:///a.example",
      "https://user@a.example",
      "https://user:word@a.example",
      "https://a.example\\@b.example",
      " https://a.example"
    ]
    for (const text of [
      ...bad,
      "https://a.example/\n",
      "https://a\t.example",
      `https://a.example/${"x".repeat(2048)}`
    ])
      assert.isFalse(accepts(HttpUrl)(text), text)
  })
})

describe("a handle", () => {
  it("has 3 to 32 letters, digits, - and _, and starts with a letter", () => {
    const takes = (handle: string) => accepts(AgentInput)({ ...agent, handle })
    for (const good of ["abc", "A-b_9", "x".repeat(32)]) assert.isTrue(takes(good), good)
    for (const bad of ["ab", "x".repeat(33), "9ab", "-ab", "a b", "abç", "a\u212Ab"])
      assert.isFalse(takes(bad), bad)
  })

  it("cannot be taken for another agent's id", () => {
    assert.isFalse(accepts(AgentInput)({ ...agent, handle: "agt_01jd8wq0z7f3mbk5r2v6txn4ce" }))
    assert.isFalse(accepts(AgentInput)({ ...agent, handle: "AGT_01jd8wq0z7f3mbk5r2v6txn4ce" }))
  })
})

describe("a moment", () => {
  it("is read in any form of RFC 3339, and no other", () => {
    const good = ["2026-01-31T12:00:00Z", "2026-01-31t12:00:00.123456z", "2026-01-31T12:00:00+05:30"]
    for (const text of good) assert.isTrue(accepts(Instant)(text), text)
    const bad = [
      "2026-02-30T00:00:00Z",
      "2026-13-01T00:00:00Z",
      "2026-01-01T24:00:00Z",
      "2026-01-01T00:60:00Z",
      "2026-01-01",
      "2026-01-01T00:00:00",
      "2026-01-01 00:00:00Z",
      "9999-12-31T23:59:59-23:59",
      "tomorrow",
      1_767_225_600_000
    ]
    for (const text of bad) assert.isFalse(accepts(Instant)(text), String(text))
  })

  it("is written in UTC with milliseconds", () => {
    const roundTrip = (text: string) => Schema.encodeSync(Instant)(Schema.decodeUnknownSync(Instant)(text))
    assert.strictEqual(roundTrip("2026-01-31T12:00:00+05:30"), "2026-01-31T06:30:00.000Z")
  })
})

describe("an API key", () => {
  const keys = fc.uint8Array({ minLength: 20, maxLength: 20 }).map(writeKey)

  it("starts with agent_ and holds a secret of base 62", () => {
    fc.assert(fc.property(keys, (key) => assert.match(key, /^agent_[0-9A-Za-z]{33}$/u)))
  })

  it("tells different secrets apart", () => {
    const all = Array.from({ length: 200 }, (_, n) => writeKey(new Uint8Array(20).fill(n)))
    assert.strictEqual(new Set(all).size, 200)
  })

  it("is refused without a look-up when a character is mistyped or two are swapped", () => {
    const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    fc.assert(
      fc.property(
        keys,
        fc.integer({ min: 6, max: 38 }),
        fc.constantFrom(...alphabet),
        (key, place, letter) => {
          assert.isTrue(isWellFormedKey(key))
          const typo = key.slice(0, place) + letter + key.slice(place + 1)
          assert.strictEqual(isWellFormedKey(typo), typo === key)
          const [a = "", b = ""] = [key[place - 1], key[place]]
          const swapped = key.slice(0, place - 1) + b + a + key.slice(place + 1)
          if (place > 6) assert.strictEqual(isWellFormedKey(swapped), swapped === key)
        }
      )
    )
  })
})
