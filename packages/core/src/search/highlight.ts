/** Shows where a text matched: short pieces of it, with the words marked. */
import { termOf, termsOf, wordPattern, wordsOf } from "./analysis.ts"

export interface HighlightOptions {
  /** How many snippets there may be: 3 where nothing is said. */
  readonly snippets?: number
  /** How many UTF-16 code units a snippet may have, marks and ellipses included: 160 where nothing is said. */
  readonly length?: number
}

/**
 * Cuts snippets out of a text around the words that belong to the terms, and marks these words with `**`.
 *
 * `terms` are words in any form: "forecast" also marks "Forecasts". Those of a `SearchHit` are meant. Whole words are
 * marked, a compound as it is written: `**get_weather_forecast**`. The snippets stand in the order of the text; those
 * with the most different terms are preferred. White space becomes one blank, and asterisks in a row become one, so that
 * `**` is always a mark; nothing else is escaped. A word too long for a snippet is not marked.
 */
export const highlights = (
  text: string,
  terms: ReadonlyArray<string>,
  options: HighlightOptions = {}
): ReadonlyArray<string> => {
  const { length = 160, snippets = 3 } = options
  const plain = text
    .replace(/\*{2,}/g, "*")
    .replace(/\s+/g, " ")
    .trim()
  const room = length - 2 * ellipsis.length
  const passages = passagesOf(marksOf(plain, new Set(terms.flatMap(termsOf))), room)
  const best = passages
    .toSorted((a, b) => b.weight - a.weight || b.marks.length - a.marks.length || a.start - b.start)
    .slice(0, snippets)
  return snippetsOf(plain, passages, new Set(best), room)
}

// -----------------------------------------------------------------------------
// Marks
// -----------------------------------------------------------------------------

const sign = "**"
const ellipsis = "…"

/** A part of the text, from `start` up to, not including, `end`. */
interface Span {
  readonly start: number
  readonly end: number
}

/** A word to mark, with the terms that it stands for. */
interface Mark extends Span {
  readonly terms: ReadonlyArray<string>
}

/** Marks that fit into one snippet; its weight is the number of their different terms. */
interface Passage extends Span {
  readonly marks: ReadonlyArray<Mark>
  readonly weight: number
}

const marksOf = (text: string, wanted: ReadonlySet<string>): Array<Mark> => {
  const marks: Array<Mark> = []
  if (wanted.size === 0) return marks
  for (const match of text.matchAll(wordPattern)) {
    const terms = wordsOf(match[0])
      .map(termOf)
      .filter((term) => wanted.has(term))
    if (terms.length > 0) marks.push({ start: match.index, end: match.index + match[0].length, terms })
  }
  return marks
}

const sizeOf = (start: number, end: number, marks: number): number => end - start + 2 * sign.length * marks

const passageOf = (marks: readonly [Mark, ...Array<Mark>]): Passage => ({
  start: marks[0].start,
  end: (marks.at(-1) ?? marks[0]).end,
  marks,
  weight: new Set(marks.flatMap((mark) => mark.terms)).size
})

/** Puts neighbouring marks together, from the left, as long as they fit into one snippet. */
const passagesOf = (marks: ReadonlyArray<Mark>, room: number): Array<Passage> => {
  const groups: Array<[Mark, ...Array<Mark>]> = []
  for (const mark of marks) {
    if (sizeOf(mark.start, mark.end, 1) > room) continue
    const last = groups.at(-1)
    if (last !== undefined && sizeOf(last[0].start, mark.end, last.length + 1) <= room) last.push(mark)
    else groups.push([mark])
  }
  return groups.map(passageOf)
}

// -----------------------------------------------------------------------------
// Snippets
// -----------------------------------------------------------------------------

const snippetsOf = (
  text: string,
  passages: ReadonlyArray<Passage>,
  chosen: ReadonlySet<Passage>,
  room: number
): Array<string> => {
  const snippets: Array<string> = []
  let taken = 0
  for (const [place, passage] of passages.entries()) {
    if (!chosen.has(passage)) continue
    // The context ends at the next words to mark, so that no snippet shows one of them unmarked.
    const limits = {
      start: Math.max(taken, passages[place - 1]?.end ?? 0),
      end: passages[place + 1]?.start ?? text.length
    }
    const { end, start } = withContext(text, passage, limits, room)
    const before = start > 0 ? ellipsis : ""
    const after = end < text.length ? ellipsis : ""
    snippets.push(before + marked(text, { start, end }, passage.marks) + after)
    taken = end
  }
  return snippets
}

/** Widens a passage within the limits to whole words, as far as the room goes: half before it, half behind it. */
const withContext = (text: string, passage: Passage, limits: Span, room: number): Span => {
  const spare = room - sizeOf(passage.start, passage.end, passage.marks.length)
  const before = passage.start - limits.start
  const behind = limits.end - passage.end
  const left = Math.min(before, Math.max(Math.floor(spare / 2), spare - behind))
  const start = wordStart(text, passage.start - left, passage.start)
  const end = wordEnd(text, passage.end, passage.end + Math.min(behind, spare - (passage.start - start)))
  return { start, end }
}

/** Finds the first place at or behind `from` where a word begins; `limit` where there is none before it. */
const wordStart = (text: string, from: number, limit: number): number => {
  if (from === 0) return 0
  const blank = text.indexOf(" ", from - 1)
  return blank === -1 || blank >= limit ? limit : blank + 1
}

/** Finds the last place at or before `to` where a word ends; `limit` where there is none behind it. */
const wordEnd = (text: string, limit: number, to: number): number => {
  if (to === text.length) return to
  const blank = text.lastIndexOf(" ", to)
  return Math.max(limit, blank)
}

const marked = (text: string, span: Span, marks: ReadonlyArray<Mark>): string => {
  let snippet = ""
  let from = span.start
  for (const { end, start } of marks) {
    snippet += text.slice(from, start) + sign + text.slice(start, end) + sign
    from = end
  }
  return snippet + text.slice(from, span.end)
}
