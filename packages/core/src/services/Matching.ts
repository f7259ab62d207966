/**
 * Matching what is new on the market: each listing and each demand that comes to be or changes is compared with what it
 * may fit, away from the request that changed it.
 *
 * The events say what is new, in their order. How far they were read stands in a bookmark, which moves in the very commit
 * that holds what was made of them: a market that stops on the way goes on where it was, and of two nodes one does it.
 */
import { Context, Effect, Layer, Schema, Semaphore } from "effect"
import type { Change } from "../model/Change.ts"
import type { Conflict, Unavailable } from "../model/Errors.ts"
import type { EventType, StoredEvent } from "../model/Event.ts"
import { AgentId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import { SearchIndex } from "../ports/SearchIndex.ts"
import { Store } from "../ports/Store.ts"
import { moveBookmark } from "../rules/Bookmarks.ts"
import type { Found } from "../rules/Matches.ts"
import { matchesOf } from "./candidates.ts"
import type { Subject } from "./candidates.ts"
import { Commands } from "./Commands.ts"
import { Indexing } from "./Indexing.ts"
import { readAll } from "./lists.ts"

export class Matching extends Context.Service<
  Matching,
  {
    /**
     * Reads the next events, matches what they tell of, and tells how many it read: none when all are read. Safe at any
     * time and on several nodes at once: each pair is matched once.
     */
    readonly round: Effect.Effect<number, Conflict | Unavailable>
  }
>()("@souk/core/Matching") {
  static readonly layer: Layer.Layer<Matching, never, Store | Commands | SearchIndex | Indexing> =
    Layer.effect(
      Matching,
      Effect.gen(function* () {
        const store = yield* Store
        const commands = yield* Commands
        const index = yield* SearchIndex
        const indexing = yield* Indexing
        const oneAtATime = yield* Semaphore.make(1)
        /** How far this process has read, and how many of those events the bookmark does not know of. */
        let read = 0
        let unsaved = 0

        /** Commits what was found with the moved bookmark, unless another node has read as far already. */
        const commit = (
          { heard, to }: Place,
          find: (now: Instant) => Effect.Effect<Found | undefined, Unavailable>
        ) =>
          commands
            .run({
              on: bookmarkId,
              result: Schema.Boolean,
              decide: Effect.fnUntraced(function* (now: Instant) {
                const bookmark = yield* store.bookmarks.byId(bookmarkId)
                if (bookmark !== undefined && bookmark.position >= heard) return nothing
                const found = yield* find(now)
                if (found === undefined) return nothing
                const change: Change<boolean> = {
                  result: true,
                  writes: [...found.writes, moveBookmark(bookmarkId, bookmark, to, now)],
                  events: found.events,
                  reliesOn: found.reliesOn
                }
                return change
              })
            })
            .pipe(
              Effect.map(({ value }) => {
                if (value) unsaved = 0
              }),
              Effect.catchTag(["IdempotencyInFlight", "IdempotencyKeyReused"], Effect.die)
            )

        const match = ({ place, subject }: Step) =>
          commit(place, (now) =>
            Effect.map(matchesOf(store, index, subject, now), (found) =>
              found.writes.length === 0 ? undefined : found
            )
          ).pipe(
            // One that cannot be matched does not keep the others from it.
            Effect.catchDefect((defect) =>
              Effect.logError(`The ${subject.kind} ${subject.id} could not be matched`, defect)
            )
          )

        /** What an agent has on the market, which nobody was told of while it was suspended. */
        const belongings = Effect.fnUntraced(function* (agentId: AgentId) {
          const listings = yield* readAll((page) => store.listings.list({ agentId, status: "active" }, page))
          const states = [{ status: "open" }] as const
          const requests = yield* readAll((page) => store.requests.list({ agentId, states }, page))
          const rfqs = yield* readAll((page) => store.rfqs.list({ agentId, states, viewer: agentId }, page))
          return [
            ...listings.map(({ id }): Subject => ({ kind: "listing", id })),
            ...requests.map(({ id }): Subject => ({ kind: "request", id })),
            ...rfqs.map(({ id }): Subject => ({ kind: "rfq", id }))
          ]
        })

        /** What events tell of, each thing once, where it was told of last. */
        const stepsOf = Effect.fnUntraced(function* (events: ReadonlyArray<StoredEvent>) {
          const steps = new Map<string, Step>()
          const add = (subject: Subject, place: Place) => {
            steps.delete(subject.id)
            steps.set(subject.id, { subject, place })
          }
          for (const { event, position } of events) {
            const { id, kind } = event.subject
            if (event.type === "agent.reinstated") {
              const things = yield* belongings(AgentId.make(id))
              // The bookmark does not pass the event before the last of them is matched.
              for (const thing of things) add(thing, { heard: position, to: position - 1 })
            } else if (
              isTelling(event.type) &&
              (kind === "listing" || kind === "request" || kind === "rfq")
            ) {
              add({ kind, id }, { heard: position, to: position })
            }
          }
          return steps.values()
        })

        const next = Effect.gen(function* () {
          const bookmark = yield* store.bookmarks.byId(bookmarkId)
          read = Math.max(read, bookmark?.position ?? 0, yield* store.events.forgotten)
          const events = yield* store.events.after(read, batch)
          const last = events.at(-1)
          if (last === undefined) return 0
          // The bookmark passes a pair for good: the index must know by now what these events tell of.
          yield* indexing.catchUp
          for (const step of yield* stepsOf(events)) {
            yield* match(step)
            read = step.place.to
          }
          read = last.position
          unsaved += events.length
          if (unsaved >= saveEvery) {
            yield* commit({ heard: read, to: read }, () =>
              Effect.succeed({ writes: [], events: [], reliesOn: [] })
            )
            unsaved = 0
          }
          return events.length
        })

        return Matching.of({ round: oneAtATime.withPermit(next).pipe(Effect.withSpan("Matching.round")) })
      })
    )
}

const bookmarkId = "matcher"
const batch = 200

/** The bookmark follows at least so often where there was nothing to match. */
const saveEvery = 1000

/** What is new to the other side. Ends are judged when a match is read. */
const telling: ReadonlySet<EventType> = new Set([
  "listing.published",
  "listing.updated",
  "request.opened",
  "request.updated",
  "rfq.opened",
  "rfq.updated",
  "agent.reinstated"
])

/** Whether there is something to match where this happened. */
export const isTelling = (type: EventType): boolean => telling.has(type)

/** Where something was heard of, and how far the bookmark moves when it is done. */
interface Place {
  readonly heard: number
  readonly to: number
}

interface Step {
  readonly subject: Subject
  readonly place: Place
}

const nothing: Change<boolean> = { result: false, writes: [], events: [] }
