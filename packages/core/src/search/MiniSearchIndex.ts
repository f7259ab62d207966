/**
 * The search index in the memory of the process, over the `minisearch` library.
 *
 * Ranking is BM25 by field, in three steps: the exact terms of the query; for short queries the longer words that begin
 * with them, faintly; for words that no findable document holds, those that begin with them or are one letter away. A
 * query that wants all its words, or none but its own, gets the first step alone. The numbers below were chosen with
 * `bench/search-quality.ts`.
 */
import { Effect, Layer } from "effect"
import MiniSearch from "minisearch"
import type { SearchOptions, SearchResult } from "minisearch"
import { SearchIndex } from "../ports/SearchIndex.ts"
import type {
  DocumentKind,
  IndexChange,
  SearchDocument,
  SearchHit,
  SearchQuery
} from "../ports/SearchIndex.ts"
import { analyseQuery, termOf, termsOf, wordsOf } from "./analysis.ts"
import type { AnalysedQuery, QueryWord } from "./analysis.ts"
import { likeness } from "./likeness.ts"

/** What counts of a query: its first 64 different terms. */
const maxQueryTerms = 64

const fieldWeights = { title: 2, tags: 1.5, body: 1 }

/** Up to this many terms, a query is taken for keywords, and finds longer words as well. */
const maxKeywords = 4
const keywordPrefixWeight = 0.1

/** What a word that is not in the index may stand for, and how much that counts beside the word itself. */
const nearWeight = 0.45
const minPrefixLength = 3
const minFuzzyLength = 4

/** How many documents that are gone are remembered. */
const maxForgotten = 10_000

/** The relevance that scores one half. */
const halfRelevance = 20
const scoreSteps = 1_000_000

/**
 * Makes an empty index.
 *
 * A query without words finds all that its filters admit, each with score 1, by id descending.
 */
export const make = (): SearchIndex["Service"] => {
  const documents = new Map<string, SearchDocument>()
  const index = new MiniSearch<SearchDocument>({
    fields: ["title", "tags", "body"],
    extractField,
    tokenize: termsOf,
    processTerm: (term) => term,
    // Documents are removed by their text, never discarded: the scores of a discard depend on later searches.
    autoVacuum: false,
    searchOptions: { tokenize: splitTerms, processTerm: (term) => term, boost: fieldWeights }
  })

  /** The versions at which documents were forgotten, of the latest: an older one that comes late stays forgotten. */
  const forgotten = new Map<string, number>()

  const isNews = (key: string, version: number): boolean =>
    version >= (documents.get(key)?.version ?? forgotten.get(key) ?? 0)

  const remove = (key: string): void => {
    const document = documents.get(key)
    if (document === undefined) return
    index.remove(document)
    documents.delete(key)
  }

  const forget = (key: string, version: number): void => {
    remove(key)
    forgotten.delete(key)
    forgotten.set(key, version)
    const [oldest] = forgotten.keys()
    if (forgotten.size > maxForgotten && oldest !== undefined) forgotten.delete(oldest)
  }

  const put = (document: SearchDocument): void => {
    const key = keyOf(document.kind, document.id)
    const former = documents.get(key)
    if (former === undefined || !hasSameText(former, document)) {
      remove(key)
      index.add(document)
    }
    documents.set(key, document)
    forgotten.delete(key)
  }

  const apply = (change: IndexChange): void => {
    const { id, kind, version } = change._tag === "Put" ? change.document : change
    const key = keyOf(kind, id)
    if (!isNews(key, version)) return
    if (change._tag === "Put") put(change.document)
    else forget(key, version)
  }

  /** Adds what a search found to the matches; only admitted documents count. */
  const collect = (
    matches: Map<string, Match>,
    terms: Iterable<string>,
    query: SearchQuery,
    options: SearchOptions
  ) => {
    for (const result of index.search([...terms].join(" "), options)) {
      const document = documents.get(result.id)
      if (document === undefined || !admits(query, document)) continue
      const match = matches.get(result.id)
      if (match === undefined) matches.set(result.id, matchOf(document, result))
      else addTo(match, result)
    }
  }

  const rank = (query: SearchQuery, { terms, words }: AnalysedQuery): Array<SearchHit> => {
    const matches = new Map<string, Match>()
    if (query.match === "all" || query.near === false) {
      collect(matches, terms, query, {})
      const kept = query.match === "all" ? matches.values().filter(hasAll(words)) : matches.values()
      return Array.from(kept, (match) => hitOf(match, terms.length))
    }
    collect(matches, terms, query, terms.length <= maxKeywords ? keywordOptions : {})
    const unknown = missingOf(terms, matches.values())
    if (unknown.size > 0) collect(matches, unknown, query, nearOptions)
    return Array.from(matches.values(), (match) => hitOf(match, terms.length))
  }

  const list = (query: SearchQuery): Array<SearchHit> => {
    const hits: Array<SearchHit> = []
    for (const document of documents.values()) {
      if (admits(query, document)) hits.push({ kind: document.kind, id: document.id, score: 1, terms: [] })
    }
    return hits
  }

  return {
    apply: (changes) => Effect.sync(() => changes.forEach(apply)),
    find: (query) =>
      Effect.sync(() => {
        const analysed = analyseQuery(query.text, maxQueryTerms)
        const hits = analysed.terms.length === 0 ? list(query) : rank(query, analysed)
        return hits.toSorted(byRank)
      }),
    likeness
  }
}

