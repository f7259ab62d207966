/** What a simulation knows of its market: all that was committed, and who has put his name under which terms. */
import type {
  Agent,
  AgentId,
  Commit,
  DealRoom,
  Entry,
  Match,
  NewEvent,
  Quote,
  Request,
  Review,
  Rfq
} from "@souk/core"

export interface Ledger {
  readonly agents: ReadonlyMap<string, Agent>
  readonly requests: ReadonlyMap<string, Request>
  readonly rfqs: ReadonlyMap<string, Rfq>
  readonly quotes: ReadonlyMap<string, Quote>
  readonly rooms: ReadonlyMap<string, DealRoom>
  readonly reviews: ReadonlyMap<string, Review>
  readonly matches: ReadonlyMap<string, Match>
  /** What a room was before each of its commits, oldest first. */
  readonly moves: ReadonlyArray<RoomMove>
  readonly events: ReadonlyArray<NewEvent>
  /** Says that an agent stands by terms, in a room or by a quote. */
  readonly consent: (subjectId: string, agentId: AgentId, termsDigest: string) => void
  readonly hasConsented: (subjectId: string, agentId: AgentId, termsDigest: string) => boolean
  readonly note: (commit: Pick<Commit, "writes" | "events">) => void
}

interface RoomMove {
  readonly before: DealRoom | undefined
  readonly after: DealRoom
  readonly entries: ReadonlyArray<Entry>
}

/** Starts with nothing. */
export const makeLedger = (): Ledger => {
  const agents = new Map<string, Agent>()
  const requests = new Map<string, Request>()
  const rfqs = new Map<string, Rfq>()
  const quotes = new Map<string, Quote>()
  const rooms = new Map<string, DealRoom>()
  const reviews = new Map<string, Review>()
  const matches = new Map<string, Match>()
  const moves: Array<RoomMove> = []
  const events: Array<NewEvent> = []
  const consents = new Set<string>()

  const note: Ledger["note"] = ({ events: told, writes }) => {
    const entries = writes.flatMap((write) => (write.kind === "entry" ? [write.value] : []))
    for (const write of writes) {
      if (write.kind === "agent") agents.set(write.value.id, write.value)
      if (write.kind === "request") requests.set(write.value.id, write.value)
      if (write.kind === "rfq") rfqs.set(write.value.id, write.value)
      if (write.kind === "quote") quotes.set(write.value.id, write.value)
      if (write.kind === "review") reviews.set(write.value.id, write.value)
      if (write.kind === "match") matches.set(write.value.id, write.value)
      if (write.kind !== "deal_room") continue
      const { id } = write.value
      moves.push({
        before: rooms.get(id),
        after: write.value,
        entries: entries.filter(({ roomId }) => roomId === id)
      })
      rooms.set(id, write.value)
    }
    events.push(...told)
  }

  return {
    agents,
    requests,
    rfqs,
    quotes,
    rooms,
    reviews,
    matches,
    moves,
    events,
    consent: (...parts) => void consents.add(parts.join(" ")),
    hasConsented: (...parts) => consents.has(parts.join(" ")),
    note
  }
}
