/** Each change has its events, and each event its change, in one commit; and who hears of it. Contract §6. */
import { assert } from "@effect/vitest"
import type { AgentId, StoredEvent } from "../../src/index.ts"
import { contentKey } from "./market.ts"
import type { Deed, Entity, Hearers, Ledger, World, Written } from "./world.ts"

/** Expects of each commit of some steps that it says what it did; those that were refused did nothing. */
export const expectDeeds = (world: World, refused: ReadonlyArray<boolean>): void => {
  assert.deepStrictEqual(world.noted, [], "each commit replaces what another has written")
  for (const deed of world.deeds) {
    assert.isFalse(refused[deed.step], "what is refused changes nothing")
    for (const written of deed.written) {
      expectVersion(written)
      expectTold(written, deed)
      expectModerated(world, written, deed)
    }
    for (const stored of deed.events) {
      expectChange(stored, deed)
      world.hearers.set(stored.event.id, hearersOf(stored, deed, world.ledger))
    }
  }
}

const expectVersion = ({ before, write: { kind, replaces, value } }: Written): void => {
  // Bookmarks are the market's own.
  if (kind === "bookmark") return
  assert.strictEqual(replaces, before?.version ?? null, `what ${value.id} replaces`)
  assert.isAbove(value.version, before?.version ?? 0, `${value.id} changes with its version`)
}

const subjects = {
  agent: "agent",
  key: "key",
  listing: "listing",
  request: "request",
  rfq: "rfq",
  quote: "quote",
  deal_room: "deal_room",
  review: "review",
  match: "match",
  // Told of by the room, or known to their owner and the operator alone.
  offer: undefined,
  webhook: undefined,
  task: undefined,
  hold: undefined,
  bookmark: undefined
} as const

const expectTold = (written: Written, { events }: Deed): void => {
  const { before, write } = written
  if (subjects[write.kind] === undefined || isUntold(written)) return
  const { id, version } = write.value
  const own = events.filter(({ event }) => event.subject.id === id)
  assert(
    own.some(
      ({ event }) => event.subject.version > (before?.version ?? 0) && event.subject.version <= version
    ),
    `the change of ${id} to version ${version} is told of`
  )
  const expected = typesOfMove(written)
  if (expected !== undefined)
    assert(
      own.some(({ event }) => expected.includes(event.type)),
      `the move of ${id} is told of as ${expected.join(" or ")}`
    )
}

/** The types that tell of a new status, where it has types of its own. */
const typesOfMove = ({ before, write }: Written): ReadonlyArray<string> | undefined => {
  const status = statusOf(write.value)
  if (status === undefined || status === statusOf(before)) return undefined
  return tellingOf[`${write.kind} ${status}`]
}

const statusOf = (entity: Entity | undefined): string | undefined =>
  entity !== undefined && "status" in entity ? entity.status : undefined

const tellingOf: { readonly [move: string]: ReadonlyArray<string> } = {
  "agent suspended": ["agent.suspended"],
  "agent active": ["agent.registered", "agent.reinstated"],
  "agent closed": ["agent.closed"],
  "listing active": ["listing.published"],
  "listing paused": ["listing.paused"],
  "listing archived": ["listing.archived"],
  "request open": ["request.opened"],
  "request fulfilled": ["request.fulfilled"],
  "request cancelled": ["request.cancelled"],
  "request expired": ["request.expired"],
  "rfq open": ["rfq.opened"],
  "rfq evaluating": ["rfq.closed"],
  "rfq awarded": ["rfq.awarded"],
  "rfq unsuccessful": ["rfq.unsuccessful"],
  "rfq cancelled": ["rfq.cancelled"],
  "quote active": ["quote.submitted"],
  "quote withdrawn": ["quote.withdrawn"],
  "quote declined": ["quote.declined"],
  "quote expired": ["quote.expired"],
  "quote awarded": ["quote.awarded"],
  "quote not_selected": ["quote.not_selected"],
  "match suggested": ["match.found"],
  "match dismissed": ["match.dismissed"],
  "deal_room negotiating": ["deal_room.opened"],
  "deal_room agreed": ["deal_room.agreed"],
  "deal_room in_progress": ["deal_room.started"],
  "deal_room delivered": ["deal_room.delivered"],
  "deal_room changes_requested": ["deal_room.changes_requested"],
  "deal_room completed": ["deal_room.completed", "deal_room.resolved"],
  "deal_room disputed": ["deal_room.disputed"],
  "deal_room refunded": ["deal_room.resolved"],
  "deal_room split": ["deal_room.resolved"],
  "deal_room cancelled": ["deal_room.cancelled"],
  "deal_room declined": ["deal_room.declined"],
  "deal_room expired": ["deal_room.expired"]
}

const quietFields: ReadonlySet<string> = new Set([
  "reputation",
  "quoteCount",
  "reviewedBy",
  "lastUsedAt",
  "updatedAt",
  "version"
])

