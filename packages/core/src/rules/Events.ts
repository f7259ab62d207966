/** Who hears what: the one judge of streams, pages and webhooks. Contract §6. */
import type { NewEvent } from "../model/Event.ts"
import type { AgentId } from "../model/Id.ts"

/** Public events go to everybody, the others to their parties alone. */
export const mayHear = ({ audience }: NewEvent, viewer: AgentId | undefined): boolean =>
  audience === "public" || (viewer !== undefined && audience.includes(viewer))

/** Makes a judge of whether an event is of one of some types; `rfq.*` stands for all of an RFQ's. */
export const ofTypes = (types: ReadonlyArray<string>): ((event: NewEvent) => boolean) => {
  const wanted = new Set<string>(types)
  return ({ event: { type } }) => wanted.has(type) || wanted.has(`${type.slice(0, type.indexOf("."))}.*`)
}

/** What was told to few concerns each of them; a public event those whom it names. */
export const concerns = ({ audience, event }: NewEvent, viewer: AgentId | undefined): boolean =>
  audience !== "public" ||
  event.actorId === viewer ||
  event.subject.id === viewer ||
  Object.values(event.data).some((fact) => fact === viewer)
