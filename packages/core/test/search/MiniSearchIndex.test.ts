import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { AgentId } from "../../src/model/Id.ts"
import { SearchIndex } from "../../src/ports/SearchIndex.ts"
import type { DocumentKind, SearchDocument, SearchQuery } from "../../src/ports/SearchIndex.ts"
import * as MiniSearchIndex from "../../src/search/MiniSearchIndex.ts"

const alice = AgentId.make("agt_01jd8wq0z7f3mbk5r2v6txn4ca")
const bob = AgentId.make("agt_01jd8wq0z7f3mbk5r2v6txn4cb")

const document = (id: string, title: string, rest: Partial<SearchDocument> = {}): SearchDocument => ({
  kind: "listing",
  id,
  version: 1,
  title,
  body: "",
  tags: [],
  audience: "public",
  ...rest
})

const put = (...documents: ReadonlyArray<SearchDocument>) =>
  SearchIndex.use((index) => index.apply(documents.map((document) => ({ _tag: "Put", document }))))

const remove = (kind: DocumentKind, id: string) =>
  SearchIndex.use((index) => index.apply([{ _tag: "Remove", kind, id, version: 1 }]))

const find = (text: string, rest: Partial<SearchQuery> = {}) =>
  SearchIndex.use((index) => index.find({ text, kinds: ["listing", "rfq", "agent"], ...rest }))

const findIds = (text: string, rest: Partial<SearchQuery> = {}) =>
  Effect.map(find(text, rest), (hits) => hits.map((hit) => hit.id))

/** Runs a test with an index of its own. */
const test = (name: string, body: Effect.Effect<void, never, SearchIndex>) =>
  it.effect(name, () => Effect.provide(body, MiniSearchIndex.layer))

