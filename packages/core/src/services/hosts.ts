/** Asking the host's own code, which may fail in any way: nothing that it does is taken for a yes. */
import { Cause, Data, Effect, Schema } from "effect"
import type { Duration } from "effect"
import { Unavailable } from "../model/Errors.ts"

/** The host's code gave no answer that can be used: it failed, died, took too long, or said what makes no sense. */
export class HostFault extends Data.TaggedError("HostFault")<{ readonly cause: unknown }> {}

/** Waits for an answer of a known form. */
export const answerOf = <S extends Schema.ConstraintCodec<unknown, unknown>>(
  schema: S,
  patience: Duration.Input,
  ask: () => Effect.Effect<S["Type"], unknown>
): Effect.Effect<S["Type"], HostFault> =>
  Effect.suspend(ask).pipe(
    Effect.timeout(patience),
    Effect.flatMap(Schema.decodeUnknownEffect(Schema.toType(schema))),
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.interrupt
        : Effect.fail(new HostFault({ cause: Cause.squash(cause) }))
    )
  )

const verdictPatience = "10 seconds"

/** Asks for a verdict, without which a write cannot be. What the fault was is for the operator's log. */
export const verdictOf = <S extends Schema.ConstraintCodec<unknown, unknown>>(
  port: "policy" | "moderation",
  schema: S,
  ask: () => Effect.Effect<S["Type"], unknown>
): Effect.Effect<S["Type"], Unavailable> =>
  answerOf(schema, verdictPatience, ask).pipe(
    Effect.tapError(({ cause }) => Effect.logError(`The host's ${port} could not answer`, cause)),
    Effect.mapError(() => new Unavailable({ message: `The market's ${port} cannot answer now. Try again.` }))
  )
