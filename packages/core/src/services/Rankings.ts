/**
 * Rankings that callers are paging through.
 *
 * A score depends on everything else in the index, so a ranking made anew for the second page would repeat some
 * results and skip others once something is published in between. The first page's ranking is therefore kept for the
 * next ones, for as long as there is room. Contract §1, "Paging".
 */
import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import type { SearchHit } from "../ports/SearchIndex.ts"

/** The best hits of a search, and whether there were more. */
export interface Ranking {
  readonly id: string
  readonly hits: ReadonlyArray<SearchHit>
  readonly isWhole: boolean
}

export interface Rankings {
  readonly keep: (hits: ReadonlyArray<SearchHit>) => Effect.Effect<Ranking>
  /** Finds a ranking that is still kept; `undefined` after many others, or on another node. */
  readonly find: (id: string) => Ranking | undefined
}

const maxRankings = 200
const maxHits = 1000

/** Makes a place for some rankings; the one that was not asked for the longest time makes room for the next. */
export const make: Effect.Effect<Rankings, never, SecureRandom.SecureRandom> = Effect.gen(function* () {
  const random = yield* SecureRandom.SecureRandom
  const kept = new Map<string, Ranking>()
  const touch = (ranking: Ranking): Ranking => {
    kept.delete(ranking.id)
    kept.set(ranking.id, ranking)
    for (const id of kept.keys()) {
      if (kept.size <= maxRankings) break
      kept.delete(id)
    }
    return ranking
  }
  return {
    keep: (hits) =>
      Effect.map(random.uuidV4(), (id) =>
        touch({ id, hits: hits.slice(0, maxHits), isWhole: hits.length <= maxHits })
      ),
    find: (id) => {
      const ranking = kept.get(id)
      return ranking && touch(ranking)
    }
  }
})
