import { assert, describe, it } from "@effect/vitest"
import { analyseQuery, termsOf, wordsOf } from "../../src/search/analysis.ts"

describe("wordsOf", () => {
  it("folds case, diacritics and the letters that Unicode does not take apart", () => {
    assert.deepStrictEqual(wordsOf("Café CAFÉ cafe\u0301 Straße Łódź Ørsted ﬁne"), [
      "cafe",
      "cafe",
      "cafe",
      "strasse",
      "lodz",
      "orsted",
      "fine"
    ])
  })

  it("keeps the marks that are letters of their script", () => {
    assert.deepStrictEqual(wordsOf("हिन्दी 한국어"), ["हिन्दी", "한국어"])
  })

  it("cuts names of tools into parts and keeps them whole as well", () => {
    assert.deepStrictEqual(wordsOf("get_weather"), ["get", "weather", "getweather"])
    assert.deepStrictEqual(wordsOf("getHTTPStatus"), ["get", "http", "status", "gethttpstatus"])
    assert.deepStrictEqual(wordsOf("wi-fi"), ["wi", "fi", "wifi"])
  })

  it("does not take the plural of an abbreviation for a compound", () => {
    assert.deepStrictEqual(wordsOf("PDFs and APIs"), ["pdfs", "and", "apis"])
  })

  it("drops apostrophes, and the ends of contractions and possessives", () => {
    assert.deepStrictEqual(wordsOf("I'm the company’s; don't"), ["i", "the", "company", "dont"])
  })

  it("leaves punctuation and signs out and bounds the length of a word", () => {
    assert.deepStrictEqual(wordsOf("— Core™2, 5.5 GHz! 🎉"), ["core", "2", "5", "5", "ghz"])
    assert.deepStrictEqual(wordsOf("x".repeat(1000)), ["x".repeat(64)])
  })
})

describe("termsOf", () => {
  it("gives inflected forms one term", () => {
    const [first, ...others] = termsOf("translate translates translated translating translation")
    for (const other of others) assert.strictEqual(other, first)
  })

  it("stems short words only where they are plurals", () => {
    assert.deepStrictEqual(termsOf("PCs pc one on use us"), ["pc", "pc", "one", "on", "use", "us"])
  })

  it("leaves numbers and foreign words as they are", () => {
    assert.deepStrictEqual(termsOf("dv7s ελλαδας"), ["dv7s", "ελλαδασ"])
  })
})

describe("analyseQuery", () => {
  const termsOfQuery = (text: string) => analyseQuery(text, 64).terms

  it("leaves out stop words and repeats", () => {
    assert.deepStrictEqual(termsOfQuery("Can you please find the maps of a map?"), ["find", "map"])
  })

  it("keeps stop words where there is nothing else", () => {
    assert.deepStrictEqual(termsOfQuery("The Who"), ["the", "who"])
    assert.deepStrictEqual(termsOfQuery("?!"), [])
  })

  it("tells the parts of a compound from the whole", () => {
    assert.deepStrictEqual(analyseQuery("wi-fi to-do map", 64).words, [
      { parts: ["wi", "fi"], whole: "wifi" },
      { parts: ["todo"], whole: "todo" },
      { parts: ["map"], whole: "map" }
    ])
  })

  it("stops at the limit", () => {
    const words = Array.from({ length: 10_000 }, (_, place) => `word${place}`)
    assert.strictEqual(termsOfQuery(words.join(" ")).length, 64)
    assert.isAtMost(termsOfQuery(words.join("-")).length, 65)
  })
})
