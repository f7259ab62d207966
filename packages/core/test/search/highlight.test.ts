import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { highlights } from "../../src/search/highlight.ts"

const filler = (words: number) => Array.from({ length: words }, (_, place) => `filler${place}`).join(" ")

describe("highlights", () => {
  it("marks the words and leaves a short text whole", () => {
    assert.deepStrictEqual(highlights("The weather in Rome, and weather maps.", ["weather"]), [
      "The **weather** in Rome, and **weather** maps."
    ])
  })

  it("marks other forms of the word, in the spelling of the text", () => {
    assert.deepStrictEqual(highlights("Forecasts for CAFÉS", ["forecast", "cafe"]), [
      "**Forecasts** for **CAFÉS**"
    ])
  })

  it("marks whole words only", () => {
    assert.deepStrictEqual(highlights("The weatherman has a map", ["weather", "map"]), [
      "The weatherman has a **map**"
    ])
  })

  it("marks a compound as it is written", () => {
    assert.deepStrictEqual(highlights("Call get_weather_now.", ["weather"]), ["Call **get_weather_now**."])
  })

  it("gives nothing where nothing matches", () => {
    assert.deepStrictEqual(highlights("The weather in Rome", ["snow"]), [])
    assert.deepStrictEqual(highlights("The weather in Rome", []), [])
    assert.deepStrictEqual(highlights("", ["snow"]), [])
  })

  it("cuts context at the ends of words and says so", () => {
    const [snippet = ""] = highlights(`${filler(40)} snow ${filler(40)}`, ["snow"])
    assert.match(snippet, /^…filler\d+ .*\*\*snow\*\* .*filler\d+…$/u)
    assert.isAtLeast(snippet.length, 130)
    assert.isAtMost(snippet.length, 160)
  })

  it("gives three snippets at most, those with the most different words, in the order of the text", () => {
    const text = ["snow one", "snow two", "rain three", "rain snow four", "snow five"].join(` ${filler(40)} `)
    const snippets = highlights(text, ["snow", "rain"])
    assert.strictEqual(snippets.length, 3)
    assert.include(snippets[0], "**snow** one")
    assert.include(snippets[1], "**snow** two")
    assert.include(snippets[2], "**rain** **snow** four")
    assert.strictEqual(highlights(text, ["snow", "rain"], { snippets: 1 }).length, 1)
  })

  it("keeps two asterisks for its own marks", () => {
    assert.deepStrictEqual(highlights("a **bold** 2 * 3 snow", ["snow"]), ["a *bold* 2 * 3 **snow**"])
  })

  it("never exceeds the length, leaves a matched word unmarked or invents text", () => {
    const word = fc.constantFrom(
      "snow",
      "Snows",
      "rain",
      "fog,",
      "x".repeat(30),
      "été",
      "sn\u00f6w",
      "\n",
      "🎉",
      "."
    )
    fc.assert(
      fc.property(fc.array(word, { maxLength: 150 }), fc.integer({ min: 20, max: 160 }), (words, length) => {
        const text = words.join(" ")
        const plain = text.replace(/\s+/g, " ").trim()
        for (const snippet of highlights(text, ["snow", "rain"], { length })) {
          assert.isAtMost(snippet.length, length)
          assert.include(snippet, "**")
          assert.include(plain, snippet.replace(/\*\*|…/g, ""))
          assert.notMatch(snippet.replace(/\*\*[^*]*\*\*/g, ""), /snow|rain|snöw/iu)
        }
      })
    )
  })
})
