/**
 * Writing down what time has done: what readers see by the clock becomes so in the store, with its events, and what it
 * has made needless is dropped.
 *
 * Nothing depends on how soon this happens, since every read judges by the clock; but streams hear of it only then.
 * Contract §4.
 */
import { Context, DateTime, Duration, Effect, Layer, Schema } from "effect"
import type { Change, Deadline } from "../model/Change.ts"
import type { Unavailable } from "../model/Errors.ts"
import { after, minute } from "../model/Instant.ts"
import { Store } from "../ports/Store.ts"
import { Commands } from "./Commands.ts"
import { settlementOf } from "./settlements.ts"

/** What time has done and nobody has written down yet. */
export interface Backlog {
  /** Entities whose deadline has come. */
  readonly overdue: number
  /** For how long the first of them has waited; 0 where none does. */
  readonly lagSeconds: number
}

/** After that long, what could not be settled is tried again. */
const putOffSeconds = 5 * minute
const taskLife = Duration.days(30)

export class Settling extends Context.Service<
  Settling,
  {
    /**
     * Writes down what time has done to up to `limit` entities, those first that have waited longest, and tells how
     * many there were to write. Safe at any time and on several nodes at once: each is written once.
     */
    readonly sweep: (limit: number) => Effect.Effect<number, Unavailable>
    /**
     * Drops up to `limit` of what nobody can ask for any more, and tells how many that were: replies to requests whose
     * Idempotency-Key has expired, and tasks that ended more than 30 days ago.
     */
    readonly forget: (limit: number) => Effect.Effect<number, Unavailable>
    /** How far behind the clock the store is. */
    readonly backlog: Effect.Effect<Backlog, Unavailable>
  }
>()("@souk/core/Settling") {
  static readonly layer: Layer.Layer<Settling, never, Store | Commands> = Layer.effect(
    Settling,
    Effect.gen(function* () {
      const store = yield* Store
      const commands = yield* Commands

      const settle = (deadline: Deadline) =>
        commands
          .run({
            on: deadline.id,
            result: Schema.Boolean,
            decide: (now) => settlementOf(store, deadline, now)
          })
          .pipe(
            Effect.map(({ value }) => (value ? 1 : 0)),
            // Others are at it; what they leave is still due.
            Effect.catchTag(["Conflict", "IdempotencyInFlight", "IdempotencyKeyReused"], () =>
              Effect.succeed(0)
            ),
            // One that cannot be settled does not keep the others from it, however many there are of it.
            Effect.catchDefect((defect) =>
              Effect.logError(`What time did to ${deadline.id} could not be written`, defect).pipe(
                Effect.andThen(putOff(deadline)),
                Effect.as(0)
              )
            )
          )

      const putOff = ({ id, kind }: Deadline) =>
        commands
          .run({
            on: id,
            result: Schema.Void,
            decide: (now): Effect.Effect<Change<void>> =>
              Effect.succeed({
                result: undefined,
                writes: [],
                events: [],
                deadlines: [{ kind, id, at: after(now, putOffSeconds) }]
              })
          })
          .pipe(Effect.ignore)

      const sweep = Effect.fn("Settling.sweep")(function* (limit: number) {
        const due = yield* store.deadlines.due(yield* DateTime.now, limit)
        const counts = yield* Effect.forEach(due, settle)
        return counts.reduce((sum, count) => sum + count, 0)
      })

      // Anybody may ask for it, and it counts what may be many.
      const backlog = yield* Effect.cachedWithTTL(
        Effect.gen(function* () {
          const now = yield* DateTime.now
          const { count, since = now } = yield* store.deadlines.overdue(now)
          return { overdue: count, lagSeconds: Duration.toSeconds(DateTime.distance(since, now)) }
        }),
        "1 second"
      )

      const forget = Effect.fn("Settling.forget")(function* (limit: number) {
        const now = yield* DateTime.now
        return yield* store.forget(
          { repliesUntil: now, tasksUntil: DateTime.subtractDuration(now, taskLife) },
          limit
        )
      })

      return Settling.of({ sweep, forget, backlog })
    })
  )
}