/**
 * Counts follow from changes that are told of elsewhere; a review is told of when it is published, a draft never, the
 * engagement of a match by its room; and nobody is told that a match has become too bad to suggest, or a little better.
 */
const isUntold = ({ before, write }: Written): boolean => {
  if (write.kind === "match" && (write.value.status === "engaged" || write.value.score < 0.25)) return true
  if (write.kind === "match" && statusOf(before) === write.value.status) return true
  if (before === undefined) return statusOf(write.value) === "draft" || write.kind === "review"
  return Object.entries(write.value).every(
    ([field, value]) =>
      quietFields.has(field) || JSON.stringify(value) === JSON.stringify(Reflect.get(before, field))
  )
}

/** An event tells of a version that its own commit has written. */
const expectChange = ({ event }: StoredEvent, { written }: Deed): void => {
  const { id, version } = event.subject
  const found = written.find(({ write }) => write.value.id === id)
  assert(found !== undefined, `${event.type} tells of ${id}, which the commit has written`)
  assert.isAtMost(version, found.write.value.version, `${event.type} of ${id}`)
  assert.isAbove(version, found.before?.version ?? 0, `${event.type} tells of a new version of ${id}`)
}

/** Nothing is published that the moderation or the operator has not let through. */
const expectModerated = (world: World, { before, write }: Written, { written }: Deed): void => {
  if (write.kind !== "listing" && write.kind !== "rfq") return
  const { description, id, status } = write.value
  const isSeen = status === "active" || status === "open"
  const isNew = statusOf(before) !== status || textOf(before) !== description
  if (!isSeen || !isNew) return
  const isReleased = written.some(({ write }) => write.kind === "hold" && write.value.status === "released")
  assert(isReleased || world.allowed.has(contentKey(write.kind, id, description)), `${id} was looked at`)
}

const textOf = (entity: Entity | undefined): string | undefined =>
  entity !== undefined && "description" in entity ? entity.description : undefined

// -----------------------------------------------------------------------------
// Who hears what: public events go to everybody, the others to the parties alone
// -----------------------------------------------------------------------------

/** To whom an event is told: whoever could see its subject before the commit, or can after it. */
const hearersOf = ({ event }: StoredEvent, { written }: Deed, ledger: Ledger): Hearers => {
  const { data, subject } = event
  const found = written.find(({ write }) => write.value.id === subject.id)
  const isReason = "reason" in data
  switch (subject.kind) {
    case "agent": {
      const id = ledger.agents.get(subject.id)?.id
      const isPrivate = isReason || (event.type === "agent.updated" && isAddressAlone(found))
      return isPrivate ? only(id) : "everybody"
    }
    case "key":
      return only(ledger.keys.get(subject.id)?.agentId)
    case "listing": {
      const listing = ledger.listings.get(subject.id)
      const isSeen = [statusOf(found?.before), statusOf(found?.write.value)].includes("active")
      return isSeen && !isReason ? "everybody" : only(listing?.agentId)
    }
    case "request":
    case "review":
      return "everybody"
    case "rfq": {
      const rfq = ledger.rfqs.get(subject.id)
      return isReason ? only(rfq?.agentId) : both(circleOf(found?.before), circleOf(found?.write.value))
    }
    case "quote": {
      const quote = ledger.quotes.get(subject.id)
      return only(quote?.agentId, ledger.rfqs.get(quote?.rfqId ?? "")?.agentId)
    }
    case "match": {
      const match = ledger.matches.get(subject.id)
      return only(match?.buyerId, match?.sellerId)
    }
    case "deal_room": {
      const room = ledger.rooms.get(subject.id)
      // Why a message was refused is its author's to know, and stands in no event.
      assert(data["refused"] !== true || !isReason, "no event says why a message was refused")
      return only(room?.buyerId, room?.sellerId)
    }
  }
}

/** Nobody else sees the address of an agent, so nobody else hears that it is another. */
const isAddressAlone = (written: Written | undefined): boolean => {
  if (written?.before === undefined) return false
  const { before, write } = written
  return Object.entries(write.value).every(
    ([field, value]) =>
      ["email", "updatedAt", "version"].includes(field) ||
      JSON.stringify(value) === JSON.stringify(Reflect.get(before, field))
  )
}

const only = (...ids: ReadonlyArray<AgentId | undefined>): Hearers =>
  new Set(ids.filter((id) => id !== undefined))

const both = (a: Hearers, b: Hearers): Hearers =>
  a === "everybody" || b === "everybody" ? "everybody" : new Set([...a, ...b])

const circleOf = (rfq: Entity | undefined): Hearers => {
  if (rfq === undefined || !("quoteMode" in rfq)) return only()
  if (rfq.status === "draft") return only(rfq.agentId)
  return rfq.visibility === "public" ? "everybody" : only(rfq.agentId, ...rfq.invitees)
}
