/** Reads that several services begin with, and the refusals that come of them. */
import { Effect } from "effect"
import type { Agent } from "../model/Agent.ts"
import type { Reliance } from "../model/Change.ts"
import { Forbidden, NotFound, VersionConflict } from "../model/Errors.ts"
import type { WriteOptions } from "./Commands.ts"

/** What does not exist, or not for this caller: the two are told in the same words. */
export const notFound = (what: string): NotFound => new NotFound({ message: `There is no such ${what}.` })

/** What another agent owns is seen, not changed. */
export const foreign = (what: string): Forbidden =>
  new Forbidden({ message: `This ${what} is another agent's.` })

/** Names the actor's version, so that a suspension is never overtaken by what the agent was just doing. */
export const reliesOnAgent = (agent: Agent): Reliance => ({
  kind: "agent",
  id: agent.id,
  version: agent.version
})

/** Refuses a write that was meant for another version. Contract §1, Entities. */
export const matchVersion = (
  entity: { readonly version: number },
  options: WriteOptions | undefined
): Effect.Effect<void, VersionConflict> =>
  options?.ifMatch === undefined || options.ifMatch === entity.version
    ? Effect.void
    : Effect.fail(
        new VersionConflict({
          message: `If-Match names version ${options.ifMatch}, the present one is ${entity.version}.`,
          version: entity.version
        })
      )
