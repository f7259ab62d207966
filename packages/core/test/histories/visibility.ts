/**
 * What somebody comes upon anywhere in the market, held against what the contract lets him see.
 *
 * Every text in a history is a mark that belongs to one thing. Whatever a viewer gets, from lists, reads, searches,
 * events and refusals, is searched for marks.
 */
import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { Agents, DealRooms, Events, Listings, Quotes, Requests, Rfqs, Search } from "../../src/index.ts"
import type { AgentId, Event, Instant } from "../../src/index.ts"
import type { Snapshot, World } from "./world.ts"

type Viewer = AgentId | undefined

/** Whether the contract lets a viewer see what belongs to a thing. Written from §3 and §4, not from the rules. */
const maySee = (viewer: Viewer, owner: string, now: Snapshot, at: Instant): boolean => {
  const has = (moment: Instant) => !DateTime.isGreaterThan(moment, at)
  const listing = now.listings.get(owner)
  if (listing !== undefined) return listing.status === "active" || listing.agentId === viewer
  const request = now.requests.get(owner)
  if (request !== undefined) {
    const isOpen = request.status === "open" && !(request.expiresAt !== undefined && has(request.expiresAt))
    return isOpen || request.agentId === viewer
  }
  const rfq = now.rfqs.get(owner)
  if (rfq !== undefined) {
    if (rfq.agentId === viewer) return true
    if (rfq.status === "draft") return false
    return rfq.visibility === "public" || (viewer !== undefined && rfq.invitees.includes(viewer))
  }
  const quote = now.quotes.get(owner)
  if (quote !== undefined) {
    const asked = now.rfqs.get(quote.rfqId)
    if (asked === undefined) return false
    const isOpened = asked.quoteMode === "open" || has(asked.quoteDeadline)
    return quote.agentId === viewer || (asked.agentId === viewer && isOpened)
  }
  const room = now.rooms.get(owner)
  if (room !== undefined) return room.buyerId === viewer || room.sellerId === viewer
  const review = now.reviews.get(owner)
  if (review !== undefined) return review.byId === viewer || has(review.publishedAt)
  return owner === viewer
}

/** Whether the contract lets a viewer hear of an event: those of quotes, rooms and keys are the parties' alone. §6. */
const mayHear = (viewer: Viewer, { data, subject, type }: Event, now: Snapshot): boolean => {
  switch (subject.kind) {
    case "quote": {
      const quote = now.quotes.get(subject.id)
      return (
        viewer !== undefined && [quote?.agentId, now.rfqs.get(quote?.rfqId ?? "")?.agentId].includes(viewer)
      )
    }
    case "deal_room": {
      const room = now.rooms.get(subject.id)
      return viewer !== undefined && [room?.buyerId, room?.sellerId].includes(viewer)
    }
    case "key":
      return data["agentId"] === viewer
    case "rfq": {
      const rfq = now.rfqs.get(subject.id)
      if (rfq === undefined) return false
      const isOwn = rfq.agentId === viewer
      const isInCircle = viewer !== undefined && rfq.invitees.includes(viewer)
      return isOwn || (type !== "rfq.updated" && (rfq.visibility === "public" || isInCircle))
    }
    default:
      return true
  }
}

/** All that a viewer can get to read. */
const everythingFor = Effect.fnUntraced(function* (viewer: Viewer, world: World) {
  const seen: Array<unknown> = []
  const look = <A, E, R>(read: Effect.Effect<A, E, R>) =>
    Effect.match(read, {
      onFailure: (refusal) => void seen.push(refusal),
      onSuccess: (found) => void seen.push(found)
    })
  const [listings, requests, rfqs, agents] = yield* Effect.all([Listings, Requests, Rfqs, Agents])
  const whole = { limit: 100 }
  const own = viewer === undefined ? [] : ([{ agent: "me" }] as const)
  for (const query of [{}, { q: "legal" }, ...own]) {
    yield* look(listings.list(viewer, { ...whole, ...query }))
    yield* look(requests.list(viewer, { ...whole, ...query }))
    yield* look(rfqs.list(viewer, { ...whole, ...query }))
  }
  yield* look((yield* Search).find(viewer, { q: "legal translate agent", ...whole }))
  yield* look((yield* Events).page(viewer, { after: "earliest", limit: 100_000 }))
  yield* look(agents.list(whole))
  for (const id of world.agents) {
    yield* look(agents.profile(id))
    yield* look(agents.reviews(id, whole))
  }
  for (const id of world.listings) yield* look(listings.get(viewer, id))
  for (const id of world.requests) yield* look(requests.get(viewer, id))
  for (const id of world.rfqs) yield* look(rfqs.get(viewer, id))
  if (viewer === undefined) return seen
  const [quotes, rooms] = yield* Effect.all([Quotes, DealRooms])
  yield* look(agents.me(viewer))
  yield* look(quotes.mine(viewer, whole))
  yield* look(rooms.list(viewer, whole))
  for (const id of world.rfqs) yield* look(quotes.ofRfq(viewer, id, whole))
  for (const id of world.quotes) yield* look(quotes.get(viewer, id))
  for (const id of world.rooms) {
    yield* look(rooms.get(viewer, id))
    yield* look(rooms.entries(viewer, id, whole))
  }
  return seen
})

/** Expects that nobody comes upon what the contract hides from him. */
export const expectNothingHidden = Effect.fnUntraced(function* (world: World, now: Snapshot) {
  const at = yield* DateTime.now
  const events = yield* Events
  for (const viewer of [undefined, ...world.agents]) {
    const text = JSON.stringify(yield* everythingFor(viewer, world))
    for (const [found] of text.matchAll(/mark\d+x/g)) {
      const owner = world.marks.get(found)
      assert(owner !== undefined, `${found} was written`)
      assert(maySee(viewer, owner, now, at), `${viewer ?? "anybody"} comes upon a text of ${owner}`)
    }
    const { items } = yield* events.page(viewer, { after: "earliest", limit: 100_000 })
    for (const { event } of items)
      assert(mayHear(viewer, event, now), `${viewer ?? "anybody"} hears ${event.type} of ${event.subject.id}`)
    assert.notInclude(text, '"digest"', "nobody sees the digest of a key")
  }
})