/** Provides an index of its own to each market that is built. */
export const layer: Layer.Layer<SearchIndex> = Layer.sync(SearchIndex, make)

// -----------------------------------------------------------------------------
// Documents
// -----------------------------------------------------------------------------

const keyOf = (kind: DocumentKind, id: string): string => `${kind} ${id}`

const extractField = (document: SearchDocument, field: string): string => {
  switch (field) {
    case "title":
      return document.title
    case "tags":
      return document.tags.join(" ")
    case "body":
      return document.body
    default:
      return keyOf(document.kind, document.id)
  }
}

const hasSameText = (a: SearchDocument, b: SearchDocument): boolean =>
  a.title === b.title && a.body === b.body && a.tags.join(" ") === b.tags.join(" ")

const admits = (query: SearchQuery, document: SearchDocument): boolean =>
  query.kinds.includes(document.kind) &&
  (document.audience === "public" ||
    (query.viewer !== undefined && document.audience.includes(query.viewer))) &&
  (query.tag === undefined || document.tags.includes(query.tag)) &&
  (query.category === undefined || document.category === query.category) &&
  (query.maxPriceMicros === undefined ||
    (document.priceMicros !== undefined && document.priceMicros <= query.maxPriceMicros)) &&
  isWithin(query.within, document) &&
  (query.exceptAgentId === undefined || document.agentId !== query.exceptAgentId) &&
  (query.agentIds === undefined ||
    (document.agentId !== undefined && query.agentIds.includes(document.agentId)))

const isWithin = (range: SearchQuery["within"], { currency, priceMicros }: SearchDocument): boolean =>
  range === undefined ||
  priceMicros === undefined ||
  (currency === range.currency &&
    (range.fromMicros === undefined || priceMicros >= range.fromMicros) &&
    (range.toMicros === undefined || priceMicros <= range.toMicros))

// -----------------------------------------------------------------------------
// Ranking
// -----------------------------------------------------------------------------

interface Match {
  readonly document: SearchDocument
  /** The terms of the query that matched, and those of the document that they matched. */
  asked: ReadonlyArray<string>
  found: ReadonlyArray<string>
  relevance: number
}

const splitTerms = (terms: string): Array<string> => terms.split(" ")

const isPrefix = (term: string): boolean => term.length >= minPrefixLength

const keywordOptions: SearchOptions = {
  prefix: isPrefix,
  weights: { prefix: keywordPrefixWeight, fuzzy: 0 }
}

const nearOptions: SearchOptions = {
  prefix: isPrefix,
  fuzzy: (term) => (term.length >= minFuzzyLength && !/\p{N}/u.test(term) ? 1 : false),
  weights: { prefix: nearWeight, fuzzy: nearWeight }
}

/** Undoes the library's factor for the number of terms: `hitOf` has its own. */
const relevanceOf = (result: SearchResult): number => result.score / result.queryTerms.length

const matchOf = (document: SearchDocument, result: SearchResult): Match => ({
  document,
  asked: result.queryTerms,
  found: result.terms,
  relevance: relevanceOf(result)
})

const addTo = (match: Match, result: SearchResult): void => {
  match.asked = [...new Set([...match.asked, ...result.queryTerms])]
  match.found = [...match.found, ...result.terms]
  match.relevance += relevanceOf(result)
}

const missingOf = (terms: ReadonlyArray<string>, matches: Iterable<Match>): Set<string> => {
  const missing = new Set(terms)
  for (const match of matches) {
    if (missing.size === 0) break
    for (const term of match.found) missing.delete(term)
  }
  return missing
}

/** Tells whether a match has all the words, in whatever form. */
const hasAll =
  (words: ReadonlyArray<QueryWord>) =>
  ({ asked }: Match): boolean =>
    words.every(({ parts, whole }) => asked.includes(whole) || parts.every((part) => asked.includes(part)))

/**
 * Scores a match between 0 and 1.
 *
 * A document that holds few of the words is worth less, most of all for short queries, where each word is meant. Scores
 * are rounded, so that the order in which documents came does not show in them.
 */
const hitOf = ({ asked, document, found, relevance }: Match, termCount: number): SearchHit => {
  const covered = relevance * (asked.length / termCount) ** Math.min(1, 2 / termCount)
  const steps = Math.round((scoreSteps * covered) / (covered + halfRelevance))
  return {
    kind: document.kind,
    id: document.id,
    score: Math.max(1, steps) / scoreSteps,
    // A common word has thousands of hits, of which a page is shown: the words are looked up when they are asked for.
    get terms() {
      return matchedWords(document, new Set(found))
    }
  }
}

const matchedWords = (document: SearchDocument, terms: ReadonlySet<string>): ReadonlyArray<string> => {
  const words = new Set<string>()
  for (const text of [document.title, ...document.tags, document.body]) {
    for (const word of wordsOf(text)) if (terms.has(termOf(word))) words.add(word)
  }
  return [...words]
}

const byRank = (a: SearchHit, b: SearchHit): number =>
  b.score - a.score || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0)
