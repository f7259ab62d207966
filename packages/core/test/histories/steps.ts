/** What a random history can do: every move of the market, by whoever comes, whether it is his to make or not. */
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import {
  Agents,
  DealRooms,
  Listings,
  Quotes,
  Requests,
  Rfqs,
  Settling,
  termsDigest
} from "../../src/index.ts"
import type { AgentId, DealRoomId, DealRoomInput, DealRoomView, OfferInput } from "../../src/index.ts"
import { mark, markedTerms, owns, pick } from "./world.ts"
import type { Services, Snapshot, World } from "./world.ts"

/** Three numbers from which a step draws who, what and how. */
export interface Draw {
  readonly who: number
  readonly which: number
  readonly how: number
}

interface Refused {
  readonly code: string
}

/** Done, refused with a code, or without anything to act on. */
export type Step = (world: World, draw: Draw) => Effect.Effect<unknown, Refused, Services> | undefined

const day = 86_400

const inSeconds = (seconds: number) => Effect.map(DateTime.now, (now) => DateTime.add(now, { seconds }))

const by = (world: World, { who }: Draw): AgentId => {
  const agent = pick(world.agents, who)
  if (agent === undefined) throw new Error("a history begins with agents")
  return agent
}

/** Those whose thing it is: owners and parties. */
const partiesOf = ({ before }: World, id: string): ReadonlyArray<AgentId> => {
  const owned = before.listings.get(id) ?? before.requests.get(id) ?? before.rfqs.get(id)
  if (owned !== undefined) return [owned.agentId]
  const quote = before.quotes.get(id)
  const asked = before.rfqs.get(quote?.rfqId ?? "")
  if (quote !== undefined && asked !== undefined) return [quote.agentId, asked.agentId]
  const room = before.rooms.get(id)
  return room === undefined ? [] : [room.buyerId, room.sellerId]
}

/** Mostly one of the parties, so that histories get somewhere; anybody at times, so that refusals are seen. */
const partyTo = (world: World, draw: Draw, id: string): AgentId =>
  (draw.who % 5 === 0 ? undefined : pick(partiesOf(world, id), draw.who)) ?? by(world, draw)

/** A step of one of its parties on one of some things. */
const within =
  <A extends string>(
    things: (world: World) => ReadonlyArray<A>,
    act: (thing: A, agent: AgentId, draw: Draw, world: World) => Effect.Effect<unknown, Refused, Services>
  ): Step =>
  (world, draw) => {
    const thing = pick(things(world), draw.which)
    return thing === undefined ? undefined : act(thing, partyTo(world, draw, thing), draw, world)
  }

/** A step of anybody on one of some things. */
const on =
  <A>(
    things: (world: World) => ReadonlyArray<A>,
    act: (thing: A, agent: AgentId, draw: Draw, world: World) => Effect.Effect<unknown, Refused, Services>
  ): Step =>
  (world, draw) => {
    const thing = pick(things(world), draw.which)
    return thing === undefined ? undefined : act(thing, by(world, draw), draw, world)
  }

/** The things in some states; all of them where none is. */
const inState =
  <A extends string>(
    ids: (world: World) => ReadonlyArray<A>,
    found: (snapshot: Snapshot) => ReadonlyMap<string, { readonly status: string }>,
    states: ReadonlyArray<string>
  ) =>
  (world: World): ReadonlyArray<A> => {
    const some = ids(world).filter((id) => states.includes(found(world.before).get(id)?.status ?? ""))
    return some.length === 0 ? ids(world) : some
  }

const listings = (world: World) => world.listings
const requests = (world: World) => world.requests
const rfqs = (world: World) => world.rfqs
const quotes = (world: World) => world.quotes
const rooms = (world: World) => world.rooms
const openRfqs = inState(rfqs, ({ rfqs }) => rfqs, ["open"])
const activeQuotes = inState(quotes, ({ quotes }) => quotes, ["active"])
const negotiations = inState(rooms, ({ rooms }) => rooms, ["negotiating"])
const underWay = inState(rooms, ({ rooms }) => rooms, ["in_progress", "delivered", "changes_requested"])
const completed = inState(rooms, ({ rooms }) => rooms, ["completed"])

