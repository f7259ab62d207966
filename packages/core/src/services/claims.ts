/**
 * Keeping a task that was claimed while it is under way.
 *
 * A claim is short, so that others soon take over what a dead node had in hand. Whoever lives renews it.
 */
import { Duration, Effect, Schema } from "effect"
import type { Change } from "../model/Change.ts"
import type { Unavailable } from "../model/Errors.ts"
import type { TaskId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import type { Store } from "../ports/Store.ts"
import { claim, renewEverySeconds } from "../rules/Tasks.ts"
import type { Commands } from "./Commands.ts"

/**
 * Does some work on a task whose claim made it `version`, and keeps the claim until the work ends. Once somebody else
 * has written the task it is left to him, and the work goes on: what came of it is the caller's to judge, to whom the
 * task's last known version is told.
 */
export const keepClaim = (store: Store["Service"], commands: Commands["Service"]) =>
  Effect.fnUntraced(function* <A, E, R>(id: TaskId, version: number, work: Effect.Effect<A, E, R>) {
    let held = version
    const decide = Effect.fnUntraced(function* (now: Instant) {
      const task = yield* store.tasks.byId(id)
      if (task?.version !== held) return lost
      const value = claim(task, now)
      const change: Change<number | undefined> = {
        result: value.version,
        writes: [{ kind: "task", value, replaces: held }],
        events: []
      }
      return change
    })
    /** Tells whether the claim was lost. That the store does not answer is no loss yet. */
    const renew = commands.run<number | undefined, number | undefined, Unavailable>({
      on: id,
      result: Schema.UndefinedOr(Schema.Int),
      decide
    })
    const isLost = renew.pipe(
      Effect.map(({ value }) => {
        held = value ?? held
        return value === undefined
      }),
      Effect.catch(() => Effect.succeed(false)),
      // A renewal that is written is known to be so.
      Effect.uninterruptible,
      Effect.delay(Duration.seconds(renewEverySeconds))
    )
    const renewing = Effect.andThen(Effect.repeat(isLost, { until: (is) => is }), Effect.never)
    const value = yield* Effect.raceFirst(work, renewing)
    return { value, version: held }
  })

const lost: Change<number | undefined> = { result: undefined, writes: [], events: [] }