describe("find", () => {
  test(
    "finds words of title, tags and body, and weighs them in this order",
    Effect.gen(function* () {
      yield* put(
        document("a", "Rain", { body: "snow" }),
        document("b", "Rain", { tags: ["snow"] }),
        document("c", "Snow", { body: "rain" }),
        document("d", "Fog", { body: "fog" })
      )
      assert.deepStrictEqual(yield* findIds("snow"), ["c", "b", "a"])
    })
  )

  test(
    "takes no word for another where it is told so",
    Effect.gen(function* () {
      yield* put(document("a", "Translations"), document("b", "Rainfall"))
      assert.deepStrictEqual(yield* findIds("rain"), ["b"])
      assert.deepStrictEqual(yield* findIds("rain translated", { near: false }), ["a"])
    })
  )

  test(
    "finds tools by the parts of their names, and words in any form",
    Effect.gen(function* () {
      yield* put(
        document("a", "get_weather_forecast"),
        document("b", "convertCurrency"),
        document("c", "Café")
      )
      assert.deepStrictEqual(yield* findIds("forecasts"), ["a"])
      assert.deepStrictEqual(yield* findIds("getWeatherForecast"), ["a"])
      assert.deepStrictEqual(yield* findIds("CURRENCIES"), ["b"])
      assert.deepStrictEqual(yield* findIds("cafe"), ["c"])
    })
  )

  test(
    "puts the document that holds more of a short query first",
    Effect.gen(function* () {
      yield* put(
        document("a", "laser", { body: "laser laser laser" }),
        document("b", "printer for the office", { body: "prints with a laser on paper of every size" })
      )
      assert.deepStrictEqual(yield* findIds("laser printer"), ["b", "a"])
    })
  )

  test(
    "finds what a word that no document holds may have meant",
    Effect.gen(function* () {
      yield* put(document("a", "translation"), document("b", "transport"))
      assert.deepStrictEqual(yield* findIds("tramslation"), ["a"])
      assert.deepStrictEqual(yield* findIds("transp"), ["b"])
      assert.deepStrictEqual(yield* findIds("x1234"), [])
    })
  )

  test(
    "prefers the exact word to one that begins with it",
    Effect.gen(function* () {
      yield* put(document("b", "maple"), document("a", "map"), document("c", "mapper"))
      const ids = yield* findIds("map")
      assert.strictEqual(ids[0], "a")
      assert.sameMembers([...ids], ["a", "b", "c"])
    })
  )

  test(
    "does not let what the viewer may not see decide whether a word is known",
    Effect.gen(function* () {
      yield* put(document("a", "translation"), document("b", "tramslation", { audience: [alice] }))
      assert.deepStrictEqual(yield* findIds("tramslation"), ["a"])
      assert.deepStrictEqual(yield* findIds("tramslation", { viewer: alice }), ["b"])
    })
  )

  test(
    "orders equal scores by id descending, and scores above 0 and at most 1",
    Effect.gen(function* () {
      yield* put(...["b", "d", "a", "c"].map((id) => document(id, "snow report")))
      const hits = yield* find("snow")
      assert.deepStrictEqual(
        hits.map((hit) => hit.id),
        ["d", "c", "b", "a"]
      )
      for (const { score } of hits) assert.isTrue(score > 0 && score <= 1)
      assert.strictEqual(new Set(hits.map((hit) => hit.score)).size, 1)
    })
  )

  test(
    "matches all documents with score 1, by id descending, where the query holds no word",
    Effect.gen(function* () {
      yield* put(document("a", "snow"), document("c", "rain"), document("b", "fog", { audience: [alice] }))
      for (const text of ["", "  ", "?!"]) {
        assert.deepStrictEqual(yield* find(text), [
          { kind: "listing", id: "c", score: 1, terms: [] },
          { kind: "listing", id: "a", score: 1, terms: [] }
        ])
      }
    })
  )

  test(
    "searches stop words where there are no others",
    Effect.gen(function* () {
      yield* put(document("a", "The Who"), document("b", "snow"))
      assert.deepStrictEqual(yield* findIds("who"), ["a"])
      assert.deepStrictEqual(yield* findIds("who can shovel snow"), ["b"])
    })
  )

  test(
    "names the words of the document that matched",
    Effect.gen(function* () {
      yield* put(
        document("a", "Weather Forecasts", {
          body: "We forecast; forecasting is hard.",
          tags: ["met-office"]
        })
      )
      const [hit] = yield* find("forecast office")
      assert.deepStrictEqual(hit?.terms, ["forecasts", "office", "forecast", "forecasting"])
    })
  )

  test(
    "reads the first 64 different words of a query",
    Effect.gen(function* () {
      yield* put(document("a", "snow"), document("b", "rain"))
      const words = Array.from({ length: 63 }, (_, place) => `${place}`).join(" ")
      assert.deepStrictEqual(yield* findIds(`${words} snow rain`), ["a"])
      assert.deepStrictEqual(yield* findIds("blizzard ".repeat(100_000)), [])
    })
  )

  test(
    "finds only what has all the words, in whatever form, where this is wanted",
    Effect.gen(function* () {
      yield* put(
        document("a", "Wireless map", { body: "WiFi" }),
        document("b", "Wireless maps", { tags: ["wi-fi"] }),
        document("c", "Wireless mapping"),
        document("d", "Wireless maple", { body: "wi fi" })
      )
      const all = (text: string) =>
        Effect.map(findIds(text, { match: "all" }), (ids) => ids.toSorted().join(""))
      assert.strictEqual(yield* all("the wireless map"), "abc")
      assert.strictEqual(yield* all("wireless wi-fi"), "abd")
      assert.strictEqual(yield* all("wireless snow"), "")
      assert.strictEqual(yield* all("wireles"), "")
      assert.strictEqual(yield* all(""), "abcd")
    })
  )

  test(
    "takes words that are names in JavaScript for words",
    Effect.gen(function* () {
      yield* put(document("a", "__proto__ constructor toString"), document("__proto__", "hasOwnProperty"))
      assert.deepStrictEqual(yield* findIds("__proto__"), ["a"])
      assert.deepStrictEqual(yield* findIds("constructor"), ["a"])
      assert.deepStrictEqual(yield* findIds("hasOwnProperty"), ["__proto__"])
    })
  )
})

