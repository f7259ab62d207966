/**
 * How much of what is wanted an offer speaks of, by the words of the two alone.
 *
 * A relevance as of a search grows with the length of the query and changes with whatever else is in the index. Two
 * things are compared over and over while others come and go, and their likeness must be the same each time.
 */
import type { SearchDocument } from "../ports/SearchIndex.ts"
import { analyseQuery, termsOf } from "./analysis.ts"
import type { QueryWord } from "./analysis.ts"

/** What comes late in a long description says little of what it is about. */
const maxBodyLength = 1000
const maxTerms = 400

/** What a word counts for: where it is wanted, and where it is offered. */
const headingWeight = 1
const bodyWeight = 0.5

/**
 * Compares what is wanted with what is offered: 0 where they share no word, 1 where the title, the tags and the category
 * of the offer hold all the words.
 */
export const likeness = (wanted: SearchDocument, offered: SearchDocument): number => {
  const { heading, body } = termsIn(offered)
  let asked = 0
  let met = 0
  for (const { word, weight } of wordsIn(wanted).values()) {
    asked += weight
    if (has(heading, word)) met += weight * headingWeight
    else if (has(body, word)) met += weight * bodyWeight
  }
  // Nobody offers in the very words in which another asks: the root brings what is much in practice near to 1.
  return asked === 0 ? 0 : Math.sqrt(met / asked)
}

const headingOf = ({ category, tags, title }: SearchDocument): string =>
  [title, ...tags, category ?? ""].join("\n")

const bodyOf = ({ body }: SearchDocument): string => body.slice(0, maxBodyLength)

const termsIn = (document: SearchDocument) => {
  const heading = new Set(termsOf(headingOf(document)))
  return { heading, body: new Set([...heading, ...termsOf(bodyOf(document))]) }
}

interface Wanted {
  readonly word: QueryWord
  readonly weight: number
}

/** The different words of a document, each where it counts most. */
const wordsIn = (document: SearchDocument): ReadonlyMap<string, Wanted> => {
  const words = new Map<string, Wanted>()
  const add = (text: string, weight: number) => {
    for (const word of analyseQuery(text, maxTerms).words)
      if (!words.has(word.whole)) words.set(word.whole, { word, weight })
  }
  add(headingOf(document), headingWeight)
  add(bodyOf(document), bodyWeight)
  return words
}

/** A compound is there in one piece, or in all its parts. */
const has = (terms: ReadonlySet<string>, { parts, whole }: QueryWord): boolean =>
  terms.has(whole) || parts.every((part) => terms.has(part))