const oneOf = <const A>(choices: ReadonlyArray<A>, how: number): A => {
  const choice = pick(choices, how)
  if (choice === undefined) throw new Error("there is nothing to choose from")
  return choice
}

/** Notes an offer's author's consent, and what its text belongs to. */
const noteRoom = (world: World, room: DealRoomView, agent: AgentId, offer: OfferInput | undefined): void => {
  if (!world.rooms.includes(room.id)) world.rooms.push(room.id)
  if (offer === undefined) return
  world.consents.add(`${room.id} ${agent} ${termsDigest(offer.terms)}`)
  owns(world, offer.terms.notes ?? "", room.id)
}

const open = Effect.fnUntraced(function* (world: World, agent: AgentId, input: DealRoomInput) {
  const { value } = yield* (yield* DealRooms).open(agent, input)
  noteRoom(world, value, agent, input.offer)
})

const offerOf = (world: World, { how }: Draw): OfferInput | undefined =>
  how % 4 === 0 ? undefined : { terms: markedTerms(1 + (how % 900), mark(world)) }

const withOffer = (world: World, draw: Draw, input: DealRoomInput): DealRoomInput => {
  const offer = offerOf(world, draw)
  return offer === undefined ? input : { ...input, offer }
}

/** The side whose turn it is does what is expected of it. */
const doExpected = Effect.fnUntraced(function* (world: World, id: DealRoomId, how: number) {
  const room = world.before.rooms.get(id)
  if (room === undefined || room.turn === null) return
  const { agreement, currentOffer } = room
  const agent = room.turn === "buyer" ? room.buyerId : room.sellerId
  const service = yield* DealRooms
  if (agreement !== undefined && room.turn === "seller") yield* service.deliver(agent, id, { note: "Done." })
  else if (agreement !== undefined && how % 4 === 0) yield* service.requestChanges(agent, id, "More.")
  else if (agreement !== undefined) yield* service.complete(agent, id)
  else if (currentOffer !== undefined) {
    const { id: offerId, termsDigest } = currentOffer
    yield* service.accept(agent, id, offerId, { termsDigest, acceptDeviations: how % 2 === 0 })
    world.consents.add(`${id} ${agent} ${termsDigest}`)
  }
})

