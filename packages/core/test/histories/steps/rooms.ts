/** Deal rooms, from the opening to the reviews. */
import { Effect } from "effect"
import { DealRooms, termsDigest } from "../../../src/index.ts"
import type {
  AgentId,
  DealRoom,
  DealRoomId,
  DealRoomInput,
  OfferInput,
  WriteOptions
} from "../../../src/index.ts"
import { act } from "../manners.ts"
import type { Draw, Step } from "../manners.ts"
import { mark, markedTerms, oneOf, owns, ownsTerms } from "../world.ts"
import type { World } from "../world.ts"
import {
  activeQuotes,
  agents,
  completed,
  listings,
  negotiations,
  offered,
  on,
  requests,
  rooms,
  suggestions,
  underWay,
  within
} from "./common.ts"

/** Notes an offer's author's consent, and what its text belongs to. */
const noteOffer = (world: World, id: DealRoomId, agent: AgentId, { terms }: OfferInput): void => {
  world.consents.add(`${id} ${agent} ${termsDigest(terms)}`)
  ownsTerms(world, terms, id)
}

const offerOf = (world: World, { how }: Draw): OfferInput => ({
  terms: markedTerms(1 + (how % 900), mark(world))
})

const open = (world: World, draw: Draw, agent: AgentId, origin: DealRoomInput) =>
  Effect.gen(function* () {
    const offer = draw.how % 4 === 0 ? undefined : offerOf(world, draw)
    const input = offer === undefined ? origin : { ...origin, offer }
    const service = yield* DealRooms
    const { id } = yield* act(world, draw, agent, (options) => service.open(agent, input, options))
    if (offer !== undefined) noteOffer(world, id, agent, offer)
  })

type Service = DealRooms["Service"]
type Move = (
  service: Service,
  agent: AgentId,
  id: DealRoomId,
  options: WriteOptions
) => ReturnType<Service["complete"]>

const moves: ReadonlyArray<Move> = [
  (rooms, agent, id, options) => rooms.deliver(agent, id, { note: "Done." }, options),
  (rooms, agent, id, options) => rooms.deliver(agent, id, { note: "Done." }, options),
  (rooms, agent, id, options) => rooms.complete(agent, id, options),
  (rooms, agent, id, options) => rooms.complete(agent, id, options),
  (rooms, agent, id, options) => rooms.requestChanges(agent, id, "More.", options),
  (rooms, agent, id, options) => rooms.cancel(agent, id, undefined, options),
  (rooms, agent, id, options) => rooms.cancel(agent, id, undefined, options),
  (rooms, agent, id, options) => rooms.decline(agent, id, undefined, options)
]

/** Who is expected to move a room on. */
const expectedIn = (room: DealRoom | undefined): AgentId | undefined => {
  if (room === undefined || room.turn === null) return undefined
  return room.turn === "buyer" ? room.buyerId : room.sellerId
}

/** The side whose turn it is accepts what lies on the table. */
const agree = Effect.fnUntraced(function* (world: World, draw: Draw, id: DealRoomId) {
  const room = world.ledger.rooms.get(id)
  const agent = expectedIn(room)
  if (room?.currentOffer === undefined || agent === undefined) return
  const { id: offerId, termsDigest } = room.currentOffer
  const service = yield* DealRooms
  const input = { termsDigest, acceptDeviations: draw.how % 2 === 0 }
  yield* act(world, draw, agent, (options) => service.accept(agent, id, offerId, input, options), id)
  world.consents.add(`${id} ${agent} ${termsDigest}`)
})

/** The side whose turn it is does its work. */
const workOn = Effect.fnUntraced(function* (world: World, draw: Draw, id: DealRoomId) {
  const room = world.ledger.rooms.get(id)
  const agent = expectedIn(room)
  if (room === undefined || agent === undefined) return
  const service = yield* DealRooms
  const expected = (options: WriteOptions) => {
    if (room.turn === "seller") return service.deliver(agent, id, { note: "Done." }, options)
    return draw.how % 4 === 0
      ? service.requestChanges(agent, id, "More.", options)
      : service.complete(agent, id, options)
  }
  yield* act(world, draw, agent, expected, id)
})

