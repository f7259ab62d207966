/**
 * Measures how well the index ranks: nDCG@10, the time to index, the median time of a query.
 *
 * Run with `node --conditions=source packages/core/bench/search-quality.ts DIR [SET ...]`. Each folder of DIR is a set:
 * `corpus.jsonl` {id, title, text}, `queries.jsonl` {id, text}, `qrels.tsv` with query, document and grade.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { performance } from "node:perf_hooks"
import { Effect, Schema } from "effect"
import { MiniSearchIndex, SearchIndex } from "@souk/core"

const depth = 10

const Document = Schema.Struct({ id: Schema.String, title: Schema.String, text: Schema.String })
const Query = Schema.Struct({ id: Schema.String, text: Schema.String })

const linesOf = (path: string): ReadonlyArray<string> =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.length > 0)

const readGrades = (path: string): ReadonlyMap<string, ReadonlyMap<string, number>> => {
  const grades = new Map<string, Map<string, number>>()
  for (const line of linesOf(path).slice(1)) {
    const [query = "", document = "", grade = "0"] = line.split("\t")
    const ofQuery = grades.get(query) ?? new Map<string, number>()
    grades.set(query, ofQuery.set(document, Number(grade)))
  }
  return grades
}

const decodeDocument = Schema.decodeUnknownSync(Schema.fromJsonString(Document))
const decodeQuery = Schema.decodeUnknownSync(Schema.fromJsonString(Query))

const readSet = (folder: string) => ({
  documents: linesOf(join(folder, "corpus.jsonl")).map((line) => decodeDocument(line)),
  queries: linesOf(join(folder, "queries.jsonl")).map((line) => decodeQuery(line)),
  grades: readGrades(join(folder, "qrels.tsv"))
})

const gain = (grades: ReadonlyArray<number>): number =>
  grades.slice(0, depth).reduce((sum, grade, rank) => sum + grade / Math.log2(rank + 2), 0)

/** Gives the quality of one ranking; nothing where no document is relevant. */
const ndcg = (ranking: ReadonlyArray<string>, grades: ReadonlyMap<string, number>): number | undefined => {
  const ideal = gain([...grades.values()].toSorted((a, b) => b - a))
  return ideal === 0 ? undefined : gain(ranking.slice(0, depth).map((id) => grades.get(id) ?? 0)) / ideal
}

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const measure = Effect.fnUntraced(function* (folder: string) {
  const { documents, grades, queries } = readSet(folder)
  const index = yield* SearchIndex
  const start = performance.now()
  yield* index.apply(
    documents.map(({ id, text, title }) => ({
      _tag: "Put",
      document: { kind: "listing", id, version: 1, title, body: text, tags: [], audience: "public" }
    }))
  )
  const indexed = performance.now() - start
  const qualities: Array<number> = []
  const times: Array<number> = []
  for (const { id, text } of queries) {
    const before = performance.now()
    const hits = yield* index.find({ text, kinds: ["listing"] })
    times.push(performance.now() - before)
    const quality = ndcg(
      hits.slice(0, depth).map((hit) => hit.id),
      grades.get(id) ?? new Map()
    )
    if (quality !== undefined) qualities.push(quality)
  }
  return {
    documents: documents.length,
    queries: qualities.length,
    "nDCG@10": (qualities.reduce((sum, quality) => sum + quality, 0) / qualities.length).toFixed(4),
    "index ms": Math.round(indexed),
    "query ms (median)": median(times).toFixed(2)
  }
})

const [dir, ...chosen] = process.argv.slice(2)
if (dir === undefined) {
  console.error("usage: node --conditions=source packages/core/bench/search-quality.ts DIR [SET ...]")
  process.exit(2)
}
const sets = chosen.length > 0 ? chosen : readdirSync(dir).toSorted()
const rows = sets.map(
  (set) => [set, Effect.runSync(measure(join(dir, set)).pipe(Effect.provide(MiniSearchIndex.layer)))] as const
)
console.table(Object.fromEntries(rows))