describe("filters", () => {
  const documents = [
    document("a", "snow", {
      tags: ["winter", "alps"],
      category: "weather",
      priceMicros: 5n,
      currency: "EUR",
      agentId: alice
    }),
    document("b", "snow", {
      kind: "rfq",
      tags: ["winter"],
      category: "sports",
      priceMicros: 10n,
      agentId: bob
    }),
    document("c", "snow", { kind: "agent", audience: [alice] }),
    document("d", "snow", { kind: "rfq", audience: [] })
  ]

  for (const text of ["snow", ""]) {
    test(
      `narrow ${text === "" ? "a query without words" : "what the words find"}`,
      Effect.gen(function* () {
        yield* put(...documents)
        const ids = (query: Partial<SearchQuery>) =>
          Effect.map(findIds(text, query), (ids) => ids.toSorted().join(""))
        assert.strictEqual(yield* ids({}), "ab")
        assert.strictEqual(yield* ids({ viewer: alice }), "abc")
        assert.strictEqual(yield* ids({ viewer: bob }), "ab")
        assert.strictEqual(yield* ids({ kinds: ["rfq"] }), "b")
        assert.strictEqual(yield* ids({ kinds: [] }), "")
        assert.strictEqual(yield* ids({ tag: "winter" }), "ab")
        assert.strictEqual(yield* ids({ tag: "alps" }), "a")
        assert.strictEqual(yield* ids({ category: "sports" }), "b")
        assert.strictEqual(yield* ids({ maxPriceMicros: 10n, viewer: alice }), "ab")
        assert.strictEqual(yield* ids({ maxPriceMicros: 9n, viewer: alice }), "a")
        assert.strictEqual(yield* ids({ tag: "winter", category: "sports", maxPriceMicros: 9n }), "")
        const euros = (fromMicros?: bigint, toMicros?: bigint) =>
          ids({ within: { currency: "EUR", fromMicros, toMicros }, viewer: alice })
        assert.strictEqual(yield* euros(), "ac")
        assert.strictEqual(yield* euros(5n, 5n), "ac")
        assert.strictEqual(yield* euros(6n), "c")
        assert.strictEqual(yield* euros(undefined, 4n), "c")
        assert.strictEqual(yield* ids({ exceptAgentId: alice }), "b")
        assert.strictEqual(yield* ids({ agentIds: [alice], viewer: alice }), "a")
        assert.strictEqual(yield* ids({ agentIds: [] }), "")
      })
    )
  }
})

describe("apply", () => {
  test(
    "replaces a document that is put again, and forgets one that is removed",
    Effect.gen(function* () {
      yield* put(document("a", "snow"), document("b", "snow"))
      yield* put(document("a", "rain"))
      assert.deepStrictEqual(yield* findIds("snow"), ["b"])
      assert.deepStrictEqual(yield* findIds("rain"), ["a"])
      yield* remove("listing", "b")
      yield* remove("listing", "b")
      yield* remove("listing", "never there")
      assert.deepStrictEqual(yield* findIds("snow"), [])
      assert.deepStrictEqual(yield* findIds(""), ["a"])
    })
  )

  test(
    "replaces what only filters read as well",
    Effect.gen(function* () {
      yield* put(document("a", "snow", { category: "weather" }))
      yield* put(document("a", "snow", { category: "sports", audience: [alice] }))
      assert.deepStrictEqual(yield* findIds("snow"), [])
      assert.deepStrictEqual(yield* findIds("snow", { viewer: alice, category: "sports" }), ["a"])
    })
  )

  test(
    "keeps entities of different kinds apart, even with one id",
    Effect.gen(function* () {
      yield* put(document("a", "snow"), document("a", "snow", { kind: "agent" }))
      yield* remove("agent", "a")
      assert.deepStrictEqual(
        (yield* find("snow")).map((hit) => hit.kind),
        ["listing"]
      )
    })
  )

  test(
    "leaves no trace of former documents in the scores",
    Effect.gen(function* () {
      const last = ["b", "c", "d"].map((id) => document(id, "snow report", { body: `snow in ${id}` }))
      yield* put(...last)
      const hits = yield* find("snow report")
      yield* put(
        ...Array.from({ length: 50 }, (_, place) => document(`x${place}`, "snow", { body: "snow snow" }))
      )
      for (let place = 0; place < 50; place++) yield* remove("listing", `x${place}`)
      yield* put(document("c", "snow snow snow"))
      yield* put(...last)
      assert.deepStrictEqual(yield* find("snow report"), hits)
      assert.deepStrictEqual(yield* find("snow report"), hits)
    })
  )
})

describe("layer", () => {
  it.effect("gives each build an index of its own", () =>
    Effect.gen(function* () {
      yield* put(document("a", "snow")).pipe(Effect.provide(MiniSearchIndex.layer))
      assert.deepStrictEqual(yield* findIds("snow").pipe(Effect.provide(MiniSearchIndex.layer)), [])
    })
  )
})

describe("apply", () => {
  test(
    "lets the greatest version stand, in whatever order the changes come",
    Effect.gen(function* () {
      yield* put(document("a", "second text", { version: 2 }), document("a", "first text", { version: 1 }))
      assert.deepStrictEqual(yield* findIds("second"), ["a"])
      yield* SearchIndex.use((index) =>
        index.apply([
          { _tag: "Remove", kind: "listing", id: "a", version: 4 },
          { _tag: "Put", document: document("a", "third text", { version: 3 }) }
        ])
      )
      assert.deepStrictEqual(yield* findIds("text"), [])
      yield* put(document("a", "fifth text", { version: 5 }))
      yield* remove("listing", "a")
      assert.deepStrictEqual(yield* findIds("fifth"), ["a"])
    })
  )
})
