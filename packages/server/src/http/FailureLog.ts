/**
 * Logs what a refusal keeps from its caller: why the store could not answer. Defects are logged by `Failsafe`.
 *
 * The endpoints encode their refusals before any middleware sees them, but report them before that.
 */
import { Unavailable } from "@souk/core"
import { Cause, Effect, ErrorReporter } from "effect"

/** Logs every `Unavailable` that has a cause, beside the reporters that the host has. */
export const layer = ErrorReporter.layer(
  [
    ErrorReporter.make(({ cause, fiber }) => {
      const failed = Cause.squash(cause)
      if (!(failed instanceof Unavailable) || failed.cause === undefined) return
      Effect.runForkWith(fiber.context)(
        Effect.logError("The store could not answer", Cause.fail(failed.cause))
      )
    })
  ],
  { mergeWithExisting: true }
)
