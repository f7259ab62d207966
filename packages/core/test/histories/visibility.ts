/**
 * What somebody comes upon anywhere in the market, held against what the contract lets him see.
 *
 * Every text in a history is a mark that belongs to one thing, and so is the digest of any terms. Whatever a viewer
 * gets, from lists, reads, searches, matches, his inbox, events, webhooks, replies and refusals, is searched for marks.
 */
import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import {
  Agents,
  DealRooms,
  Events,
  Inbox,
  Keys,
  Listings,
  Matches,
  Quotes,
  Requests,
  Rfqs,
  Search,
  Webhooks
} from "../../src/index.ts"
import type { AgentId, Instant } from "../../src/index.ts"
import { idsOf, isReached } from "./world.ts"
import type { Hearers, World } from "./world.ts"

export type Viewer = AgentId | undefined

/** Whether the contract lets a viewer see what belongs to a thing. Written from §3, §4 and §6, not from the rules. */
const maySee = (viewer: Viewer, owner: string, world: World, at: Instant): boolean => {
  const { holds, listings, quotes, requests, reviews, rfqs, rooms } = world.ledger
  const has = (moment: Instant) => !DateTime.isGreaterThan(moment, at)
  // What one node has opened is open at all of them.
  const isOver = (moment: Instant) => isReached(world, moment)
  const listing = listings.get(owner)
  if (listing !== undefined) return listing.status === "active" || listing.agentId === viewer
  const request = requests.get(owner)
  if (request !== undefined) {
    const isOpen = request.status === "open" && !(request.expiresAt !== undefined && has(request.expiresAt))
    return isOpen || request.agentId === viewer
  }
  const rfq = rfqs.get(owner)
  if (rfq !== undefined) {
    if (rfq.agentId === viewer) return true
    if (rfq.status === "draft") return false
    return rfq.visibility === "public" || (viewer !== undefined && rfq.invitees.includes(viewer))
  }
  const quote = quotes.get(owner)
  if (quote !== undefined) {
    const asked = rfqs.get(quote.rfqId)
    if (asked === undefined) return false
    const isOpened = asked.quoteMode === "open" || isOver(asked.quoteDeadline)
    return quote.agentId === viewer || (asked.agentId === viewer && isOpened)
  }
  const room = rooms.get(owner)
  if (room !== undefined) return viewer !== undefined && [room.buyerId, room.sellerId].includes(viewer)
  const review = reviews.get(owner)
  if (review !== undefined) return review.byId === viewer || isOver(review.publishedAt)
  const hold = holds.get(owner)
  if (hold !== undefined) {
    if (hold.agentId === viewer) return true
    return hold.status === "released" && hold.subject.kind === "message"
      ? maySee(viewer, hold.subject.roomId, world, at)
      : false
  }
  if (owner.startsWith(ofParties)) {
    const ended = quotes.get(owner.slice(ofParties.length))
    return viewer !== undefined && [ended?.agentId, rfqs.get(ended?.rfqId ?? "")?.agentId].includes(viewer)
  }
  return owner === viewer
}

const ofParties = "the parties of "

/** Whether the contract tells a viewer of an event. */
export const mayHear = (viewer: Viewer, hearers: Hearers | undefined): boolean =>
  hearers === "everybody" || (viewer !== undefined && hearers !== undefined && hearers.has(viewer))

/** Expects of something that a viewer gets that every text in it is his to see. */
export const expectSeen = (
  viewer: Viewer,
  what: unknown,
  world: World,
  at: Instant,
  { isDraft = false, where = "the market" } = {}
): void => {
  const text = JSON.stringify(what) ?? ""
  for (const [found] of text.matchAll(/mark\d+x|sha256:[0-9a-f]{64}/g)) {
    const owner = world.marks.get(found)
    // What is only looked at never comes to be; a digest can be that of a message.
    if (owner === undefined && (isDraft || found.startsWith("sha256:"))) continue
    assert(owner !== undefined, `${found} was written, as ${where} has it`)
    assert(
      maySee(viewer, owner, world, at),
      `${viewer ?? "anybody"} comes upon a text of ${owner} in ${where}`
    )
  }
  // What is sealed under a seed stays so until the deadline.
  for (const { quoteDeadline, seal } of world.ledger.rfqs.values())
    if (seal !== undefined && !isReached(world, quoteDeadline) && text.includes(seal.seed))
      assert.fail(`${viewer ?? "anybody"} comes upon a seed in ${where}`)
}

