/** When time moves an entity next: what the sweeper waits for, by the same rules that judge what a reader sees. */
import type { DeadlineKind, DeadlineNote, Write } from "../model/Change.ts"
import type { Instant } from "../model/Instant.ts"
import type { Rfq } from "../model/Rfq.ts"
import { nextLapse } from "./DealRooms.ts"
import { isHidden } from "./Reviews.ts"

/** The deadlines that writes set or clear: one for each entity that time can move. */
export const deadlinesOf = (writes: ReadonlyArray<Write>): ReadonlyArray<DeadlineNote> => {
  const notes = new Map<string, DeadlineNote>()
  const note = (kind: DeadlineKind, id: string, at: Instant | undefined) =>
    notes.set(id, { kind, id, at: at ?? null })
  for (const { kind, value } of writes) {
    switch (kind) {
      case "request":
        note(kind, value.id, value.status === "open" ? value.expiresAt : undefined)
        break
      case "rfq":
        note(kind, value.id, nextOfRfq(value))
        break
      case "quote":
        note(kind, value.id, value.status === "active" ? value.validUntil : undefined)
        break
      case "deal_room":
        note(kind, value.id, nextLapse(value)?.at)
        break
      case "review":
        note(kind, value.id, isHidden(value) ? value.publishedAt : undefined)
        break
    }
  }
  return [...notes.values()]
}

const nextOfRfq = ({ awardBy, held, quoteDeadline, status }: Rfq): Instant | undefined => {
  if (status === "open" || (status === "draft" && held !== undefined)) return quoteDeadline
  return status === "evaluating" ? awardBy : undefined
}
