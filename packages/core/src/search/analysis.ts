/**
 * How text becomes the terms of the index: cut into words, folded, stemmed.
 *
 * Documents, queries and highlights go through the same functions, so that what matches is also what gets marked.
 * Made for English and for the names of tools; other languages keep their words whole. Text written without spaces
 * (Chinese, Japanese, Thai) is one word up to the next punctuation mark.
 */
import { stemmer } from "stemmer"

/** Matches a word as it stands in a text: letters, marks and digits, held together by `_`, `-` and apostrophes. */
export const wordPattern = /[\p{L}\p{M}\p{N}]+(?:['’_-][\p{L}\p{M}\p{N}]+)*/gu

/** No word is longer; what follows is ignored. */
const maxWordLength = 64

/**
 * Lists the folded words of a text in order, repeats included.
 *
 * A compound gives its parts and then itself in one piece: `getWeather_now` is get, weather, now, getweathernow.
 */
export const wordsOf = (text: string): Array<string> => {
  const words: Array<string> = []
  for (const [match] of text.matchAll(wordPattern)) {
    const parts = unmarked(withoutApostrophes(match)).split(partBoundary)
    let whole = ""
    for (const part of parts) {
      const word = lowered(part)
      if (word.length > 0) words.push(word.slice(0, maxWordLength))
      whole += word
    }
    if (parts.length > 1) words.push(whole.slice(0, maxWordLength))
  }
  return words
}

/** Gives the term under which a folded word is indexed: its English stem, where it is written in plain letters. */
export const termOf = (word: string): string => (plainLetters.test(word) ? stemmer(word) : word)

/** Lists the terms of a text in order, repeats included. */
export const termsOf = (text: string): Array<string> => wordsOf(text).map(termOf)

/** A word of a query: it is there where all its parts are, or the whole in one piece. */
export interface QueryWord {
  readonly parts: ReadonlyArray<string>
  readonly whole: string
}

export interface AnalysedQuery {
  readonly words: ReadonlyArray<QueryWord>
  /** The different terms of the words, parts and wholes. */
  readonly terms: ReadonlyArray<string>
}

/**
 * Takes a query apart: the words whose terms are looked up, as long as there are less than `limit` different terms.
 *
 * Stop words are left out, unless the query holds nothing else: "it" and "the who" can be searched.
 */
export const analyseQuery = (text: string, limit: number): AnalysedQuery => {
  const bounded = text.slice(0, limit * maxWordLength)
  const all = Array.from(bounded.matchAll(wordPattern), ([match]) => wordsOf(match))
  const telling = all.map((words) => words.filter((word) => !stopWords.has(word)))
  const words: Array<QueryWord> = []
  const terms = new Set<string>()
  for (const forms of telling.some(isFilled) ? telling : all) {
    const stems = forms.map(termOf)
    const whole = stems.at(-1)
    if (whole === undefined) continue
    if (terms.size >= limit) break
    const parts = stems.length === 1 ? stems : stems.slice(0, -1)
    const word = { parts: parts.slice(0, limit - terms.size), whole }
    for (const term of [...word.parts, whole]) terms.add(term)
    words.push(word)
  }
  return { words, terms: [...terms] }
}

const isFilled = (words: ReadonlyArray<string>): boolean => words.length > 0

// -----------------------------------------------------------------------------
// Folding
// -----------------------------------------------------------------------------

/** Of three letters only plurals ("PCs"): the stem of "one" would be "on", that of "use" "us". */
const plainLetters = /^(?:[a-z]{4,}|[a-z]{2}s)$/
const ascii = /^[ -~]*$/
const contraction = /['’](?:s|m|d|re|ve|ll)(?!\p{L})/giu
const apostrophe = /['’]/g

/** Stands between the parts of a compound. Two small letters must follow the last capital: "PDFs" is one word. */
const partBoundary = /[_-]|(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll}{2})/u

/** Diacritics alone: the vowel signs of Indic scripts are marks too, and part of the word. */
const diacritics = /[\u0300-\u036f]/g

/** Letters that Unicode does not take apart, and the two forms of sigma. */
const letters: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  ł: "l",
  ı: "i",
  þ: "th",
  ς: "σ"
}
const foldedLetters = /[ßæœøđðłıþς]/g

const withoutApostrophes = (word: string): string =>
  word.includes("'") || word.includes("’") ? word.replace(contraction, "").replace(apostrophe, "") : word

const unmarked = (word: string): string =>
  ascii.test(word) ? word : word.normalize("NFKD").replace(diacritics, "").normalize("NFC")

const lowered = (word: string): string => {
  const lower = word.toLowerCase()
  return ascii.test(lower) ? lower : lower.replace(foldedLetters, (letter) => letters[letter] ?? letter)
}

/** Words that say nothing about what is sought, those of polite requests included. */
const stopWords: ReadonlySet<string> = new Set(
  (
    "a an the and or but not no nor of at by for from in into on onto to with as if than then so too very just " +
    "is am are was were be been being do does did done has have had having will would can could shall should may might must " +
    "i me my we us our you your he him his she her it its they them their this that these those there here " +
    "who whom whose what which when where why how any some all such please about " +
    "dont doesnt didnt cant couldnt wont isnt arent"
  ).split(" ")
)
