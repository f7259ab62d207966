/**
 * What the host has said about a command while it runs.
 *
 * A decision does not wait for the host: where it needs a word that is not there yet it ends with `Unheard`. The command
 * then leaves its locks, asks, and decides anew with the answer. So however long the host takes, nobody waits for it but
 * whoever it was asked about.
 */
import { Context, Data } from "effect"
import type { Effect } from "effect"
import type { Unavailable } from "../model/Errors.ts"
import type { ModerationVerdict } from "../ports/Moderation.ts"
import type { PolicyVerdict } from "../ports/Policy.ts"

/** The verdicts so far, each under what was asked. */
export interface Verdicts {
  readonly policy: Map<string, PolicyVerdict>
  readonly moderation: Map<string, ModerationVerdict>
}

export const makeVerdicts = (): Verdicts => ({ policy: new Map(), moderation: new Map() })

/** The verdicts of the command that runs. */
export const Hearing = Context.Reference<Verdicts>("@souk/core/Hearing", { defaultValue: makeVerdicts })

/** The host's word is missing; `ask` gets it. */
export class Unheard extends Data.TaggedError("Unheard")<{
  readonly ask: Effect.Effect<void, Unavailable>
}> {}
