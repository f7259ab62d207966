import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import type { SearchDocument } from "../../src/index.ts"
import { likeness } from "../../src/search/likeness.ts"

const document = (title: string, rest: Partial<SearchDocument> = {}): SearchDocument => ({
  kind: "listing",
  version: 1,
  id: title,
  title,
  body: "",
  tags: [],
  audience: "public",
  ...rest
})

const words = fc
  .array(fc.constantFrom("rain", "snow", "fog", "contracts", "legal", "get_weather", "the"), { maxLength: 8 })
  .map((words) => words.join(" "))
const documents = fc
  .record({ title: words, body: words, tags: fc.uniqueArray(fc.constantFrom("rain", "legal")) })
  .map(({ title, ...rest }) => document(title, rest))

describe("the likeness of what is wanted and what is offered", () => {
  it("is from 0 to 1: 0 where no word is shared, 1 where title and tags hold all words, in whatever form", () => {
    fc.assert(
      fc.property(documents, documents, (wanted, offered) => {
        const value = likeness(wanted, offered)
        assert.isAtLeast(value, 0)
        assert.isAtMost(value, 1)
      })
    )
    assert.strictEqual(likeness(document("Rain and snow"), document("Fog and sun")), 0)
    const offered = document("Legal translation of contracts", { tags: ["german"] })
    assert.strictEqual(likeness(document("Translate a German contract"), offered), 1)
    assert.strictEqual(likeness(document("???"), offered), 0)
  })

  it("grows with each word that is offered, more in the title than in the body", () => {
    fc.assert(
      fc.property(documents, documents, words, (wanted, offered, more) => {
        const before = likeness(wanted, offered)
        const inBody = likeness(wanted, { ...offered, body: `${more} ${offered.body}` })
        const inTitle = likeness(wanted, { ...offered, title: `${more} ${offered.title}` })
        assert.isAtLeast(inBody, before)
        assert.isAtLeast(inTitle, inBody)
      })
    )
  })

  it("takes a compound for met in one piece or in its parts", () => {
    for (const title of ["get_weather", "Weather that we get", "getweather"])
      assert.strictEqual(likeness(document("getWeather"), document(title)), 1, title)
    assert.strictEqual(likeness(document("getWeather"), document("Get rain")), 0)
  })

  it("counts a wanted word where it stands first, and little of what comes late in a long body", () => {
    const offered = document("Rain")
    assert.isAbove(
      likeness(document("Rain", { body: "snow" }), offered),
      likeness(document("Snow", { body: "rain" }), offered)
    )
    const late = document("Fog", { body: `${"mist ".repeat(300)} rain` })
    assert.strictEqual(likeness(document("Rain"), late), 0)
  })
})
