/**
 * The search index: a projection of the store that finds and ranks.
 *
 * Its default lives in the process, so that a market answers alike on every store. It is built from the store when
 * the market starts and told of each commit; it never decides what a caller may see, only narrows by audience.
 */
import { Context } from "effect"
import type { Effect } from "effect"
import type { AgentId } from "../model/Id.ts"
import type { Audience } from "../model/Event.ts"

export type DocumentKind = "listing" | "request" | "rfq" | "agent"

/** What the index knows of one entity. Texts are searched in the order of weight: title, tags, body. */
export interface SearchDocument {
  readonly kind: DocumentKind
  readonly id: string
  /** Of the entity: what is older than what the index knows of it is not news. */
  readonly version: number
  readonly title: string
  readonly body: string
  readonly tags: ReadonlyArray<string>
  readonly category?: string | undefined
  /** The price or budget in millionths, and its currency. */
  readonly priceMicros?: bigint | undefined
  readonly currency?: string | undefined
  /** Whose it is. */
  readonly agentId?: AgentId | undefined
  readonly audience: Audience
}

/**
 * A document to keep, or to forget because it is no longer findable. Changes of one entity may come in any order: the
 * one of the greatest version stands.
 */
export type IndexChange =
  | { readonly _tag: "Put"; readonly document: SearchDocument }
  | { readonly _tag: "Remove"; readonly kind: DocumentKind; readonly id: string; readonly version: number }

export interface SearchQuery {
  readonly text: string
  /** Whether a hit has any of the words (the default; more of them rank higher) or all of them. */
  readonly match?: "any" | "all" | undefined
  /** Whether longer and misspelt words may stand for a word: yes where nothing is said. Never with `all`. */
  readonly near?: boolean | undefined
  readonly kinds: ReadonlyArray<DocumentKind>
  readonly viewer?: AgentId | undefined
  readonly tag?: string | undefined
  readonly category?: string | undefined
  readonly maxPriceMicros?: bigint | undefined
  /** Leaves out amounts in another currency or beyond the bounds; what names no amount is kept. */
  readonly within?: AmountRange | undefined
  /** Only what is of these agents. */
  readonly agentIds?: ReadonlyArray<AgentId> | undefined
  /** Nothing of this agent. */
  readonly exceptAgentId?: AgentId | undefined
}

/** Amounts of one currency, in millionths, both bounds included. */
export interface AmountRange {
  readonly currency: string
  readonly fromMicros?: bigint | undefined
  readonly toMicros?: bigint | undefined
}

/** `score` is above 0 and at most 1; `terms` are the words of the document that matched. */
export interface SearchHit {
  readonly kind: DocumentKind
  readonly id: string
  readonly score: number
  readonly terms: ReadonlyArray<string>
}

export class SearchIndex extends Context.Service<
  SearchIndex,
  {
    readonly apply: (changes: ReadonlyArray<IndexChange>) => Effect.Effect<void>
    /** Every hit, best first, equal scores by id descending. A query without words matches all, newest first. */
    readonly find: (query: SearchQuery) => Effect.Effect<ReadonlyArray<SearchHit>>
    /**
     * How much of what is wanted an offer speaks of, from 0 to 1. It follows from the two documents alone, whatever else
     * the index holds, and whether it holds them or not.
     */
    readonly likeness: (wanted: SearchDocument, offered: SearchDocument) => number
  }
>()("@souk/core/SearchIndex") {}
