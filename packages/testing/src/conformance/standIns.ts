/**
 * What an entity names, and stand-ins for that: a store may refuse whatever names what is not there.
 *
 * A stand-in is in no list that an obligation looks at: closed, archived, cancelled or of agents that no one asks for.
 */
import type { AgentId, DealRoomId, ListingId, RequestId, RfqId, Write } from "@souk/core"
import {
  sampleAgent,
  sampleId,
  sampleListing,
  sampleRequest,
  sampleRfq,
  sampleRoom,
  write
} from "../fixtures.ts"

export type Named =
  | { readonly kind: "agent"; readonly id: AgentId }
  | { readonly kind: "listing"; readonly id: ListingId }
  | { readonly kind: "request"; readonly id: RequestId }
  | { readonly kind: "rfq"; readonly id: RfqId }
  | { readonly kind: "deal_room"; readonly id: DealRoomId }

/** What some writes name and do not bring with them, each once, behind what it names itself. */
export const namedBy = (writes: ReadonlyArray<Write>): ReadonlyArray<Named> => {
  const brought = new Set<string>(writes.map(({ value }) => value.id))
  const found = new Map<string, Named>()
  const look = (write: Write) => {
    for (const named of namesOf(write)) {
      if (brought.has(named.id) || found.has(named.id)) continue
      look(standIn(named))
      found.set(named.id, named)
    }
  }
  writes.forEach(look)
  return [...found.values()]
}

/** Writes something new in the place of what is named. */
export const standIn = (named: Named): Write => {
  switch (named.kind) {
    case "agent": {
      const handle = `stand-in-${named.id.slice(-16)}`
      return write.agent(sampleAgent(0, { id: named.id, handle, status: "closed" }))
    }
    case "listing":
      return write.listing(sampleListing(0, { id: named.id, agentId: nobody, status: "archived" }))
    case "request":
      return write.request(sampleRequest(0, { id: named.id, agentId: nobody, status: "cancelled" }))
    case "rfq":
      return write.rfq(sampleRfq(0, { id: named.id, agentId: nobody, status: "cancelled" }))
    case "deal_room": {
      const ended = { status: "declined", turn: null } as const
      return write.room(sampleRoom(0, { id: named.id, buyerId: nobody, sellerId: noOther, ...ended }))
    }
  }
}

// -----------------------------------------------------------------------------

const [nobody, noOther] = [sampleId("agent", 1_000_001), sampleId("agent", 1_000_002)]

const agents = (...ids: ReadonlyArray<AgentId>) => ids.map((id) => ({ kind: "agent", id }) as const)

/** The fields of each kind that name others. */
const namesOf = ({ kind, value }: Write): ReadonlyArray<Named> => {
  switch (kind) {
    case "key":
    case "listing":
    case "request":
    case "webhook":
      return agents(value.agentId)
    case "rfq":
      return agents(value.agentId, ...value.invitees)
    case "quote":
      return [{ kind: "rfq", id: value.rfqId }, ...agents(value.agentId)]
    case "deal_room":
      return agents(value.buyerId, value.sellerId)
    case "offer":
      return [{ kind: "deal_room", id: value.roomId }, ...agents(value.fromId)]
    case "entry":
      return [{ kind: "deal_room", id: value.roomId }]
    case "review":
      return [{ kind: "deal_room", id: value.roomId }, ...agents(value.byId, value.ofId)]
    case "match":
      return [value.demand, value.supply, ...agents(value.buyerId, value.sellerId)]
    case "agent":
    case "task":
    case "hold":
    case "bookmark":
      return []
  }
}