export const steps: { readonly [name: string]: Step } = {
  join: (world, draw) =>
    world.agents.length >= 6
      ? undefined
      : Effect.gen(function* () {
          const text = mark(world)
          const { value } = yield* (yield* Agents).register({
            handle: `late-${world.agents.length}-${draw.how}`,
            name: "A late comer",
            email: `${text}@example.com`
          })
          world.agents.push(value.agent.id)
          owns(world, text, value.agent.id)
        }),

  rename: (world, draw) =>
    Effect.gen(function* () {
      const text = mark(world)
      const agent = by(world, draw)
      yield* (yield* Agents).update(agent, { name: `Agent ${draw.how}`, email: `${text}@example.com` })
      owns(world, text, agent)
    }),

  closeAccount: (world, draw) =>
    // Few histories are about markets that everybody leaves.
    draw.how % 5 === 0 ? Effect.flatMap(Agents, (agents) => agents.close(by(world, draw))) : undefined,

  publish: (world, draw) =>
    Effect.gen(function* () {
      const text = mark(world)
      const { value } = yield* (yield* Listings).publish(by(world, draw), {
        title: "Translate legal texts",
        description: text,
        tags: ["legal"],
        pricing: { model: "fixed", price: { amount: `${1 + (draw.how % 500)}`, currency: "EUR" } },
        status: oneOf(["active", "draft"], draw.how)
      })
      world.listings.push(value.id)
      owns(world, text, value.id)
    }),

  updateListing: within(listings, (id, agent, { how }) =>
    Effect.flatMap(Listings, (service) => service.update(agent, id, { turnaroundSeconds: 1 + how }))
  ),

  moveListing: within(listings, (id, agent, { how }) =>
    Effect.flatMap(Listings, (service) =>
      service.move(agent, id, oneOf(["pause", "activate", "archive"], how))
    )
  ),

  ask: (world, draw) =>
    Effect.gen(function* () {
      const text = mark(world)
      const { value } = yield* (yield* Requests).open(by(world, draw), {
        title: "Someone to translate legal texts",
        description: text,
        tags: ["legal"],
        ...(draw.how % 3 === 0 ? {} : { expiresAt: yield* inSeconds(day * (1 + (draw.how % 5))) })
      })
      world.requests.push(value.id)
      owns(world, text, value.id)
    }),

  endRequest: within(requests, (id, agent, { how }) =>
    Effect.flatMap(Requests, (service) => service.end(agent, id, oneOf(["fulfil", "cancel"], how)))
  ),

  callForQuotes: (world, draw) =>
    Effect.gen(function* () {
      const text = mark(world)
      const agent = by(world, draw)
      const invitees = world.agents.filter((id, n) => id !== agent && n % 2 === draw.which % 2)
      const invited = draw.which % 3 === 0
      const { value } = yield* (yield* Rfqs).create(agent, {
        title: "Translate a legal contract",
        description: text,
        tags: ["legal"],
        requirements: [{ id: "sworn", text: "A sworn translator", hard: true }],
        quoteDeadline: yield* inSeconds(day * (1 + (draw.how % 10))),
        maxQuotes: 1 + (draw.how % 4),
        quoteMode: oneOf(["open", "sealed"], draw.how),
        visibility: invited ? "invited" : "public",
        ...(invited ? { invitees } : {}),
        status: draw.how % 7 === 0 ? "draft" : "open"
      })
      world.rfqs.push(value.id)
      owns(world, text, value.id)
    }),

  moveRfq: within(rfqs, (id, agent, { how }) =>
    Effect.flatMap(Rfqs, (service) =>
      service.move(agent, id, oneOf(["open", "close", "cancel", "unsuccessful", "open"], how))
    )
  ),

  quote: on(openRfqs, (id, agent, { how }, world) =>
    Effect.gen(function* () {
      const text = mark(world)
      const terms = markedTerms(1 + (how % 900), text)
      const { value } = yield* (yield* Quotes).submit(agent, id, {
        terms,
        responses: [{ requirementId: "sworn", met: how % 3 !== 0 }]
      })
      world.quotes.push(value.id)
      world.firstTerms.set(value.id, value.termsDigest)
      world.consents.add(`${value.id} ${agent} ${termsDigest(terms)}`)
      owns(world, text, value.id)
    })
  ),

  reviseQuote: within(activeQuotes, (id, agent, { how }, world) =>
    Effect.gen(function* () {
      const text = mark(world)
      const terms = markedTerms(1 + (how % 900), text)
      const { value } = yield* (yield* Quotes).revise(agent, id, { terms })
      world.consents.add(`${value.id} ${agent} ${termsDigest(terms)}`)
      owns(world, text, value.id)
    })
  ),

  endQuote: within(quotes, (id, agent, { how }) =>
    Effect.flatMap(Quotes, (service) =>
      how % 2 === 0 ? service.withdraw(agent, id, undefined) : service.decline(agent, id, "no")
    )
  ),

  award: on(activeQuotes, (id, _agent, { who, how }, world) =>
    Effect.gen(function* () {
      const quote = world.before.quotes.get(id)
      const rfq = world.before.rfqs.get(quote?.rfqId ?? "")
      if (quote === undefined || rfq === undefined) return
      // Mostly the buyer himself; he names what he read, or, of a quote that has one text only, nothing.
      const buyer = who % 4 === 0 ? oneOf(world.agents, how) : rfq.agentId
      const named = how % 3 === 0 ? undefined : how % 7 === 0 ? world.firstTerms.get(id) : quote.termsDigest
      const { value } = yield* (yield* Rfqs).award(buyer, rfq.id, {
        quoteId: id,
        ...(named === undefined ? {} : { termsDigest: named }),
        acceptDeviations: how % 2 === 0
      })
      world.rooms.push(value.dealRoom.id)
      world.consents.add(`${id} ${buyer} ${named ?? world.firstTerms.get(id)}`)
    })
  ),

  talkAboutListing: on(listings, (listingId, agent, draw, world) =>
    open(world, agent, withOffer(world, draw, { listingId }))
  ),
  talkAboutRequest: on(requests, (requestId, agent, draw, world) =>
    open(world, agent, withOffer(world, draw, { requestId }))
  ),
  talkAboutQuote: within(activeQuotes, (quoteId, agent, draw, world) =>
    open(world, agent, withOffer(world, draw, { quoteId }))
  ),
  talk: on(
    (world) => world.agents,
    (counterparty, agent, draw, world) =>
      open(
        world,
        agent,
        withOffer(world, draw, { counterparty, role: oneOf(["buyer", "seller"], draw.how), maxRounds: 3 })
      )
  ),

  say: within(rooms, (id, agent, _draw, world) =>
    Effect.gen(function* () {
      const text = mark(world)
      yield* (yield* DealRooms).say(agent, id, { text })
      owns(world, text, id)
    })
  ),

  offer: within(negotiations, (id, agent, { how }, world) =>
    Effect.gen(function* () {
      const offer: OfferInput = { terms: markedTerms(1 + (how % 900), mark(world)) }
      const { value } = yield* (yield* DealRooms).offer(agent, id, offer)
      noteRoom(world, value, agent, offer)
    })
  ),

  accept: within(negotiations, (id, agent, { how }, world) =>
    Effect.gen(function* () {
      const offer = world.before.rooms.get(id)?.currentOffer
      if (offer === undefined) return
      const digest = how % 6 === 0 ? termsDigest(markedTerms(how, "other")) : offer.termsDigest
      yield* (yield* DealRooms).accept(agent, id, offer.id, {
        termsDigest: digest,
        acceptDeviations: how % 2 === 0
      })
      world.consents.add(`${id} ${agent} ${digest}`)
    })
  ),

  clearOffer: within(negotiations, (id, agent, { how }, world) =>
    Effect.gen(function* () {
      const offer = world.before.rooms.get(id)?.currentOffer
      if (offer === undefined) return
      const move = oneOf(["reject", "withdraw"], how)
      yield* (yield* DealRooms).clearOffer(agent, id, offer.id, move, undefined)
    })
  ),

  moveRoom: within(underWay, (id, agent, { how }) =>
    Effect.gen(function* () {
      const service = yield* DealRooms
      const moves = [
        service.deliver(agent, id, { note: "Done." }),
        service.deliver(agent, id, { note: "Done." }),
        service.complete(agent, id),
        service.complete(agent, id),
        service.requestChanges(agent, id, "More."),
        service.cancel(agent, id, undefined),
        service.dispute(agent, id, "Wrong."),
        service.decline(agent, id, undefined)
      ]
      yield* oneOf(moves, how)
    })
  ),

  review: within(completed, (id, agent, { how }, world) =>
    Effect.gen(function* () {
      const text = mark(world)
      const { value } = yield* (yield* DealRooms).review(agent, id, { rating: 1 + (how % 5), text })
      owns(world, text, value.id)
    })
  ),

  negotiate: within(negotiations, (id, _agent, { how }, world) => doExpected(world, id, how)),

  work: within(underWay, (id, _agent, { how }, world) => doExpected(world, id, how)),

  wait: (_world, { how }) => TestClock.adjust(`${1 + (how % 24)} hours`),

  waitLong: (_world, { how }) => TestClock.adjust(`${1 + (how % 8)} days`),

  sweep: () =>
    Effect.flatMap(Settling, (settling) =>
      Effect.repeat(settling.sweep(100), { while: (count) => count > 0 })
    )
}

/** How often a step is drawn beside the others; once where nothing is said. */
export const weights: { readonly [name: string]: number } = {
  callForQuotes: 2,
  quote: 8,
  award: 4,
  talk: 3,
  negotiate: 5,
  work: 6,
  offer: 3,
  review: 4,
  sweep: 2,
  closeAccount: 1
}