export const roomSteps: { readonly [name: string]: Step } = {
  talkAboutListing: on(listings, (listingId, agent, draw, world) => open(world, draw, agent, { listingId })),
  talkAboutRequest: on(requests, (requestId, agent, draw, world) => open(world, draw, agent, { requestId })),
  talkAboutQuote: within(activeQuotes, (quoteId, agent, draw, world) =>
    open(world, draw, agent, { quoteId })
  ),
  talkAboutMatch: within(suggestions, (matchId, agent, draw, world) => open(world, draw, agent, { matchId })),
  talk: on(agents, (counterparty, agent, draw, world) =>
    open(world, draw, agent, { counterparty, role: oneOf(["buyer", "seller"], draw.how), maxRounds: 3 })
  ),

  say: within(rooms, (id, agent, draw, world) =>
    Effect.gen(function* () {
      const text = mark(world)
      const service = yield* DealRooms
      yield* act(world, draw, agent, (options) => service.say(agent, id, { text }, options), id)
      // What is held belongs to the hold.
      const held = world.deeds
        .flatMap(({ written }) => written)
        .find(({ write }) => write.kind === "hold" && write.value.subject.kind === "message")
      owns(world, text, held?.write.value.id ?? id)
    })
  ),

  offer: within(negotiations, (id, agent, draw, world) =>
    Effect.gen(function* () {
      const offer = offerOf(world, draw)
      const service = yield* DealRooms
      yield* act(world, draw, agent, (options) => service.offer(agent, id, offer, options), id)
      noteOffer(world, id, agent, offer)
    })
  ),

  accept: within(offered, (id, agent, draw, world) =>
    Effect.gen(function* () {
      const offer = world.ledger.rooms.get(id)?.currentOffer
      if (offer === undefined) return
      const digest = draw.how % 6 === 0 ? termsDigest(markedTerms(draw.how, "other")) : offer.termsDigest
      const input = { termsDigest: digest, acceptDeviations: draw.how % 2 === 0 }
      const service = yield* DealRooms
      yield* act(world, draw, agent, (options) => service.accept(agent, id, offer.id, input, options), id)
      world.consents.add(`${id} ${agent} ${digest}`)
    })
  ),

  clearOffer: within(offered, (id, agent, draw, world) =>
    Effect.gen(function* () {
      const offer = world.ledger.rooms.get(id)?.currentOffer
      if (offer === undefined) return
      const reason = mark(world)
      const move = oneOf(["reject", "withdraw"], draw.how)
      const service = yield* DealRooms
      yield* act(
        world,
        draw,
        agent,
        (options) => service.clearOffer(agent, id, offer.id, move, reason, options),
        id
      )
      owns(world, reason, id)
    })
  ),

  moveRoom: within(underWay, (id, agent, draw, world) =>
    Effect.flatMap(DealRooms, (service) =>
      act(world, draw, agent, (options) => oneOf(moves, draw.how)(service, agent, id, options), id)
    )
  ),

  dispute: within(underWay, (id, agent, draw, world) =>
    Effect.gen(function* () {
      const text = mark(world)
      const service = yield* DealRooms
      yield* act(world, draw, agent, (options) => service.dispute(agent, id, text, options), id)
      owns(world, text, id)
    })
  ),

  review: within(completed, (id, agent, draw, world) =>
    Effect.gen(function* () {
      const text = mark(world)
      const service = yield* DealRooms
      const input = { rating: 1 + (draw.how % 5), text }
      const review = yield* act(
        world,
        draw,
        agent,
        (options) => service.review(agent, id, input, options),
        id
      )
      owns(world, text, review.id)
    })
  ),

  negotiate: within(offered, (id, _agent, draw, world) => agree(world, draw, id)),

  work: within(underWay, (id, _agent, draw, world) => workOn(world, draw, id))
}