/** All that a viewer can get to read, by where it is. */
const everythingFor = Effect.fnUntraced(function* (viewer: Viewer, { ledger }: World) {
  const seen = new Map<string, Array<unknown>>()
  const look = <A, E, R>(where: string, read: Effect.Effect<A, E, R>) => {
    const note = (found: A | E) => {
      const known = seen.get(where)
      if (known === undefined) seen.set(where, [found])
      else known.push(found)
    }
    return Effect.match(read, { onFailure: note, onSuccess: note })
  }
  const [listings, requests, rfqs, agents] = yield* Effect.all([Listings, Requests, Rfqs, Agents])
  const whole = { limit: 100 }
  const own = viewer === undefined ? [] : ([{ agent: "me" }] as const)
  for (const query of [{}, { q: "legal" }, ...own]) {
    yield* look("listings", listings.list(viewer, { ...whole, ...query }))
    yield* look("requests", requests.list(viewer, { ...whole, ...query }))
    yield* look("RFQs", rfqs.list(viewer, { ...whole, ...query }))
  }
  yield* look("RFQs", rfqs.list(viewer, { ...whole, status: "unsuccessful" }))
  yield* look("the search", (yield* Search).find(viewer, { q: "legal translate agent", ...whole }))
  yield* look("agents", agents.list(whole))
  for (const { id } of ledger.agents.values()) {
    yield* look("agents", agents.profile(id))
    yield* look("reviews", agents.reviews(id, whole))
  }
  for (const { id } of ledger.listings.values()) yield* look("a listing", listings.get(viewer, id))
  for (const { id } of ledger.requests.values()) yield* look("a request", requests.get(viewer, id))
  for (const { id } of ledger.rfqs.values()) yield* look("an RFQ", rfqs.get(viewer, id))
  if (viewer === undefined) return seen
  const [quotes, rooms, inbox, matches, webhooks] = yield* Effect.all([
    Quotes,
    DealRooms,
    Inbox,
    Matches,
    Webhooks
  ])
  yield* look("the account", agents.me(viewer))
  yield* look("the inbox", inbox.list(viewer, whole))
  yield* look("matches", matches.list(viewer, whole))
  yield* look("keys", (yield* Keys).list(viewer))
  yield* look("webhooks", webhooks.list(viewer))
  for (const { id } of ledger.webhooks.values())
    yield* look("deliveries", webhooks.deliveries(viewer, id, whole))
  yield* look("quotes", quotes.mine(viewer, whole))
  yield* look("deal rooms", rooms.list(viewer, whole))
  for (const { id } of ledger.rfqs.values()) yield* look("quotes", quotes.ofRfq(viewer, id, whole))
  for (const { id } of ledger.quotes.values()) yield* look("a quote", quotes.get(viewer, id))
  for (const { id } of ledger.rooms.values()) {
    yield* look("a deal room", rooms.get(viewer, id))
    yield* look("a transcript", rooms.entries(viewer, id, whole))
  }
  return seen
})

/** Expects that a viewer comes upon nothing that the contract hides from him, and hears what it tells him. */
export const expectNothingHidden = Effect.fnUntraced(function* (world: World, viewer: Viewer) {
  const at = yield* DateTime.now
  for (const [where, found] of yield* everythingFor(viewer, world)) {
    expectSeen(viewer, found, world, at, { where })
    expectNoSecret(viewer, JSON.stringify(found), where)
  }
  const { items } = yield* (yield* Events).page(viewer, { after: "earliest", limit: 100_000 })
  const heard = items.map(({ event }) => event.id)
  const expected = world.events.flatMap(({ event }) =>
    mayHear(viewer, world.hearers.get(event.id)) ? [event.id] : []
  )
  if (heard.length === expected.length && heard.every((id, n) => id === expected[n])) return
  const name = ({ event }: { readonly event: { readonly id: string; readonly type: string } }) =>
    `${event.type} ${event.id}`
  assert.deepStrictEqual(
    items.map(name),
    world.events.filter(({ event }) => expected.includes(event.id)).map(name),
    `${viewer ?? "anybody"} hears what is his to hear`
  )
})

/** Keys and the secrets of webhooks are shown once, by the reply that makes them, and nowhere else. */
const expectNoSecret = (viewer: Viewer, text: string, where: string): void => {
  const secret = /"digest"|agent_[0-9A-Za-z]{33}|whsec_|"(?:formerS|s)ecret"/.exec(text)
  assert(secret === null, `${viewer ?? "anybody"} sees ${secret?.[0]} in ${where}`)
}

/** Expects of what was told during a step, by events and by replies, that each who got it may see all of it. */
export const expectNothingTold = Effect.fnUntraced(function* (world: World) {
  const at = yield* DateTime.now
  const everybody: ReadonlyArray<Viewer> = [undefined, ...idsOf(world.ledger.agents)]
  for (const { event } of world.deeds.flatMap(({ events }) => events)) {
    const text = JSON.stringify(event)
    expectNoSecret(undefined, text, event.type)
    for (const viewer of everybody)
      if (mayHear(viewer, world.hearers.get(event.id)))
        expectSeen(viewer, event, world, at, { where: event.type })
  }
  for (const { isDraft, to, what } of world.said)
    expectSeen(to, what, world, at, { isDraft, where: "a reply" })
})
