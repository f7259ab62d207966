/** Matches: what the market found for a demand or a supply, for its two sides. Contract §3 Match, §5. */
import { Context, DateTime, Effect, Layer } from "effect"
import type { InvalidCursor, NotFound, Unavailable, VersionConflict } from "../model/Errors.ts"
import type { AgentId, ListingId, MatchId, RequestId, RfqId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import { Match } from "../model/Match.ts"
import type { MatchStatus } from "../model/Match.ts"
import type { CursorPage, PageQuery, PageRequest } from "../model/Page.ts"
import { Store } from "../ports/Store.ts"
import * as rules from "../rules/Matches.ts"
import type { MoveRefused } from "../rules/StateTable.ts"
import { Commands } from "./Commands.ts"
import type { WriteOptions, WriteRefused, Written } from "./Commands.ts"
import { paged } from "./Cursors.ts"
import { gate } from "./Gate.ts"
import type { GateRefused } from "./Gate.ts"
import { bindingOf } from "./lists.ts"
import { readMatch, readPairs } from "./pairs.ts"
import { matchVersion, reliesOnAgent } from "./reads.ts"

/** Which of its matches a caller wants: all but the dismissed ones where nothing is said. */
export interface MatchQuery extends PageQuery {
  readonly demand?: RfqId | RequestId | undefined
  readonly supply?: ListingId | undefined
  readonly status?: MatchStatus | undefined
}

export type MatchWriteRefused = WriteRefused | MoveRefused | GateRefused | NotFound | VersionConflict

export class Matches extends Context.Service<
  Matches,
  {
    /** The matches in which the viewer is a side; of another's demand or supply those with the viewer's own. */
    readonly list: (
      viewer: AgentId,
      query: MatchQuery
    ) => Effect.Effect<CursorPage<Match>, InvalidCursor | Unavailable>
    /** Turns a match down, for both sides and for good. */
    readonly dismiss: (
      by: AgentId,
      id: MatchId,
      options?: WriteOptions
    ) => Effect.Effect<Written<Match>, MatchWriteRefused>
  }
>()("@souk/core/Matches") {
  static readonly layer: Layer.Layer<Matches, never, Store | Commands> = Layer.effect(
    Matches,
    Effect.gen(function* () {
      const store = yield* Store
      const commands = yield* Commands
      const actor = yield* gate

      /**
       * Reads a page of the matches that are there. Those that no longer stand are passed over; after many of them the
       * page ends, and the next one goes on behind them.
       */
      const read = Effect.fnUntraced(function* (
        viewer: AgentId,
        { demand, status, supply }: MatchQuery,
        page: PageRequest
      ) {
        const now = yield* DateTime.now
        const statuses: ReadonlyArray<MatchStatus> =
          status === undefined ? ["suggested", "engaged"] : [status]
        const filter = { party: viewer, demandId: demand, supplyId: supply, statuses }
        const items: Array<Match> = []
        let { before } = page
        for (let looked = 0; looked < maxLooked; looked += chunk) {
          const next = yield* store.matches.list(filter, { limit: chunk, before })
          const pairOf = yield* readPairs(store, next.items, now)
          items.push(...next.items.filter((match) => rules.isThere(match, pairOf(match))))
          before = next.items.at(-1)?.id
          if (items.length > page.limit) return { items: items.slice(0, page.limit), hasMore: true }
          if (!next.hasMore) return { items, hasMore: false }
        }
        return { items, hasMore: true, seenTo: before }
      })

      const list = Effect.fn("Matches.list")((viewer: AgentId, query: MatchQuery) =>
        paged(bindingOf("matches", viewer, query), query, (page) => read(viewer, query, page))
      )

      const dismiss = Effect.fn("Matches.dismiss")(function* (
        by: AgentId,
        id: MatchId,
        options?: WriteOptions
      ) {
        const decide = Effect.fnUntraced(function* (now: Instant) {
          const agent = yield* actor(by, "match.dismiss", { subject: id })
          const { match, side } = yield* readMatch(store, by, id, now)
          yield* matchVersion(match, options)
          const change = yield* Effect.fromResult(rules.dismiss(match, side, now))
          return { ...change, reliesOn: [reliesOnAgent(agent)] }
        })
        return yield* commands.run({ on: id, result: Match, decide }, options)
      })

      return Matches.of({ list, dismiss })
    })
  )
}

const chunk = 100
const maxLooked = 1000
