/** Asking the host's own code, which may fail in any way: nothing that it does is taken for a yes. */
import { Cause, Data, Effect, Exit, Fiber, Schema } from "effect"
import type { Duration } from "effect"
import { Unavailable } from "../model/Errors.ts"

/** The host's code gave no answer that can be used: it failed, died, took too long, or said what makes no sense. */
export class HostFault extends Data.TaggedError("HostFault")<{ readonly cause: unknown }> {}

/**
 * Runs the host's effect in a fiber of its own. That it ends in interruption is the host's fault then, and never taken
 * for the end of whoever asked; who is interrupted himself interrupts it.
 */
export const apart = <A, E>(effect: () => Effect.Effect<A, E>): Effect.Effect<A, E | HostFault> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.forkChild(Effect.suspend(effect), { startImmediately: true }), (fiber) =>
      restore(Fiber.await(fiber)).pipe(
        Effect.onInterrupt(() => Fiber.interrupt(fiber)),
        Effect.flatMap((exit): Effect.Effect<A, E | HostFault> =>
          Exit.isFailure(exit) && Cause.hasInterrupts(exit.cause)
            ? Effect.fail(new HostFault({ cause: Cause.squash(exit.cause) }))
            : exit
        )
      )
    )
  )

/** Waits for an answer of a known form. */
export const answerOf = <S extends Schema.ConstraintCodec<unknown, unknown>>(
  schema: S,
  patience: Duration.Input,
  ask: () => Effect.Effect<S["Type"], unknown>
): Effect.Effect<S["Type"], HostFault> =>
  apart(ask).pipe(
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
